/* Reductions, pools and normalizations against sums written out in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

static float *floats(const size_t n) {
  float *const x = calloc(n, sizeof *x);
  assert_non_null(x);
  return x;
}

static int random_dims(const int least, int64_t *const dims) {
  const int rank = (int)one_node_between(least, 5);
  const int64_t most = rank < 3 ? 200 : rank < 4 ? 30 : 8;
  for (int d = 0; d < rank; d++) {
    dims[d] = one_node_between(0, 4) ? one_node_between(1, most) : 1;
  }
  return rank;
}

typedef struct reduction {
  const char *op;
  double first;
  double (*step)(double a, double v);
  double (*finish)(double a, double n);
} reduction;

static double add(const double a, const double v) {
  return a + v;
}
static double add_square(const double a, const double v) {
  return a + v * v;
}
static double mul(const double a, const double v) {
  return a * v;
}
static double add_size(const double a, const double v) {
  return a + fabs(v);
}
static double add_exp(const double a, const double v) {
  return a + exp(v);
}
static double same(const double a, const double n) {
  return (void)n, a;
}
static double divide(const double a, const double n) {
  return a / n;
}
static double root(const double a, const double n) {
  return (void)n, sqrt(a);
}

static double logarithm(const double a, const double n) {
  return (void)n, log(a);
}

static const reduction reductions[] = {
    {"ReduceL1", 0, add_size, same},
    {"ReduceLogSum", 0, add, logarithm},
    {"ReduceLogSumExp", 0, add_exp, logarithm},
    {"ReduceSumSquare", 0, add_square, same},
    {"ReduceSum", 0, add, same},
    {"ReduceMean", 0, add, divide},
    {"ReduceL2", 0, add_square, root},
    {"ReduceProd", 1, mul, same},
    {"ReduceMax", -INFINITY, fmax, same},
    {"ReduceMin", INFINITY, fmin, same},
};

/* The output that element `flat` of x goes to. */
static size_t target_of(const tare_tensor *const x, const bool *const cut, size_t flat) {
  size_t at = 0, stride = 1;
  for (int d = x->rank - 1; d >= 0; d--) {
    const size_t index = flat % (size_t)x->dims[d];
    flat /= (size_t)x->dims[d];
    at += cut[d] ? 0 : index * stride;
    stride *= cut[d] ? 1 : (size_t)x->dims[d];
  }
  return at;
}

/* Where its axes come from. */
typedef enum source { ATTRIBUTE, CONSTANT, RUN_TIME } source;

static void check_outputs(const one_node *const t, const double *const expected,
                          const bool exactly) {
  const tare_tensor *const y = &t->outputs[0];
  const size_t n = (size_t)tare_tensor_count(y);
  for (size_t i = 0; i < n; i++) {
    const double got = one_node_value(y, i);
    if (y->dtype == TARE_F32 && exactly) { /* the same sums in the same order: the same float */
      assert_true((float)got == (float)expected[i] || (isnan(got) && isnan(expected[i])));
    } else if (y->dtype == TARE_F32 || y->dtype == TARE_F64) {
      assert_true(isnan(expected[i]) || fabs(got - expected[i]) <= 1e-6 * fmax(1, fabs(got)));
    } else if (fabs(expected[i]) < 1e9) {
      assert_true(got == trunc(expected[i]));
    }
  }
}

static void check_reduction(const reduction *const r, const tare_dtype dtype, const source from) {
  int64_t dims[TARE_MAX_RANK], axes[TARE_MAX_RANK];
  bool cut[TARE_MAX_RANK] = {0};
  const int rank = random_dims(1, dims);
  int n_axes = 0;
  for (int d = 0; d < rank; d++) {
    cut[d] = one_node_bits() & 1;
    axes[n_axes] = one_node_bits() & 1 ? d : d - rank;
    n_axes += cut[d];
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, dtype, rank, dims, NULL);
  if (from == CONSTANT) {
    (void)one_node_ints(&t, n_axes, axes);
  } else if (from == RUN_TIME) {
    (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){n_axes}, axes);
  }
  one_node_op(&t, r->op, "", from != ATTRIBUTE ? 18 : 11, 1);
  if (from == ATTRIBUTE && n_axes) {
    assert_true(tarei_attr_set_ints(t.node, "axes", axes, n_axes));
  }
  const bool noop = from != ATTRIBUTE && (one_node_bits() & 1);
  assert_true(tarei_attr_set_int(t.node, "noop_with_empty_axes", noop));
  assert_true(tarei_attr_set_int(t.node, "keepdims", one_node_bits() & 1));
  for (int d = 0; n_axes == 0 && !noop && d < rank; d++) {
    cut[d] = true;
  }
  one_node_run_ok(&t);
  const size_t n = (size_t)tare_tensor_count(&t.inputs[0]);
  const size_t outputs = (size_t)tare_tensor_count(&t.outputs[0]);
  double *const acc = malloc(outputs * sizeof *acc);
  assert_non_null(acc);
  for (size_t i = 0; i < outputs; i++) {
    acc[i] = r->first;
  }
  for (size_t i = 0; i < n; i++) {
    double *const a = &acc[target_of(&t.inputs[0], cut, i)];
    *a = r->step(*a, one_node_value(&t.inputs[0], i));
  }
  for (size_t i = 0; i < outputs; i++) {
    acc[i] = r->finish(acc[i], (double)(n / outputs));
  }
  check_outputs(&t, acc, strcmp(r->op, "ReduceLogSumExp") != 0);
  free(acc);
  one_node_end(&t);
}

