#include "tests/unit/kernels/checkkern.h"

enum { GRU_GATES = 3, LSTM_GATES = 4 };

typedef struct sizes {
  size_t m, n;
} sizes;

static sizes any_sizes(void) {
  return (sizes){1 + ck_below(4), ck_size()};
}

static float *any_rows(size_t m, size_t ld, size_t n, bool wild) {
  return ck_floats((m - 1) * ld + n, wild);
}

static tarei_state_out any_out(sizes s) {
  const size_t outputs = 1 + ck_below(3);
  tarei_state_out out = {.ld_f32 = s.n + ck_below(5),
                         .ld_u8 = s.n + ck_below(5),
                         .inv_scale = ck_uniform(20.0f, 130.0f),
                         .zero_point = (int32_t)ck_below(256)};
  out.f32 = outputs & 1 ? ck_output(s.m * out.ld_f32 * sizeof(float)) : NULL;
  out.u8 = outputs & 2 ? ck_output(s.m * out.ld_u8) : NULL;
  return out;
}

static tarei_state_out out_twin(const tarei_state_out *out, size_t m) {
  tarei_state_out twin = *out;
  twin.f32 = out->f32 ? ck_output(m * out->ld_f32 * sizeof(float)) : NULL;
  twin.u8 = out->u8 ? ck_output(m * out->ld_u8) : NULL;
  return twin;
}

static void out_free(const tarei_state_out *out) {
  free(out->f32);
  free(out->u8);
}

static void assert_same_out(const char *name, const tarei_state_out *twin,
                            const tarei_state_out *out, size_t m) {
  if (out->f32) {
    ck_assert_same_floats(name, twin->f32, out->f32, m * out->ld_f32);
  }
  if (out->u8) {
    ck_assert_same_bytes(name, twin->u8, out->u8, m * out->ld_u8);
  }
}

static tarei_gru_gates any_gru(bool wild) {
  const sizes s = any_sizes();
  const size_t step = s.n + ck_below(5);
  tarei_gru_gates g = {.m = s.m,
                       .n = s.n,
                       .gate_step = step,
                       .ldx = GRU_GATES * step + ck_below(5),
                       .ldrec = GRU_GATES * step + ck_below(5),
                       .ldh = s.n + ck_below(5),
                       .clip = ck_below(2) ? INFINITY : ck_uniform(0.5f, 4.0f),
                       .linear_before_reset = ck_below(2),
                       .out = any_out(s)};
  g.x = any_rows(s.m, g.ldx, GRU_GATES * step, wild);
  g.rec = any_rows(s.m, g.ldrec, GRU_GATES * step, wild);
  g.h = any_rows(s.m, g.ldh, s.n, wild);
  return g;
}

static void gru_free(const tarei_gru_gates *g) {
  free((void *)g->x);
  free((void *)g->rec);
  free((void *)g->h);
  out_free(&g->out);
}

static void compare_gru(const char *family, tarei_gru_gates_fn *scalar) {
  for (int i = 0; i < 100; i++) {
    const tarei_gru_gates g = any_gru(i % 4 == 0);
    scalar(&g);
    CK_EACH_ROW(family) {
      tarei_gru_gates twin = g;
      twin.out = out_twin(&g.out, g.m);
      ((tarei_gru_gates_fn *)row->function)(&twin);
      assert_same_out(row->name, &twin.out, &g.out, g.m);
      out_free(&twin.out);
    }
    gru_free(&g);
  }
}

static void gru_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  compare_gru("gru_reset", ck_scalar().gru_reset);
  compare_gru("gru_update", ck_scalar().gru_update);
}

/* Gates and units of its panels: those behind the last unit hold anything. */
static tarei_gru_steps any_gru_steps(bool wild) {
  const size_t panel = TAREI_F32_PANEL, n = 1 + ck_below(TAREI_GRU_STEPS_UNITS);
  const size_t m = 1 + ck_below(10), ldx = GRU_GATES * panel + ck_below(5), steps = 1 + ck_below(5);
  tarei_gru_steps g = {.steps = steps,
                       .m = m,
                       .n = n,
                       .ldx = ldx,
                       .ldy = n + ck_below(5),
                       .x_step = (ptrdiff_t)(m * ldx + ck_below(5)),
                       .clip = ck_below(2) ? INFINITY : ck_uniform(0.5f, 4.0f)};
  g.y_step = (ptrdiff_t)(m * g.ldy);
  g.x = ck_floats(steps * (size_t)g.x_step, wild);
  g.r = ck_floats(GRU_GATES * n * panel, wild);
  g.bias = ck_below(2) ? ck_floats(GRU_GATES * panel, wild) : NULL;
  g.h = ck_floats(m * n, wild);
  return g;
}

/* Runs it on copies of the state and fresh memory, from the last step on where it goes backwards.
 */
static tarei_gru_steps run_gru_steps(const tarei_gru_steps *g, tarei_gru_steps_fn *function,
                                     bool backwards, bool shown) {
  const size_t last = g->steps - 1, state = g->m * g->n * sizeof(float);
  float *const y = ck_output(g->steps * (size_t)g->y_step * sizeof(float));
  tarei_gru_steps twin = *g;
  twin.h = ck_output(state);
  memcpy(twin.h, g->h, state);
  twin.y = y;
  if (backwards) {
    twin.x += last * (size_t)g->x_step;
    twin.y += last * (size_t)g->y_step;
    twin.x_step = -g->x_step;
    twin.y_step = -g->y_step;
  }
  twin.y = shown ? twin.y : NULL;
  function(&twin);
  twin.y = y;
  return twin;
}

