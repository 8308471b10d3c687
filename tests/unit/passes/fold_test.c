#include "base/mem.h"
#include "graph/passes/dims_attr.h"
#include "unit/graph/pass_helpers.h"

/* Stands in for the engine: knows Add of float scalars, and counts its calls. */
static tare_status add_scalars(void *const user, const tarei_graph *const graph,
                               const tarei_node *const node, tarei_buffer **const out,
                               tare_error *const err) {
  (*(int *)user)++;
  if (node->op != &tarei_op_add) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "%s", node->op->name);
  }
  float a, b;
  assert_true(tarei_value_const_float(graph, node->in[0], &a));
  assert_true(tarei_value_const_float(graph, node->in[1], &b));
  out[0] = tarei_buffer_new(sizeof a);
  assert_non_null(out[0]);
  *(float *)out[0]->data = a + b;
  return TARE_OK;
}

static void constants_are_evaluated(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n");
  const int sum = OP(g, "Add", "sum", add_scalar(g, "a", 2), add_scalar(g, "b", 3));
  const int root = OP(g, "Sqrt", "root", sum); /* the evaluator does not know it */
  end_graph(g, OP(g, "Mul", "y", OP(g, "Mul", "m", x, sum), root));
  assert_false(run_pass(g, &tarei_pass_fold_constants)); /* without an evaluator */
  int calls = 0;
  const tarei_pass_options options = {.evaluate = add_scalars, .evaluate_user = &calls};
  bool changed;
  assert_int_equal(tarei_pass_run(g, &tarei_pass_fold_constants, &options, &changed, NULL),
                   TARE_OK);
  assert_true(changed);
  assert_int_equal(calls, 2);
  expect_nodes(g,
               "n_root: Sqrt(sum) -> root float32[]\n"
               "n_m: Mul(x, sum) -> m float32[n]\n"
               "n_y: Mul(m, root) -> y float32[n]\n");
  expect_floats(g, tarei_graph_find_value(g, "sum"), 1, (float[]){5});
  tarei_graph_free(g);
}

static tare_status explode(void *const user, const tarei_graph *const graph,
                           const tarei_node *const node, tarei_buffer **const out,
                           tare_error *const err) {
  (void)user;
  (void)graph;
  (void)node;
  (void)out;
  return tarei_fail(err, TARE_E_MODEL, "division by zero");
}

static void failure_of_the_evaluator_names_pass_and_node(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n");
  const int q = OP(g, "Div", "q", add_scalar(g, "a", 2), add_scalar(g, "b", 0));
  end_graph(g, OP(g, "Mul", "y", x, q));
  const tarei_pass_options options = {.evaluate = explode};
  tare_error err = {0};
  assert_int_equal(tarei_graph_optimize(g, &options, &err), TARE_E_MODEL);
  assert_string_equal(err.message, "pass 'fold_constants': node 'n_q': division by zero");
  tarei_graph_free(g);
}

static void too_large_results_are_not_folded(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;16384");
  const int big = OP(g, "Expand", "big", add_scalar(g, "a", 2),
                     add_ints(g, "shape", 2, (int64_t[]){1 << 14, 1 << 14}));
  end_graph(g, OP(g, "MatMul", "y", x, big));
  const tarei_pass_options options = {.evaluate = explode};
  bool changed;
  assert_int_equal(tarei_pass_run(g, &tarei_pass_fold_constants, &options, &changed, NULL),
                   TARE_OK);
  assert_false(changed);
  tarei_graph_free(g);
}

/* Reshape to [Shape(x)[0], -1, 4]: the arithmetic on shapes dies. */
static void shape_arithmetic_dies(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "batch;time;8");
  const int shape = OP(g, "Shape", "shape", x);
  const int batch = OP(g, "Gather", "b", shape, add_ints(g, "zero", 1, (int64_t[]){0}));
  const int rest = add_ints(g, "rest", 2, (int64_t[]){-1, 4});
  const int target = OP(g, "Concat", "target", batch, rest);
  assert_true(tarei_attr_set_int(last_node(g), "axis", 0));
  end_graph(g, OP(g, "Reshape", "y", x, target));
  assert_true(run_pass(g, &tarei_pass_resolve_shapes));
  expect_nodes(g, "n_y: Reshape(x) dims=[batch, 2 * time, 4] -> y float32[batch, 2 * time, 4]\n");
  assert_false(run_pass(g, &tarei_pass_resolve_shapes));
  tarei_graph_free(g);
}

