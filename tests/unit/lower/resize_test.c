/* Resize, against numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

typedef struct resize_case {
  const char *mode, *coordinates, *rounding;
  float scale; /* 0: by size */
  int64_t size;
  float x[5]; /* n_in of them */
  int n_in;
  float y[8];
  bool antialias, exclude_outside;
} resize_case;

static const resize_case cases[] = {
    {"linear", "half_pixel", NULL, 2, 0, {1, 2}, 2, {1, 1.25f, 1.75f, 2}},
    {"linear", "align_corners", NULL, 0, 4, {0, 3}, 2, {0, 1, 2, 3}},
    {"linear", "asymmetric", NULL, 2, 0, {1, 3}, 2, {1, 2, 3, 3}},
    {"linear", "pytorch_half_pixel", NULL, 0, 1, {4, 2, 9}, 3, {4}},
    {"linear", "half_pixel", NULL, 0.5f, 0, {1, 2, 3, 4}, 4, {1.5f, 3.5f}},
    {"linear", "half_pixel", NULL, 0.5f, 0, {1, 2, 3, 4}, 4, {1.625f, 3.375f}, .antialias = true},
    {"linear",
     "half_pixel",
     NULL,
     0.5f,
     0,
     {1, 2, 3, 4},
     4,
     {12.0f / 7, 23.0f / 7},
     .antialias = true,
     .exclude_outside = true},
    {"linear", "half_pixel", NULL, 2, 0, {1, 2}, 2, {1, 1.25f, 1.75f, 2}, .antialias = true},
    /* 3.5 elements are cut to 3: the middle of both stays the middle */
    {"linear",
     "half_pixel_symmetric",
     NULL,
     0.7f,
     0,
     {0, 1, 2, 3, 4},
     5,
     {2 - 1 / 0.7f, 2, 2 + 1 / 0.7f}},
    /* weights of a half: -3/32, 19/32, 19/32, -3/32 */
    {"cubic", "asymmetric", NULL, 2, 0, {0, 0, 32, 0}, 4, {0, -3, 0, 19, 32, 19, 0, -3}},
    {"cubic", "asymmetric", NULL, 2, 0, {32, 32, 32}, 3, {32, 32, 32, 32, 32, 32}},
    {"nearest", "asymmetric", "round_prefer_floor", 2, 0, {1, 2, 3}, 3, {1, 1, 2, 2, 3, 3}},
    {"nearest", "asymmetric", "round_prefer_ceil", 2, 0, {1, 2, 3}, 3, {1, 2, 2, 3, 3, 3}},
    {"nearest", "asymmetric", "floor", 2, 0, {1, 2, 3}, 3, {1, 1, 2, 2, 3, 3}},
    {"nearest", "asymmetric", "ceil", 2, 0, {1, 2, 3}, 3, {1, 2, 2, 3, 3, 3}},
    {"nearest", "half_pixel", "ceil", 0.5f, 0, {1, 2, 3, 4}, 4, {2, 4}},
    {"nearest", "tf_half_pixel_for_nn", "floor", 0.5f, 0, {1, 2, 3, 4}, 4, {2, 4}},
    {"nearest", "align_corners", "floor", 0, 2, {1, 2, 3}, 3, {1, 3}},
};

/* Along the last axis and along the first; the scale as a constant and as what only the run tells.
 */
static void check(const resize_case *const c, const bool first, const bool late) {
  const int64_t across = 3, n = c->n_in;
  const float scales[2] = {first ? c->scale : 1, first ? 1 : c->scale};
  const int64_t sizes[2] = {first ? c->size : across, first ? across : c->size};
  const int64_t dims[2] = {first ? n : across, first ? across : n}, two = 2;
  float x[15], y[24];
  for (int64_t i = 0; i < n * across; i++) {
    x[i] = c->x[first ? i / across : i % n];
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, dims, x);
  (void)one_node_absent(&t);
  if (!c->size) {
    (void)(late ? one_node_input(&t, TARE_F32, 1, &two, scales)
                : one_node_const(&t, TARE_F32, 1, &two, scales));
  } else {
    (void)one_node_absent(&t);
    (void)(late ? one_node_input(&t, TARE_I64, 1, &two, sizes) : one_node_ints(&t, 2, sizes));
  }
  one_node_op(&t, "Resize", "", 19, 1);
  assert_true(tarei_attr_set_string(t.node, "mode", c->mode));
  assert_true(tarei_attr_set_string(t.node, "coordinate_transformation_mode", c->coordinates));
  assert_true(!c->rounding || tarei_attr_set_string(t.node, "nearest_mode", c->rounding));
  assert_true(tarei_attr_set_int(t.node, "antialias", c->antialias));
  assert_true(tarei_attr_set_int(t.node, "exclude_outside", c->exclude_outside));
  one_node_run_ok(&t);
  const int64_t m = t.outputs[0].dims[!first];
  assert_int_equal(m, c->size ? c->size : (int64_t)((float)n * c->scale));
  for (int64_t i = 0; i < m * across; i++) {
    y[i] = c->y[first ? i / across : i % m];
  }
  one_node_expect_floats(&t, y, (size_t)(m * across), 1e-5f);
  one_node_end(&t);
}

