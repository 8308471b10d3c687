/* LSTM, GRU and RNN beside the formulas of ONNX, written out in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/lower/recurrent/recurrent.h"
#include "unit/engine/support/one_node.h"

enum { LSTM = 4, GRU = 3, RNN = 1 };

typedef struct function {
  const char *name;
  float alpha, beta;
  bool has_alpha, has_beta;
} function;

/* A layer with its operands, all as doubles that floats hold exactly. */
typedef struct layer {
  int gates;
  size_t t, b, i, h, d;
  bool reverse, batch_first, before_reset, input_forget;
  double clip; /* INFINITY without */
  function functions[6];
  bool has_functions, has_bias, has_lengths, has_h, has_c, has_p;
  double *x, *w, *r, *bias, *first_h, *first_c, *p;
  int32_t lengths[16];
  double *y, *y_h, *y_c; /* expected */
} layer;

static const char *const names[] = {[LSTM] = "LSTM", [GRU] = "GRU", [RNN] = "RNN"};

static double *some(const size_t n, const double size) {
  double *const v = calloc(n ? n : 1, sizeof *v);
  assert_non_null(v);
  for (size_t k = 0; k < n; k++) {
    v[k] = (double)(float)((double)one_node_float() * size);
  }
  return v;
}

static void fill(layer *const l) {
  const size_t g = (size_t)l->gates, rows = l->d * g * l->h;
  l->x = some(l->t * l->b * l->i, 1);
  l->w = some(rows * l->i, 1 / sqrt((double)l->i));
  l->r = some(rows * l->h, 1 / sqrt((double)l->h));
  l->bias = some(2 * rows, 0.5);
  l->first_h = some(l->d * l->b * l->h, 0.5);
  l->first_c = some(l->d * l->b * l->h, 1);
  l->p = some(3 * l->d * l->h, 0.5);
  l->y = some(l->t * l->d * l->b * l->h, 0);
  l->y_h = some(l->d * l->b * l->h, 0);
  l->y_c = some(l->d * l->b * l->h, 0);
  for (size_t k = 0; k < l->b; k++) {
    l->lengths[k] = (int32_t)(l->has_lengths ? one_node_between(0, (int64_t)l->t) : (int64_t)l->t);
  }
}

static void drop(const layer *const l) {
  double *const all[] = {l->x,       l->w, l->r, l->bias, l->first_h,
                         l->first_c, l->p, l->y, l->y_h,  l->y_c};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    free(all[k]);
  }
}

/* --- the formulas ----------------------------------------------------------------------------- */

static double apply(const function *const f, const double clip, double x) {
  x = fmax(-clip, fmin(clip, x));
  const double a = (double)f->alpha, b = (double)f->beta;
  const struct {
    const char *name;
    double value;
  } known[] = {{"Affine", a * x + b},
               {"Elu", x >= 0 ? x : a * (exp(x) - 1)},
               {"HardSigmoid", fmin(fmax(a * x + b, 0), 1)},
               {"LeakyRelu", x >= 0 ? x : a * x},
               {"Relu", fmax(0, x)},
               {"ScaledTanh", a * tanh(b * x)},
               {"Sigmoid", 1 / (1 + exp(-x))},
               {"Softplus", log(1 + exp(x))},
               {"Softsign", x / (1 + fabs(x))},
               {"Tanh", tanh(x)},
               {"ThresholdedRelu", x >= a ? x : 0}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strcmp(f->name, known[k].name) == 0) {
      return known[k].value;
    }
  }
  fail_msg("no function %s", f->name);
  return 0;
}

/* Function f, g or h of a direction. */
static double at(const layer *const l, const size_t d, const int which, const double x) {
  const int each = l->gates == LSTM ? 3 : l->gates == GRU ? 2 : 1;
  return apply(&l->functions[(int)d * each + which], l->clip, x);
}

/* Row `row` of W or R of a direction times v, plus its bias. */
static double dot(const layer *const l, const size_t d, const bool of_state, const size_t row,
                  const double *const v) {
  const size_t n = of_state ? l->h : l->i, g = (size_t)l->gates * l->h;
  const double *const w = (of_state ? l->r : l->w) + (d * g + row) * n;
  double sum = l->has_bias ? l->bias[(2 * d + of_state) * g + row] : 0;
  for (size_t k = 0; k < n; k++) {
    sum += w[k] * v[k];
  }
  return sum;
}

