/* Operators of images, signals and decoders: what a run refuses, and forms that the conformance
 * cases leave out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

static void start(one_node *const t, const int rank, const int64_t *const dims,
                  const void *const data) {
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, rank, dims, data);
}

static void test_columns(void **state) {
  (void)state;
  static const struct {
    int64_t image[2], block[2];
    const char *why;
  } bad[] = {{{5, 5}, {1, 4}, "channels"},
             {{5, 5}, {0, 5}, "a block of 0 in an image of 5 is out of range"},
             {{5, 5}, {-1, 5}, "a block of -1"},
             {{-5, 5}, {1, 5}, "an image of -5"},
             {{5, 6}, {1, 5}, "axis 2 of"},
             {{2, 2}, {1, 5}, "expected 0"},
             {{INT64_MAX, 5}, {1, 5}, "out of range"},
             {{5, 5}, {INT32_MAX, INT32_MAX}, "channels"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    one_node t;
    start(&t, 3, (int64_t[]){2, 5, 5}, NULL);
    (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){2}, bad[i].image);
    (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){2}, bad[i].block);
    one_node_op(&t, "Col2Im", "", 18, 1);
    one_node_refused(
        &t, strstr(bad[i].why, "range") || strstr(bad[i].why, "-") ? TARE_E_INPUT : TARE_E_SHAPE,
        bad[i].why);
  }
}

static void test_unpooled(void **state) {
  (void)state;
  static const struct {
    int64_t places[2], shape[3];
    const char *why;
  } bad[] = {{{0, 4}, {1, 1, 4}, "index 4 of"},
             {{-1, 2}, {1, 1, 4}, "index -1 of"},
             {{0, INT64_MAX}, {1, 1, 5}, "the output has 5 elements"},
             {{0, 1}, {1, 1, 3}, "output_shape has 3 at 2, expected 4 or more"},
             {{0, 1}, {2, 1, 4}, "output_shape has 2 at 0, expected 1"},
             {{0, 1}, {1, 1, -4}, "output_shape has -4 at 2"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    one_node t;
    start(&t, 3, (int64_t[]){1, 1, 2}, NULL);
    (void)one_node_input(&t, TARE_I64, 3, (int64_t[]){1, 1, 2}, bad[i].places);
    (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){3}, bad[i].shape);
    one_node_op(&t, "MaxUnpool", "", 11, 1);
    assert_true(tarei_attr_set_ints(t.node, "kernel_shape", (int64_t[]){2}, 1) &&
                tarei_attr_set_ints(t.node, "strides", (int64_t[]){2}, 1));
    one_node_refused(&t, TARE_E_INPUT, bad[i].why);
  }
}

static void test_caches(void **state) {
  (void)state;
  static const struct {
    const char *mode;
    int64_t n, at;
    tare_status status;
    const char *why;
  } bad[] = {{"linear", 2, 3, TARE_E_INPUT, "write index 3 of"},
             {"linear", 2, -1, TARE_E_INPUT, "expected 0..2"},
             {"circular", 2, -1, TARE_E_INPUT, "write index -1 of"},
             {"linear", 1, INT64_MAX, TARE_E_INPUT, "write index 9223372036854775807"},
             {"circular", 5, 0, TARE_E_SHAPE, "5 entries do not fit into a cache of 4"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    one_node t;
    start(&t, 3, (int64_t[]){1, 4, 3}, NULL);
    (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, bad[i].n, 3}, NULL);
    (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, &bad[i].at);
    one_node_symbol(&t, 1, 1, "n");
    one_node_op(&t, "TensorScatter", "", 24, 1);
    assert_true(tarei_attr_set_string(t.node, "mode", bad[i].mode));
    one_node_refused(&t, bad[i].status, bad[i].why);
  }
}

static void test_boxes(void **state) {
  (void)state;
  static const float overlaps[] = {-0.5f, 1.5f};
  for (int i = 0; i < 2; i++) {
    one_node t;
    start(&t, 3, (int64_t[]){1, 3, 4}, NULL);
    (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 2, 3}, NULL);
    (void)one_node_absent(&t);
    (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){1}, &overlaps[i]);
    one_node_op(&t, "NonMaxSuppression", "", 11, 1);
    one_node_refused(&t, TARE_E_INPUT, "expected 0..1");
  }
}

/* Scores that are not numbers come last; those that are equal in order. */
static void test_strange_scores(void **state) {
  (void)state;
  float boxes[5 * 4], scores[] = {NAN, -INFINITY, 1, INFINITY, 1};
  for (int i = 0; i < 20; i++) {
    boxes[i] = (float)(i / 4 * 10 + i % 4 / 2);
  }
  const int64_t limit = 9;
  one_node t;
  start(&t, 3, (int64_t[]){1, 5, 4}, boxes);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 1, 5}, scores);
  (void)one_node_const(&t, TARE_I64, 1, (int64_t[]){1}, &limit);
  one_node_op(&t, "NonMaxSuppression", "", 11, 1);
  one_node_run_ok(&t);
  static const int64_t order[] = {3, 2, 4, 1, 0};
  assert_int_equal(t.outputs[0].dims[0], 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(((const int64_t *)t.outputs[0].data)[3 * i + 2], order[i]);
  }
  one_node_end(&t);
}

