/* Weights of layers as matrices, in the layouts of files, of optimized and of quantized graphs. */
#include "graph/quantize/quantize.h"
#include "graph/quantize/weights/weight_view.h"
#include "pass_helpers.h"

#define N 6

typedef struct layer_case {
  const char *op, *x_dims;
  int rank;
  int64_t dims[4]; /* of the weights */
  int64_t group;
  bool transposed; /* Gemm: the weights are [n][k] */
  bool outputs_last;
} layer_case;

static const layer_case CASES[] = {
    {"MatMul", "batch;t;5", 2, {5, N}, 1, false, true},
    {"MatMul", "t;1", 2, {1, N}, 1, false, true},
    {"Gemm", "t;5", 2, {5, N}, 1, false, true},
    {"Gemm", "t;5", 2, {N, 5}, 1, true, false},
    {"Conv", "batch;4;t", 3, {N, 4, 3}, 1, false, false},
    {"Conv", "batch;4;t", 3, {N, 2, 3}, 2, false, false},
    {"Conv", "batch;6;t", 3, {N, 1, 5}, N, false, false},
    {"Conv", "batch;4;t;9", 4, {N, 4, 3, 2}, 1, false, false},
    {"Conv", "batch;6;t;9", 4, {N, 1, 3, 2}, N, false, false},
    {"Conv", "batch;300;t", 3, {N, 300, 1}, 1, false, false},
};
enum { N_CASES = sizeof CASES / sizeof *CASES };

static int64_t inputs_of(const layer_case *const c) {
  int64_t count = 1;
  for (int d = 0; d < c->rank; d++) {
    count *= c->dims[d];
  }
  return count / N;
}

/* Different for each weight, exact, and not in the order of a layout. */
static float weight_of(const int64_t j, const int64_t i) {
  return (float)(j * 4096 + i + 1) / 512;
}

static tarei_graph *layer_graph(const layer_case *const c) {
  const int64_t k = inputs_of(c);
  float *const w = malloc((size_t)(N * k) * sizeof *w);
  assert_non_null(w);
  for (int64_t j = 0; j < N; j++) {
    for (int64_t i = 0; i < k; i++) {
      w[c->outputs_last ? i * N + j : j * k + i] = weight_of(j, i);
    }
  }
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", c->x_dims);
  const int y = OP(g, c->op, "y", x, add_floats(g, "w", c->rank, c->dims, w));
  free(w);
  assert_true(tarei_attr_set_int(last_node(g), c->rank > 2 ? "group" : "transB",
                                 c->rank > 2 ? c->group : c->transposed));
  end_graph(g, y);
  return g;
}

static const tarei_node *layer_of(const tarei_graph *const g) {
  for (int i = 0; i < g->n_nodes; i++) {
    if (g->nodes[i].n_in > 1) {
      return &g->nodes[i];
    }
  }
  fail_msg("no layer");
  return NULL;
}

/* Every weight is found; returns the hash. */
static uint64_t check_view(const tarei_graph *const g, const layer_case *const c) {
  const tarei_node *const node = layer_of(g);
  tarei_weight_view view;
  assert_true(tarei_weight_view_of(g, node, &view));
  assert_int_equal(view.value, node->in[1]);
  assert_int_equal(view.n, N);
  assert_int_equal(view.k, inputs_of(c));
  const float *const w = g->values[view.value].data->data;
  for (int64_t j = 0; j < view.n; j++) {
    for (int64_t i = 0; i < view.k; i++) {
      const float found = w[tarei_weight_view_at(&view, j, i)];
      if (found != weight_of(j, i)) {
        fail_msg("%s: weight %d, %d is %g", node->op->name, (int)j, (int)i, (double)found);
      }
    }
  }
  return tarei_weight_view_hash(g, &view);
}

static void quantize_all(tarei_graph *const g) {
  const int x = tarei_graph_find_value(g, "x");
  tarei_quant *const quant = &g->values[x].quant;
  quant->scales = malloc(sizeof *quant->scales);
  assert_non_null(quant->scales);
  quant->scales[0] = 0.5f;
  quant->n_scales = 1;
  const tarei_quantize_options options = {.build = {.int8_when_small = true}, .int8 = true};
  assert_int_equal(tarei_graph_share_scales(g, NULL), TARE_OK);
  assert_int_equal(tarei_graph_quantize(g, &options, NULL), TARE_OK);
  assert_int_equal(tarei_graph_compact(g, NULL), TARE_OK);
  assert_int_equal(tarei_graph_infer(g, NULL), TARE_OK);
}