static void step_of(const layer *const l, const size_t d, const double *const x, double *const h,
                    double *const c) {
  const size_t n = l->h;
  double *const before = some(n, 0), *const reset = some(n, 0);
  memcpy(before, h, n * sizeof *h);
  for (size_t u = 0; l->gates == GRU && u < n; u++) {
    reset[u] = at(l, d, 0, dot(l, d, false, n + u, x) + dot(l, d, true, n + u, before));
  }
  double *const reset_h = some(n, 0);
  for (size_t u = 0; u < n; u++) {
    reset_h[u] = reset[u] * before[u];
  }
  for (size_t u = 0; u < n; u++) {
    const double first = dot(l, d, false, u, x) + dot(l, d, true, u, before);
    if (l->gates == RNN) {
      h[u] = at(l, d, 0, first);
    } else if (l->gates == GRU) {
      const double z = at(l, d, 0, first);
      const double from_h = l->before_reset ? reset[u] * dot(l, d, true, 2 * n + u, before)
                                            : dot(l, d, true, 2 * n + u, reset_h);
      h[u] = (1 - z) * at(l, d, 1, dot(l, d, false, 2 * n + u, x) + from_h) + z * before[u];
    } else {
      const double *const p = l->p + d * 3 * n;
      const double on = l->has_p ? 1 : 0;
      const double i = at(l, d, 0, first + on * p[u] * c[u]);
      const double f = at(l, d, 0,
                          dot(l, d, false, 2 * n + u, x) + dot(l, d, true, 2 * n + u, before) +
                              on * p[2 * n + u] * c[u]);
      const double g =
          at(l, d, 1, dot(l, d, false, 3 * n + u, x) + dot(l, d, true, 3 * n + u, before));
      c[u] = (l->input_forget ? 1 - i : f) * c[u] + i * g;
      const double o =
          at(l, d, 0,
             dot(l, d, false, n + u, x) + dot(l, d, true, n + u, before) + on * p[n + u] * c[u]);
      h[u] = o * apply(&l->functions[d * 3 + 2], INFINITY, c[u]);
    }
  }
  free(before);
  free(reset);
  free(reset_h);
}

static void expect(const layer *const l) {
  for (size_t d = 0; d < l->d; d++) {
    for (size_t b = 0; b < l->b; b++) {
      const size_t length = (size_t)l->lengths[b];
      const size_t state = (l->batch_first ? b * l->d + d : d * l->b + b) * l->h;
      double *const h = some(l->h, 0), *const c = some(l->h, 0);
      memcpy(h, l->first_h + state, l->has_h ? l->h * sizeof *h : 0);
      memcpy(c, l->first_c + state, l->has_c ? l->h * sizeof *c : 0);
      for (size_t k = 0; k < length; k++) {
        const size_t t = d == 1 || l->reverse ? length - 1 - k : k;
        const size_t from = l->batch_first ? b * l->t + t : t * l->b + b;
        const size_t to = l->batch_first ? (b * l->t + t) * l->d + d : (t * l->d + d) * l->b + b;
        step_of(l, d, l->x + from * l->i, h, c);
        memcpy(l->y + to * l->h, h, l->h * sizeof *h);
      }
      if (length) {
        memcpy(l->y_h + state, h, l->h * sizeof *h);
        memcpy(l->y_c + state, c, l->h * sizeof *c);
      }
      free(h);
      free(c);
    }
  }
}

/* --- running ---------------------------------------------------------------------------------- */

/* Adds an operand of a float type, or an absent one. */
static void operand(one_node *const t, const tare_dtype dtype, const bool is_const, const int rank,
                    const int64_t *const dims, const double *const values) {
  size_t n = 1;
  for (int k = 0; k < rank; k++) {
    n *= (size_t)dims[k];
  }
  float *const floats = calloc(n + 1, sizeof *floats);
  assert_non_null(floats);
  for (size_t k = 0; k < n; k++) {
    floats[k] = (float)values[k];
  }
  const void *const data = dtype == TARE_F64 ? (const void *)values : floats;
  (void)(is_const ? one_node_const(t, dtype, rank, dims, data)
                  : one_node_input(t, dtype, rank, dims, data));
  free(floats);
}