static void gru_steps_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    const tarei_gru_steps g = any_gru_steps(i % 4 == 0);
    const bool backwards = ck_below(2), shown = ck_below(4);
    const tarei_gru_steps expected = run_gru_steps(&g, ck_scalar().gru_steps, backwards, shown);
    CK_EACH_ROW("gru_steps") {
      const tarei_gru_steps got =
          run_gru_steps(&g, (tarei_gru_steps_fn *)row->function, backwards, shown);
      ck_assert_same_floats(row->name, got.h, expected.h, g.m * g.n);
      ck_assert_same_floats(row->name, got.y, expected.y, g.steps * (size_t)g.y_step);
      free(got.h);
      free(got.y);
    }
    free(expected.h);
    free(expected.y);
    free((void *)g.x);
    free((void *)g.r);
    free((void *)g.bias);
    free(g.h);
  }
}

/* One step is the product of the state and the gates, each by its own kernel. */
static void gru_steps_are_product_and_gates(void **state) {
  (void)state;
  const tarei_kernels k = ck_scalar();
  for (int i = 0; i < 100; i++) {
    tarei_gru_steps g = any_gru_steps(false);
    g.steps = 1;
    const size_t panel = TAREI_F32_PANEL, columns = GRU_GATES * panel;
    float *const rec = ck_output(g.m * columns * sizeof(float));
    float *const h = ck_output(g.m * g.n * sizeof(float));
    k.f32_gemm(&(tarei_f32_gemm){.a = g.h,
                                 .lda = g.n,
                                 .m = g.m,
                                 .k = g.n,
                                 .n = columns,
                                 .b = g.r,
                                 .epilogue = {.bias = g.bias, .out_f32 = rec, .ld_f32 = columns}});
    k.gru_update(&(tarei_gru_gates){.m = g.m,
                                    .n = g.n,
                                    .gate_step = panel,
                                    .x = g.x,
                                    .ldx = g.ldx,
                                    .rec = rec,
                                    .ldrec = columns,
                                    .h = g.h,
                                    .ldh = g.n,
                                    .clip = g.clip,
                                    .linear_before_reset = true,
                                    .out = {.f32 = h, .ld_f32 = g.n}});
    const tarei_gru_steps got = run_gru_steps(&g, k.gru_steps, false, true);
    for (size_t j = 0; j < g.m * g.n; j++) {
      assert_true(fabsf(got.h[j] - h[j]) < 2e-5f);
      assert_true(got.y[j / g.n * g.ldy + j % g.n] == got.h[j]);
    }
    free(got.h);
    free(got.y);
    free(h);
    free(rec);
    free((void *)g.x);
    free((void *)g.r);
    free((void *)g.bias);
    free(g.h);
  }
}

static tarei_lstm_gates any_lstm(bool wild) {
  const sizes s = any_sizes();
  const size_t step = s.n + ck_below(5);
  tarei_lstm_gates g = {.m = s.m,
                        .n = s.n,
                        .gate_step = step,
                        .ldx = LSTM_GATES * step + ck_below(5),
                        .ldrec = LSTM_GATES * step + ck_below(5),
                        .ldc = s.n + ck_below(5),
                        .ld_out_c = s.n + ck_below(5),
                        .input_forget = ck_below(2),
                        .clip = ck_below(2) ? INFINITY : ck_uniform(0.5f, 4.0f),
                        .out = any_out(s)};
  g.x = any_rows(s.m, g.ldx, LSTM_GATES * step, wild);
  g.rec = any_rows(s.m, g.ldrec, LSTM_GATES * step, wild);
  g.peephole = ck_below(2) ? ck_floats(3 * step, wild) : NULL;
  g.c = any_rows(s.m, g.ldc, s.n, wild);
  g.out_c = ck_output(s.m * g.ld_out_c * sizeof(float));
  return g;
}

static void lstm_free(const tarei_lstm_gates *g) {
  free((void *)g->x);
  free((void *)g->rec);
  free((void *)g->peephole);
  free((void *)g->c);
  free(g->out_c);
  out_free(&g->out);
}

static void lstm_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    const tarei_lstm_gates g = any_lstm(i % 4 == 0);
    ck_scalar().lstm_update(&g);
    CK_EACH_ROW("lstm_update") {
      tarei_lstm_gates twin = g;
      twin.out = out_twin(&g.out, g.m);
      twin.out_c = ck_output(g.m * g.ld_out_c * sizeof(float));
      ((tarei_lstm_gates_fn *)row->function)(&twin);
      assert_same_out(row->name, &twin.out, &g.out, g.m);
      ck_assert_same_floats(row->name, twin.out_c, g.out_c, g.m * g.ld_out_c);
      out_free(&twin.out);
      free(twin.out_c);
    }
    lstm_free(&g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gru_rows_give_the_bits_of_scalar),
      cmocka_unit_test(gru_steps_give_the_bits_of_scalar),
      cmocka_unit_test(gru_steps_are_product_and_gates),
      cmocka_unit_test(lstm_rows_give_the_bits_of_scalar),
  };
  return cmocka_run_group_tests_name("kernels.recurrent", tests, ck_seed, NULL);
}
