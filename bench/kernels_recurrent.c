/* Steps of recurrent layers with one sequence: the product of state and weights, and the step with
 * its gates beside it. Then small GRUs, whose steps are one call, in one direction and in both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"

typedef struct step {
  const tarei_kernels *kernels;
  bool bytes;
  tarei_i8_gemm i8;
  tarei_f32_gemm f32;
  tarei_gru_gates gru;
  tarei_lstm_gates lstm;
} step;

static void kernels_recurrent_run_product(void *context) {
  const step *const s = context;
  if (s->bytes) {
    s->kernels->i8_gemm(&s->i8);
  } else {
    s->kernels->f32_gemm(&s->f32);
  }
}

static void run_gru(void *context) {
  const step *const s = context;
  kernels_recurrent_run_product(context);
  s->kernels->gru_update(&s->gru);
}

static void run_lstm(void *context) {
  const step *const s = context;
  kernels_recurrent_run_product(context);
  s->kernels->lstm_update(&s->lstm);
}

typedef struct layer_memory {
  float *x, *rec, *h, *c, *mult;
  int32_t *add;
  uint8_t *h_u8;
  void *w;
} layer_memory;

static layer_memory layer_memory_new(size_t n, size_t columns, bool bytes) {
  const layer_memory m = {
      .x = bench_allocate(columns * sizeof *m.x),
      .rec = bench_allocate(columns * sizeof *m.rec),
      .h = bench_allocate(n * sizeof *m.h),
      .c = bench_allocate(n * sizeof *m.c),
      .mult = bench_allocate(columns * sizeof *m.mult),
      .add = bench_allocate(columns * sizeof *m.add),
      .h_u8 = bench_allocate(n + 3),
      .w = bench_allocate(bytes ? tarei_i8_packed_size(n, columns)
                                : tarei_f32_packed_size(n, columns)),
  };
  for (size_t i = 0; i < columns; i++) {
    m.x[i] = (float)(i * 7 % 41) * 0.1f - 2.0f;
  }
  return m;
}

static void layer_memory_free(const layer_memory *m) {
  free(m->x);
  free(m->rec);
  free(m->h);
  free(m->c);
  free(m->mult);
  free(m->add);
  free(m->h_u8);
  free(m->w);
}

static void bench_layer(const tarei_kernels *kernels, size_t n, size_t gates, bool bytes) {
  const size_t columns = gates * n;
  const layer_memory m = layer_memory_new(n, columns, bytes);
  const tarei_epilogue e = {.mult = bytes ? m.mult : NULL, .out_f32 = m.rec, .ld_f32 = columns};
  const tarei_state_out out = {
      .f32 = m.h, .u8 = bytes ? m.h_u8 : NULL, .inv_scale = 127.0f, .zero_point = 128};
  step s = {.kernels = kernels,
            .bytes = bytes,
            .i8 = {.a = m.h_u8,
                   .lda = n,
                   .m = 1,
                   .k = n,
                   .n = columns,
                   .b = m.w,
                   .add = m.add,
                   .epilogue = e},
            .f32 = {.a = m.h, .lda = n, .m = 1, .k = n, .n = columns, .b = m.w, .epilogue = e},
            .gru = {.m = 1,
                    .n = n,
                    .gate_step = n,
                    .x = m.x,
                    .rec = m.rec,
                    .h = m.h,
                    .clip = INFINITY,
                    .linear_before_reset = true,
                    .out = out},
            .lstm = {.m = 1,
                     .n = n,
                     .gate_step = n,
                     .x = m.x,
                     .rec = m.rec,
                     .clip = INFINITY,
                     .c = m.c,
                     .out_c = m.c,
                     .out = out}};
  measured_work works[] = {{kernels_recurrent_run_product, &s, 0},
                           {gates == 3 ? run_gru : run_lstm, &s, 0}};
  bench_best_times(works, 2);
  printf("%5s %5s %5zu %11.2f %11.2f\n", gates == 3 ? "GRU" : "LSTM", bytes ? "int8" : "float", n,
         works[0].best * 1e6, works[1].best * 1e6);
  layer_memory_free(&m);
}

enum { SMALL_STEPS = 33, SMALL_GATES = 3 };

typedef struct small {
  tarei_gru_steps_fn *function;
  tarei_gru_steps dirs[2];
  size_t n_dirs;
} small;

static void run_small(void *context) {
  const small *const s = context;
  s->function(s->dirs, s->n_dirs);
}

static void bench_small(const tarei_kernels *kernels, size_t n, size_t m) {
  const size_t columns =
      (SMALL_GATES * n + TAREI_F32_PANEL - 1) / TAREI_F32_PANEL * TAREI_F32_PANEL;
  float *const x = bench_allocate(SMALL_STEPS * m * columns * sizeof *x);
  float *const y = bench_allocate(SMALL_STEPS * m * n * sizeof *y);
  float *const h = bench_allocate(2 * m * n * sizeof *h);
  float *const mult = bench_allocate(columns * sizeof *mult);
  int32_t *const add = bench_allocate(columns * sizeof *add);
  void *const r = bench_allocate(tarei_f32_packed_size(n, columns));
  for (size_t i = 0; i < SMALL_STEPS * m * columns; i++) {
    x[i] = (float)(i * 7 % 41) * 0.1f - 2.0f;
  }
  small s[2];
  for (size_t i = 0; i < 2; i++) {
    s[i] = (small){.function = i ? kernels->gru_steps_i8 : kernels->gru_steps, .n_dirs = 1};
    for (size_t d = 0; d < 2; d++) {
      s[i].dirs[d] = (tarei_gru_steps){.steps = SMALL_STEPS,
                                       .m = m,
                                       .n = n,
                                       .gate = n,
                                       .x = x,
                                       .ldx = columns,
                                       .x_step = (ptrdiff_t)(m * columns),
                                       .r = r,
                                       .add = add,
                                       .mult = mult,
                                       .h = h + d * m * n,
                                       .clip = INFINITY,
                                       .y = y,
                                       .ldy = n,
                                       .y_step = (ptrdiff_t)(m * n)};
    }
  }
  small both[] = {s[0], s[1]};
  both[0].n_dirs = both[1].n_dirs = 2;
  measured_work works[] = {{run_small, &s[0], 0},
                           {run_small, &s[1], 0},
                           {run_small, &both[0], 0},
                           {run_small, &both[1], 0}};
  bench_best_times(works, sizeof works / sizeof *works);
  printf("%5zu %5zu %11.3f %11.3f %11.3f %11.3f\n", n, m, works[0].best * 1e6, works[1].best * 1e6,
         works[2].best * 1e6, works[3].best * 1e6);
  free(x);
  free(y);
  free(h);
  free(mult);
  free(add);
  free(r);
}

static void bench_small_layers(const tarei_kernels *kernels) {
  static const size_t units[] = {4, 8, 16, 32}, batches[] = {1, 33};
  printf("\n%s, %d steps, us\n%5s %5s %11s %11s %11s %11s\n", kernels->gru_steps_i8_name,
         SMALL_STEPS, "units", "batch", "float", "int8", "both float", "both int8");
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    for (size_t k = 0; k < sizeof batches / sizeof *batches; k++) {
      bench_small(kernels, units[i], batches[k]);
    }
  }
}

void bench_recurrent(const tarei_kernels *kernels, unsigned isa) {
  (void)isa;
  static const size_t units[] = {128, 256, 512};
  printf("\n%s\n%5s %5s %5s %11s %11s\n", kernels->gru_update_name, "", "", "units", "product us",
         "step us");
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    for (size_t gates = 3; gates <= 4; gates++) {
      bench_layer(kernels, units[i], gates, true);
      bench_layer(kernels, units[i], gates, false);
    }
  }
  bench_small_layers(kernels);
}