static void optional(one_node *const t, const bool there, const tare_dtype dtype, const int rank,
                     const int64_t *const dims, const double *const values) {
  if (there) {
    operand(t, dtype, one_node_bits() & 1, rank, dims, values);
  } else {
    (void)one_node_absent(t);
  }
}

static void set_functions(const layer *const l, tarei_node *const node) {
  const int n = (int)l->d * (l->gates == LSTM ? 3 : l->gates == GRU ? 2 : 1);
  static const char *const lists[] = {"activations", "activation_alpha", "activation_beta"};
  char *texts[6];
  float alphas[6], betas[6];
  int n_alphas = 0, n_betas = 0;
  for (int k = 0; k < n; k++) {
    texts[k] = (char *)l->functions[k].name;
    alphas[n_alphas] = l->functions[k].alpha;
    n_alphas += l->functions[k].has_alpha;
    betas[n_betas] = l->functions[k].beta;
    n_betas += l->functions[k].has_beta;
  }
  const tarei_attr attrs[] = {
      {.name = (char *)lists[0], .kind = TAREI_ATTR_STRINGS, .n = n, .strings = texts},
      {.name = (char *)lists[1], .kind = TAREI_ATTR_FLOATS, .n = n_alphas, .floats = alphas},
      {.name = (char *)lists[2], .kind = TAREI_ATTR_FLOATS, .n = n_betas, .floats = betas}};
  for (int k = 0; l->has_functions && k < 3; k++) {
    assert_true(tarei_attr_copy(node, &attrs[k]));
  }
}

static void set_attributes(const layer *const l, tarei_node *const node) {
  const char *const direction = l->d == 2 ? "bidirectional" : l->reverse ? "reverse" : "forward";
  assert_true(tarei_attr_set_string(node, "direction", direction) &&
              tarei_attr_set_int(node, "layout", l->batch_first) &&
              tarei_attr_set_int(node, "hidden_size", (int64_t)l->h));
  if (l->before_reset) {
    assert_true(tarei_attr_set_int(node, "linear_before_reset", 1));
  }
  if (l->input_forget) {
    assert_true(tarei_attr_set_int(node, "input_forget", 1));
  }
  if (isfinite(l->clip)) {
    assert_true(tarei_attr_set_float(node, "clip", (float)l->clip));
  }
  set_functions(l, node);
}

static void operands_behind_x(const layer *const l, one_node *const t, const tare_dtype dtype,
                              const bool is_const) {
  const int64_t d = (int64_t)l->d, b = (int64_t)l->b, h = (int64_t)l->h, rows = l->gates * h;
  const int64_t state[3] = {l->batch_first ? b : d, l->batch_first ? d : b, h};
  operand(t, dtype, is_const, 3, (int64_t[]){d, rows, (int64_t)l->i}, l->w);
  operand(t, dtype, is_const, 3, (int64_t[]){d, rows, h}, l->r);
  optional(t, l->has_bias, dtype, 2, (int64_t[]){d, 2 * rows}, l->bias);
  if (l->has_lengths) {
    (void)one_node_input(t, TARE_I32, 1, &b, l->lengths);
  } else {
    (void)one_node_absent(t);
  }
  optional(t, l->has_h, dtype, 3, state, l->first_h);
  if (l->gates == LSTM) {
    optional(t, l->has_c, dtype, 3, state, l->first_c);
    optional(t, l->has_p, dtype, 2, (int64_t[]){d, 3 * h}, l->p);
  }
}

static void x_dims(const layer *const l, int64_t *const dims) {
  dims[0] = (int64_t)(l->batch_first ? l->b : l->t);
  dims[1] = (int64_t)(l->batch_first ? l->t : l->b);
  dims[2] = (int64_t)l->i;
}

/* Functions without bounds may let states grow beyond all numbers, which nobody defines: such
 * states are not compared. */
static void expect_near(const one_node *const t, const int output, const double *const expected,
                        const double tolerance) {
  const tare_tensor *const y = &t->outputs[output];
  const int64_t n = t->out[output] < 0 ? 0 : tare_tensor_count(y);
  for (int64_t k = 0; k < n; k++) {
    const double got =
        y->dtype == TARE_F64 ? ((double *)y->data)[k] : (double)((float *)y->data)[k];
    if (isfinite(expected[k]) &&
        !(fabs(got - expected[k]) <= tolerance * fmax(1, fabs(expected[k])))) {
      fail_msg("output %d, element %lld: %.9g instead of %.9g", output, (long long)k, got,
               expected[k]);
    }
  }
}

