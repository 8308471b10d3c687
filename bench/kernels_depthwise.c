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

typedef struct planes {
  tarei_dw_planes_fn *f;
  tarei_dw_planes call;
} planes;

static void run_planes(void *context) {
  const planes *const p = context;
  p->f(&p->call);
}

/* A sample of c channels: windows of `rows` by `columns`, padded so that stride 1 keeps the size.
 * Floats also become bytes: how long that takes over floats. */
static void bench_planes_shape(const tarei_kernels *kernels, unsigned isa, bool bytes,
                               const int64_t *shape) {
  const int64_t c = shape[0], rows = shape[1], columns = shape[2];
  const int64_t stride = shape[3], height = shape[4], width = shape[5];
  const size_t element = bytes ? 1 : sizeof(float), pixel = (size_t)c * element;
  void *const x = bench_allocate((size_t)(height * width) * pixel);
  void *const padding = bench_allocate((size_t)width * pixel);
  void *const w = bench_allocate((size_t)(rows * columns) * pixel);
  int32_t *const add = bench_allocate((size_t)c * sizeof *add);
  void *const out = bench_allocate((size_t)(height * width) * pixel);
  planes p = {.f = bytes ? kernels->dw_planes_i8 : kernels->dw_planes_f32,
              .call = {.x = x,
                       .padding = padding,
                       .in = {height, width},
                       .out = {(height - 1) / stride + 1, (width - 1) / stride + 1},
                       .line1 = (height - 1) / stride + 1,
                       .kernel = {rows, columns},
                       .stride = {stride, stride},
                       .dilation = {1, 1},
                       .pad = {rows / 2, columns / 2},
                       .channels = (size_t)c,
                       .w = w,
                       .add = bytes ? add : NULL}};
  p.call.epilogue = bytes ? (tarei_epilogue){.out_u8 = out, .ld_u8 = (size_t)c, .inv_scale = 1.0f}
                          : (tarei_epilogue){.out_f32 = out, .ld_f32 = (size_t)c};
  const char *name;
  const double peak_now = bench_peak_rate(bytes, isa, &name);
  const double operations = 2.0 * (double)(p.call.out[0] * p.call.out[1] * c * rows * columns);
  planes quantized = p;
  quantized.call.epilogue = (tarei_epilogue){.out_u8 = out, .ld_u8 = (size_t)c, .inv_scale = 1.0f};
  measured_work works[2] = {{.run = run_planes, .context = &p},
                            {.run = run_planes, .context = &quantized}};
  bench_best_times(works, 2);
  const double rate = operations / works[0].best;
  printf("%5lld,%2lldx%lld,%2lld,%4lldx%-3lld %9.1f %7.1f %9.2f\n", (long long)c, (long long)rows,
         (long long)columns, (long long)stride, (long long)height, (long long)width, rate * 1e-9,
         peak_now > 0 ? 100 * rate / peak_now : 0, works[1].best / works[0].best);
  free(x);
  free(padding);
  free(w);
  free(add);
  free(out);
}

static void bench_planes(const tarei_kernels *kernels, unsigned isa, bool bytes) {
  static const int64_t shapes[][6] = {
      {32, 3, 3, 1, 33, 65},  {64, 3, 3, 2, 33, 65},  {96, 3, 3, 1, 17, 33}, {96, 5, 5, 1, 17, 33},
      {256, 3, 3, 1, 5, 9},   {640, 3, 3, 1, 3, 5},   {16, 3, 3, 1, 16, 33}, {88, 3, 3, 1, 13, 10},
      {24, 3, 1, 1, 20, 120}, {24, 1, 3, 1, 20, 120}, {32, 1, 1, 1, 40, 100}};
  printf("\n%s\n", bytes ? kernels->dw_planes_i8_name : kernels->dw_planes_f32_name);
  printf("%24s %9s %7s %9s\n", "C, window, stride, size", "GOP/s", "% peak", "to bytes");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    bench_planes_shape(kernels, isa, bytes, shapes[s]);
  }
}

void bench_depthwise(const tarei_kernels *kernels, unsigned isa) {
  bench_type(kernels, isa, true);
  bench_type(kernels, isa, false);
  bench_planes(kernels, isa, true);
  bench_planes(kernels, isa, false);
}
