/* Kernels that go over rows, by the element. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"

enum { N_ELEMENTS = 1 << 20, BINS = TAREI_OBSERVE_BINS, ROW = 768, ROWS = 16 };

typedef struct elements {
  const tarei_kernels *kernels;
  size_t n;
  float *x, *out;
  uint8_t *bytes;
  uint16_t *counts;
} elements;

static void kernels_elements_run_minmax(void *context) {
  const elements *const e = context;
  tarei_minmax m = {INFINITY, -INFINITY, 0, 0};
  e->kernels->minmax(e->x, e->n, &m);
}

static void kernels_elements_run_observe(void *context) {
  const elements *const e = context;
  for (size_t i = 0; i < e->n; i += TAREI_OBSERVE_MOST) {
    const size_t left = e->n - i;
    tarei_observe o = {.x = e->x + i,
                       .n_rows = 1,
                       .n_columns = left < TAREI_OBSERVE_MOST ? left : TAREI_OBSERVE_MOST,
                       .exponent = -11,
                       .bins = BINS,
                       .counts = e->counts};
    e->kernels->observe(&o);
  }
}

static void kernels_elements_run_softmax(void *context) {
  const elements *const e = context;
  for (size_t i = 0; i + ROW <= e->n; i += ROW) {
    e->kernels->softmax_fused(e->x + i, 1.0f, NULL, ROW, NULL, e->bytes + i, 255.0f, 0);
  }
}

static void run_softmax_u8(void *context) {
  const elements *const e = context;
  uint32_t sums[ROWS];
  for (size_t i = 0; i + ROWS * ROW <= e->n; i += ROWS * ROW) {
    const tarei_softmax_u8 s = {{ROWS, ROW, e->x + i, ROW, 1.0f, NULL, 0}, e->bytes + i, ROW, sums};
    e->kernels->softmax_u8(&s);
  }
}

static void run_softmax_bf16(void *context) {
  const elements *const e = context;
  float sums[ROWS];
  for (size_t i = 0; i + ROWS * ROW <= e->n; i += ROWS * ROW) {
    const tarei_softmax_bf16 s = {
        {ROWS, ROW, e->x + i, ROW, 1.0f, NULL, 0}, (uint16_t *)e->out + i, ROW, sums};
    e->kernels->softmax_bf16(&s);
  }
}

static void run_softmax_f32(void *context) {
  const elements *const e = context;
  for (size_t i = 0; i + ROW <= e->n; i += ROW) {
    e->kernels->softmax_fused(e->x + i, 1.0f, NULL, ROW, e->out + i, NULL, 1.0f, 0);
  }
}

static void run_layer_norm(void *context) {
  const elements *const e = context;
  for (size_t i = 0; i + ROW <= e->n; i += ROW) {
    e->kernels->layer_norm(e->x + i, NULL, ROW, 1e-5f, e->x, e->x, NULL, e->bytes + i, 20.0f, 128);
  }
}

#define DEFINE_RUN_ACT(name)                                     \
  static void run_##name(void *context) {                        \
    const elements *const e = context;                           \
    e->kernels->act(TAREI_ACT_##name, 0, 0, e->x, e->n, e->out); \
  }
DEFINE_RUN_ACT(gelu)
DEFINE_RUN_ACT(sigmoid)
DEFINE_RUN_ACT(tanh)
DEFINE_RUN_ACT(silu)
#undef DEFINE_RUN_ACT

static void run_exp(void *context) {
  const elements *const e = context;
  e->kernels->unary(TAREI_UNARY_exp, 0, 0, e->x, e->n, e->out);
}

static void kernels_elements_run_quantize(void *context) {
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

static float kernels_elements_constant(void) {
  return 0.25f;
}

static void kernels_elements_bench_rows(const elements *e) {
  static const struct {
    const char *name;
    bench_work_fn *run;
  } works[] = {{"minmax", kernels_elements_run_minmax},
               {"observe", kernels_elements_run_observe},
               {"softmax to u8", kernels_elements_run_softmax},
               {"softmax", run_softmax_f32},
               {"softmax bytes", run_softmax_u8},
               {"softmax bf16", run_softmax_bf16},
               {"layer norm to u8", run_layer_norm},
               {"exp", run_exp},
               {"gelu", run_gelu},
               {"sigmoid", run_sigmoid},
               {"tanh", run_tanh},
               {"silu", run_silu},
               {"quantize", kernels_elements_run_quantize}};
  elements parts[2] = {*e, *e};
  parts[0].n = 16384;
  for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
    printf("%20s", works[i].name);
    for (int p = 0; p < 2; p++) {
      printf(" %8.3f", bench_best_time(works[i].run, &parts[p]) / (double)parts[p].n * 1e9);
    }
    printf("\n");
  }
}

void bench_elements(const tarei_kernels *kernels, unsigned isa) {
  (void)isa;
  static const struct {
    const char *name;
    float (*next)(void);
  } data[] = {
      {"normal", nearly_normal}, {"ReLU", relu_of_normal}, {"constant", kernels_elements_constant}};
  elements e = {.kernels = kernels,
                .n = N_ELEMENTS,
                .x = bench_allocate(N_ELEMENTS * sizeof(float)),
                .out = bench_allocate(N_ELEMENTS * sizeof(float)),
                .bytes = bench_allocate(N_ELEMENTS),
                .counts = bench_allocate(2 * BINS * sizeof(uint16_t))};
  for (size_t d = 0; d < sizeof data / sizeof *data; d++) {
    for (size_t i = 0; i < e.n; i++) {
      e.x[i] = data[d].next();
    }
    printf("\n%s data, ns an element of 16 Ki and of 1 Mi\n", data[d].name);
    kernels_elements_bench_rows(&e);
  }
  free(e.x);
  free(e.out);
  free(e.bytes);
  free(e.counts);
}