static void test_reductions(void **state) {
  (void)state;
  static const tare_dtype dtypes[] = {TARE_F32, TARE_I64, TARE_I32, TARE_F64, TARE_U32,
                                      TARE_U64, TARE_U8,  TARE_I8,  TARE_BOOL};
  for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
    const bool ordered = reductions[i].finish == same && isinf(reductions[i].first);
    const bool integers = reductions[i].finish != logarithm; /* that of a negative sum is none */
    for (int round = 0; round < 36; round++) {
      check_reduction(&reductions[i],
                      integers ? dtypes[round % (ordered ? 9 : 6)] : dtypes[round % 2 * 3],
                      (source)(round % 3));
    }
  }
}

static void expect_reduced(const char *const op, const tare_dtype dtype, const void *const data,
                           const int64_t rows, const int64_t n, const double *const expected) {
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, dtype, 2, (int64_t[]){rows, n}, data);
  (void)one_node_ints(&t, 1, (int64_t[]){1});
  one_node_op(&t, op, "", 18, 1);
  one_node_run_ok(&t);
  for (int64_t i = 0; i < rows; i++) {
    const double got = one_node_value(&t.outputs[0], (size_t)i);
    assert_true(got == expected[i] || (isnan(got) && isnan(expected[i])));
  }
  one_node_end(&t);
}

/* Nothing at all, and what no sum of small numbers tells. */
static void test_reduction_limits(void **state) {
  (void)state;
  const double zeros[2] = {0, 0}, low[2] = {-INFINITY, -INFINITY}, high[1] = {INFINITY};
  expect_reduced("ReduceSum", TARE_F32, NULL, 2, 0, zeros);
  expect_reduced("ReduceProd", TARE_I64, NULL, 1, 0, (double[]){1});
  expect_reduced("ReduceMax", TARE_F64, NULL, 2, 0, low);
  expect_reduced("ReduceMin", TARE_F32, NULL, 1, 0, high);
  expect_reduced("ReduceMin", TARE_BOOL, NULL, 1, 0, (double[]){1});
  expect_reduced("ReduceMax", TARE_I8, NULL, 1, 0, (double[]){INT8_MIN});
  expect_reduced("ReduceLogSum", TARE_F32, NULL, 2, 0, low);
  expect_reduced("ReduceLogSumExp", TARE_F32, NULL, 2, 0, low);
  expect_reduced("ReduceSum", TARE_I32, (int32_t[]){INT32_MAX, 1}, 1, 2, (double[]){INT32_MIN});
  expect_reduced("ReduceMax", TARE_U64, (uint64_t[]){1, UINT64_C(1) << 63}, 1, 2,
                 (double[]){0x1p63});
  expect_reduced("ReduceLogSumExp", TARE_F64, (double[]){1000, 1000, -INFINITY, -INFINITY}, 2, 2,
                 (double[]){1000 + log(2), -INFINITY});
  expect_reduced("ReduceMax", TARE_F32, (float[]){1, NAN, 2, 3}, 2, 2, (double[]){NAN, 3});
  expect_reduced("ReduceL2", TARE_I64, (int64_t[]){3, 4}, 1, 2, (double[]){5});
}

typedef struct pool {
  bool average, with_pads, ceil;
  int64_t kernel[2], stride[2], dilation[2], pad[4]; /* pads: befores, afters */
} pool;

