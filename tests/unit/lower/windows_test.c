/* Conv and pools in the forms without a channels-last twin, against naive ones: one to four axes,
 * float64 and bytes, weights and biases that are computed, indices, norms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

enum { AXES = 4 };

typedef struct shape {
  int space;
  tare_dtype dtype;
  int64_t batch, channels, outputs, group;
  int64_t in[AXES], kernel[AXES], stride[AXES], dilation[AXES], pad[2 * AXES];
  int64_t out[AXES], taps, in_plane, out_plane;
} shape;

static int64_t pick(const int64_t lowest, const int64_t highest) {
  return one_node_between(lowest, highest);
}

/* What follows from the window and the input along each axis. */
static void find_planes(shape *const s) {
  s->taps = s->in_plane = s->out_plane = 1;
  for (int a = 0; a < s->space; a++) {
    const int64_t span = (s->kernel[a] - 1) * s->dilation[a] + 1;
    s->out[a] = (s->in[a] + s->pad[a] + s->pad[s->space + a] - span) / s->stride[a] + 1;
    s->taps *= s->kernel[a];
    s->in_plane *= s->in[a];
    s->out_plane *= s->out[a];
  }
}

/* Many planes, a multiple of 1024 elements apart where they lie, or in their copy. */
static shape colliding_shape(void) {
  const int64_t kernel = pick(1, 2), pad = pick(0, 1);
  shape s = {.space = 2,
             .dtype = TARE_F32,
             .batch = pick(1, 2),
             .group = pick(1, 2),
             .in = {32 - 2 * pad, 32 * pick(1, 2) - 2 * pad},
             .kernel = {kernel, kernel},
             .stride = {1, 1},
             .dilation = {1, 1},
             .pad = {pad, pad, pad, pad}};
  s.channels = s.group * pick(15, 40);
  s.outputs = s.group * pick(1, 4);
  find_planes(&s);
  return s;
}

static shape random_shape(const int least_space) {
  shape s = {.space = (int)pick(least_space, AXES),
             .dtype = pick(0, 1) ? TARE_F32 : TARE_F64,
             .batch = pick(1, 2),
             .group = pick(1, 3)};
  s.channels = s.group * pick(1, 3);
  s.outputs = s.group * pick(1, 4);
  for (int a = 0; a < s.space; a++) {
    s.kernel[a] = pick(1, 3);
    s.stride[a] = pick(1, 2);
    s.dilation[a] = pick(1, 2);
    s.pad[a] = pick(0, 1);
    s.pad[s.space + a] = pick(0, 1);
    const int64_t span = (s.kernel[a] - 1) * s.dilation[a] + 1;
    s.in[a] = span + pick(0, s.space < 3 ? 20 : 2);
  }
  find_planes(&s);
  return s;
}

static void set_attributes(tarei_node *const node, const shape *const s) {
  assert_true(tarei_attr_set_ints(node, "kernel_shape", s->kernel, s->space) &&
              tarei_attr_set_ints(node, "strides", s->stride, s->space) &&
              tarei_attr_set_ints(node, "dilations", s->dilation, s->space) &&
              tarei_attr_set_ints(node, "pads", s->pad, 2 * s->space));
}

/* Where tap t of an output position falls in the input plane, or -1. */
static int64_t meet(const shape *const s, int64_t position, int64_t t) {
  int64_t at[AXES], offset = 0;
  for (int a = s->space - 1; a >= 0; a--) {
    at[a] = position % s->out[a] * s->stride[a] + t % s->kernel[a] * s->dilation[a] - s->pad[a];
    position /= s->out[a];
    t /= s->kernel[a];
  }
  for (int a = 0; a < s->space; a++) {
    if (at[a] < 0 || at[a] >= s->in[a]) {
      return -1;
    }
    offset = offset * s->in[a] + at[a];
  }
  return offset;
}