static void test_tokens(void **state) {
  (void)state;
  static const int64_t bad[] = {-2, 6, INT64_MIN};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const int64_t tokens[] = {1, bad[i], 3, 1};
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_I64, 2, (int64_t[]){1, 4}, tokens);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){1, 6}, NULL);
    one_node_op(&t, "NGramRepeatBlock", "com.microsoft", 1, 1);
    assert_true(tarei_attr_set_int(t.node, "ngram_size", 2));
    one_node_refused(&t, TARE_E_INPUT, "has no score: expected 0..5");
  }
}

/* Places that are no numbers, or as far away as can be, read what lies outside. */
static void test_far_places(void **state) {
  (void)state;
  static const char *const modes[] = {"linear", "nearest", "cubic"};
  static const char *const paddings[] = {"zeros", "border", "reflection"};
  static const float far[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e18f};
  const float x[] = {1, 2, 3, 4};
  for (int i = 0; i < 9; i++) {
    float grid[2 * 6];
    for (int k = 0; k < 6; k++) {
      grid[2 * k] = far[k];
      grid[2 * k + 1] = 0.5f;
    }
    one_node t;
    start(&t, 4, (int64_t[]){1, 1, 2, 2}, x);
    (void)one_node_input(&t, TARE_F32, 4, (int64_t[]){1, 1, 6, 2}, grid);
    one_node_op(&t, "GridSample", "", 20, 1);
    assert_true(tarei_attr_set_string(t.node, "mode", modes[i / 3]) &&
                tarei_attr_set_string(t.node, "padding_mode", paddings[i % 3]));
    one_node_run_ok(&t);
    for (int k = 0; k < 6; k++) {
      const float got = ((const float *)t.outputs[0].data)[k];
      assert_true(i % 3 == 0 ? got == 0 : got >= 0.5f && got <= 5);
    }
    one_node_end(&t);
  }
}

