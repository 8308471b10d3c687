#include "unit/engine/support/recurrent_layer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

double *recurrent_some(const size_t n, const double size) {
  double *const v = calloc(n ? n : 1, sizeof *v);
  assert_non_null(v);
  for (size_t k = 0; k < n; k++) {
    v[k] = (double)(float)((double)one_node_float() * size);
  }
  return v;
}

void recurrent_fill(recurrent_layer *const l) {
  const size_t g = (size_t)l->gates, rows = l->d * g * l->h;
  l->x = recurrent_some(l->t * l->b * l->i, 1);
  l->w = recurrent_some(rows * l->i, 1 / sqrt((double)l->i));
  l->r = recurrent_some(rows * l->h, 1 / sqrt((double)l->h));
  l->bias = recurrent_some(2 * rows, 0.5);
  l->first_h = recurrent_some(l->d * l->b * l->h, 0.5);
  l->first_c = recurrent_some(l->d * l->b * l->h, 1);
  l->p = recurrent_some(3 * l->d * l->h, 0.5);
  l->y = recurrent_some(l->t * l->d * l->b * l->h, 0);
  l->y_h = recurrent_some(l->d * l->b * l->h, 0);
  l->y_c = recurrent_some(l->d * l->b * l->h, 0);
  for (size_t k = 0; k < l->b; k++) {
    l->lengths[k] = (int32_t)(l->has_lengths ? one_node_between(0, (int64_t)l->t) : (int64_t)l->t);
  }
}

void recurrent_drop(const recurrent_layer *const l) {
  double *const all[] = {l->x,       l->w, l->r, l->bias, l->first_h,
                         l->first_c, l->p, l->y, l->y_h,  l->y_c};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    free(all[k]);
  }
}

/* --- the formulas ----------------------------------------------------------------------------- */

static double apply(const recurrent_function *const f, const double clip, double x) {
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
static double at(const recurrent_layer *const l, const size_t d, const int which, const double x) {
  const int each = l->gates == LSTM ? 3 : l->gates == GRU ? 2 : 1;
  return apply(&l->functions[(int)d * each + which], l->clip, x);
}

/* Row `row` of W or R of a direction times v, plus its bias. */
static double dot(const recurrent_layer *const l, const size_t d, const bool of_state,
                  const size_t row, const double *const v) {
  const size_t n = of_state ? l->h : l->i, g = (size_t)l->gates * l->h;
  const double *const w = (of_state ? l->r : l->w) + (d * g + row) * n;
  double sum = l->has_bias ? l->bias[(2 * d + of_state) * g + row] : 0;
  for (size_t k = 0; k < n; k++) {
    sum += w[k] * v[k];
  }
  return sum;
}

static void step_of(const recurrent_layer *const l, const size_t d, const double *const x,
                    double *const h, double *const c) {
  const size_t n = l->h;
  double *const before = recurrent_some(n, 0), *const reset = recurrent_some(n, 0);
  memcpy(before, h, n * sizeof *h);
  for (size_t u = 0; l->gates == GRU && u < n; u++) {
    reset[u] = at(l, d, 0, dot(l, d, false, n + u, x) + dot(l, d, true, n + u, before));
  }
  double *const reset_h = recurrent_some(n, 0);
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

void recurrent_expect(const recurrent_layer *const l) {
  for (size_t d = 0; d < l->d; d++) {
    for (size_t b = 0; b < l->b; b++) {
      const size_t length = (size_t)l->lengths[b];
      const size_t state = (l->batch_first ? b * l->d + d : d * l->b + b) * l->h;
      double *const h = recurrent_some(l->h, 0), *const c = recurrent_some(l->h, 0);
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
void recurrent_operand(one_node *const t, const tare_dtype dtype, const bool is_const,
                       const int rank, const int64_t *const dims, const double *const values) {
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
    recurrent_operand(t, dtype, one_node_bits() & 1, rank, dims, values);
  } else {
    (void)one_node_absent(t);
  }
}

static void set_functions(const recurrent_layer *const l, tarei_node *const node) {
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

void recurrent_attributes(const recurrent_layer *const l, tarei_node *const node) {
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

void recurrent_operands(const recurrent_layer *const l, one_node *const t, const tare_dtype dtype,
                        const bool is_const) {
  const int64_t d = (int64_t)l->d, b = (int64_t)l->b, h = (int64_t)l->h, rows = l->gates * h;
  const int64_t state[3] = {l->batch_first ? b : d, l->batch_first ? d : b, h};
  recurrent_operand(t, dtype, is_const, 3, (int64_t[]){d, rows, (int64_t)l->i}, l->w);
  recurrent_operand(t, dtype, is_const, 3, (int64_t[]){d, rows, h}, l->r);
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

void recurrent_x_dims(const recurrent_layer *const l, int64_t *const dims) {
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

void recurrent_expect_outputs(const recurrent_layer *const l, const one_node *const t,
                              const double tolerance) {
  expect_near(t, 0, l->y, tolerance);
  expect_near(t, 1, l->y_h, tolerance);
  if (l->gates == LSTM) {
    expect_near(t, 2, l->y_c, tolerance);
  }
}

static recurrent_function plain_function(const int gates, const int k) {
  return (recurrent_function){.name = gates != RNN && k == 0 ? "Sigmoid" : "Tanh"};
}

recurrent_layer recurrent_any(const int gates) {
  static const size_t hidden[] = {1, 3, 16, 31, 32, 33, 40};
  recurrent_layer l = {.gates = gates,
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
