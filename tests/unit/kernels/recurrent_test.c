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

/* --- steps of small GRUs ---------------------------------------------------------------------- */

/* Of all gates of small steps, in whole panels. */
static size_t columns_of_gates(size_t gate) {
  return (GRU_GATES * gate + TAREI_F32_PANEL - 1) / TAREI_F32_PANEL * TAREI_F32_PANEL;
}

/* Packed weights of bytes; *add: what their sums begin with. */
static int8_t *any_byte_weights(size_t n, size_t gate, int32_t **add) {
  const size_t columns = columns_of_gates(gate);
  int8_t *const packed = ck_output(tarei_i8_packed_size(n, columns)), *const w =
                                                                          ck_output(columns * n);
  *add = ck_output(columns * sizeof **add);
  for (size_t i = 0; i < columns * n; i++) {
    w[i] = (int8_t)((int)ck_below(255) - 127);
  }
  tarei_i8_pack(w, n, true, n, columns, packed, *add);
  for (size_t i = 0; i < columns; i++) {
    (*add)[i] *= -128;
  }
  free(w);
  return packed;
}

/* Columns from a gate of n units to the next: few units may share panels. */
static size_t any_gate(size_t n) {
  return ck_below(2) && (n <= 8 || n % 16 == 0) ? n : TAREI_F32_PANEL;
}

/* Gates and units of its panels: those behind the last unit hold anything. */
static tarei_gru_steps any_gru_steps(bool bytes, bool wild) {
  const size_t n = ck_below(2) ? 1 + ck_below(TAREI_GRU_STEPS_UNITS) : 1 + ck_below(16);
  const size_t gate = any_gate(n), columns = columns_of_gates(gate), steps = 1 + ck_below(5);
  const size_t m = 1 + ck_below(ck_below(2) ? 10 : 70), ldx = columns + ck_below(5);
  tarei_gru_steps g = {.steps = steps,
                       .m = m,
                       .n = n,
                       .gate = gate,
                       .ldx = ldx,
                       .ldy = n + ck_below(5),
                       .x_step = (ptrdiff_t)(m * ldx + ck_below(5)),
                       .clip = ck_below(2) ? INFINITY : ck_uniform(0.5f, 4.0f)};
  int32_t *add = NULL;
  g.y_step = (ptrdiff_t)(m * g.ldy);
  g.x = ck_floats(steps * (size_t)g.x_step, wild);
  if (bytes) {
    g.r = any_byte_weights(n, gate, &add);
    g.mult = ck_floats(columns, false);
  } else {
    g.r = ck_floats(columns * n, wild);
  }
  g.add = add;
  g.bias = ck_below(2) ? ck_floats(columns, wild) : NULL;
  g.h = ck_floats(m * n, wild);
  return g;
}

static void gru_steps_free(const tarei_gru_steps *g) {
  free((void *)g->x);
  free((void *)g->r);
  free((void *)g->add);
  free((void *)g->mult);
  free((void *)g->bias);
  free(g->h);
}

/* What a run of copies of the state, into fresh memory, leaves. */
typedef struct gru_result {
  float *h, *y;
} gru_result;

static void result_free(const gru_result *r) {
  free(r->h);
  free(r->y);
}

/* From the last step on where it goes backwards. */
static tarei_gru_steps gru_steps_twin(const tarei_gru_steps *g, bool backwards, bool shown,
                                      gru_result *out) {
  const size_t last = g->steps - 1, state = g->m * g->n * sizeof(float);
  tarei_gru_steps twin = *g;
  *out = (gru_result){ck_output(state), ck_output(g->steps * (size_t)g->y_step * sizeof(float))};
  memcpy(out->h, g->h, state);
  twin.h = out->h;
  twin.y = out->y;
  if (backwards) {
    twin.x += last * (size_t)g->x_step;
    twin.y += last * (size_t)g->y_step;
    twin.x_step = -g->x_step;
    twin.y_step = -g->y_step;
  }
  twin.y = shown ? twin.y : NULL;
  return twin;
}

static gru_result run_gru_steps(const tarei_gru_steps *g, tarei_gru_steps_fn *function,
                                bool backwards, bool shown) {
  gru_result out;
  const tarei_gru_steps twin = gru_steps_twin(g, backwards, shown, &out);
  function(&twin, 1);
  return out;
}

static void assert_same_result(const char *name, const tarei_gru_steps *g, const gru_result *got,
                               const gru_result *expected) {
  ck_assert_same_floats(name, got->h, expected->h, g->m * g->n);
  ck_assert_same_floats(name, got->y, expected->y, g->steps * (size_t)g->y_step);
}

static void compare_gru_steps(const char *family, tarei_gru_steps_fn *scalar, bool bytes) {
  for (int i = 0; i < 100; i++) {
    const tarei_gru_steps g = any_gru_steps(bytes, i % 4 == 0);
    const bool backwards = ck_below(2), shown = ck_below(4);
    const gru_result expected = run_gru_steps(&g, scalar, backwards, shown);
    CK_EACH_ROW(family) {
      const gru_result got =
          run_gru_steps(&g, (tarei_gru_steps_fn *)row->function, backwards, shown);
      assert_same_result(row->name, &g, &got, &expected);
      result_free(&got);
    }
    result_free(&expected);
    gru_steps_free(&g);
  }
}

