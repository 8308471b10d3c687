/* Whole recurrences, product and gates, beside the definition in double. */
#include "tests/unit/kernels/checkkern.h"

#include "kernels/requant.h"

enum { STEPS = 6, MOST = 40, GRU_GATES = 3, LSTM_GATES = 4 };

/* One layer of one sequence, its weights as bytes of scale w_scale: [hidden][gates * hidden]. */
typedef struct layer {
  size_t n, gates;
  float x[STEPS][LSTM_GATES * MOST], bias[LSTM_GATES * MOST], peephole[3 * MOST];
  int8_t w[MOST * LSTM_GATES * MOST];
  float clip;
  bool flag; /* linear_before_reset, input_forget */
  bool peepholes;
} layer;

static const float w_scale = 0.004f, h_scale = 1.0f / 127.0f;

static void any_layer(layer *l, size_t gates) {
  l->n = 1 + ck_below(MOST);
  l->gates = gates;
  l->clip = ck_below(2) ? INFINITY : ck_uniform(0.5f, 1.5f);
  l->flag = ck_below(2);
  l->peepholes = ck_below(2);
  for (size_t i = 0; i < gates * l->n; i++) {
    l->bias[i] = ck_uniform(-1.0f, 1.0f);
    l->peephole[i % (3 * l->n)] = ck_uniform(-1.0f, 1.0f);
    for (int t = 0; t < STEPS; t++) {
      l->x[t][i] = ck_uniform(-2.0f, 2.0f);
    }
  }
  for (size_t i = 0; i < l->n * gates * l->n; i++) {
    l->w[i] = (int8_t)ck_next();
  }
}

/* Columns [first, end) of a vector times the recurrent weights, plus the bias. */
static void definition_product(const layer *l, const double *h, size_t first, size_t end,
                               double *rec) {
  for (size_t j = first; j < end; j++) {
    rec[j] = l->bias[j];
    for (size_t k = 0; k < l->n; k++) {
      rec[j] += h[k] * (double)l->w[k * l->gates * l->n + j] * (double)w_scale;
    }
  }
}

/* The same by the kernels, from floats or from bytes. */
typedef struct product {
  int8_t *packed;
  int32_t add[LSTM_GATES * MOST + 32];
  float mult[LSTM_GATES * MOST];
  float *packed_f32;
  const layer *l;
  size_t first, columns;
} product;

static void product_init(product *p, const layer *l, size_t first, size_t end) {
  const size_t all = l->gates * l->n;
  const tarei_kernels k = ck_scalar();
  float floats[MOST * LSTM_GATES * MOST];
  *p = (product){.l = l, .first = first, .columns = end - first};
  p->packed = ck_alloc_aligned(tarei_i8_packed_size(l->n, p->columns));
  tarei_i8_pack(l->w + first, all, false, l->n, p->columns, p->packed, p->add);
  for (size_t j = 0; j < (p->columns + 31) / 32 * 32; j++) {
    p->add[j] *= -128;
  }
  for (size_t j = 0; j < p->columns; j++) {
    p->mult[j] = w_scale * h_scale;
  }
  for (size_t i = 0; i < l->n * all; i++) {
    floats[i] = (float)l->w[i] * w_scale;
  }
  p->packed_f32 = ck_alloc_aligned(tarei_f32_packed_size(l->n, p->columns));
  k.f32_pack(floats + first, all, false, l->n, p->columns, p->packed_f32);
}

static void product_free(product *p) {
  free(p->packed);
  free(p->packed_f32);
}

static void kernel_product(const tarei_kernels *k, const product *p, const float *h,
                           const uint8_t *h_u8, float *rec) {
  const tarei_epilogue e = {.mult = h_u8 ? p->mult : NULL, .bias = p->l->bias + p->first,
                            .out_f32 = rec + p->first, .ld_f32 = p->columns};
  if (h_u8) {
    k->i8_gemm(&(tarei_i8_gemm){.a = h_u8, .lda = p->l->n, .m = 1, .k = p->l->n,
                                .n = p->columns, .b = p->packed, .add = p->add, .epilogue = e});
  } else {
    k->f32_gemm(&(tarei_f32_gemm){.a = h, .lda = p->l->n, .m = 1, .k = p->l->n,
                                  .n = p->columns, .b = p->packed_f32, .epilogue = e});
  }
}

static double clipped(const layer *l, double v) {
  return fmin(fmax(v, -(double)l->clip), (double)l->clip);
}

static double gate_of(const layer *l, double v) {
  return 1.0 / (1.0 + exp(-clipped(l, v)));
}

/* What the definition sees of the state: its bytes, when the kernels multiply bytes. */
static void state_seen(const float *h, const uint8_t *h_u8, size_t n, double *seen) {
  for (size_t i = 0; i < n; i++) {
    seen[i] = h_u8 ? (h_u8[i] - 128) * (double)h_scale : h[i];
  }
}

typedef struct run {
  tarei_kernels k;
  layer l;
  bool bytes;
  float h[MOST], c[MOST], rec[LSTM_GATES * MOST], reset[MOST];
  uint8_t h_u8[MOST + 3], reset_u8[MOST + 3]; /* a product reads up to 3 bytes beyond */
  double seen[MOST], sums[LSTM_GATES * MOST];
} run;

static void run_init(run *r, size_t gates, bool bytes) {
  *r = (run){.bytes = bytes};
  tarei_kernels_select(TAREI_ISA_ALL, &r->k);
  any_layer(&r->l, gates);
  for (size_t i = 0; i < r->l.n; i++) {
    r->h[i] = ck_uniform(-1.0f, 1.0f);
    r->c[i] = ck_uniform(-2.0f, 2.0f);
    r->h_u8[i] = tarei_requant_u8(r->h[i], 127.0f, 128);
  }
}

