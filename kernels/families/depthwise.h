/* Depthwise convolutions, along one axis and two. */
#ifndef TAREI_KERNELS_FAMILIES_DEPTHWISE_H
#define TAREI_KERNELS_FAMILIES_DEPTHWISE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/families/epilogue.h"

/* --- depthwise convolution, channels-last, along one axis ------------------------------------- */
/* Output t, channel c: sum over j of x[t * stride + j * dilation - pad][c] * w[j][c]; taps outside
 * [0, in_length) take the zero point. Rows of x and of the outputs are `channels` long at their
 * strides. Outputs [t0, t1) are computed; epilogue row 0 is output t0, column 0 channel 0. */
typedef struct tarei_dw_conv {
  const void *x;      /* u8 or float */
  size_t ldx;         /* elements between time steps */
  int64_t in_length;
  int64_t t0, t1;
  int64_t kernel, stride, dilation, pad;
  size_t channels;
  const void *w;      /* s8 or float, [kernel][channels] */
  const int32_t *add; /* int8: [channels] bias - zero_point * tap sum; NULL for float */
  int32_t zero_point; /* int8: of x */
  tarei_epilogue epilogue;
} tarei_dw_conv;
typedef void tarei_dw_conv_fn(const tarei_dw_conv *c);

/* --- depthwise convolution, channels-last, along two axes ------------------------------------- */
/* Pairs are those of the lines and of the columns. Output (y, x) of a sample, channel c: sum over ky
 * and kx, in this order, of x[y * stride[0] + ky * dilation[0] - pad[0]][x * stride[1] + kx *
 * dilation[1] - pad[1]][c] * w[kx][ky][c]; taps outside take what `padding` has. Lines [line0, line1)
 * of the outputs of all samples are computed; epilogue row 0 is the first output of line0. */
typedef struct tarei_dw_planes {
  const void *x;       /* u8 or float, [samples][in[0]][in[1]][channels] */
  const void *padding; /* [in[1]][channels], one position at least: zero points or zeros */
  int64_t in[2], out[2];
  int64_t line0, line1;
  int64_t kernel[2], stride[2], dilation[2], pad[2];
  size_t channels;
  const void *w;      /* s8 or float, [kernel[1]][kernel[0]][channels] */
  const int32_t *add; /* int8: [channels] bias - zero point * tap sum; NULL for float */
  tarei_epilogue epilogue;
} tarei_dw_planes;
typedef void tarei_dw_planes_fn(const tarei_dw_planes *p);

#endif
