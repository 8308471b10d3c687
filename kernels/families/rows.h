/* Functions of rows: softmax, norms, quantization, pooling, bytes by table, casts. */
#ifndef TAREI_KERNELS_FAMILIES_ROWS_H
#define TAREI_KERNELS_FAMILIES_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <tare/tensor.h>

#include "kernels/families/epilogue.h"

/* In-place allowed (out == x) for all of these. */
/* m softmaxes of n elements each. step 1: they are rows, one after the other; else columns beside each
 * other, whose elements lie `step` apart. */
typedef struct tarei_softmax {
  const float *x;
  float *out;
  size_t m, n, step;
} tarei_softmax;
typedef void tarei_softmax_fn(const tarei_softmax *s);
/* softmax(x * scale + mask) quantized as saturate_u8(round(p * inv_scale) + zero_point); mask may
 * be NULL; out_f32 or out_u8 may be NULL, not both. */
typedef void tarei_softmax_fused_fn(const float *x, float scale, const float *mask, size_t n,
                                    float *out_f32, uint8_t *out_u8, float inv_scale,
                                    int32_t zero_point);
typedef struct tarei_logits {
  size_t m, n;       /* rows and their length */
  const float *x;    /* row stride ldx */
  size_t ldx;
  float scale;
  const float *mask; /* or NULL; rows mask_step apart, 0: one for all */
  size_t mask_step;
} tarei_logits;
typedef struct tarei_softmax_u8 {
  tarei_logits logits;
  uint8_t *out;      /* row stride ld_out */
  size_t ld_out;
  uint32_t *sums;    /* [m] */
} tarei_softmax_u8;
/* e = exp(x * scale + mask - the row's largest such value) as bytes, and the sum of each row's
 * bytes: out[i] / sum is the softmax, with a scale of its own for each row. Byte i is round(255 e +
 * carry), half to even; carry is what is left of that for byte i + 16, and 0 for the first 16. */
typedef void tarei_softmax_u8_fn(const tarei_softmax_u8 *s);
typedef struct tarei_softmax_bf16 {
  tarei_logits logits;
  uint16_t *out;     /* row stride ld_out; a zero follows an odd n */
  size_t ld_out;
  float *sums;       /* [m] */
} tarei_softmax_bf16;
/* The same e in bfloat16, half to even, and the sum of each row's rounded values. */
typedef void tarei_softmax_bf16_fn(const tarei_softmax_bf16 *s);
typedef void tarei_log_softmax_fn(const float *x, size_t n, float *out); /* one row */
/* y = (x - mean) / sqrt(variance + epsilon) * gain + shift; gain, shift may be NULL; residual (NULL
 * or n floats) is added to x first. Outputs as above. */
typedef void tarei_layer_norm_fn(const float *x, const float *residual, size_t n, float epsilon,
                                 const float *gain, const float *shift, float *out_f32,
                                 uint8_t *out_u8, float inv_scale, int32_t zero_point);
/* y = x / sqrt(mean square + epsilon) * gain; gain may be NULL. Outputs as above. */
typedef void tarei_rms_norm_fn(const float *x, size_t n, float epsilon, const float *gain,
                               float *out_f32, uint8_t *out_u8, float inv_scale,
                               int32_t zero_point);
typedef void tarei_quantize_fn(const float *x, size_t n, float inv_scale, int32_t zero_point,
                               uint8_t *out);
/* out[i] = table[what quantize makes of x[i]]; NaN counts as the lowest number. No x[i] * inv_scale
 * may reach 2^31. */
typedef void tarei_quantize_lut_fn(const float *x, size_t n, float inv_scale, int32_t zero_point,
                                   const uint8_t *table, uint8_t *out);
