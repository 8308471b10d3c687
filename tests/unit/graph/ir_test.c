#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/op.h"
#include "graph/pass.h"

static int add_relu(tarei_graph *const graph, const char *const name, const int in, const int out) {
  return tarei_graph_add_node(graph, "Relu", "", name, 17, &in, 1, &out, 1);
}

static int add_input(tarei_graph *const graph, const char *const name) {
  const int value = tarei_graph_add_value(graph, name);
  assert_true(value >= 0);
  tarei_value *const v = &graph->values[value];
  v->dtype = TARE_F32;
  v->rank = 2;
  v->dims[0] = tarei_expr_symbol(graph->exprs, "n");
  v->dims[1] = tarei_expr_const(graph->exprs, 4);
  assert_true(tarei_graph_mark_input(graph, value));
  return value;
}

/* x -> first -> a -> second -> y, with the nodes in the given order. */
static tarei_graph *chain(const bool reversed) {
  tarei_graph *const graph = tarei_graph_new("chain");
  assert_non_null(graph);
  const int x = add_input(graph, "x");
  const int a = tarei_graph_add_value(graph, "a");
  const int y = tarei_graph_add_value(graph, "y");
  assert_true(tarei_graph_mark_output(graph, y));
  if (reversed) {
    add_relu(graph, "second", a, y);
  }
  add_relu(graph, "first", x, a);
  if (!reversed) {
    add_relu(graph, "second", a, y);
  }
  return graph;
}

static void values_have_unique_names(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  const int like = tarei_graph_add_value_like(graph, "x", 0);
  assert_string_not_equal(graph->values[like].name, "x");
  assert_int_equal(graph->values[like].rank, 2);
  assert_true(tarei_values_same_shape(graph, 0, like));
  assert_false(graph->values[like].observable);
  const int64_t dims[] = {2, 3};
  const int first = tarei_graph_add_const(graph, "c", TARE_F32, 2, dims, NULL);
  const int second = tarei_graph_add_const(graph, "c", TARE_F32, 2, dims, NULL);
  assert_string_equal(graph->values[first].name, "c");
  assert_string_not_equal(graph->values[second].name, "c");
  assert_int_equal(graph->values[first].data->size, 24);
  assert_int_equal(tarei_graph_find_value(graph, "c"), first);
  assert_int_equal(tarei_graph_find_value(graph, "nobody"), -1);
  tarei_graph_check(graph);
  tarei_graph_free(graph);
}

static void a_constant_too_large_is_no_value(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  const int n = graph->n_values;
  const int64_t dims[] = {INT64_MAX, 8};
  assert_int_equal(tarei_graph_add_const(graph, "huge", TARE_F32, 2, dims, NULL), -1);
  assert_int_equal(graph->n_values, n);
  assert_int_equal(tarei_graph_find_value(graph, "huge"), -1);
  tarei_graph_free(graph);
}

static void nodes_without_name_get_one(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  const int z = tarei_graph_add_value(graph, "z");
  const int node = add_relu(graph, NULL, 0, z);
  assert_string_equal(graph->nodes[node].name, "Relu_2");
  assert_int_equal(graph->values[z].producer, node);
  tarei_graph_free(graph);
}

static void compact_sorts_and_keeps_order(void **state) {
  (void)state;
  tarei_graph *const graph = chain(true);
  assert_int_equal(tarei_graph_compact(graph, NULL), TARE_OK);
  tarei_graph_check(graph);
  assert_string_equal(graph->nodes[0].name, "first");
  assert_string_equal(graph->nodes[1].name, "second");
  assert_int_equal(graph->n_nodes, 2);
  assert_int_equal(graph->n_values, 3);
  tarei_graph_free(graph);
}

