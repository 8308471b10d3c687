/*
 * Speed of the kernels on one thread, against peak loops of the same process. For each product the
 * peak is measured again right before it, so that a moving clock does not spoil the percentages.
 *
 * usage: bench_kernels [ISA list, default native]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/kernels.h"

enum { ROUNDS = 60 };
static const double round_seconds = 0.0004; /* short: a neighbour seldom falls into all rounds */

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void work_fn(void *context);

static double time_calls(work_fn *work, void *context, int calls) {
  const double start = seconds();
  for (int i = 0; i < calls; i++) {
    work(context);
  }
  return (seconds() - start) / calls;
}

/* Seconds of one call, the best of some rounds. */
static double best_time(work_fn *work, void *context) {
  work(context);
  const int calls = 1 + (int)(round_seconds / (time_calls(work, context, 1) + 1e-9));
  double best = INFINITY;
  for (int r = 0; r < ROUNDS; r++) {
    best = fmin(best, time_calls(work, context, calls));
  }
  return best;
}

static void *allocate(size_t bytes) {
  void *const p = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!p) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  memset(p, 0, bytes);
  return p;
}

/* --- peaks: independent accumulators, no memory ------------------------------------------------- */
#if defined(__x86_64__)
enum { PEAK_STEPS = 20000, PEAK_CHAINS = 12 };

#define CHAINS(op, a)                                                                     \
  op " %%" a "0, %%" a "0, %%" a "1\n\t" op " %%" a "0, %%" a "0, %%" a "2\n\t"           \
  op " %%" a "0, %%" a "0, %%" a "3\n\t" op " %%" a "0, %%" a "0, %%" a "4\n\t"           \
  op " %%" a "0, %%" a "0, %%" a "5\n\t" op " %%" a "0, %%" a "0, %%" a "6\n\t"           \
  op " %%" a "0, %%" a "0, %%" a "7\n\t" op " %%" a "0, %%" a "0, %%" a "8\n\t"           \
  op " %%" a "0, %%" a "0, %%" a "9\n\t" op " %%" a "0, %%" a "0, %%" a "10\n\t"          \
  op " %%" a "0, %%" a "0, %%" a "11\n\t" op " %%" a "0, %%" a "0, %%" a "12\n\t"

#define DEFINE_PEAK(name, op, registers)                                                  \
  static void name(void *unused) {                                                        \
    (void)unused;                                                                         \
    int steps = PEAK_STEPS;                                                               \
    __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0\n"                                     \
                     "1:\n\t" CHAINS(op, registers) "dec %0\n\tjnz 1b\n\tvzeroupper"      \
                     : "+r"(steps)                                                        \
                     :                                                                    \
                     : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",      \
                       "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12");                \
  }
DEFINE_PEAK(peak_i8_zmm, "vpdpbusd", "zmm")
DEFINE_PEAK(peak_i8_ymm, "%{vex%} vpdpbusd", "ymm")
DEFINE_PEAK(peak_madd_ymm, "vpmaddwd", "ymm")
DEFINE_PEAK(peak_f32_zmm, "vfmadd231ps", "zmm")
DEFINE_PEAK(peak_f32_ymm, "vfmadd231ps", "ymm")

typedef struct peak {
  work_fn *loop;
  const char *name;
  unsigned isa;
  double operations; /* of one instruction */
} peak;

static const peak i8_peaks[] = {{peak_i8_zmm, "vpdpbusd zmm", TAREI_ISA_AVX512VNNI, 128},
                                {peak_i8_ymm, "vpdpbusd ymm", TAREI_ISA_AVXVNNI, 64},
                                {peak_madd_ymm, "vpmaddwd ymm", TAREI_ISA_AVX2, 32}};
static const peak f32_peaks[] = {{peak_f32_zmm, "fma zmm", TAREI_ISA_AVX512, 32},
                                 {peak_f32_ymm, "fma ymm", TAREI_ISA_AVX2, 16}};
#endif

/* Operations a second at best, 0 when no loop is known. */
static double peak_rate(bool bytes, unsigned isa, const char **name) {
  *name = "unknown";
#if defined(__x86_64__)
  const peak *const peaks = bytes ? i8_peaks : f32_peaks;
  const int n = bytes ? 3 : 2;
  for (int i = 0; i < n; i++) {
    if (peaks[i].isa & isa & tarei_isa_detect()) {
      *name = peaks[i].name;
      const double step = peaks[i].operations * PEAK_CHAINS;
      return step * PEAK_STEPS / best_time(peaks[i].loop, NULL);
    }
  }
#else
  (void)bytes;
  (void)isa;
#endif
  return 0;
}

/* --- products ------------------------------------------------------------------------------------ */
typedef struct product {
  const tarei_kernels *kernels;
  tarei_i8_gemm i8;
  tarei_f32_gemm f32;
} product;

static void run_i8(void *context) {
  product *const p = context;
  p->kernels->i8_gemm(&p->i8);
}

static void run_f32(void *context) {
  product *const p = context;
  p->kernels->f32_gemm(&p->f32);
}