static void test_forms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int form = 0; form < 4; form++) {
      check(&cases[i], form & 1, form >> 1);
    }
  }
}

/* Opset 10 takes the next element where an axis shrinks. */
static void test_opset_10(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I32, 2, (int64_t[]){1, 4}, (int32_t[]){1, 2, 3, 4});
  (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){2}, (float[]){1, 0.6f});
  one_node_op(&t, "Resize", "", 10, 1);
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, ((int32_t[]){1, 3}), 8);
  one_node_end(&t);
}

static void test_crop(void **state) {
  (void)state;
  for (int nearest = 0; nearest < 2; nearest++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){4}, (float[]){0, 1, 2, 3});
    (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){2}, (float[]){0.5f, 1.5f});
    (void)one_node_absent(&t);
    (void)one_node_ints(&t, 1, (int64_t[]){3});
    one_node_op(&t, "Resize", "", 13, 1);
    assert_true(tarei_attr_set_string(t.node, "mode", nearest ? "nearest" : "linear"));
    assert_true(
        tarei_attr_set_string(t.node, "coordinate_transformation_mode", "tf_crop_and_resize"));
    assert_true(tarei_attr_set_float(t.node, "extrapolation_value", 10));
    one_node_run_ok(&t);
    one_node_expect_floats(&t, (const float[]){nearest ? 1 : 1.5f, 3, 10}, 3, 1e-6f);
    one_node_end(&t);
  }
}

/* Rows that repeat, and rows outside. */
static void test_equal_rows(void **state) {
  (void)state;
  static const float doubled[] = {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4};
  static const float cropped[] = {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 9, 9, 9, 9, 9, 9, 9, 9};
  for (int crop = 0; crop < 2; crop++) {
    const int64_t rows = crop ? 5 : 4;
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){2, 2}, (float[]){1, 2, 3, 4});
    (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){4}, (float[]){0, 0, 2, 1});
    (void)one_node_absent(&t);
    (void)one_node_ints(&t, 2, (int64_t[]){rows, 4});
    one_node_op(&t, "Resize", "", 13, 1);
    assert_true(tarei_attr_set_string(t.node, "coordinate_transformation_mode",
                                      crop ? "tf_crop_and_resize" : "half_pixel"));
    assert_true(tarei_attr_set_float(t.node, "extrapolation_value", 9));
    one_node_run_ok(&t);
    one_node_expect_floats(&t, crop ? cropped : doubled, (size_t)rows * 4, 0);
    one_node_end(&t);
  }
}

/* Integers are cut toward zero; both axes at once. */
static void test_integers(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_U8, 2, (int64_t[]){2, 2}, (uint8_t[]){0, 101, 200, 44});
  (void)one_node_absent(&t);
  (void)one_node_absent(&t);
  (void)one_node_ints(&t, 2, (int64_t[]){3, 3});
  one_node_op(&t, "Resize", "", 13, 1);
  assert_true(tarei_attr_set_string(t.node, "mode", "linear"));
  assert_true(tarei_attr_set_string(t.node, "coordinate_transformation_mode", "align_corners"));
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, ((uint8_t[]){0, 50, 101, 100, 86, 72, 200, 122, 44}), 9);
  one_node_end(&t);
}

static void test_refused(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){4}, NULL);
  (void)one_node_absent(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){1}, (float[]){-2});
  one_node_op(&t, "Resize", "", 13, 1);
  one_node_refused(&t, TARE_E_INPUT, "scale -2 in 'x2' must be positive");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){4}, NULL);
  (void)one_node_absent(&t);
  (void)one_node_absent(&t);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, (int64_t[]){-1});
  one_node_op(&t, "Resize", "", 13, 1);
  one_node_refused(&t, TARE_E_INPUT, "cannot resize axis 0 of length 4 to -1");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F16, 1, (int64_t[]){4}, NULL);
  (void)one_node_absent(&t);
  (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){1}, (float[]){2});
  one_node_op(&t, "Resize", "", 13, 1);
  assert_true(tarei_attr_set_string(t.node, "mode", "linear"));
  one_node_refused(&t, TARE_E_UNSUPPORTED, "float16 is not supported here");
}

int resize_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forms),    cmocka_unit_test(test_opset_10),
      cmocka_unit_test(test_crop),     cmocka_unit_test(test_equal_rows),
      cmocka_unit_test(test_integers), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