static tarei_state_out state_into(const run *r, float *h, uint8_t *h_u8) {
  return (tarei_state_out){.f32 = h, .ld_f32 = r->l.n, .u8 = h_u8, .ld_u8 = r->l.n,
                           .inv_scale = 127.0f, .zero_point = 128};
}

/* r->sums by the definition, r->rec by the kernels */
static void multiply(run *r, const product *p, const float *h, const uint8_t *h_u8) {
  state_seen(h, r->bytes ? h_u8 : NULL, r->l.n, r->seen);
  definition_product(&r->l, r->seen, p->first, p->first + p->columns, r->sums);
  kernel_product(&r->k, p, h, r->bytes ? h_u8 : NULL, r->rec);
}

static void assert_near(double got, double expected) {
  if (!(fabs(got - expected) < 4e-6)) {
    fail_msg("%.9g is not near %.9g", got, expected);
  }
}

static void check_gru_step(run *r, const product *gates, const product *fresh, int t) {
  const size_t n = r->l.n;
  const float *const x = r->l.x[t];
  double expected[MOST];
  tarei_gru_gates g = {.m = 1, .n = n, .gate_step = n, .x = x, .rec = r->rec, .h = r->h, .clip = r->l.clip,
                       .linear_before_reset = r->l.flag};
  multiply(r, gates, r->h, r->h_u8);
  if (!r->l.flag) {
    g.out = state_into(r, r->reset, r->reset_u8);
    r->k.gru_reset(&g);
    multiply(r, fresh, r->reset, r->reset_u8);
  }
  for (size_t i = 0; i < n; i++) {
    const double update = gate_of(&r->l, x[i] + r->sums[i]);
    const double reset = gate_of(&r->l, x[n + i] + r->sums[n + i]);
    const double into = x[2 * n + i] + (r->l.flag ? reset : 1.0) * r->sums[2 * n + i];
    expected[i] = (1 - update) * tanh(clipped(&r->l, into)) + update * r->h[i];
    if (!r->l.flag) {
      assert_near(r->reset[i], reset * r->h[i]);
    }
  }
  g.out = state_into(r, r->h, r->h_u8);
  r->k.gru_update(&g);
  for (size_t i = 0; i < n; i++) {
    assert_near(r->h[i], expected[i]);
    assert_int_equal(r->h_u8[i], tarei_requant_u8(r->h[i], 127.0f, 128));
  }
}

static void gru_agrees_with_the_definition(void **state) {
  (void)state;
  static run r;
  static product gates, fresh;
  for (int i = 0; i < 40; i++) {
    run_init(&r, GRU_GATES, i % 2);
    product_init(&gates, &r.l, 0, (r.l.flag ? 3 : 2) * r.l.n);
    product_init(&fresh, &r.l, 2 * r.l.n, 3 * r.l.n);
    for (int t = 0; t < STEPS; t++) {
      check_gru_step(&r, &gates, &fresh, t);
    }
    product_free(&gates);
    product_free(&fresh);
  }
}

static void check_lstm_step(run *r, const product *gates, int t) {
  const size_t n = r->l.n;
  const float *const x = r->l.x[t];
  double cell[MOST], expected[MOST];
  multiply(r, gates, r->h, r->h_u8);
  for (size_t i = 0; i < n; i++) {
    const double p[3] = {r->l.peephole[i], r->l.peephole[n + i], r->l.peephole[2 * n + i]};
    const double on = r->l.peepholes ? 1.0 : 0.0;
    const double in = gate_of(&r->l, x[i] + r->sums[i] + on * p[0] * r->c[i]);
    const double forget = gate_of(&r->l, x[2 * n + i] + r->sums[2 * n + i] + on * p[2] * r->c[i]);
    const double fresh = tanh(clipped(&r->l, x[3 * n + i] + r->sums[3 * n + i]));
    cell[i] = (r->l.flag ? 1 - in : forget) * r->c[i] + in * fresh;
    const double out = gate_of(&r->l, x[n + i] + r->sums[n + i] + on * p[1] * cell[i]);
    expected[i] = out * tanh(cell[i]);
  }
  const tarei_lstm_gates g = {.m = 1, .n = n, .gate_step = n, .x = x, .rec = r->rec, .clip = r->l.clip,
                              .peephole = r->l.peepholes ? r->l.peephole : NULL,
                              .input_forget = r->l.flag, .c = r->c, .out_c = r->c,
                              .out = state_into(r, r->h, r->h_u8)};
  r->k.lstm_update(&g);
  for (size_t i = 0; i < n; i++) {
    assert_near(r->c[i], cell[i]);
    assert_near(r->h[i], expected[i]);
    assert_int_equal(r->h_u8[i], tarei_requant_u8(r->h[i], 127.0f, 128));
  }
}

static void lstm_agrees_with_the_definition(void **state) {
  (void)state;
  static run r;
  static product gates;
  for (int i = 0; i < 40; i++) {
    run_init(&r, LSTM_GATES, i % 2);
    product_init(&gates, &r.l, 0, LSTM_GATES * r.l.n);
    for (int t = 0; t < STEPS; t++) {
      check_lstm_step(&r, &gates, t);
    }
    product_free(&gates);
  }
}

int recurrent_steps_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gru_agrees_with_the_definition),
      cmocka_unit_test(lstm_agrees_with_the_definition),
  };
  return cmocka_run_group_tests_name("kernels.recurrent_steps", tests, ck_seed, NULL);
}