static void compact_drops_what_nothing_needs(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  const int unused_input = add_input(graph, "unused");
  const int side = tarei_graph_add_value(graph, "side");
  const int end = tarei_graph_add_value(graph, "end");
  add_relu(graph, "useless", unused_input, side);
  add_relu(graph, "more", side, end);
  tarei_graph_add_const(graph, "lonely", TARE_I64, 0, NULL, NULL);
  tarei_graph_replace_uses(graph, 1, 0); /* second now reads x */
  tarei_graph_remove_node(graph, 0);
  assert_int_equal(tarei_graph_compact(graph, NULL), TARE_OK);
  tarei_graph_check(graph);
  assert_int_equal(graph->n_nodes, 1);
  assert_int_equal(graph->n_values, 3); /* x, y and the input nobody reads */
  assert_int_equal(graph->n_inputs, 2);
  assert_string_equal(graph->values[graph->inputs[1]].name, "unused");
  assert_string_equal(graph->values[graph->outputs[0]].name, "y");
  assert_string_equal(graph->values[graph->nodes[0].in[0]].name, "x");
  tarei_graph_free(graph);
}

static void a_cycle_is_named(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  tarei_graph_set_in(graph, 0, 0, graph->nodes[1].out[0]);
  tare_error err = {0};
  assert_int_equal(tarei_graph_compact(graph, &err), TARE_E_MODEL);
  assert_string_equal(err.message, "node 'second' (Relu) and tensor 'a' are part of a cycle");
  tarei_graph_free(graph);
}

static void a_long_chain_needs_no_deep_stack(void **state) {
  (void)state;
  enum { LENGTH = 50000 };
  tarei_graph *const graph = tarei_graph_new("long");
  const int x = add_input(graph, "x");
  char name[32];
  for (int i = 1; i <= LENGTH; i++) {
    snprintf(name, sizeof name, "v%d", i);
    assert_int_equal(tarei_graph_add_value(graph, name), i);
  }
  for (int i = LENGTH; i >= 1; i--) {
    add_relu(graph, NULL, i == 1 ? x : i - 1, i);
  }
  tarei_graph_mark_output(graph, LENGTH);
  assert_int_equal(tarei_graph_compact(graph, NULL), TARE_OK);
  assert_int_equal(graph->n_nodes, LENGTH);
  tarei_graph_check(graph);
  tarei_graph_free(graph);
}

static void uses_and_consumers_are_counted(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  assert_int_equal(tarei_graph_count_uses(graph, 1), 1);
  assert_int_equal(tarei_graph_sole_consumer(graph, 1), 1);
  assert_int_equal(tarei_graph_count_uses(graph, 2), 1); /* as graph output */
  assert_int_equal(tarei_graph_sole_consumer(graph, 2), -1);
  tarei_graph_replace_uses(graph, 1, 0);
  assert_int_equal(tarei_graph_count_uses(graph, 0), 2);
  assert_int_equal(tarei_graph_sole_consumer(graph, 0), -1);
  tarei_graph_free(graph);
}

/* Inputs change at random; tarei_graph_check compares the lists of uses with the inputs. */
static void uses_follow_the_inputs(void **state) {
  (void)state;
  enum { N = 40, STEPS = 2000 };
  unsigned seed = 20261122;
  print_message("seed %u\n", seed);
  tarei_graph *const graph = tarei_graph_new("uses");
  for (int i = 0; i < N; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    add_input(graph, name);
  }
  for (int i = 0; i < N; i++) {
    const int in[] = {i, i / 2, -1}, out = tarei_graph_add_unique(graph, "y");
    assert_int_equal(tarei_graph_add_node(graph, "Concat", "", NULL, 17, in, 3, &out, 1), i);
    tarei_graph_mark_output(graph, out);
  }
  for (int step = 0; step < STEPS; step++) {
    const int node = rand_r(&seed) % N, value = rand_r(&seed) % N, n_in = graph->nodes[node].n_in;
    switch (rand_r(&seed) % 4) {
      case 0:
        tarei_graph_set_in(graph, node, rand_r(&seed) % n_in, value - 1);
        break;
      case 1:
        assert_true(tarei_graph_append_in(graph, node, value));
        break;
      case 2:
        tarei_graph_cut_inputs(graph, node, 1 + rand_r(&seed) % n_in);
        break;
      default:
        tarei_graph_replace_uses(graph, value, (value + 1) % N);
    }
    tarei_graph_check(graph);
  }
  tarei_graph_remove_node(graph, 3);
  tarei_graph *copy;
  assert_int_equal(tarei_graph_clone(graph, &copy, NULL), TARE_OK);
  tarei_graph_set_in(copy, 0, 0, 1);
  tarei_graph_check(copy);
  tarei_graph_check(graph);
  tarei_graph_free(copy);
  tarei_graph_free(graph);
}