static double element(const tare_tensor *const x, const int64_t i) {
  switch (x->dtype) {
    case TARE_F32:
      return (double)((const float *)x->data)[i];
    case TARE_F64:
      return ((const double *)x->data)[i];
    case TARE_I8:
      return ((const int8_t *)x->data)[i];
    default:
      return ((const uint8_t *)x->data)[i];
  }
}

/* A sum of so many products, whose roundings add up. */
static void expect_sum(const one_node *const t, const int64_t i, const double value,
                       const int64_t terms) {
  const double got = element(&t->outputs[0], i);
  const double relative = t->outputs[0].dtype == TARE_F32 ? 1e-5 : 1e-12;
  const double most = fmax(fabs(value), fmax((double)terms / 16, 1)) * relative;
  if (!(fabs(got - value) <= most) && got != value) {
    fail_msg("element %lld: %.17g instead of %.17g", (long long)i, got, value);
  }
}

static void expect(const one_node *const t, const int64_t i, const double value) {
  expect_sum(t, i, value, 1);
}

/* Random, or for float64 small numbers, which one_node does not make up. */
static int add_input(one_node *const t, const tare_dtype dtype, const int rank,
                     const int64_t *const dims) {
  static double numbers[1 << 16];
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    numbers[i] = (double)one_node_float();
  }
  return one_node_input(t, dtype, rank, dims, dtype == TARE_F64 ? numbers : NULL);
}

static void add_data(one_node *const t, const shape *const s) {
  int64_t dims[TARE_MAX_RANK] = {s->batch, s->channels};
  memcpy(dims + 2, s->in, sizeof s->in);
  one_node_start(t);
  (void)add_input(t, s->dtype, s->space + 2, dims);
}

static double convolve(const one_node *const t, const shape *const s, const int64_t b,
                       const int64_t o, const int64_t position) {
  const int64_t per_group = s->channels / s->group, g = o / (s->outputs / s->group);
  double sum = t->n_in > 2 ? element(&t->inputs[2], o) : 0;
  for (int64_t c = 0; c < per_group; c++) {
    for (int64_t tap = 0; tap < s->taps; tap++) {
      const int64_t at = meet(s, position, tap);
      const int64_t plane = b * s->channels + g * per_group + c;
      sum += at < 0 ? 0
                    : element(&t->inputs[0], plane * s->in_plane + at) *
                          element(&t->inputs[1], (o * per_group + c) * s->taps + tap);
    }
  }
  return sum;
}

static void test_conv(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    const shape s = round % 4 ? random_shape(1) : colliding_shape();
    one_node t;
    add_data(&t, &s);
    int64_t dims[TARE_MAX_RANK] = {s.outputs, s.channels / s.group};
    memcpy(dims + 2, s.kernel, sizeof s.kernel);
    (void)add_input(&t, s.dtype, s.space + 2, dims);
    if (pick(0, 1)) {
      (void)add_input(&t, s.dtype, 1, &s.outputs);
    }
    one_node_op(&t, "Conv", "", 11, 1);
    set_attributes(t.node, &s);
    assert_true(tarei_attr_set_int(t.node, "group", s.group));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < s.batch * s.outputs * s.out_plane; i++) {
      expect_sum(&t, i,
                 convolve(&t, &s, i / s.out_plane / s.outputs, i / s.out_plane % s.outputs,
                          i % s.out_plane),
                 s.channels / s.group * s.taps);
    }
    one_node_end(&t);
  }
}

typedef struct spot {
  double largest, sum, squares;
  int64_t at, count;
} spot;

static spot look(const one_node *const t, const shape *const s, const int64_t i) {
  spot found = {.largest = -INFINITY, .at = -1};
  for (int64_t tap = 0; tap < s->taps; tap++) {
    const int64_t at = meet(s, i % s->out_plane, tap), from = i / s->out_plane * s->in_plane + at;
    const double v = at < 0 ? 0 : element(&t->inputs[0], from);
    if (at >= 0 && v > found.largest) {
      found.largest = v;
      found.at = from;
    }
    found.count += at >= 0;
    found.sum += v;
    found.squares += v * v;
  }
  return found;
}