static double time_i8(const tarei_kernels *kernels, size_t m, size_t k, size_t n) {
  uint8_t *const a = allocate(m * k + 4);
  int8_t *const w = allocate(k * n);
  int8_t *const packed = allocate(tarei_i8_packed_size(k, n));
  int32_t *const add = allocate((n + 31) / 32 * 32 * sizeof *add);
  float *const mult = allocate(n * sizeof *mult);
  uint8_t *const out = allocate(m * n);
  for (size_t i = 0; i < m * k; i++) {
    a[i] = (uint8_t)(i * 7);
  }
  for (size_t i = 0; i < k * n; i++) {
    w[i] = (int8_t)(i * 13);
  }
  for (size_t i = 0; i < n; i++) {
    mult[i] = 1e-4f;
  }
  tarei_i8_pack(w, n, false, k, n, packed, add);
  product p = {.kernels = kernels,
               .i8 = {.a = a, .lda = k, .m = m, .k = k, .n = n, .b = packed, .add = add,
                      .epilogue = {.mult = mult, .out_u8 = out, .ld_u8 = n, .inv_scale = 1.0f,
                                   .zero_point = 128}}};
  const double t = best_time(run_i8, &p);
  free(a);
  free(w);
  free(packed);
  free(add);
  free(mult);
  free(out);
  return t;
}

static double time_f32(const tarei_kernels *kernels, size_t m, size_t k, size_t n) {
  float *const a = allocate(m * k * sizeof *a);
  float *const w = allocate(k * n * sizeof *w);
  float *const packed = allocate(tarei_f32_packed_size(k, n));
  float *const out = allocate(m * n * sizeof *out);
  kernels->f32_pack(w, n, false, k, n, packed);
  product p = {.kernels = kernels,
               .f32 = {.a = a, .lda = k, .m = m, .k = k, .n = n, .b = packed,
                       .epilogue = {.out_f32 = out, .ld_f32 = n}}};
  const double t = best_time(run_f32, &p);
  free(a);
  free(w);
  free(packed);
  free(out);
  return t;
}

static void bench_products(const tarei_kernels *kernels, unsigned isa, bool bytes) {
  static const size_t shapes[][2] = {{256, 256}, {256, 1024}, {1024, 256}, {768, 768}, {768, 3072}};
  static const size_t rows[] = {1, 16, 100, 512};
  printf("\n%s\n", bytes ? kernels->i8_gemm_name : kernels->f32_gemm_name);
  printf("%10s %5s %9s %7s\n", "K x N", "M", "GOP/s", "% peak");
  const char *name = "";
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
      const size_t m = rows[r], k = shapes[s][0], n = shapes[s][1];
      const double peak_now = peak_rate(bytes, isa, &name);
      const double t = (bytes ? time_i8 : time_f32)(kernels, m, k, n);
      const double rate = 2.0 * (double)(m * k * n) / t;
      printf("%5zux%-4zu %5zu %9.1f %7.1f\n", k, n, m, rate * 1e-9,
             peak_now > 0 ? 100 * rate / peak_now : 0);
    }
  }
  printf("peak: %s, now %.1f GOP/s\n", name, peak_rate(bytes, isa, &name) * 1e-9);
}

/* --- depthwise convolution ------------------------------------------------------------------------ */
typedef struct depthwise {
  tarei_dw_conv_fn *f;
  tarei_dw_conv conv;
} depthwise;

static void run_depthwise(void *context) {
  const depthwise *const d = context;
  d->f(&d->conv);
}

static void bench_depthwise(const tarei_kernels *kernels, unsigned isa, bool bytes) {
  static const int64_t shapes[][4] = {
      {256, 33, 1, 200}, {256, 33, 1, 750}, {512, 75, 1, 750}, {512, 87, 2, 200}, {256, 3, 1, 750}};
  printf("\n%s\n", bytes ? kernels->dw_conv_i8_name : kernels->dw_conv_f32_name);
  printf("%24s %9s %7s\n", "C, taps, dilation, T", "GOP/s", "% peak");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    const int64_t c = shapes[s][0], kernel = shapes[s][1], dilation = shapes[s][2];
    const int64_t t = shapes[s][3];
    const size_t width = bytes ? 1 : sizeof(float);
    const size_t channels = (size_t)c, outputs = (size_t)(t * c);
    void *const x = allocate(outputs * width);
    void *const w = allocate((size_t)(kernel * c) * width);
    int32_t *const add = allocate(channels * sizeof *add);
    void *const out = allocate(outputs * width);
    depthwise d = {.f = bytes ? kernels->dw_conv_i8 : kernels->dw_conv_f32,
                   .conv = {.x = x, .ldx = channels, .in_length = t, .t1 = t, .kernel = kernel,
                            .stride = 1, .dilation = dilation, .pad = (kernel - 1) * dilation / 2,
                            .channels = channels, .w = w, .add = bytes ? add : NULL}};
    d.conv.epilogue = bytes ? (tarei_epilogue){.out_u8 = out, .ld_u8 = channels, .inv_scale = 1.0f}
                            : (tarei_epilogue){.out_f32 = out, .ld_f32 = channels};
    const char *name;
    const double peak_now = peak_rate(bytes, isa, &name);
    const double rate = 2.0 * (double)(outputs * (size_t)kernel) / best_time(run_depthwise, &d);
    printf("%6lld,%4lld,%4lld,%6lld %9.1f %7.1f\n", (long long)c, (long long)kernel,
           (long long)dilation, (long long)t, rate * 1e-9,
           peak_now > 0 ? 100 * rate / peak_now : 0);
    free(x);
    free(w);
    free(add);
    free(out);
  }
}