static void an_output_hands_over_its_name(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  tarei_graph_rename_output(graph, 2, 1);
  assert_string_equal(graph->values[1].name, "y");
  assert_true(graph->values[1].is_output);
  assert_int_equal(graph->outputs[0], 1);
  assert_int_equal(tarei_graph_compact(graph, NULL), TARE_OK);
  assert_int_equal(graph->n_nodes, 1);
  assert_string_equal(graph->values[graph->outputs[0]].name, "y");
  tarei_graph_check(graph);
  tarei_graph_free(graph);
}

static void attributes_are_set_found_and_removed(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  tarei_node *const node = &graph->nodes[0];
  const int64_t pads[] = {1, 2};
  assert_true(tarei_attr_set_int(node, "i", 7));
  assert_true(tarei_attr_set_int(node, "i", 8));
  assert_true(tarei_attr_set_float(node, "f", 0.5f));
  assert_true(tarei_attr_set_string(node, "s", "text"));
  assert_true(tarei_attr_set_ints(node, "pads", pads, 2));
  assert_int_equal(node->n_attrs, 4);
  assert_int_equal(tarei_attr_int(node, "i", 0), 8);
  assert_int_equal(tarei_attr_int(node, "f", -1), -1); /* of another kind */
  assert_true(tarei_attr_float(node, "f", 0) == 0.5f);
  assert_string_equal(tarei_attr_string(node, "s", ""), "text");
  assert_int_equal(tarei_attr_find(node, "pads")->ints[1], 2);
  assert_true(tarei_attr_copy(&graph->nodes[1], tarei_attr_find(node, "pads")));
  tarei_attr_remove(node, "i");
  assert_null(tarei_attr_find(node, "i"));
  tarei_attr_remove(node, "pads");
  assert_int_equal(tarei_attr_find(&graph->nodes[1], "pads")->ints[0], 1);
  tarei_graph_free(graph);
}

static void clones_share_buffers_and_nothing_else(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  const float data[] = {1, 2, 3};
  const int64_t dims[] = {3};
  const int w = tarei_graph_add_const(graph, "w", TARE_F32, 1, dims, data);
  graph->values[1].quant = (tarei_quant){.n_scales = 1, .scales = malloc(sizeof(float))};
  graph->values[1].quant.scales[0] = 0.25f;
  tarei_attr_set_int(&graph->nodes[0], "axis", 1);
  tarei_graph *copy = NULL;
  assert_int_equal(tarei_graph_clone(graph, &copy, NULL), TARE_OK);
  tarei_graph_check(copy);
  assert_ptr_equal(copy->values[w].data, graph->values[w].data);
  assert_int_equal(graph->values[w].data->references, 2);
  tarei_str before = {0}, after = {0};
  tarei_graph_print(graph, &before);
  tarei_graph_free(graph);
  tarei_graph_print(copy, &after);
  assert_string_equal(tarei_str_get(&before), tarei_str_get(&after));
  assert_non_null(strstr(tarei_str_get(&after), "scale 0.25"));
  assert_true(((const float *)copy->values[w].data->data)[2] == 3.0f);
  tarei_str_free(&before);
  tarei_str_free(&after);
  tarei_graph_free(copy);
}

static void contents_of_small_constants_are_expressions(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  const int32_t data[] = {5, -1};
  const int64_t dims[] = {2};
  const int c = tarei_graph_add_const(graph, "c", TARE_I32, 1, dims, data);
  int n = 0;
  int64_t value = 0;
  const tarei_expr *const contents = tarei_value_contents(graph, c, &n);
  assert_int_equal(n, 2);
  assert_true(tarei_expr_is_const(graph->exprs, contents[1], &value));
  assert_int_equal(value, -1);
  const int64_t many[] = {TAREI_MAX_CONTENTS + 1};
  const int big = tarei_graph_add_const(graph, "big", TARE_I64, 1, many, NULL);
  assert_null(tarei_value_contents(graph, big, &n));
  assert_null(tarei_value_contents(graph, 0, &n));
  assert_null(tarei_value_contents(graph, -1, &n));
  const tarei_expr symbol = tarei_expr_symbol(graph->exprs, "n");
  assert_true(tarei_value_set_contents(graph, 1, &symbol, 1));
  assert_false(tarei_value_ints(graph, 1, &value, 1, &n)); /* not constant */
  tarei_graph_free(graph);
}