static void test_regions(void **state) {
  (void)state;
  static const struct {
    float roi[4];
    int64_t image;
    const char *why;
  } bad[] = {{{0, 0, 1, 1}, 2, "image 2 of"},
             {{0, 0, 1, 1}, -1, "expected 0..1"},
             {{0, 0, 1e6f, 1e6f}, 0, "is too large"},
             {{-INFINITY, 0, INFINITY, 1}, 0, "is too large"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    one_node t;
    start(&t, 4, (int64_t[]){2, 1, 3, 3}, NULL);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){1, 4}, bad[i].roi);
    (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, &bad[i].image);
    one_node_op(&t, "RoiAlign", "", 16, 1);
    one_node_refused(&t, TARE_E_INPUT, bad[i].why);
  }
  static const float images[] = {-1, 2, NAN, 1e30f};
  for (int i = 0; i < 4; i++) {
    one_node t;
    start(&t, 4, (int64_t[]){2, 1, 3, 3}, NULL);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){1, 5},
                         (const float[]){images[i], NAN, -INFINITY, 1e30f, INFINITY});
    one_node_op(&t, "MaxRoiPool", "", 1, 1);
    assert_true(tarei_attr_set_ints(t.node, "pooled_shape", (int64_t[]){2, 2}, 2));
    one_node_refused(&t, TARE_E_INPUT, "is out of range: expected 0..1");
  }
  one_node t; /* regions as strange as can be are somewhere */
  start(&t, 4, (int64_t[]){1, 1, 3, 3}, NULL);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){2, 5},
                       (const float[]){0, NAN, -INFINITY, 1e30f, INFINITY, 0, 9, 9, -9, -9});
  one_node_op(&t, "MaxRoiPool", "", 1, 1);
  assert_true(tarei_attr_set_ints(t.node, "pooled_shape", (int64_t[]){2, 2}, 2));
  one_node_run_ok(&t);
  one_node_end(&t);
}

static void test_no_boxes_to_read(void **state) {
  (void)state;
  one_node t;
  start(&t, 4, (int64_t[]){1, 1, 0, 2}, NULL);
  (void)one_node_input(&t, TARE_F32, 4, (int64_t[]){1, 1, 6, 2}, NULL);
  one_node_op(&t, "GridSample", "", 20, 1);
  one_node_refused(&t, TARE_E_SHAPE, "has no elements to read");
}

/* What is not square or has several matrices is known only when it runs. */
static void test_open_dims(void **state) {
  (void)state;
  one_node t;
  start(&t, 2, (int64_t[]){3, 4}, NULL);
  one_node_symbol(&t, 0, 0, "n");
  one_node_op(&t, "Det", "", 11, 1);
  one_node_refused(&t, TARE_E_SHAPE, "has length 3, expected 4");
  start(&t, 3, (int64_t[]){2, 3, 4}, NULL);
  one_node_symbol(&t, 0, 0, "n");
  one_node_op(&t, "DynamicTimeWarping", "com.microsoft", 1, 1);
  one_node_refused(&t, TARE_E_SHAPE, "has length 2, expected 1");
  start(&t, 2, (int64_t[]){3, 4}, NULL);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){3, 5}, NULL);
  one_node_symbol(&t, 1, 1, "n");
  one_node_op(&t, "CDist", "com.microsoft", 1, 1);
  one_node_refused(&t, TARE_E_SHAPE, "has length 5, expected 4");
}

/* A matrix by its inverse is the identity. */
static void test_inverse(void **state) {
  (void)state;
  for (int64_t n = 0; n < 12; n++) {
    double x[121];
    for (int64_t i = 0; i < n * n; i++) {
      x[i] = (double)one_node_float() + (i % (n + 1) == 0 ? 4 : 0);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F64, 2, (int64_t[]){n, n}, x);
    one_node_op(&t, "Inverse", "com.microsoft", 1, 1);
    one_node_run_ok(&t);
    for (int64_t i = 0; i < n * n; i++) {
      double sum = 0;
      for (int64_t k = 0; k < n; k++) {
        sum += x[i / n * n + k] * ((const double *)t.outputs[0].data)[k * n + i % n];
      }
      assert_true(fabs(sum - (i % (n + 1) == 0)) < 1e-9);
    }
    one_node_end(&t);
  }
}

int images_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns),          cmocka_unit_test(test_unpooled),
      cmocka_unit_test(test_caches),           cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_regions),          cmocka_unit_test(test_strange_scores),
      cmocka_unit_test(test_tokens),           cmocka_unit_test(test_far_places),
      cmocka_unit_test(test_no_boxes_to_read), cmocka_unit_test(test_open_dims),
      cmocka_unit_test(test_inverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