static void expect_outputs(const layer *const l, const one_node *const t, const double tolerance) {
  expect_near(t, 0, l->y, tolerance);
  expect_near(t, 1, l->y_h, tolerance);
  if (l->gates == LSTM) {
    expect_near(t, 2, l->y_c, tolerance);
  }
}

/* Runs the layer with symbols in place of time and batch, some outputs left out. */
static void check(layer *const l, const tare_dtype dtype, const bool is_const) {
  int64_t dims[3];
  one_node t;
  fill(l);
  expect(l);
  x_dims(l, dims);
  one_node_start(&t);
  operand(&t, dtype, false, 3, dims, l->x);
  operands_behind_x(l, &t, dtype, is_const);
  if (one_node_bits() & 1) {
    one_node_symbol(&t, 0, l->batch_first, "time");
    one_node_symbol(&t, 0, !l->batch_first, "batch");
  }
  const int n_out = l->gates == LSTM ? 3 : 2;
  one_node_op(&t, names[l->gates], "", l->batch_first ? 14 : 7, n_out);
  set_attributes(l, t.node);
  for (int o = 0; o < n_out; o++) {
    if (one_node_between(0, 3) == 0) {
      one_node_leave_out(&t, o);
    }
  }
  one_node_run_ok(&t);
  expect_outputs(l, &t, dtype == TARE_F64 ? 1e-12 : 3e-5);
  one_node_end(&t);
  drop(l);
}

static function plain_function(const int gates, const int k) {
  return (function){.name = gates != RNN && k == 0 ? "Sigmoid" : "Tanh"};
}

static layer some_layer(const int gates) {
  static const size_t hidden[] = {1, 3, 16, 31, 32, 33, 40};
  layer l = {.gates = gates,
             .t = (size_t)one_node_between(1, 7),
             .b = (size_t)one_node_between(1, 5),
             .i = (size_t)one_node_between(1, 20),
             .h = hidden[one_node_between(0, 6)],
             .d = (size_t)one_node_between(1, 2),
             .batch_first = one_node_bits() & 1,
             .before_reset = gates == GRU && one_node_bits() & 1,
             .input_forget = gates == LSTM && one_node_between(0, 3) == 0,
             .clip = one_node_between(0, 3) ? INFINITY : 0.75,
             .has_bias = one_node_between(0, 3) != 0,
             .has_lengths = one_node_between(0, 2) == 0,
             .has_h = one_node_bits() & 1,
             .has_c = one_node_bits() & 1,
             .has_p = one_node_between(0, 2) == 0};
  l.reverse = l.d == 1 && one_node_bits() & 1;
  const int each = gates == LSTM ? 3 : gates == GRU ? 2 : 1;
  for (int k = 0; k < 6; k++) {
    l.functions[k] = plain_function(gates, k % each);
  }
  return l;
}

static void test_floats(void **state) {
  (void)state;
  for (int round = 0; round < 90; round++) {
    layer l = some_layer((const int[]){LSTM, GRU, RNN}[round % 3]);
    check(&l, TARE_F32, round % 5 != 0);
  }
}

static void test_doubles(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    layer l = some_layer((const int[]){LSTM, GRU, RNN}[round % 3]);
    check(&l, TARE_F64, round & 1);
  }
}

static void test_functions(void **state) {
  (void)state;
  static const function all[] = {{"Affine", 0.7f, 0.1f, true, true},
                                 {"Elu", 0.8f, 0, true, false},
                                 {"HardSigmoid", 0.3f, 0.4f, true, true},
                                 {"LeakyRelu", 0.1f, 0, true, false},
                                 {"Relu", 0, 0, false, false},
                                 {"ScaledTanh", 0.9f, 0.6f, true, true},
                                 {"Sigmoid", 0, 0, false, false},
                                 {"Softplus", 0, 0, false, false},
                                 {"Softsign", 0, 0, false, false},
                                 {"Tanh", 0, 0, false, false},
                                 {"ThresholdedRelu", 0.2f, 0, true, false}};
  for (int round = 0; round < 60; round++) {
    layer l = some_layer((const int[]){LSTM, GRU, RNN}[round % 3]);
    l.has_functions = true;
    l.t = (size_t)one_node_between(1, 2); /* some grow without bounds */
    l.clip = one_node_bits() & 1 ? 0.875 : INFINITY;
    for (int k = 0; k < 6; k++) {
      l.functions[k] = all[one_node_between(0, 10)];
    }
    l.functions[0] = all[round % 11];
    check(&l, one_node_bits() & 1 ? TARE_F32 : TARE_F64, round & 1);
  }
}