static void gru_steps_give_the_bits_of_scalar(void **state) {
  (void)state;
  compare_gru_steps("gru_steps", ck_scalar().gru_steps, false);
  compare_gru_steps("gru_steps_i8", ck_scalar().gru_steps_i8, true);
}

/* Two directions in one call give what each gives alone. */
static void compare_gru_pairs(const char *family, tarei_gru_steps_fn *scalar, bool bytes) {
  for (int i = 0; i < 50; i++) {
    tarei_gru_steps g[2];
    gru_result alone[2];
    g[0] = any_gru_steps(bytes, i % 4 == 0);
    g[0].m = ck_below(2) ? 1 : g[0].m;
    g[1] = g[0];
    g[1].h = ck_floats(g[1].m * g[1].n, false);
    for (size_t d = 0; d < 2; d++) {
      alone[d] = run_gru_steps(&g[d], scalar, d, true);
    }
    CK_EACH_ROW(family) {
      gru_result got[2];
      const tarei_gru_steps both[] = {gru_steps_twin(&g[0], false, true, &got[0]),
                                      gru_steps_twin(&g[1], true, true, &got[1])};
      ((tarei_gru_steps_fn *)row->function)(both, 2);
      for (size_t d = 0; d < 2; d++) {
        assert_same_result(row->name, &g[d], &got[d], &alone[d]);
        result_free(&got[d]);
      }
    }
    result_free(&alone[0]);
    result_free(&alone[1]);
    free(g[1].h);
    gru_steps_free(&g[0]);
  }
}

static void gru_steps_go_in_pairs(void **state) {
  (void)state;
  compare_gru_pairs("gru_steps", ck_scalar().gru_steps, false);
  compare_gru_pairs("gru_steps_i8", ck_scalar().gru_steps_i8, true);
}

static void multiply_state(const tarei_kernels *k, const tarei_gru_steps *g, float *rec) {
  const size_t columns = columns_of_gates(g->gate);
  k->f32_gemm(&(tarei_f32_gemm){.a = g->h,
                                .lda = g->n,
                                .m = g->m,
                                .k = g->n,
                                .n = columns,
                                .b = g->r,
                                .epilogue = {.bias = g->bias, .out_f32 = rec, .ld_f32 = columns}});
}

static void multiply_state_bytes(const tarei_kernels *k, const tarei_gru_steps *g, float *rec) {
  const size_t columns = columns_of_gates(g->gate), lda = g->n + 3;
  uint8_t *const bytes = ck_output(g->m * lda);
  float *const scales = ck_output(g->m * sizeof *scales);
  k->quantize_rows(g->h, g->n, g->m, g->n, bytes, lda, scales, 128);
  k->i8_gemm(&(tarei_i8_gemm){.a = bytes,
                              .lda = lda,
                              .m = g->m,
                              .k = g->n,
                              .n = columns,
                              .b = g->r,
                              .add = g->add,
                              .epilogue = {.mult = g->mult,
                                           .row_mult = scales,
                                           .bias = g->bias,
                                           .out_f32 = rec,
                                           .ld_f32 = columns}});
  free(bytes);
  free(scales);
}

/* One step is the product of the state and the gates, each by its own kernel: to the bit in bytes,
 * whose sums have no order. */
static void compare_one_step(const tarei_kernels *k, bool bytes, bool wild) {
  tarei_gru_steps g = any_gru_steps(bytes, wild);
  g.steps = 1;
  const size_t columns = columns_of_gates(g.gate);
  float *const rec = ck_output(g.m * columns * sizeof(float));
  float *const h = ck_output(g.m * g.n * sizeof(float));
  (bytes ? multiply_state_bytes : multiply_state)(k, &g, rec);
  k->gru_update(&(tarei_gru_gates){.m = g.m,
                                   .n = g.n,
                                   .gate_step = g.gate,
                                   .x = g.x,
                                   .ldx = g.ldx,
                                   .rec = rec,
                                   .ldrec = columns,
                                   .h = g.h,
                                   .ldh = g.n,
                                   .clip = g.clip,
                                   .linear_before_reset = true,
                                   .out = {.f32 = h, .ld_f32 = g.n}});
  const gru_result got = run_gru_steps(&g, bytes ? k->gru_steps_i8 : k->gru_steps, false, true);
  if (bytes) {
    ck_assert_same_floats("gru_steps_i8", got.h, h, g.m * g.n);
  }
  for (size_t j = 0; j < g.m * g.n && !wild; j++) {
    assert_true(fabsf(got.h[j] - h[j]) < 2e-5f);
    assert_true(got.y[j / g.n * g.ldy + j % g.n] == got.h[j]);
  }
  result_free(&got);
  free(h);
  free(rec);
  gru_steps_free(&g);
}

static void gru_steps_are_product_and_gates(void **state) {
  (void)state;
  const tarei_kernels k = ck_scalar();
  for (int i = 0; i < 100; i++) {
    compare_one_step(&k, false, false);
    compare_one_step(&k, true, i % 4 == 0);
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

int recurrent_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gru_rows_give_the_bits_of_scalar),
      cmocka_unit_test(gru_steps_give_the_bits_of_scalar),
      cmocka_unit_test(gru_steps_go_in_pairs),
      cmocka_unit_test(gru_steps_are_product_and_gates),
      cmocka_unit_test(lstm_rows_give_the_bits_of_scalar),
  };
  return cmocka_run_group_tests_name("kernels.recurrent", tests, ck_seed, NULL);
}
