/* Shape arithmetic as exporters write it, through several nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static int setup(void **state) {
  *state = tarei_graph_new("chain");
  return *state ? 0 : -1;
}

static int teardown(void **state) {
  tarei_graph_free(*state);
  return 0;
}

/* x.view(x.size(0), x.size(1), 4, -1) */
static void view_splits_heads(void **state) {
  tarei_graph *const g = *state;
  const int x = ops_value(g, "f32[batch, (samples + 2) / 5 + 1, 96]");
  const int shape = OPS_NODE(g, "Shape", 11, "", x);
  const int size0 = OPS_NODE(g, "Gather", 11, "axis=0", shape, ops_value(g, "i64#0"));
  const int size1 = OPS_NODE(g, "Gather", 11, "axis=0", shape, ops_value(g, "i64#1"));
  const int target =
      OPS_NODE(g, "Concat", 11, "axis=0", OPS_NODE(g, "Unsqueeze", 11, "axes=[0]", size0),
               OPS_NODE(g, "Unsqueeze", 11, "axes=[0]", size1), ops_value(g, "i64{4}"),
               ops_value(g, "i64{-1}"));
  const int y = OPS_NODE(g, "Reshape", 11, "", x, target);
  const int z = OPS_NODE(g, "Transpose", 11, "perm=[0,2,1,3]", y);
  ops_expect(g, y, "f32[batch, (samples + 2) / 5 + 1, 4, 24]");
  ops_expect(g, z, "f32[batch, 4, (samples + 2) / 5 + 1, 24]");
}

/* Heads back into one axis: the target is known up to one entry. */
static void view_joins_heads(void **state) {
  tarei_graph *const g = *state;
  const int x = ops_value(g, "f32[batch, n, 4, 24]");
  const int shape = OPS_NODE(g, "Shape", 13, "", x);
  const int head = OPS_NODE(g, "Slice", 13, "", shape, ops_value(g, "i64{0}"),
                            ops_value(g, "i64{-2}"), ops_value(g, "i64{0}"));
  const int target = OPS_NODE(g, "Concat", 13, "axis=0", head, ops_value(g, "i64{-1}"));
  ops_expect(g, OPS_NODE(g, "Reshape", 13, "", x, target), "f32[batch, n, 96]");
}

/* n // 2 as opset 11 exporters write it: Div, Cast, Cast. */
static void halves_through_casts(void **state) {
  tarei_graph *const g = *state;
  const int x = ops_value(g, "f32[batch, n]");
  const int size =
      OPS_NODE(g, "Gather", 11, "axis=0", OPS_NODE(g, "Shape", 11, "", x), ops_value(g, "i64#1"));
  const int half = OPS_NODE(g, "Div", 11, "", size, ops_value(g, "i64#2"));
  const int cast = OPS_NODE(g, "Cast", 11, "to=7", OPS_NODE(g, "Cast", 11, "to=7", half));
  const int end = OPS_NODE(g, "Unsqueeze", 11, "axes=[0]", cast);
  const int y =
      OPS_NODE(g, "Slice", 11, "", x, ops_value(g, "i64{0}"), end, ops_value(g, "i64{1}"));
  ops_expect(g, cast, "i64[]{n / 2}");
  ops_expect(g, y, "f32[batch, min(n, n / 2)]");
}

/* floor(n / 2 ..) in floats. */
static void floors_in_floats(void **state) {
  tarei_graph *const g = *state;
  const int n = ops_value(g, "i64[]{n}");
  const int real = OPS_NODE(g, "Cast", 13, "to=1", n);
  const int quotient = OPS_NODE(g, "Div", 13, "", real, ops_value(g, "f32#160"));
  const int down = OPS_NODE(g, "Cast", 13, "to=7", OPS_NODE(g, "Floor", 13, "", quotient));
  const int up = OPS_NODE(g, "Cast", 13, "to=6", OPS_NODE(g, "Ceil", 13, "", quotient));
  const int cut = OPS_NODE(g, "Cast", 13, "to=7", quotient);
  const int sum =
      OPS_NODE(g, "Cast", 13, "to=7", OPS_NODE(g, "Add", 13, "", real, ops_value(g, "f32#-3")));
  const int half =
      OPS_NODE(g, "Cast", 13, "to=7", OPS_NODE(g, "Mul", 13, "", real, ops_value(g, "f32#0.5")));
  const int more = OPS_NODE(g, "Add", 13, "", quotient, ops_value(g, "f32#1"));
  const int windows = OPS_NODE(g, "Cast", 13, "to=7", OPS_NODE(g, "Ceil", 13, "", more));
  const int lost =
      OPS_NODE(g, "Cast", 13, "to=7", OPS_NODE(g, "Mul", 13, "", real, ops_value(g, "f32#0.1")));
  ops_expect(g, down, "i64[]{n / 160}");
  ops_expect(g, up, "i32[]{(n + 159) / 160}");
  ops_expect(g, cut, "i64[]{n / 160}");
  ops_expect(g, sum, "i64[]{n - 3}");
  ops_expect(g, half, "i64[]{n / 2}");
  ops_expect(g, windows, "i64[]{(n + 159) / 160 + 1}");
  ops_expect(g, lost, "i64[]");
}