static void views_are_the_same_in_every_layout(void **const state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    tarei_graph *const g = layer_graph(&CASES[i]);
    const uint64_t hash = check_view(g, &CASES[i]);
    optimize(g, false);
    assert_int_equal(count_ops(g, &tarei_op_linear) + count_ops(g, &tarei_op_conv_last), 1);
    assert_true(check_view(g, &CASES[i]) == hash);
    quantize_all(g);
    assert_int_equal(count_ops(g, &tarei_op_qlinear) + count_ops(g, &tarei_op_qconv_last), 1);
    assert_true(check_view(g, &CASES[i]) == hash);
    tarei_graph_free(g);
  }
}

static void hashes_tell_weights_and_sizes_apart(void **const state) {
  (void)state;
  tarei_graph *const g = layer_graph(&CASES[0]);
  tarei_weight_view view;
  assert_true(tarei_weight_view_of(g, layer_of(g), &view));
  const uint64_t hash = tarei_weight_view_hash(g, &view);
  tarei_weight_view other = view;
  other.n = view.k;
  other.k = view.n;
  other.step_n = view.step_c;
  other.step_c = view.step_n;
  assert_true(tarei_weight_view_hash(g, &other) != hash);
  ((float *)g->values[view.value].data->data)[29] += 1;
  assert_true(tarei_weight_view_hash(g, &view) != hash);
  tarei_graph_free(g);
}

static void other_nodes_have_no_view(void **const state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const float ones[24] = {1};
  const int x = add_input(g, "x", "2;3;4");
  const int add = OP(g, "Add", "add", x, add_vector(g, "bias", 4, ones));
  const int batch = add_floats(g, "batch", 3, (int64_t[]){2, 4, 3}, ones);
  const int y = OP(g, "MatMul", "y", OP(g, "MatMul", "product", add, batch), add);
  end_graph(g, OP(g, "Relu", "z", y));
  for (int i = 0; i < g->n_nodes; i++) {
    tarei_weight_view view;
    assert_false(tarei_weight_view_of(g, &g->nodes[i], &view));
  }
  tarei_graph_free(g);
}

/* All gates of both directions are output channels; the weights of the state are not seen. */
static void recurrent_layers_have_weights_of_rows(void **const state) {
  (void)state;
  enum { DIRECTIONS = 2, GATES = 3, UNITS = 4, INPUTS = 5, CHANNELS = DIRECTIONS * GATES * UNITS };
  float w[CHANNELS * INPUTS], r[CHANNELS * UNITS] = {0};
  for (int i = 0; i < CHANNELS * INPUTS; i++) {
    w[i] = weight_of(i / INPUTS, i % INPUTS);
  }
  tarei_graph *const g = tarei_graph_new("test");
  const int64_t w_dims[] = {DIRECTIONS, GATES * UNITS, INPUTS};
  const int64_t r_dims[] = {DIRECTIONS, GATES * UNITS, UNITS};
  const int x = add_input(g, "x", "t;batch;5");
  const int y =
      OP(g, "GRU", "y", x, add_floats(g, "w", 3, w_dims, w), add_floats(g, "r", 3, r_dims, r));
  assert_true(tarei_attr_set_int(last_node(g), "hidden_size", UNITS));
  assert_true(tarei_attr_set_string(last_node(g), "direction", "bidirectional"));
  end_graph(g, y);
  tarei_weight_view view;
  assert_false(tarei_weight_view_of(g, layer_of(g), &view));
  assert_true(tarei_row_weights_of(g, layer_of(g), &view));
  assert_int_equal(view.n, CHANNELS);
  assert_int_equal(view.k, INPUTS);
  for (int64_t j = 0; j < CHANNELS; j++) {
    for (int64_t i = 0; i < INPUTS; i++) {
      assert_true(w[tarei_weight_view_at(&view, j, i)] == weight_of(j, i));
    }
  }
  tarei_graph_free(g);
}

int weight_view_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(views_are_the_same_in_every_layout),
      cmocka_unit_test(hashes_tell_weights_and_sizes_apart),
      cmocka_unit_test(other_nodes_have_no_view),
      cmocka_unit_test(recurrent_layers_have_weights_of_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