/* The same place when the first axis of space runs fastest. */
static int64_t turn(const shape *const s, const int64_t at) {
  int64_t rest = at % s->in_plane, turned = 0, step = s->in_plane;
  for (int a = s->space - 1; a >= 0; a--) {
    step /= s->in[a];
    turned += rest % s->in[a] * step;
    rest /= s->in[a];
  }
  return at - at % s->in_plane + turned;
}

static void test_max_pool(void **state) {
  (void)state;
  static const tare_dtype dtypes[] = {TARE_F32, TARE_F64, TARE_I8, TARE_U8};
  for (int round = 0; round < 40; round++) {
    shape s = random_shape(1);
    s.dtype = dtypes[round % 4];
    const int64_t order = pick(0, 1);
    const bool indices = s.dtype == TARE_F32 || pick(0, 1);
    one_node t;
    add_data(&t, &s);
    one_node_op(&t, "MaxPool", "", 12, indices ? 2 : 1);
    set_attributes(t.node, &s);
    assert_true(tarei_attr_set_int(t.node, "storage_order", order));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < s.batch * s.channels * s.out_plane; i++) {
      const spot found = look(&t, &s, i);
      expect(&t, i,
             found.count || s.dtype == TARE_F32 || s.dtype == TARE_F64 ? found.largest
             : s.dtype == TARE_I8                                      ? -128
                                                                       : 0);
      if (indices && found.count) {
        assert_int_equal(((int64_t *)t.outputs[1].data)[i], order ? turn(&s, found.at) : found.at);
      }
    }
    one_node_end(&t);
  }
}

static void test_sums(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    const shape s = random_shape(1);
    const bool norm = pick(0, 1), with_pads = pick(0, 1);
    one_node t;
    add_data(&t, &s);
    one_node_op(&t, norm ? "LpPool" : "AveragePool", "", 19, 1);
    set_attributes(t.node, &s);
    assert_true(tarei_attr_set_int(t.node, "count_include_pad", with_pads));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < s.batch * s.channels * s.out_plane; i++) {
      const spot found = look(&t, &s, i);
      const int64_t count = with_pads ? s.taps : found.count;
      expect(&t, i, norm ? sqrt(found.squares) : count ? found.sum / (double)count : 0);
    }
    one_node_end(&t);
  }
}

static void test_refused(void **state) {
  (void)state;
  const int64_t dims[] = {1, 2, 5, 5, 5}, small[] = {4, 2, 2, 2, 2};
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 5, dims, NULL);
  (void)one_node_input(&t, TARE_F32, 5, small, NULL);
  one_node_symbol(&t, 1, 1, "channels");
  one_node_op(&t, "Conv", "", 11, 1);
  assert_true(tarei_attr_set_int(t.node, "group", 2));
  one_node_refused(&t, TARE_E_SHAPE, "axis 1 of 'x0' has length 2, expected 4");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I32, 5, dims, NULL);
  one_node_op(&t, "AveragePool", "", 11, 1);
  assert_true(tarei_attr_set_ints(t.node, "kernel_shape", small + 1, 3));
  one_node_refused(&t, TARE_E_UNSUPPORTED, "pooling of int32");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F64, 3, dims, NULL);
  one_node_op(&t, "LpPool", "", 11, 1);
  assert_true(tarei_attr_set_ints(t.node, "kernel_shape", small + 1, 1) &&
              tarei_attr_set_int(t.node, "p", 0));
  one_node_refused(&t, TARE_E_MODEL, "'p': expected 1 or more, got 0");
}

int windows_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conv),
      cmocka_unit_test(test_max_pool),
      cmocka_unit_test(test_sums),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