/* F.pad: amounts in reversed order of axes, turned by a step of -1 over a matrix. */
static void pads_are_reversed(void **state) {
  tarei_graph *const g = *state;
  const int fill = OPS_NODE(g, "Expand", 11, "", ops_value(g, "i64{0}"), ops_value(g, "i64{2}"));
  const int list = OPS_NODE(g, "Concat", 11, "axis=0", ops_value(g, "i64[2]{3, n}"), fill);
  const int pairs = OPS_NODE(g, "Reshape", 11, "", list, ops_value(g, "i64{-1, 2}"));
  const int turned = OPS_NODE(g, "Slice", 11, "", pairs, ops_value(g, "i64{-1}"),
                              ops_value(g, "i64{-9223372036854775807}"), ops_value(g, "i64{0}"),
                              ops_value(g, "i64{-1}"));
  const int flat =
      OPS_NODE(g, "Reshape", 11, "", OPS_NODE(g, "Transpose", 11, "perm=[1,0]", turned),
               ops_value(g, "i64{-1}"));
  const int pads = OPS_NODE(g, "Cast", 11, "to=7", flat);
  const int x = ops_value(g, "f32[batch, n]");
  ops_expect(g, pads, "i64[4]{0, 3, 0, n}");
  ops_expect(g, OPS_NODE(g, "Pad", 11, "", x, pads), "f32[batch, 2*n + 3]");
}

/* x.expand(batch, -1, n): -1 is replaced by 1 at run time. */
static void expand_replaces_minus_one(void **state) {
  tarei_graph *const g = *state;
  const int x = ops_value(g, "f32[1, 8, 1]");
  const int target = ops_value(g, "i64[3]{batch, -1, n}");
  const int ones = OPS_NODE(g, "Expand", 13, "", ops_value(g, "i64{1}"), ops_value(g, "i64{3}"));
  const int minus = OPS_NODE(g, "Mul", 13, "", ones, ops_value(g, "i64#-1"));
  const int asked = OPS_NODE(g, "Equal", 13, "", target, minus);
  const int dims = OPS_NODE(g, "Where", 13, "", asked, ones, target);
  ops_expect(g, dims, "i64[3]{batch, 1, n}");
  ops_expect(g, OPS_NODE(g, "Expand", 13, "", x, dims), "f32[batch, 8, n]");
}

/* A causal mask from two ranges, and positions cut to the length. */
static void masks_and_positions(void **state) {
  tarei_graph *const g = *state;
  const int ids = ops_value(g, "i64[batch, n]");
  const int size =
      OPS_NODE(g, "Gather", 13, "", OPS_NODE(g, "Shape", 13, "", ids), ops_value(g, "i64#1"));
  const int steps =
      OPS_NODE(g, "Range", 13, "", ops_value(g, "i64#0"), size, ops_value(g, "i64#1"));
  const int rows = OPS_NODE(g, "Unsqueeze", 13, "", steps, ops_value(g, "i64{1}"));
  const int mask = OPS_NODE(g, "LessOrEqual", 13, "", steps, rows);
  const int scores = ops_value(g, "f32[batch, 4, n, n]");
  const int masked = OPS_NODE(g, "Where", 13, "", mask, scores, ops_value(g, "f32#-10000"));
  const int end = OPS_NODE(g, "Unsqueeze", 13, "", size, ops_value(g, "i64{0}"));
  const int table = ops_value(g, "i64[1, 512]");
  const int at =
      OPS_NODE(g, "Slice", 13, "", table, ops_value(g, "i64{0}"), end, ops_value(g, "i64{1}"));
  const int embedded = OPS_NODE(g, "Gather", 13, "", ops_value(g, "f32[512, 64]"), at);
  const int words = OPS_NODE(g, "Gather", 13, "", ops_value(g, "f32[30000, 64]"), ids);
  ops_expect(g, mask, "bool[n, n]");
  ops_expect(g, masked, "f32[batch, 4, n, n]");
  ops_expect(g, embedded, "f32[1, min(n, 512), 64]");
  ops_expect(g, OPS_NODE(g, "Add", 13, "", words, embedded), "f32[batch, n, 64]");
}

/* What may fall below 0 is cut off there, unless a tensor has such a dim: positions behind strided
 * windows, and a window of even size whose last element is left out, have the length of what they
 * are added to. */