/* One window over a plane of h x w. */
static double pool_window(const pool *const p, const float *const x, const int64_t h,
                          const int64_t w, const int64_t oy, const int64_t ox) {
  double sum = 0, most = -INFINITY, count = 0;
  for (int64_t i = 0; i < p->kernel[0]; i++) {
    for (int64_t j = 0; j < p->kernel[1]; j++) {
      const int64_t y = oy * p->stride[0] + i * p->dilation[0] - p->pad[0];
      const int64_t z = ox * p->stride[1] + j * p->dilation[1] - p->pad[1];
      if (y >= 0 && y < h && z >= 0 && z < w) {
        sum += (double)x[y * w + z];
        most = fmax(most, (double)x[y * w + z]);
        count++;
      } else if (p->with_pads && y < h + p->pad[2] && z < w + p->pad[3]) {
        count++;
      }
    }
  }
  return !p->average ? most : count > 0 ? sum / count : 0;
}

static void check_pool(const pool *const p, const int space) {
  const int64_t h = space == 2 ? p->kernel[0] * p->dilation[0] + one_node_between(0, 12) : 1;
  const int64_t w = p->kernel[1] * p->dilation[1] + one_node_between(0, space == 2 ? 12 : 300);
  const int64_t d4[] = {2, 5, h, w}, d3[] = {2, 5, w};
  const int64_t pads1[] = {p->pad[1], p->pad[3]};
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, space + 2, space == 2 ? d4 : d3, NULL);
  one_node_op(&t, p->average ? "AveragePool" : "MaxPool", "", 19, 1);
  assert_true(tarei_attr_set_ints(t.node, "kernel_shape", p->kernel + 2 - space, space) &&
              tarei_attr_set_ints(t.node, "strides", p->stride + 2 - space, space) &&
              tarei_attr_set_ints(t.node, "dilations", p->dilation + 2 - space, space) &&
              tarei_attr_set_ints(t.node, "pads", space == 2 ? p->pad : pads1, 2 * space) &&
              tarei_attr_set_int(t.node, "ceil_mode", p->ceil) &&
              tarei_attr_set_int(t.node, "count_include_pad", p->with_pads));
  one_node_run_ok(&t);
  const int64_t oh = space == 2 ? t.outputs[0].dims[2] : 1, ow = t.outputs[0].dims[space + 1];
  float *const expected = floats((size_t)(10 * oh * ow));
  for (int64_t i = 0; i < 10 * oh * ow; i++) {
    expected[i] = (float)pool_window(p, (const float *)t.inputs[0].data + i / (oh * ow) * h * w, h,
                                     w, i / ow % oh, i % ow);
  }
  one_node_expect_floats(&t, expected, (size_t)(10 * oh * ow), 1e-6f);
  free(expected);
  one_node_end(&t);
}

static void test_pools(void **state) {
  (void)state;
  for (int round = 0; round < 80; round++) {
    const int space = 1 + round % 2;
    pool p = {.average = one_node_bits() & 1, .ceil = one_node_bits() & 1};
    p.with_pads = p.average && (one_node_bits() & 1);
    for (int a = 0; a < 2; a++) {
      const bool flat = a == 0 && space == 1;
      p.kernel[a] = flat ? 1 : one_node_between(1, 4);
      p.stride[a] = flat ? 1 : one_node_between(1, 3);
      p.dilation[a] = flat ? 1 : one_node_between(1, 2);
      p.pad[a] = flat ? 0 : one_node_between(0, p.kernel[a] - 1);
      p.pad[2 + a] = flat ? 0 : one_node_between(0, p.kernel[a] - 1);
    }
    check_pool(&p, space);
  }
}

/* Mean and variance over `n` elements that lie `step` apart. */
static void moments(const float *const x, const size_t n, const size_t step, double *const mean,
                    double *const variance) {
  *mean = *variance = 0;
  for (size_t i = 0; i < n; i++) {
    *mean += (double)x[i * step] / (double)n;
  }
  for (size_t i = 0; i < n; i++) {
    *variance += pow((double)x[i * step] - *mean, 2) / (double)n;
  }
}

