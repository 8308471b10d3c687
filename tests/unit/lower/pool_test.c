/* Channels-last pools against the channels-first ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

typedef struct pool {
  bool average;
  int rank;
  int64_t kernel[3], stride[3], dilation[3], pad[6];
  int64_t dims[5]; /* channels first */
  int64_t with_pads, ceil_mode;
  const char *auto_pad;
} pool;

static pool random_pool(void) {
  static const char *const auto_pads[] = {"NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
  pool p = {.average = one_node_bits() & 1, .rank = (int)one_node_between(3, 5)};
  p.with_pads = p.average ? one_node_between(0, 1) : 0;
  p.auto_pad = auto_pads[one_node_between(0, 4)];
  p.ceil_mode = strcmp(p.auto_pad, "NOTSET") == 0 && (one_node_bits() & 1);
  const int space = p.rank - 2;
  p.dims[0] = one_node_between(1, 3);
  p.dims[1] = one_node_between(0, 3) ? one_node_between(1, space == 3 ? 30 : 150) : 16;
  for (int a = 0; a < space; a++) {
    p.kernel[a] = one_node_between(1, space == 1 ? 12 : 4);
    p.stride[a] = one_node_between(1, 3);
    p.dilation[a] = one_node_between(1, 3);
    p.pad[a] = one_node_between(0, p.kernel[a] - 1);
    p.pad[space + a] = one_node_between(0, p.kernel[a] - 1);
    p.dims[2 + a] = p.kernel[a] * p.dilation[a] + one_node_between(0, space == 1 ? 200 : 9);
  }
  return p;
}

static void set_attributes(tarei_node *const node, const pool *const p) {
  const int space = p->rank - 2;
  assert_true(tarei_attr_set_ints(node, "kernel_shape", p->kernel, space) &&
              tarei_attr_set_ints(node, "strides", p->stride, space) &&
              tarei_attr_set_ints(node, "dilations", p->dilation, space) &&
              tarei_attr_set_string(node, "auto_pad", p->auto_pad) &&
              tarei_attr_set_int(node, "ceil_mode", p->ceil_mode) &&
              tarei_attr_set_int(node, "count_include_pad", p->with_pads));
  if (strcmp(p->auto_pad, "NOTSET") == 0) {
    assert_true(tarei_attr_set_ints(node, "pads", p->pad, 2 * space));
  }
}

static size_t count_space(const int64_t *const dims, const int first, const int n) {
  size_t count = 1;
  for (int a = first; a < first + n; a++) {
    count *= (size_t)dims[a];
  }
  return count;
}

/* [batch][channels][space] to [batch][space][channels] */
static size_t to_last(const size_t i, const size_t channels, const size_t space) {
  const size_t batch = i / (channels * space), c = i / space % channels;
  return (batch * space + i % space) * channels + c;
}

static void start(one_node *const t, const pool *const p, const char *const op,
                  const char *const domain, const tare_dtype dtype, const int64_t *const dims,
                  const void *const data, const int n_out) {
  one_node_start(t);
  (void)one_node_input(t, dtype, p->rank, dims, data);
  one_node_op(t, op, domain, *domain ? 1 : 19, n_out);
  set_attributes(t->node, p);
}

static void last_dims(const pool *const p, int64_t *const dims) {
  dims[0] = p->dims[0];
  memcpy(dims + 1, p->dims + 2, (size_t)(p->rank - 2) * sizeof *dims);
  dims[p->rank - 1] = p->dims[1];
}

static void *alloc(const size_t bytes) {
  void *const p = calloc(bytes, 1);
  assert_non_null(p);
  return p;
}

/* Output 0 of the form channels last, in the order of `first`. */
static float *in_order(const one_node *const last, const pool *const p) {
  const size_t channels = (size_t)p->dims[1], n = (size_t)tare_tensor_count(&last->outputs[0]);
  const size_t space = count_space(last->outputs[0].dims, 1, p->rank - 2);
  float *const out = alloc(n * sizeof *out);
  for (size_t i = 0; i < n; i++) {
    const size_t at = to_last(i, channels, space);
    out[i] = last->outputs[0].dtype == TARE_U8 ? (float)((uint8_t *)last->outputs[0].data)[at]
                                               : ((float *)last->outputs[0].data)[at];
  }
  return out;
}

static void check(const pool *const p, const bool bytes) {
  const size_t channels = (size_t)p->dims[1], space = count_space(p->dims, 2, p->rank - 2);
  const size_t n = (size_t)p->dims[0] * channels * space;
  float *const x = alloc(n * sizeof *x), *const x_last = alloc(n * sizeof *x);
  uint8_t *const x_bytes = alloc(n);
  for (size_t i = 0; i < n; i++) {
    const size_t at = to_last(i, channels, space);
    x_bytes[at] = (uint8_t)one_node_bits();
    x[i] = bytes ? (float)x_bytes[at] : one_node_float();
    x_last[at] = x[i];
  }
  int64_t dims[5];
  last_dims(p, dims);
  one_node first, last;
  start(&first, p, p->average ? "AveragePool" : "MaxPool", "", TARE_F32, p->dims, x, 1);
  one_node_run_ok(&first);
  start(&last, p, p->average ? "AveragePoolLast" : "MaxPoolLast", "tare",
        bytes ? TARE_U8 : TARE_F32, dims, bytes ? (void *)x_bytes : (void *)x_last, 1);
  one_node_run_ok(&last);
  assert_int_equal(last.outputs[0].dtype, bytes ? TARE_U8 : TARE_F32);
  float *const found = in_order(&last, p);
  one_node_expect_floats(&first, found, (size_t)tare_tensor_count(&first.outputs[0]),
                         p->average ? 1e-6f : 0);
  free(found);
  free(x);
  free(x_last);
  free(x_bytes);
  one_node_end(&first);
  one_node_end(&last);
}

static void test_floats(void **state) {
  (void)state;
  for (int round = 0; round < 120; round++) {
    const pool p = random_pool();
    check(&p, false);
  }
}

static void test_bytes(void **state) {
  (void)state;
  for (int round = 0; round < 80; round++) {
    pool p = random_pool();
    p.average = false;
    p.with_pads = 0;
    check(&p, true);
  }
}

/* The bytes are those of the floats beside them. */
static void test_average_to_bytes(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    pool p = random_pool();
    p.average = true;
    int64_t dims[5];
    last_dims(&p, dims);
    one_node t;
    start(&t, &p, "AveragePoolLast", "tare", TARE_F32, dims, NULL, 2);
    assert_true(tarei_attr_set_string(t.node, "outputs", "both"));
    one_node_scale(&t, t.out[1], 0.01f, false);
    one_node_run_ok(&t);
    const float *const mean = t.outputs[0].data;
    const uint8_t *const bytes = t.outputs[1].data;
    for (size_t i = 0; i < (size_t)tare_tensor_count(&t.outputs[0]); i++) {
      const float step = mean[i] / 0.01f, kept = step > 127 ? 127 : step < -128 ? -128 : step;
      assert_true((float)bytes[i] - 128 >= kept - 0.501f && (float)bytes[i] - 128 <= kept + 0.501f);
    }
    one_node_end(&t);
  }
}

static void test_what_is_refused(void **state) {
  (void)state;
  pool p = random_pool();
  p.average = true;
  int64_t dims[5];
  last_dims(&p, dims);
  one_node t;
  start(&t, &p, "AveragePoolLast", "tare", TARE_U8, dims, NULL, 1);
  one_node_refused(&t, TARE_E_UNSUPPORTED, "is not supported");
}

int pool_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_average_to_bytes),
      cmocka_unit_test(test_what_is_refused),
  };
  one_node_seed();
  return cmocka_run_group_tests_name("lower_pool", tests, NULL, NULL);
}