/* --- rows by the element ----------------------------------------------------------------------------- */
enum { N_ELEMENTS = 1 << 20, BINS = 2048, ROW = 768 };

typedef struct elements {
  const tarei_kernels *kernels;
  size_t n;
  float *x, *out;
  uint8_t *bytes;
  int64_t *positive, *negative;
} elements;

static void run_minmax(void *context) {
  const elements *const e = context;
  tarei_minmax m = {INFINITY, -INFINITY, 0, 0};
  e->kernels->minmax(e->x, e->n, &m);
}

static void run_histogram(void *context) {
  const elements *const e = context;
  e->kernels->histogram(e->x, e->n, -8, BINS, e->positive, e->negative);
}

static void run_softmax(void *context) {
  const elements *const e = context;
  for (size_t i = 0; i + ROW <= e->n; i += ROW) {
    e->kernels->softmax_fused(e->x + i, 1.0f, NULL, ROW, NULL, e->bytes + i, 255.0f, 0);
  }
}

static void run_layer_norm(void *context) {
  const elements *const e = context;
  for (size_t i = 0; i + ROW <= e->n; i += ROW) {
    e->kernels->layer_norm(e->x + i, NULL, ROW, 1e-5f, e->x, e->x, NULL, e->bytes + i, 20.0f, 128);
  }
}

static void run_gelu(void *context) {
  const elements *const e = context;
  e->kernels->act(TAREI_ACT_GELU, 0, 0, e->x, e->n, e->out);
}

static void run_quantize(void *context) {
  const elements *const e = context;
  e->kernels->quantize(e->x, e->n, 20.0f, 128, e->bytes);
}

static uint64_t random_state = 88172645463325252u;

static float nearly_normal(void) {
  float sum = 0;
  for (int i = 0; i < 4; i++) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    sum += (float)(int32_t)random_state * (1.0f / 2147483648.0f);
  }
  return sum;
}

static float relu_of_normal(void) {
  return fmaxf(nearly_normal(), 0.0f);
}

static float constant(void) {
  return 0.25f;
}

static void bench_rows(const elements *e) {
  static const struct {
    const char *name;
    work_fn *run;
  } works[] = {{"minmax", run_minmax},           {"histogram", run_histogram},
               {"softmax to u8", run_softmax},   {"layer norm to u8", run_layer_norm},
               {"gelu", run_gelu},               {"quantize", run_quantize}};
  elements parts[2] = {*e, *e};
  parts[0].n = 16384;
  for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
    printf("%20s", works[i].name);
    for (int p = 0; p < 2; p++) {
      printf(" %8.3f", best_time(works[i].run, &parts[p]) / (double)parts[p].n * 1e9);
    }
    printf("\n");
  }
}

static void bench_elements(const tarei_kernels *kernels) {
  static const struct {
    const char *name;
    float (*next)(void);
  } data[] = {{"normal", nearly_normal}, {"ReLU", relu_of_normal}, {"constant", constant}};
  elements e = {.kernels = kernels,
                .n = N_ELEMENTS,
                .x = allocate(N_ELEMENTS * sizeof(float)),
                .out = allocate(N_ELEMENTS * sizeof(float)),
                .bytes = allocate(N_ELEMENTS),
                .positive = allocate(BINS * sizeof(int64_t)),
                .negative = allocate(BINS * sizeof(int64_t))};
  for (size_t d = 0; d < sizeof data / sizeof *data; d++) {
    for (size_t i = 0; i < e.n; i++) {
      e.x[i] = data[d].next();
    }
    printf("\n%s data, ns an element of 16 Ki and of 1 Mi\n", data[d].name);
    bench_rows(&e);
  }
  free(e.x);
  free(e.out);
  free(e.bytes);
  free(e.positive);
  free(e.negative);
}

int main(int argc, char **argv) {
  unsigned isa = TAREI_ISA_ALL;
  if (argc > 2 || (argc == 2 && !tarei_isa_parse(argv[1], &isa))) {
    fprintf(stderr, "usage: %s [ISA list, e.g. avx2]\n", argv[0]);
    return 2;
  }
  tarei_kernels kernels;
  tarei_kernels_select(isa, &kernels);
  bench_products(&kernels, isa, true);
  bench_products(&kernels, isa, false);
  bench_depthwise(&kernels, isa, true);
  bench_depthwise(&kernels, isa, false);
  bench_elements(&kernels);
  return 0;
}