/* The largest element but NaN; -INFINITY without one. */
typedef float tarei_row_top_fn(const float *x, size_t n);
/* m rows of k floats, ldx elements apart, each quantized by its own largest magnitude, around the zero
 * point 128, scales[i] = amax / 127, or, where no value is below zero, from 0 on, scales[i] = amax /
 * 255; a scale that is not normal becomes 1. NaN and infinite values do not count for it. Rows of
 * `out` are ldo bytes apart. Rows that overlap are windows of one part, below. */
typedef void tarei_quantize_rows_fn(const float *x, size_t ldx, size_t m, size_t k, uint8_t *out,
                                    size_t ldo, float *scales, int32_t zero_point);
/* The same for rows of several parts, which are windows over lines: row i consists of as many parts of
 * `part` floats, from x + i * ldx + at[p] on, whose bytes follow each other. */
typedef struct tarei_window_rows {
  const float *x;
  size_t ldx, m;
  size_t parts, part;
  const size_t *at; /* [parts], elements */
  uint8_t *out;
  size_t ldo;      /* bytes */
  float *scales;   /* [m] */
  int32_t zero_point;
} tarei_window_rows;
typedef void tarei_quantize_windows_fn(const tarei_window_rows *w);
typedef struct tarei_i16_rows {
  const float *x;          /* [m][k], rows ldx elements apart */
  size_t ldx, m, k;
  uint8_t *upper, *lower;  /* [m][k] bytes of q + 32768, rows ldo bytes apart */
  size_t ldo;
  float *scales;           /* [m], out: amax of each row / 32767 as above; or NULL */
  float inv_scale;         /* of all rows, if scales is NULL */
  int32_t offset;          /* what 0 becomes, -32768..32767 */
} tarei_i16_rows;
/* q = round_half_even(x * inv_scale) + offset within -32768..32767; NaN gives the offset. */
typedef void tarei_quantize_i16_fn(const tarei_i16_rows *r);
/* out[i * n + c] = the largest of rows[0..n_rows)[i * step + c], or their sum, from the first row on,
 * over count, for m windows i and n channels c; n_rows >= 1. NaN comes out where one goes in. */
typedef struct tarei_pool_floats {
  const float *const *rows;
  size_t n_rows, n, m, step;
  float *out;
} tarei_pool_floats;
typedef struct tarei_pool_bytes {
  const uint8_t *const *rows;
  size_t n_rows, n, m, step;
  uint8_t *out;
} tarei_pool_bytes;
typedef void tarei_pool_max_fn(const tarei_pool_floats *pool);
typedef void tarei_pool_max_u8_fn(const tarei_pool_bytes *pool);
typedef void tarei_pool_mean_fn(const tarei_pool_floats *pool, float count);
/* Of m rows of channels: the mean of each channel, its sum row by row times 1 / m, and the sum of its
 * squared distances from that mean, likewise; in float. */
typedef void tarei_channel_moments_fn(const float *x, size_t m, size_t channels, float *mean,
                                      float *squares);
/* m rows: act(x * factor + offset) of each channel, in two roundings. Outputs have the rows of x, and
 * either may be NULL; bytes as of the epilogue. */
typedef struct tarei_channel_scale {
  const float *x;               /* [m][channels] */
  size_t m, channels;
  const float *factor, *offset; /* [channels] */
  tarei_act act;
  float act_a, act_b;
  float *out_f32;
  uint8_t *out_u8;
  float inv_scale;
  int32_t zero_point;
} tarei_channel_scale;
typedef void tarei_channel_scale_fn(const tarei_channel_scale *s);
/* out[i] = table[x[i]]; out == x allowed */
typedef void tarei_lut_u8_fn(const uint8_t *table, const uint8_t *x, size_t n, uint8_t *out);
typedef void tarei_dequantize_fn(const uint8_t *x, size_t n, float scale, int32_t zero_point,
                                 float *out);
/* Every element rounded once; floats become integers by truncation, saturated, and NaN 0. */
typedef void tarei_cast_fn(tare_dtype from, tare_dtype to, const void *x, size_t n, void *out);

#endif