/* Div of Shape(x)[1] = 6 by 2 is known however symbolic the other dims are. */
static void contents_of_shapes_become_constants(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;6");
  const int shape = OP(g, "Shape", "shape", x);
  const int six = OP(g, "Gather", "six", shape, add_ints(g, "at", 1, (int64_t[]){1}));
  const int three = OP(g, "Div", "three", six, add_ints(g, "two", 1, (int64_t[]){2}));
  const int as_float = OP(g, "Cast", "f", three);
  assert_true(tarei_attr_set_int(last_node(g), "to", TARE_F32));
  end_graph(g, OP(g, "Mul", "y", x, as_float));
  assert_true(run_pass(g, &tarei_pass_fold_constants));
  expect_nodes(g,
               "n_f: Cast(three) to=1 -> f float32[1]\n"
               "n_y: Mul(x, f) -> y float32[n, 6]\n");
  int64_t value;
  int n;
  assert_true(tarei_value_ints(g, tarei_graph_find_value(g, "three"), &value, 1, &n));
  assert_int_equal(value, 3);
  tarei_graph_free(g);
}

static void dims_attribute_is_read_with_care(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  end_graph(
      g, OP(g, "Reshape", "y", add_input(g, "x", "n;2"), add_ints(g, "shape", 1, (int64_t[]){-1})));
  tarei_node *const node = &g->nodes[0];
  tarei_expr dims[TARE_MAX_RANK];
  int rank;
  tare_error err = {0};
  assert_int_equal(tarei_dims_from_attr(g, node, dims, &rank, &err), TARE_E_MODEL);
  assert_string_equal(err.message, "neither a shape input nor the attribute 'dims'");
  const tarei_expr n = tarei_expr_symbol(g->exprs, "n");
  const tarei_expr given[TARE_MAX_RANK + 1] = {n, tarei_expr_add(g->exprs, n, n)};
  assert_true(tarei_attr_set_exprs(node, "dims", given, 0));
  assert_int_equal(tarei_dims_from_attr(g, node, dims, &rank, &err), TARE_OK);
  assert_int_equal(rank, 0);
  assert_true(tarei_attr_set_exprs(node, "dims", given, 2));
  assert_int_equal(tarei_dims_from_attr(g, node, dims, &rank, &err), TARE_OK);
  assert_int_equal(rank, 2);
  assert_memory_equal(dims, given, 2 * sizeof *dims);
  assert_true(tarei_attr_set_exprs(node, "dims", given, TARE_MAX_RANK + 1));
  assert_int_equal(tarei_dims_from_attr(g, node, dims, &rank, &err), TARE_E_MODEL);
  assert_string_equal(err.message, "attribute 'dims' has 9 entries, the limit is 8");
  const tarei_expr expected = tarei_exprs_expected(g->exprs, node->number, 0);
  assert_true(tarei_attr_set_exprs(node, "dims", &expected, 1));
  assert_int_equal(tarei_dims_from_attr(g, node, dims, &rank, &err), TARE_E_MODEL);
  assert_string_equal(err.message, "attribute 'dims' uses a dim that no earlier node measures");
  assert_int_equal(tarei_exprs_measured(g->exprs, node->number, "n", 0), expected);
  assert_int_equal(tarei_dims_from_attr(g, node, dims, &rank, &err), TARE_OK);
  assert_true(tarei_attr_set_string(node, "dims", "n")); /* a model's own says nothing */
  assert_int_equal(tarei_dims_from_attr(g, node, dims, &rank, &err), TARE_E_MODEL);
  tarei_graph_free(g);
}

static void chain_of_identities_goes(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  int v = OP(g, "Relu", "start", add_input(g, "x", "n;4"));
  v = OP(g, "Identity", "i", v);
  v = OP(g, "Dropout", "d", v);
  v = OP(g, "Cast", "c", v);
  assert_true(tarei_attr_set_int(last_node(g), "to", TARE_F32));
  v = OP(g, "Transpose", "t", v);
  assert_true(tarei_attr_set_ints(last_node(g), "perm", (int64_t[]){0, 1}, 2));
  v = OP(g, "Mul", "m", add_scalar(g, "one", 1), v);
  v = OP(g, "Div", "q", v, add_floats(g, "one_", 1, (int64_t[]){1}, (float[]){1}));
  v = OP(g, "Add", "a", v, add_scalar(g, "zero", 0));
  v = OP(g, "Sub", "s", v, add_scalar(g, "zero_", 0));
  v = OP(g, "Concat", "k", v);
  assert_true(tarei_attr_set_int(last_node(g), "axis", 1));
  v = OP(g, "Slice", "l", v, add_ints(g, "from", 1, (int64_t[]){0}),
         add_ints(g, "to", 1, (int64_t[]){INT32_MAX}), add_ints(g, "axes", 1, (int64_t[]){1}));
  v = OP(g, "Reshape", "r", v, add_ints(g, "shape", 2, (int64_t[]){0, 4}));
  v = OP(g, "Max", "x1", v);
  v = OP(g, "Flatten", "f", v);
  end_graph(g, v);
  assert_true(run_pass(g, &tarei_pass_drop_identities));
  expect_nodes(g, "n_start: Relu(x) -> f float32[n, 4]\n"); /* the output's name stays */
  assert_true(g->values[g->outputs[0]].is_output);
  tarei_graph_free(g);
}

