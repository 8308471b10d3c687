/* Depthwise convolutions by shape. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"
#include "bench/peak.h"

typedef struct depthwise {
  tarei_dw_conv_fn *f;
  tarei_dw_conv conv;
} depthwise;

static void run_depthwise(void *context) {
  const depthwise *const d = context;
  d->f(&d->conv);
}

static void bench_type(const tarei_kernels *kernels, unsigned isa, bool bytes) {
  static const int64_t shapes[][4] = {{256, 33, 1, 200}, {256, 33, 1, 750}, {512, 63, 1, 200},
                                      {512, 75, 1, 750}, {512, 87, 2, 200}, {256, 9, 1, 750},
                                      {256, 3, 1, 750}};
  printf("\n%s\n", bytes ? kernels->dw_conv_i8_name : kernels->dw_conv_f32_name);
  printf("%24s %9s %7s\n", "C, taps, dilation, T", "GOP/s", "% peak");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    const int64_t c = shapes[s][0], kernel = shapes[s][1], dilation = shapes[s][2];
    const int64_t t = shapes[s][3];
    const size_t width = bytes ? 1 : sizeof(float);
    const size_t channels = (size_t)c, outputs = (size_t)(t * c);
    void *const x = bench_allocate(outputs * width);
    void *const w = bench_allocate((size_t)(kernel * c) * width);
    int32_t *const add = bench_allocate(channels * sizeof *add);
    void *const out = bench_allocate(outputs * width);
    depthwise d = {.f = bytes ? kernels->dw_conv_i8 : kernels->dw_conv_f32,
                   .conv = {.x = x,
                            .ldx = channels,
                            .in_length = t,
                            .t1 = t,
                            .kernel = kernel,
                            .stride = 1,
                            .dilation = dilation,
                            .pad = (kernel - 1) * dilation / 2,
                            .channels = channels,
                            .w = w,
                            .add = bytes ? add : NULL}};
    d.conv.epilogue = bytes ? (tarei_epilogue){.out_u8 = out, .ld_u8 = channels, .inv_scale = 1.0f}
                            : (tarei_epilogue){.out_f32 = out, .ld_f32 = channels};
    const char *name;
    const double peak_now = bench_peak_rate(bytes, isa, &name);
    const double rate =
        2.0 * (double)(outputs * (size_t)kernel) / bench_best_time(run_depthwise, &d);
    printf("%6lld,%4lld,%4lld,%6lld %9.1f %7.1f\n", (long long)c, (long long)kernel,
           (long long)dilation, (long long)t, rate * 1e-9,
           peak_now > 0 ? 100 * rate / peak_now : 0);
    free(x);
    free(w);
    free(add);
    free(out);
  }
}

void bench_depthwise(const tarei_kernels *kernels, unsigned isa) {
  bench_type(kernels, isa, true);
  bench_type(kernels, isa, false);
}