static void test_function_defaults(void **state) {
  (void)state;
  layer l = some_layer(LSTM);
  l.d = 1;
  l.has_functions = true;
  l.functions[0] = (function){"HardSigmoid", 0.2f, 0.5f, false, false};
  l.functions[1] = (function){"LeakyRelu", 0.01f, 0, false, false};
  l.functions[2] = (function){"Elu", 1, 0, false, false};
  check(&l, TARE_F32, true);
}

/* Large enough for the hidden units to be shared by threads, and for several chunks of steps. */
static void test_large(void **state) {
  (void)state;
  for (int gates = 0; gates < 6; gates++) {
    layer l = some_layer((const int[]){LSTM, GRU, RNN}[gates % 3]);
    l.t = gates < 3 ? 5 : 70;
    l.b = gates < 3 ? 1 : 2;
    l.i = 40;
    l.h = gates < 3 ? 330 : 90;
    l.d = 1;
    l.before_reset = false;
    check(&l, TARE_F32, true);
  }
}

/* --- int8 ------------------------------------------------------------------------------------- */

/* Weights that their bytes hold exactly: a row is multiples of its scale. */
static void make_exact(double *const w, const size_t rows, const size_t k) {
  for (size_t r = 0; r < rows; r++) {
    const double scale = (double)(float)(1.0 / 127 / (1 + (double)(r % 5)));
    for (size_t j = 0; j < k; j++) {
      w[r * k + j] = scale * (double)one_node_between(-127, 127);
    }
    w[r * k + r % k] = scale * 127;
  }
}

/* One step from a state that its bytes hold exactly: nothing is lost but in the last bits. */
static void check_exact(layer *const l, const bool by_rows) {
  int64_t dims[3];
  one_node t;
  fill(l);
  make_exact(l->w, l->d * (size_t)l->gates * l->h, l->i);
  make_exact(l->r, l->d * (size_t)l->gates * l->h, l->h);
  make_exact(l->first_h, l->d * l->b, l->h);
  uint8_t *const bytes = calloc(l->t * l->b * l->i + 4, 1);
  const float scale = 0.01f;
  make_exact(l->x, l->t * l->b, l->i);
  for (size_t k = 0; k < l->t * l->b * l->i; k++) {
    bytes[k] = (uint8_t)one_node_between(0, 255);
    l->x[k] = by_rows ? l->x[k] : ((double)bytes[k] - 128) * (double)scale;
  }
  expect(l);
  x_dims(l, dims);
  one_node_start(&t);
  if (by_rows) {
    operand(&t, TARE_F32, false, 3, dims, l->x);
  } else {
    (void)one_node_input(&t, TARE_U8, 3, dims, bytes);
    one_node_scale(&t, t.in[0], scale, false);
  }
  operands_behind_x(l, &t, TARE_F32, true);
  one_node_op(&t,
              l->gates == LSTM  ? "QLSTM"
              : l->gates == GRU ? "QGRU"
                                : "QRNN",
              "tare", 1, l->gates == LSTM ? 3 : 2);
  set_attributes(l, t.node);
  assert_true(tarei_attr_set_int(t.node, "row_scales", by_rows));
  one_node_run_ok(&t);
  expect_outputs(l, &t, 3e-5);
  one_node_end(&t);
  free(bytes);
  drop(l);
}

static void test_bytes(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    layer l = some_layer((const int[]){LSTM, GRU, RNN}[round % 3]);
    l.t = 1;
    l.has_h = true;
    l.before_reset = l.gates == GRU; /* else the product of r * h rounds */
    check_exact(&l, round & 1);
  }
}

static double energy_of(const double *const v, const size_t n) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    sum += v[k] * v[k];
  }
  return sum;
}

