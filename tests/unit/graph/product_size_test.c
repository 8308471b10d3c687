/* Which layers have so few products that they are faster in float. */
#include "graph/quantize/product_size.h"

#include "quantize_helpers.h"

static bool is_small(const tarei_graph *const g, const char *const name,
                     const tare_profiles *const profiles) {
  const tarei_node *const node = node_called(g, name);
  return tarei_product_is_small(g, profiles, node, tarei_op_int8_form(node->op));
}

static void linear_layers_by_inputs_and_outputs(void **state) {
  (void)state;
  static const struct {
    int64_t in, out;
    bool small;
  } cases[] = {{63, 1, true},    {64, 1, false},   {63, 16, true}, {64, 16, false},
               {31, 17, true},   {32, 17, false},  {31, 32, true}, {1, 1008, true},
               {1, 1009, false}, {300, 300, false}};
  static float weights[300 * 300];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    char dims[32];
    snprintf(dims, sizeof dims, "n;%d", (int)cases[i].in);
    const int w = add_floats(g, "w", 2, (int64_t[]){cases[i].in, cases[i].out}, weights);
    end_graph(g, OP(g, "MatMul", "y", add_input(g, "x", dims), w));
    optimize(g, false);
    assert_int_equal(is_small(g, "n_y", NULL), cases[i].small);
    tarei_graph_free(g);
  }
}

/* By outputs, of convolutions and linear layers; products of activations are never narrow. */
static void narrow_layers_by_outputs(void **state) {
  (void)state;
  static float weights[33 * 8 * 3];
  for (int i = 0; i < 6; i++) {
    const int64_t outputs = 32 + i % 2;
    tarei_graph *const g = tarei_graph_new("test");
    if (i < 2) {
      const int w = add_floats(g, "w", 2, (int64_t[]){8, outputs}, weights);
      end_graph(g, OP(g, "MatMul", "y", add_input(g, "x", "n;8"), w));
    } else if (i < 4) {
      const int w = add_floats(g, "w", 3, (int64_t[]){outputs, 8, 3}, weights);
      end_graph(g, OP(g, "Conv", "y", add_input(g, "x", "n;8;t"), w));
    } else {
      end_graph(g, OP(g, "MatMul", "y", add_input(g, "x", "n;8"), add_input(g, "z", "8;32")));
    }
    optimize(g, false);
    const tarei_node *const node = node_called(g, "n_y");
    assert_int_equal(tarei_product_is_narrow(g, NULL, node, tarei_op_int8_form(node->op)),
                     i < 4 && outputs == 32);
    tarei_graph_free(g);
  }
}

/* The largest profile decides; what only a run tells is not small. */
static void products_of_activations_by_their_longest_sum(void **state) {
  (void)state;
  static const tare_port port[] = {{"x", TARE_F32, 2, {{-1, "n"}, {-1, "t"}}}};
  static const struct {
    const char *profile;
    bool small;
  } cases[] = {{"n=1:1:1,t=1:2:4", true}, {"n=1:1:99,t=1:2:5", false}, {NULL, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;t");
    end_graph(g, OP(g, "MatMul", "y", x, add_input(g, "z", "t;n")));
    optimize(g, false);
    tare_error err = {0};
    tare_profiles *profiles = NULL;
    if (cases[i].profile) {
      assert_int_equal(tare_profiles_new(port, 1, &profiles, &err), TARE_OK);
      assert_int_equal(tare_profiles_add(profiles, cases[i].profile, &err), TARE_OK);
    }
    assert_int_equal(is_small(g, "n_y", profiles), cases[i].small);
    tare_profiles_free(&profiles);
    tarei_graph_free(g);
  }
}

/* By the hidden state of one direction, however many inputs there are. */
static void recurrent_layers_by_one_direction(void **state) {
  (void)state;
  static float weights[2 * 4 * 32 * 32];
  static const struct {
    int64_t directions, hidden;
    bool small;
  } cases[] = {{1, 8, true}, {2, 8, true}, {1, 16, false}, {2, 16, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int64_t d = cases[i].directions, h = cases[i].hidden;
    tarei_graph *const g = tarei_graph_new("test");
    const int w = add_floats(g, "w", 3, (int64_t[]){d, 4 * h, h}, weights);
    const int r = add_floats(g, "r", 3, (int64_t[]){d, 4 * h, h}, weights);
    char dims[32];
    snprintf(dims, sizeof dims, "t;1;%d", (int)h);
    const int y = OP(g, "LSTM", "y", add_input(g, "x", dims), w, r);
    assert_true(tarei_attr_set_int(last_node(g), "hidden_size", h));
    if (d == 2) {
      assert_true(tarei_attr_set_string(last_node(g), "direction", "bidirectional"));
    }
    end_graph(g, y);
    assert_int_equal(is_small(g, "n_y", NULL), cases[i].small);
    tarei_graph_free(g);
  }
}

/* Depthwise windows over two axes need more channels than a vector of floats has, and a layer that
 * reads their bytes, not rows of floats; those of many taps gain anyway. */
static void depthwise_layers_by_channels_and_readers(void **state) {
  (void)state;
  static float weights[64 * 64 * 25];
  static const struct {
    int64_t channels, taps;
    bool read, rows, small;
  } cases[] = {{16, 3, true, false, true},  {17, 3, true, false, false},
               {64, 3, true, false, false}, {64, 3, true, true, true},
               {64, 3, false, false, true}, {64, 1, false, false, true},
               {16, 5, true, false, false}, {64, 5, false, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int64_t c = cases[i].channels, taps = cases[i].taps;
    tarei_graph *const g = tarei_graph_new("test");
    char dims[32];
    snprintf(dims, sizeof dims, "n;%d;9;t + 9", (int)c);
    const int w = add_floats(g, "w", 4, (int64_t[]){c, 1, taps, taps}, weights);
    int y = OP(g, "Conv", "y", add_input(g, "x", dims), w);
    assert_true(tarei_attr_set_int(last_node(g), "group", c));
    if (cases[i].read) {
      y = OP(g, "Conv", "z", y, add_floats(g, "v", 4, (int64_t[]){c, c, 1, 1}, weights));
    }
    end_graph(g, y);
    optimize(g, false);
    tarei_quant *const quant = &g->values[node_called(g, "n_y")->out[0]].quant;
    quant->granularity = cases[i].rows ? TAREI_PER_ROW : TAREI_PER_TENSOR;
    quant->static_loss = cases[i].rows ? 1 : 0;
    assert_int_equal(is_small(g, "n_y", NULL), cases[i].small);
    tarei_graph_free(g);
  }
}

int product_size_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_layers_by_inputs_and_outputs),
      cmocka_unit_test(narrow_layers_by_outputs),
      cmocka_unit_test(products_of_activations_by_their_longest_sum),
      cmocka_unit_test(recurrent_layers_by_one_direction),
      cmocka_unit_test(depthwise_layers_by_channels_and_readers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