static void half_constants_read_as_float(void **state) {
  (void)state;
  tarei_graph *const graph = chain(false);
  const uint16_t f16 = 0x3c00, bf16 = 0x4000;
  const double f64 = 0.25;
  float out = 0;
  const int a = tarei_graph_add_const(graph, "h", TARE_F16, 0, NULL, &f16);
  const int b = tarei_graph_add_const(graph, "b", TARE_BF16, 0, NULL, &bf16);
  const int c = tarei_graph_add_const(graph, "d", TARE_F64, 0, NULL, &f64);
  assert_true(tarei_value_const_float(graph, a, &out) && out == 1.0f);
  assert_true(tarei_value_const_float(graph, b, &out) && out == 2.0f);
  assert_true(tarei_value_const_float(graph, c, &out) && out == 0.25f);
  assert_false(tarei_value_const_float(graph, 0, &out));
  assert_false(tarei_value_const_float(graph, -1, &out));
  tarei_graph_free(graph);
}

static void inference_tells_all_failures_once(void **state) {
  (void)state;
  tarei_graph *const graph = chain(true);
  assert_int_equal(tarei_graph_infer(graph, NULL), TARE_OK); /* in any order of nodes */
  assert_true(tarei_values_same_shape(graph, 0, 2));
  graph->values[0].dtype = TARE_BOOL; /* Relu takes numbers */
  tare_error err = {0};
  assert_int_not_equal(tarei_graph_infer(graph, &err), TARE_OK);
  assert_int_equal(strncmp(err.message, "chain: node 'first' (Relu): ", 28), 0);
  assert_null(strstr(err.message, "'second'"));
  assert_int_equal(graph->values[2].rank, -1); /* nothing stale is left */
  tarei_graph_free(graph);
}

static void listings_show_no_control_characters(void **state) {
  (void)state;
  tarei_graph *const graph = tarei_graph_new("g");
  add_input(graph, "in\x1b[31m\n");
  tarei_str text = {0};
  tarei_graph_print(graph, &text);
  assert_string_equal(tarei_str_get(&text), "input in\\x1b[31m\\x0a float32[n, 4]\n");
  tarei_str_free(&text);
  tarei_graph_free(graph);
}

static void operators_are_found_by_name(void **state) {
  (void)state;
  assert_ptr_equal(tarei_op_find("Conv", ""), &tarei_op_conv);
  assert_ptr_equal(tarei_op_find("Conv", "ai.onnx"), &tarei_op_conv);
  assert_null(tarei_op_find("Conv", "com.foo"));
  assert_null(tarei_op_find("conv", ""));
  for (int i = 0; i < TAREI_OP_COUNT; i++) {
    const tarei_op *const op = tarei_op_at((tarei_op_id)i);
    assert_ptr_equal(tarei_op_find(op->name, op->domain), op);
    assert_int_equal(tarei_op_id_of(op), i);
    assert_true((op->infer != NULL) == (!op->expand || op->expands));
  }
}

int ir_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_have_unique_names),
      cmocka_unit_test(a_constant_too_large_is_no_value),
      cmocka_unit_test(nodes_without_name_get_one),
      cmocka_unit_test(compact_sorts_and_keeps_order),
      cmocka_unit_test(compact_drops_what_nothing_needs),
      cmocka_unit_test(a_cycle_is_named),
      cmocka_unit_test(a_long_chain_needs_no_deep_stack),
      cmocka_unit_test(uses_and_consumers_are_counted),
      cmocka_unit_test(uses_follow_the_inputs),
      cmocka_unit_test(an_output_hands_over_its_name),
      cmocka_unit_test(attributes_are_set_found_and_removed),
      cmocka_unit_test(clones_share_buffers_and_nothing_else),
      cmocka_unit_test(contents_of_small_constants_are_expressions),
      cmocka_unit_test(half_constants_read_as_float),
      cmocka_unit_test(inference_tells_all_failures_once),
      cmocka_unit_test(listings_show_no_control_characters),
      cmocka_unit_test(operators_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
