#include <unistd.h>

#include "unit/graph/pass_helpers.h"

static tarei_graph *load(const char *const name) {
  char path[512];
  snprintf(path, sizeof path, "%s/models/%s.onnx", TARE_SHARED_DIR, name);
  if (access(path, R_OK) != 0) {
    print_message("skipped: %s is missing\n", path);
    skip();
  }
  tarei_graph *g = NULL;
  tare_error err = {0};
  if (tarei_onnx_load(path, NULL, &g, NULL, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return g;
}

static int count_activations(const tarei_graph *const g, const char *const name) {
  int n = 0;
  for (int i = 0; i < g->n_nodes; i++) {
    n += strcmp(tarei_attr_string(&g->nodes[i], "activation", "none"), name) == 0;
  }
  return n;
}

static int count_residuals(const tarei_graph *const g) {
  int n = 0;
  for (int i = 0; i < g->n_nodes; i++) {
    const bool hosts = g->nodes[i].op == &tarei_op_linear || g->nodes[i].op == &tarei_op_conv_last;
    n += hosts && g->nodes[i].n_in == 4 && g->nodes[i].in[3] >= 0;
  }
  return n;
}

static void digits_conv(void **state) {
  (void)state;
  tarei_graph *const g = load("digits-conv");
  optimize(g, false);
  assert_int_equal(count_ops(g, &tarei_op_transpose), 0);
  assert_int_equal(count_ops(g, &tarei_op_conv_last), 23);
  assert_int_equal(count_ops(g, &tarei_op_reshape), 1);
  assert_int_equal(count_ops(g, &tarei_op_add), 0);
  assert_int_equal(count_ops(g, &tarei_op_relu), 0);
  assert_int_equal(count_residuals(g), 4);
  assert_int_equal(count_activations(g, "relu"), 13); /* four behind the residuals */
  assert_int_equal(g->n_nodes, 24);
  assert_string_equal(g->values[g->outputs[0]].name, "logits");
  tarei_graph_free(g);
}

static void digits_conv_with_all_tensors(void **state) {
  (void)state;
  tarei_graph *const before = load("digits-conv");
  tarei_graph *const g = load("digits-conv");
  optimize(g, true);
  assert_int_equal(count_ops(g, &tarei_op_transpose), 0);
  for (int i = 0; i < before->n_nodes; i++) {
    const tarei_node *const node = &before->nodes[i];
    const int value = tarei_graph_find_value(g, before->values[node->out[0]].name);
    if (strcmp(node->name, "/head/Conv") != 0) { /* its tensor is "logits" transposed */
      assert_true(value >= 0);
      assert_true(g->values[value].observable);
    }
  }
  tarei_graph_free(before);
  tarei_graph_free(g);
}

static void digits_former(void **state) {
  (void)state;
  tarei_graph *const g = load("digits-former");
  optimize(g, false);
  assert_int_equal(count_ops(g, &tarei_op_transpose), 0);
  assert_int_equal(count_ops(g, &tarei_op_attention), 6);
  assert_int_equal(count_ops(g, &tarei_op_conv_last), 6);
  assert_int_equal(count_ops(g, &tarei_op_instance_norm_last), 1);
  assert_int_equal(count_ops(g, &tarei_op_layer_normalization), 14);
  assert_int_equal(count_ops(g, &tarei_op_linear), 37);
  assert_int_equal(count_ops(g, &tarei_op_gelu), 0);
  assert_int_equal(count_activations(g, "gelu"), 12);
  assert_int_equal(count_ops(g, &tarei_op_erf), 0);
  assert_int_equal(count_ops(g, &tarei_op_add), 0);
  assert_int_equal(count_residuals(g), 13);
  assert_int_equal(count_ops(g, &tarei_op_shape), 0);
  tarei_graph_free(g);
}

static void intents_bert(void **state) {
  (void)state;
  tarei_graph *const g = load("intents-bert");
  optimize(g, false);
  assert_int_equal(count_ops(g, &tarei_op_layer_normalization), 9);
  assert_int_equal(count_ops(g, &tarei_op_linear), 25);
  assert_int_equal(count_activations(g, "gelu"), 4);
  assert_int_equal(count_residuals(g), 8);
  assert_int_equal(count_ops(g, &tarei_op_concat), 0);
  assert_int_equal(count_ops(g, &tarei_op_transpose), 0);
  assert_int_equal(count_ops(g, &tarei_op_attention), 4);
  tarei_graph_free(g);
}

static void a_second_run_changes_nothing(void **state) {
  (void)state;
  tarei_graph *const g = load("digits-former");
  optimize(g, false);
  tarei_str first = {0}, second = {0};
  tarei_graph_print(g, &first);
  optimize(g, false);
  tarei_graph_print(g, &second);
  assert_string_equal(tarei_str_get(&first), tarei_str_get(&second));
  tarei_str_free(&first);
  tarei_str_free(&second);
  tarei_graph_free(g);
}

int models_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digits_conv),
      cmocka_unit_test(digits_conv_with_all_tensors),
      cmocka_unit_test(digits_former),
      cmocka_unit_test(intents_bert),
      cmocka_unit_test(a_second_run_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
