/* Operators that draw random numbers, and the places of masks that several nodes find. */
#include "tests/unit/graph/ops_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "graph/noise_name.h"

static void shapes(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"RandomNormal", 1, "", "shape=[3,5]", "f32[3, 5]"},
      {"RandomNormal", 22, "", "shape=[2,0] dtype=11", "f64[2, 0]"},
      {"RandomUniform", 1, "", "shape=[3] low=-1.0f high=2.0f seed=3.0f", "f32[3]"},
      {"RandomUniform", 1, "", "", "MODEL: attribute 'shape'"},
      {"RandomUniform", 1, "", "shape=[3,-1]", "MODEL: axis 1 is -1"},
      {"RandomUniform", 1, "", "shape=[1,1,1,1,1,1,1,1,1]", "MODEL: at most 8"},
      {"RandomUniform", 1, "", "shape=[3] dtype=7", "MODEL: type int64"},
      {"RandomUniform", 1, "", "shape=[3] dtype=999", "MODEL: (999)"},
      {"RandomNormalLike", 1, "f32[b, 3, t + 1]", "", "f32[b, 3, t + 1]"},
      {"RandomNormalLike", 1, "f64[]", "", "f64[]"},
      {"RandomNormalLike", 1, "i64[b, t]", "dtype=1", "f32[b, t]"},
      {"RandomNormalLike", 1, "i64[b, t]", "", "MODEL: type int64"},
      {"RandomUniformLike", 1, "f32[b, t]", "dtype=11", "f64[b, t]"},
      {"RandomUniformLike", 1, "bool[b, t]", "dtype=9", "MODEL: type bool"},
      {"Multinomial", 7, "f32[b, 5]", "", "i32[b, 1]"},
      {"Multinomial", 7, "f64[b, t]", "sample_size=4 dtype=7", "i64[b, 4]"},
      {"Multinomial", 7, "f32[b, 5]", "sample_size=-1", "MODEL: 'sample_size' is -1"},
      {"Multinomial", 7, "f32[b, 5]", "dtype=1", "MODEL: 'dtype' is 1"},
      {"Multinomial", 7, "i64[b, 5]", "", "MODEL: expected a float"},
      {"Multinomial", 7, "f32[5]", "", "MODEL: rank 1"},
  };
  OPS_CHECK(cases);
}

/* Nodes draw by the output in the file and by their seed, whatever passes call the output. */
static void names(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = ops_value(g, "f32[b, t]");
  int64_t seen[4];
  for (int i = 0; i < 4; i++) {
    const int y = OPS_NODE(g, "RandomNormalLike", 1, i == 2 ? "seed=3.0f" : "", x);
    tarei_node *const node = &g->nodes[g->values[y].producer];
    assert_true(tarei_noise_name_set(node, i == 1 ? "other" : "first"));
    seen[i] = tarei_noise_name_of(g, node);
  }
  assert_true(seen[0] != seen[1] && seen[0] != seen[2] && seen[1] != seen[2]);
  assert_true(seen[0] == seen[3]);
  assert_int_equal(tarei_graph_count_draws(g), 4);
  tarei_graph_free(g);
}

/* Masks that are used several times, also as copies of the same shape, have one length. */
static void places_of_masks(void **state) {
  (void)state;
  tare_error err = {0};
  tarei_graph *const g = tarei_graph_new("test");
  const int mask = ops_value(g, "bool[b, t]"), other = ops_value(g, "bool[b, t]");
  const int shape = ops_value(g, "i64[2]{b, t}");
  const int copy = OPS_NODE(g, "Expand", 13, "", mask, shape);
  const int masks_of[] = {mask, mask, copy, other};
  for (int i = 0; i < 4; i++) {
    assert_true(tarei_graph_mark_output(g, OPS_NODE(g, "NonZero", 13, "", masks_of[i])));
  }
  for (int turn = 0; turn < 2; turn++) {
    assert_int_equal(tarei_graph_infer(g, &err), TARE_OK);
    for (int i = 1; i < 4; i++) {
      const bool same = g->values[g->outputs[i]].dims[1] == g->values[g->outputs[0]].dims[1];
      assert_int_equal(g->values[g->outputs[i]].rank, 2);
      assert_int_equal(same, i < 3);
    }
  }
  tarei_graph_free(g);
}

int ops_random_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),
      cmocka_unit_test(names),
      cmocka_unit_test(places_of_masks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
