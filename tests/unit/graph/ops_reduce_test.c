/* Reductions, searches and what else has lengths that data tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static void reductions(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"ReduceL1", 18, "f32[b, 3, t]; i64{-1, 0}", "", "f32[1, 3, 1]"},
      {"ReduceSum", 13, "f32[b, 3]; i64{}", "noop_with_empty_axes=1", "f32[b, 3]"},
      {"ReduceSum", 13, "f32[b, 3]; i64[0]", "keepdims=0", "f32[]"},
      {"ReduceMax", 18, "u8[b, 3]; -", "axes=[1]", "u8[b, 1]"},
      {"ReduceSum", 13, "f32[b, 3]; i64[1]", "", "f32[~1.0, ~1.1]"},
      {"ReduceSum", 13, "f32[b, 3]; i64[n]", "", "f32[~1.0, ~1.1]"},
      {"ReduceSum", 13, "f32[b, 3]; i64[1]", "keepdims=0", "f32[~1.0]"},
      {"ReduceSum", 13, "f32[b, 3]; i64[2]", "keepdims=0", "f32[]"},
      {"ReduceSum", 13, "f32[b, 3]; i64[n]", "keepdims=0", "UNSUPPORTED: number of axes in 'x1'"},
      {"ReduceSum", 13, "f32[b, 3]; i64[3]", "keepdims=0", "MODEL: 3 axes for an input of rank 2"},
      {"ReduceMin", 18, "f32[b, 3]; i64{2}", "", "MODEL: axis 2"},
      {"ReduceProd", 13, "i64[3]{b, t, 4}", "keepdims=0", "i64[]{4*b*t}"},
      {"ReduceProd", 13, "i64[0]", "", "i64[1]{1}"},
      {"ReduceSum", 13, "i64[2, 2]{b, t, 4, 5}; i64{0}", "keepdims=0", "i64[2]{b + 4, t + 5}"},
      {"ReduceMax", 13, "i64[2, 2]{b, 1, 4, 5}", "axes=[1] keepdims=0", "i64[2]{b, 5}"},
      {"ReduceSum", 13, "i64[2]{b, 3}; i64{}", "noop_with_empty_axes=1", "i64[2]{b, 3}"},
  };
  OPS_CHECK(cases);
}

static void searches(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"ArgMax", 13, "f32[b, t, 5]", "axis=-1 keepdims=0", "i64[b, t]"},
      {"ArgMin", 7, "f32[b, t]", "", "i64[1, t]"},
      {"ArgMax", 13, "f32[b]", "axis=1", "MODEL: axis 1"},
      {"TopK", 1, "f32[b, t]", "k=3", "f32[b, 3]"},
      {"TopK", 10, "f32[b, t]; i64{3}", "axis=0", "f32[3, t]"},
      {"TopK", 11, "f32[b, t]; i64[1]{t}", "", "f32[b, t]"},
      {"TopK", 11, "i64[b, t]; i64[1]", "", "i64[b, ~1.0]"},
      {"TopK", 11, "f32[b, 4]; i64{5}", "", "MODEL: k is 5, more than the axis length of 4"},
      {"TopK", 11, "f32[b, 4]; i64{5, 6}", "", "MODEL: shape [2], expected [1]"},
      {"TopK", 11, "f32[b, 4]", "", "MODEL: needs input or attribute 'k'"},
      {"NonZero", 13, "i64[3]{4, 0, 5}", "", "i64[1, 2]{0, 2}"},
      {"NonZero", 13, "i64[2]{n, n - 1}", "", "i64[1, ~1.0]"},
      {"NonZero", 13, "f32[b, t]", "", "i64[2, ~1.0]"},
      {"NonZero", 13, "f32[]", "", "i64[0, ~1.0]"},
      {"OneHot", 11, "i64[b, t]; i64#5; f32[2]", "", "f32[b, t, 5]"},
      {"OneHot", 11, "i64[b, t]; i64[1]{t}; u8[2]", "axis=0", "u8[t, b, t]"},
      {"OneHot", 11, "i64[b]; i64[]; f32[2]", "axis=-2", "f32[~1.0, b]"},
      {"OneHot", 11, "i64[b]; i64#-1; f32[2]", "", "MODEL: negative depth -1"},
      {"OneHot", 11, "i64[b]; i64#4; f32[3]", "", "MODEL: shape [3], expected [2]"},
      {"Unique", 11, "f32[b, t]", "", "f32[~1.0]"},
      {"Unique", 11, "f32[b, t]", "axis=-2", "f32[~1.0, t]"},
      {"Compress", 11, "f32[b, 3]; bool[3]{1, 0, 1}", "axis=1", "f32[b, 2]"},
      {"Compress", 11, "f32[b, 3]; bool[4]{1, 0, 1, 1}", "axis=1", "f32[b, 2]"},
      {"Compress", 9, "f32[b, 3]; bool[n]", "", "f32[~1.0]"},
      {"Compress", 9, "f32[b, 3]; i64[3]", "", "MODEL: expected bool"},
      {"CumSum", 11, "i64[3]{b, 2, t}; i64#0", "", "i64[3]{b, b + 2, b + t + 2}"},
      {"CumSum", 11, "i64[3]{b, 2, t}; i64#0", "exclusive=1 reverse=1", "i64[3]{t + 2, t, 0}"},
      {"CumProd", 26, "i64[2]{b, 2}; i64{0}", "", "i64[2]{b, 2*b}"},
      {"CumSum", 11, "f32[b, t]; i64[]", "", "f32[b, t]"},
      {"CumSum", 11, "f32[b, t]; i64#2", "", "MODEL: axis 2"},
      {"CumSum", 11, "f32[b, t]; f32[]", "", "MODEL: expected int64"},
  };
  OPS_CHECK(cases);
}

/* Older exporters count by the places of ones. */
static void counting(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  assert_non_null(g);
  const int shape = ops_value(g, "i64[1]{t}");
  const int ones = OPS_NODE(g, "ConstantOfShape", 9, "value=0", shape);
  int64_t one = 1;
  tarei_attr *const value = &g->nodes[0].attrs[0];
  value->kind = TAREI_ATTR_TENSOR;
  value->tensor = (tare_tensor){TARE_I64, 1, {1}, &one};
  const int places = OPS_NODE(g, "NonZero", 9, "", ones);
  ops_expect(g, places, "i64[1, t]");
  value->tensor.data = NULL; /* it was borrowed */
  tarei_graph_free(g);
}

int ops_reduce_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reductions),
      cmocka_unit_test(searches),
      cmocka_unit_test(counting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