/* Long sequences: the error of bytes stays small and does not add up. */
static void test_long_sequences(void **state) {
  (void)state;
  for (int round = 0; round < 6; round++) {
    layer l = some_layer((const int[]){LSTM, GRU}[round % 2]);
    int64_t dims[3];
    one_node t;
    l.t = 150;
    l.b = 2;
    l.i = 24;
    l.h = 48;
    l.clip = INFINITY;
    l.has_lengths = l.has_p = false;
    fill(&l);
    expect(&l);
    x_dims(&l, dims);
    one_node_start(&t);
    operand(&t, TARE_F32, false, 3, dims, l.x);
    operands_behind_x(&l, &t, TARE_F32, true);
    one_node_op(&t, l.gates == LSTM ? "QLSTM" : "QGRU", "tare", 1, l.gates == LSTM ? 3 : 2);
    set_attributes(&l, t.node);
    assert_true(tarei_attr_set_int(t.node, "row_scales", 1));
    one_node_run_ok(&t);
    const size_t n = l.t * l.d * l.b * l.h;
    double *const error = some(n, 0);
    for (size_t k = 0; k < n; k++) {
      error[k] = (double)((float *)t.outputs[0].data)[k] - l.y[k];
    }
    const double ratio = 10 * log10(energy_of(l.y, n) / energy_of(error, n));
    if (!(ratio > 25)) {
      fail_msg("%s: %.1f dB", t.node->op->name, ratio);
    }
    free(error);
    one_node_end(&t);
    drop(&l);
  }
}

/* --- what is refused -------------------------------------------------------------------------- */

static void start_lstm(one_node *const t, const int32_t length) {
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, 3, (int64_t[]){4, 1, 2}, NULL);
  (void)one_node_const(t, TARE_F32, 3, (int64_t[]){1, 12, 2}, NULL);
  (void)one_node_const(t, TARE_F32, 3, (int64_t[]){1, 12, 3}, NULL);
  (void)one_node_absent(t);
  (void)one_node_input(t, TARE_I32, 1, (int64_t[]){1}, &length);
  (void)one_node_input(t, TARE_F32, 3, (int64_t[]){1, 1, 3}, NULL);
}

static void test_refusals(void **state) {
  (void)state;
  one_node t;
  start_lstm(&t, 5);
  one_node_op(&t, "LSTM", "", 14, 1);
  one_node_refused(&t, TARE_E_INPUT, "sequence 0 has length 5, expected 0 to 4");
  start_lstm(&t, -1);
  one_node_op(&t, "LSTM", "", 14, 1);
  one_node_refused(&t, TARE_E_INPUT, "sequence 0 has length -1");
  start_lstm(&t, 4);
  one_node_symbol(&t, 5, 2, "width");
  one_node_op(&t, "LSTM", "", 14, 1);
  t.symbols[0] = 2;
  t.inputs[5].dims[2] = 2;
  one_node_refused(&t, TARE_E_SHAPE, "axis 2 of 'x5' has length 2, expected 3");
}

static size_t any_count(size_t most) {
  return 1 + (size_t)rand() % most;
}

/* A context has the memory of the largest shapes, and runs at smaller ones. */
static void test_scratch_grows_with_shapes(void **state) {
  (void)state;
  for (int round = 0; round < 2000; round++) {
    const tarei_recurrent s = {.form = {.gates = rand() % 2 ? LSTM : GRU,
                                        .dirs = 1 + rand() % 2,
                                        .linear_before_reset = rand() % 2}};
    tarei_recurrent_sizes large = {any_count(1000), any_count(9), any_count(40), any_count(200)};
    large.gate = tarei_recurrent_gate(&s.form, large.hidden);
    large.columns = ((size_t)s.form.gates * large.gate + 31) / 32 * 32;
    tarei_recurrent_sizes small = large;
    small.steps = any_count(large.steps);
    small.batch = any_count(large.batch);
    const int threads = 1 + rand() % 4;
    assert_true(tarei_recurrent_scratch(&s, &small, threads) <=
                tarei_recurrent_scratch(&s, &large, threads));
  }
}

static int seed(void **state) {
  (void)state;
  one_node_seed();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_function_defaults),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_long_sequences),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_scratch_grows_with_shapes),
  };
  return cmocka_run_group_tests_name("engine.lower_recurrent", tests, seed, NULL);
}