static void test_layer_norm(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    int64_t dims[TARE_MAX_RANK];
    const int rank = random_dims(1, dims), axis = (int)one_node_between(0, rank - 1);
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, rank, dims, NULL);
    (void)one_node_input(&t, TARE_F32, rank - axis, dims + axis, NULL);
    if (round % 2) {
      (void)one_node_input(&t, TARE_F32, rank - axis, dims + axis, NULL);
    }
    one_node_op(&t, "LayerNormalization", "", 17, 1);
    assert_true(tarei_attr_set_int(t.node, "axis", axis - rank));
    assert_true(tarei_attr_set_float(t.node, "epsilon", 0.01f));
    one_node_run_ok(&t);
    const size_t n = (size_t)tare_tensor_count(&t.inputs[1]);
    const size_t all = (size_t)tare_tensor_count(&t.inputs[0]);
    const float *const x = t.inputs[0].data, *const gain = t.inputs[1].data;
    float *const expected = floats(all);
    double mean = 0, variance = 0;
    for (size_t i = 0; i < all; i++) {
      if (i % n == 0) {
        moments(x + i, n, 1, &mean, &variance);
      }
      expected[i] = (float)(((double)x[i] - mean) / sqrt(variance + 0.01) * (double)gain[i % n] +
                            (round % 2 ? (double)((const float *)t.inputs[2].data)[i % n] : 0));
    }
    one_node_expect_floats(&t, expected, all, 1e-4f);
    free(expected);
    one_node_end(&t);
  }
}

/* Instance norm in both layouts, batch norm, and the norms of groups of channels and of all: a
 * factor and an offset per channel. */
static void check_channel_norm(const bool last, const bool batch, const int64_t groups) {
  const int64_t n = one_node_between(1, 3), l = one_node_between(2, 90),
                of_each = one_node_between(1, groups ? 12 : 40),
                c = of_each * (groups ? groups : 1);
  const int64_t dims[] = {n, last ? l : c, last ? c : l};
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, dims, NULL);
  for (int i = 0; i < (batch ? 4 : 2); i++) {
    (void)one_node_input(&t, TARE_F32, 1, &c, NULL);
  }
  for (int64_t i = 0; batch && i < c; i++) {
    float *const variance = t.inputs[4].data;
    variance[i] = fabsf(variance[i]);
  }
  one_node_op(&t,
              batch                 ? "BatchNormalization"
              : groups == 1 && last ? "GlobalNormLast"
              : groups              ? (last ? "GroupNormLast" : "GroupNorm")
              : last                ? "InstanceNormLast"
                                    : "InstanceNormalization",
              last || groups ? "tare" : "", last || groups ? 1 : 15, 1);
  if (groups) {
    assert_true(tarei_attr_set_int(t.node, TAREI_ATTR_GROUPS, groups));
  }
  assert_true(tarei_attr_set_float(t.node, "epsilon", 0.01f));
  one_node_run_ok(&t);
  const float *const x = t.inputs[0].data, *const scale = t.inputs[1].data;
  float *const expected = floats((size_t)(n * c * l));
  for (int64_t i = 0; i < n * c * l; i++) {
    const int64_t channel = last ? i % c : i / l % c, sample = i / (c * l);
    const int64_t width = groups ? of_each : 1, from = channel / width * width;
    double mean = 0, variance = 0;
    for (int64_t k = 0; k < width; k++) { /* one channel of the group after the other */
      double own, spread;
      moments(x + sample * c * l + (last ? from + k : (from + k) * l), (size_t)l,
              last ? (size_t)c : 1, &own, &spread);
      mean += own / (double)width;
      variance += (spread + own * own) / (double)width;
    }
    variance -= mean * mean;
    if (batch) {
      mean = (double)((const float *)t.inputs[3].data)[channel];
      variance = (double)((const float *)t.inputs[4].data)[channel];
    }
    expected[i] = (float)(((double)x[i] - mean) / sqrt(variance + 0.01) * (double)scale[channel] +
                          (double)((const float *)t.inputs[2].data)[channel]);
  }
  one_node_expect_floats(&t, expected, (size_t)(n * c * l), 1e-4f);
  free(expected);
  one_node_end(&t);
}

static void test_channel_norms(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    check_channel_norm(round % 4 == 1 || round % 4 == 3, round % 4 == 2, round % 4 == 3);
    check_channel_norm(round % 2, false, one_node_between(1, 6));
  }
}

static void check_softmax(const bool logarithm, const int opset) {
  int64_t dims[TARE_MAX_RANK];
  const int rank = random_dims(1, dims), axis = (int)one_node_between(0, rank - 1);
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, rank, dims, NULL);
  one_node_op(&t, logarithm ? "LogSoftmax" : "Softmax", "", opset, 1);
  assert_true(tarei_attr_set_int(t.node, "axis", axis));
  one_node_run_ok(&t);
  size_t inner = 1, n = 1;
  for (int d = axis; d < rank; d++) {
    *(d == axis || opset < 13 ? &n : &inner) *= (size_t)dims[d];
  }
  const size_t all = (size_t)tare_tensor_count(&t.inputs[0]);
  const float *const x = t.inputs[0].data;
  float *const expected = floats(all);
  double sum = 0;
  for (size_t i = 0; i < all; i++) {
    const size_t row = i / (n * inner) * n * inner + i % inner;
    const bool next = inner > 1 || i == row; /* else the row is that of the element before */
    sum = next ? 0 : sum;
    for (size_t k = 0; next && k < n; k++) {
      sum += exp((double)x[row + k * inner]);
    }
    const double p = exp((double)x[i]) / sum;
    expected[i] = (float)(logarithm ? log(p) : p);
  }
  one_node_expect_floats(&t, expected, all, 1e-5f);
  free(expected);
  one_node_end(&t);
}