static void dims_of_tensors_are_not_negative(void **state) {
  tarei_graph *const g = *state;
  const int wider = ops_value(g, "f32[batch, 8, (n + 1) / 2]");
  const int size = ops_value(g, "i64[]{(n + 1) / 2 - 1}");
  const int zero = ops_value(g, "i64#0"), one = ops_value(g, "i64#1");
  const int axis = ops_value(g, "i64{2}"), from = ops_value(g, "i64{0}"),
            to = ops_value(g, "i64{-1}");
  const int steps = OPS_NODE(g, "Range", 13, "", zero, size, one);
  const int cut = OPS_NODE(g, "Slice", 13, "", wider, from, to, axis);
  ops_expect(g, steps, "i64[max(0, (n + 1) / 2 - 1)]");
  ops_expect(g, cut, "f32[batch, 8, max(0, (n + 1) / 2 - 1)]");
  const int x = ops_value(g, "f32[batch, 8, (n + 1) / 2 - 1]");
  const int others = OPS_NODE(g, "Range", 13, "", zero, size, one);
  const int fitting = OPS_NODE(g, "Slice", 13, "", wider, from, to, axis);
  ops_expect(g, OPS_NODE(g, "Add", 13, "", x, fitting), "f32[batch, 8, (n + 1) / 2 - 1]");
  ops_expect(g, others, "i64[(n + 1) / 2 - 1]");
}

/* Running inference again gives the same, and contents do not pile up. */
static void inference_repeats(void **state) {
  tarei_graph *const g = *state;
  const int x = ops_value(g, "f32[batch, n, 3]");
  const int shape = OPS_NODE(g, "Shape", 13, "", x);
  const int count = OPS_NODE(g, "ReduceProd", 13, "keepdims=0", shape);
  for (int i = 0; i < 3; i++) {
    ops_expect(g, shape, "i64[3]{batch, n, 3}");
    ops_expect(g, count, "i64[]{3 * batch * n}");
  }
}

static void constants_have_five_forms(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Constant", 13, "", "value_int=-5", "i64[]{-5}"},
      {"Constant", 13, "", "value_ints=[1,2]", "i64[2]{1, 2}"},
      {"Constant", 13, "", "value_float=1.5f", "f32[]"},
      {"Constant", 13, "", "value_string='a'", "UNSUPPORTED: needs attribute value, value_float"},
      {"Constant", 13, "", "value=3", "UNSUPPORTED: needs attribute value, value_float"},
      {"Constant", 13, "", "value_ints=3", "UNSUPPORTED: needs attribute value, value_float"},
      {"Constant", 13, "", "", "UNSUPPORTED: needs attribute value, value_float"},
  };
  OPS_CHECK(cases);
}

static void constant_tensors_are_read(void **state) {
  tarei_graph *const g = *state;
  const int y = ops_node(g, "Constant", 13, "value=0", 1, NULL, 0);
  const int filled = OPS_NODE(g, "ConstantOfShape", 13, "value=0", y);
  int64_t dims[2] = {2, 3};
  int32_t fill = 7;
  tarei_attr *const tensor = &g->nodes[0].attrs[0];
  tensor->kind = TAREI_ATTR_TENSOR;
  tensor->tensor = (tare_tensor){TARE_I64, 1, {2}, dims};
  tarei_attr *const value = &g->nodes[1].attrs[0];
  value->kind = TAREI_ATTR_TENSOR;
  value->tensor = (tare_tensor){TARE_I32, 1, {1}, &fill};
  ops_expect(g, y, "i64[2]{2, 3}");
  ops_expect(g, filled, "i32[2, 3]{7, 7, 7, 7, 7, 7}");
  tare_error err = {0};
  value->tensor.dims[0] = 2;
  assert_int_equal(tarei_graph_infer(g, &err), TARE_E_MODEL);
  tensor->tensor.rank = 9;
  assert_int_equal(tarei_graph_infer(g, &err), TARE_E_UNSUPPORTED);
}

int ops_chains_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(view_splits_heads, setup, teardown),
      cmocka_unit_test_setup_teardown(view_joins_heads, setup, teardown),
      cmocka_unit_test_setup_teardown(halves_through_casts, setup, teardown),
      cmocka_unit_test_setup_teardown(floors_in_floats, setup, teardown),
      cmocka_unit_test_setup_teardown(pads_are_reversed, setup, teardown),
      cmocka_unit_test_setup_teardown(expand_replaces_minus_one, setup, teardown),
      cmocka_unit_test_setup_teardown(masks_and_positions, setup, teardown),
      cmocka_unit_test_setup_teardown(dims_of_tensors_are_not_negative, setup, teardown),
      cmocka_unit_test_setup_teardown(inference_repeats, setup, teardown),
      cmocka_unit_test(constants_have_five_forms),
      cmocka_unit_test_setup_teardown(constant_tensors_are_read, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