static void what_is_no_identity_stays(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  int v = add_input(g, "x", "n;4");
  v = OP(g, "Mul", "m", v, add_scalar(g, "nearly", 1.0001f));
  v = OP(g, "Sub", "s", add_scalar(g, "zero", 0), v); /* negates */
  v = OP(g, "Div", "q", add_scalar(g, "one", 1), v);  /* inverts */
  v = OP(g, "Add", "w", v, add_floats(g, "wide", 3, (int64_t[]){1, 1, 1}, (float[]){0}));
  v = OP(g, "Slice", "l", v, add_ints(g, "from", 1, (int64_t[]){3}), /* turns around */
         add_ints(g, "to", 1, (int64_t[]){INT64_MIN}), add_ints(g, "axes", 1, (int64_t[]){2}),
         add_ints(g, "steps", 1, (int64_t[]){-1}));
  end_graph(g, v);
  assert_false(run_pass(g, &tarei_pass_drop_identities));
  assert_int_equal(g->n_nodes, 5);
  tarei_graph_free(g);
}

static int add_cast(tarei_graph *const g, const char *const name, const int x,
                    const tare_dtype to) {
  const int out = OP(g, "Cast", name, x);
  assert_true(tarei_attr_set_int(last_node(g), "to", to));
  return out;
}

/* A Cast to a type that holds all elements is undone by the one back; others round or wrap. */
static void casts_to_wider_types_are_undone(void **state) {
  (void)state;
  static const struct {
    tare_dtype from, to;
    bool holds;
  } cases[] = {
      {TARE_F16, TARE_F32, true},  {TARE_BF16, TARE_F32, true}, {TARE_F32, TARE_F64, true},
      {TARE_F64, TARE_F32, false}, {TARE_F32, TARE_F16, false}, {TARE_U8, TARE_F32, true},
      {TARE_I32, TARE_F32, false}, {TARE_I32, TARE_F64, true},  {TARE_I32, TARE_I64, true},
      {TARE_U8, TARE_I16, true},   {TARE_U8, TARE_I8, false},   {TARE_I8, TARE_U64, false},
      {TARE_BOOL, TARE_I8, true},  {TARE_F32, TARE_I64, false}, {TARE_F16, TARE_BF16, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_typed_input(g, "x", cases[i].from, "n;4");
    const int there = add_cast(g, "there", x, cases[i].to);
    end_graph(g, OP(g, "Identity", "y", add_cast(g, "back", there, cases[i].from)));
    run_pass(g, &tarei_pass_drop_identities);
    tare_error err = {0};
    assert_int_equal(tarei_graph_compact(g, &err), TARE_OK);
    const tarei_node *const last = last_node(g);
    assert_int_equal(last->in[0] == x, cases[i].holds);
    tarei_graph_free(g);
  }
}

static void identity_between_ports_stays(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4");
  const int y = OP(g, "Relu", "y", x);
  assert_true(tarei_graph_mark_output(g, y));
  const int z = OP(g, "Dropout", "z", y); /* both are outputs */
  assert_true(tarei_graph_mark_output(g, z));
  const int w = OP(g, "Cast", "w", x);
  assert_true(tarei_attr_set_int(last_node(g), "to", TARE_F32));
  end_graph(g, w);
  optimize(g, false);
  expect_nodes(g,
               "n_y: Relu(x) -> y float32[n, 4]\n"
               "n_z: Identity(y) -> z float32[n, 4]\n"
               "n_w: Identity(x) -> w float32[n, 4]\n");
  tarei_graph_free(g);
}

static void annotation_moves_to_the_value_that_stays(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int r = OP(g, "Relu", "r", add_input(g, "x", "n;4"));
  const int i = OP(g, "Identity", "i", r);
  float *const scale = tarei_calloc(1, sizeof *scale);
  assert_non_null(scale);
  *scale = 0.5f;
  g->values[i].quant = (tarei_quant){.n_scales = 1, .scales = scale};
  end_graph(g, OP(g, "Neg", "y", i));
  assert_true(run_pass(g, &tarei_pass_drop_identities));
  expect_nodes(g,
               "n_r: Relu(x) -> r float32[n, 4] scale 0.5\n"
               "n_y: Neg(r) -> y float32[n, 4]\n");
  tarei_graph_free(g);
}

int fold_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants_are_evaluated),
      cmocka_unit_test(failure_of_the_evaluator_names_pass_and_node),
      cmocka_unit_test(too_large_results_are_not_folded),
      cmocka_unit_test(shape_arithmetic_dies),
      cmocka_unit_test(contents_of_shapes_become_constants),
      cmocka_unit_test(dims_attribute_is_read_with_care),
      cmocka_unit_test(chain_of_identities_goes),
      cmocka_unit_test(what_is_no_identity_stays),
      cmocka_unit_test(casts_to_wider_types_are_undone),
      cmocka_unit_test(identity_between_ports_stays),
      cmocka_unit_test(annotation_moves_to_the_value_that_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