static void test_softmax(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    check_softmax(round % 2, round % 4 < 2 ? 13 : 11);
  }
}

/* Scores of 2 x 3 x rows x n with a mask that is missing or broadcast over some leading axes. */
static void check_scaled_softmax(const int form) {
  static const char *const outputs[] = {"f32", "u8", "both"};
  const int64_t rows = one_node_between(1, 5), n = one_node_between(1, 70);
  const int64_t mask_dims[] = {form & 1 ? 2 : 1, form & 2 ? 3 : 1, form & 4 ? rows : 1, n};
  const bool masked = form < 8;
  const int kind = form % 3;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 4, (int64_t[]){2, 3, rows, n}, NULL);
  if (masked) {
    (void)one_node_input(&t, TARE_F32, 4, mask_dims, NULL);
  }
  one_node_op(&t, "ScaledSoftmax", "tare", 1, kind == 2 ? 2 : 1);
  assert_true(tarei_attr_set_float(t.node, "scale", 0.7f));
  assert_true(tarei_attr_set_string(t.node, "outputs", outputs[kind]));
  if (kind > 0) {
    one_node_scale(&t, t.out[kind - 1], 1.0f / 127.0f, true);
  }
  one_node_run_ok(&t);
  const float *const x = t.inputs[0].data, *const mask = masked ? t.inputs[1].data : NULL;
  for (int64_t r = 0; r < 6 * rows; r++) {
    const int64_t b = r / (3 * rows), c = r / rows % 3, i = r % rows;
    const int64_t at = (((form & 1 ? b : 0) * mask_dims[1] + (form & 2 ? c : 0)) * mask_dims[2] +
                        (form & 4 ? i : 0)) *
                       n;
    double sum = 0;
    for (int64_t k = 0; k < n; k++) {
      sum += exp(0.7 * (double)x[r * n + k] + (mask ? (double)mask[at + k] : 0));
    }
    for (int64_t k = 0; k < n; k++) {
      const double p = exp(0.7 * (double)x[r * n + k] + (mask ? (double)mask[at + k] : 0)) / sum;
      if (kind != 1) {
        assert_true(fabs((double)((const float *)t.outputs[0].data)[r * n + k] - p) < 1e-6);
      }
      if (kind != 0) { /* an unsigned range: 255 steps */
        const uint8_t q = ((const uint8_t *)t.outputs[kind - 1].data)[r * n + k];
        assert_true(fabs((double)q - p * 255) < 0.501);
      }
    }
  }
  one_node_end(&t);
}

static void test_scaled_softmax(void **state) {
  (void)state;
  for (int form = 0; form < 24; form++) {
    check_scaled_softmax(form % 12);
  }
}

static void test_refused(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_BOOL, 2, (int64_t[]){3, 4}, NULL);
  one_node_op(&t, "ReduceSum", "", 13, 1);
  one_node_refused(&t, TARE_E_UNSUPPORTED, "bool is not");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){3, 4}, NULL);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){2}, (int64_t[]){1, 1});
  one_node_op(&t, "ReduceSum", "", 13, 1);
  assert_true(tarei_attr_set_int(t.node, "keepdims", 0));
  one_node_refused(&t, TARE_E_SHAPE, "the axes leave 3 elements, expected 1");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){3, 4}, NULL);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){9}, NULL);
  one_node_symbol(&t, 1, 0, "channels");
  one_node_op(&t, "LayerNormalization", "", 17, 1);
  one_node_refused(&t, TARE_E_SHAPE, "'x1' has 9 elements, expected 4");
}

int reduce_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reductions),     cmocka_unit_test(test_reduction_limits),
      cmocka_unit_test(test_pools),          cmocka_unit_test(test_layer_norm),
      cmocka_unit_test(test_channel_norms),  cmocka_unit_test(test_softmax),
      cmocka_unit_test(test_scaled_softmax), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
