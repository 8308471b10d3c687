#include "unit/graph/pass_helpers.h"

static const float ramp[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

/* Conv of 2 outputs over 1 channel and a kernel of 2, then BatchNormalization. */
static tarei_graph *conv_and_norm(const bool with_bias, const char *const output) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;1;t + 1");
  const int w = add_floats(g, "w", 3, (int64_t[]){2, 1, 2}, ramp);
  const int b = with_bias ? add_vector(g, "b", 2, (float[]){10, 20}) : -1;
  const int c = with_bias ? OP(g, "Conv", "c", x, w, b) : OP(g, "Conv", "c", x, w);
  const int scale = add_vector(g, "scale", 2, (float[]){2, 3});
  const int shift = add_vector(g, "shift", 2, (float[]){0.5f, -0.5f});
  const int mean = add_vector(g, "mean", 2, (float[]){1, 2});
  const int variance = add_vector(g, "variance", 2, (float[]){3, 8});
  const int y = OP(g, "BatchNormalization", "y", c, scale, shift, mean, variance);
  assert_true(tarei_attr_set_float(last_node(g), "epsilon", 1));
  if (output) {
    assert_true(tarei_graph_mark_output(g, tarei_graph_find_value(g, output)));
  }
  end_graph(g, y);
  return g;
}

static void batchnorm_goes_into_conv(void **state) {
  (void)state;
  for (int with_bias = 0; with_bias < 2; with_bias++) {
    tarei_graph *const g = conv_and_norm(with_bias, NULL);
    assert_true(run_pass(g, &tarei_pass_fold_batchnorm));
    expect_nodes(g, "n_c + n_y: Conv(x, w__folded, w__bias) -> y float32[n, 2, t]\n");
    /* gains are 2 / sqrt(3 + 1) = 1 and 3 / sqrt(8 + 1) = 1 */
    expect_floats(g, g->nodes[0].in[1], 4, (float[]){1, 2, 3, 4});
    expect_floats(g, g->nodes[0].in[2], 2,
                  with_bias ? (float[]){9.5f, 17.5f} : (float[]){-0.5f, -2.5f});
    tarei_graph_free(g);
  }
  tarei_graph *const g = conv_and_norm(false, "c");
  assert_false(run_pass(g, &tarei_pass_fold_batchnorm));
  tarei_graph_free(g);
}

static int add_norm(tarei_graph *const g, const char *const out, const int x) {
  const int scale = add_vector(g, "scale", 4, (float[]){2, 3, 4, 5});
  const int shift = add_vector(g, "shift", 4, (float[]){0.5f, -0.5f, 1, 2});
  const int mean = add_vector(g, "mean", 4, (float[]){1, 2, 3, 4});
  const int variance = add_vector(g, "variance", 4, (float[]){3, 8, 15, 24});
  const int y = OP(g, "BatchNormalization", out, x, scale, shift, mean, variance);
  assert_true(tarei_attr_set_float(last_node(g), "epsilon", 1));
  return y;
}

static int add_conv(tarei_graph *const g, const int x) {
  return OP(g, "Conv", "c", x, add_floats(g, "w", 3, (int64_t[]){4, 1, 1}, ramp));
}

/* Behind an activation; with gains of 1. */
static void other_batchnorm_becomes_conv(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int c = add_conv(g, add_input(g, "x", "n;1;t"));
  end_graph(g, add_norm(g, "y", OP(g, "Relu", "r", c)));
  assert_true(run_pass(g, &tarei_pass_batchnorm_to_conv));
  expect_nodes(
      g,
      "n_c: Conv(x, w) -> c float32[n, 4, t]\n"
      "n_r: Relu(c) -> r float32[n, 4, t]\n"
      "n_y: Conv(r, scale__gain, scale__bias) group=4 batch_norm=1 -> y float32[n, 4, t]\n");
  expect_floats(g, g->nodes[2].in[1], 4, (float[]){1, 1, 1, 1});
  expect_floats(g, g->nodes[2].in[2], 4, (float[]){-0.5f, -2.5f, -2, -2});
  tarei_graph_free(g);
}

static void batchnorm_without_convs_stays(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  end_graph(g, add_norm(g, "y", add_input(g, "x", "n;4;t")));
  assert_false(run_pass(g, &tarei_pass_batchnorm_to_conv));
  tarei_graph_free(g);
}

/* Where all tensors stay, one behind a Conv would otherwise go into that. */
static void batchnorm_behind_conv_waits(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  end_graph(g, add_norm(g, "y", add_conv(g, add_input(g, "x", "n;1;t"))));
  optimize(g, true);
  assert_int_equal(count_ops(g, &tarei_op_batch_normalization), 1);
  tarei_graph_free(g);
}

/* x[n, 2, 6, t] between reshapes by parts of two or three bands. */
static tarei_graph *split_norm(const char *const dims, const int64_t *const parts,
                               const int64_t *const joined) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", dims);
  const int split = OP(g, "Reshape", "s", x, add_ints(g, "parts", 4, parts));
  const int y = add_norm(g, "b", split);
  end_graph(g, OP(g, "Reshape", "y", y, add_ints(g, "joined", 4, joined)));
  return g;
}

static void batchnorm_of_bands_is_split(void **state) {
  (void)state;
  tarei_graph *const g = split_norm("n;2;6;t", (int64_t[]){0, 4, 3, -1}, (int64_t[]){0, 2, 6, -1});
  assert_true(run_pass(g, &tarei_pass_split_batchnorm));
  expect_nodes(g,
               "n_b: Mul(x, scale__gain) -> x__scaled float32[n, 2, 6, t]\n"
               "n_y: Add(x__scaled, scale__shift) -> y float32[n, 2, 6, t]\n");
  expect_floats(g, g->nodes[1].in[1], 12,
                (float[]){-0.5f, -0.5f, -0.5f, -2.5f, -2.5f, -2.5f, -2, -2, -2, -2, -2, -2});
  tarei_graph_free(g);
}

/* Channels that part an axis whose size only a run tells, and another shape behind. */
static void other_reshaped_batchnorm_stays(void **state) {
  (void)state;
  tarei_graph *g = split_norm("1;2;2 * t;5", (int64_t[]){1, 4, -1, 5}, (int64_t[]){1, 2, -1, 5});
  assert_false(run_pass(g, &tarei_pass_split_batchnorm));
  tarei_graph_free(g);
  g = split_norm("n;2;6;t", (int64_t[]){0, 4, 3, -1}, (int64_t[]){0, 6, 2, -1});
  assert_false(run_pass(g, &tarei_pass_split_batchnorm));
  tarei_graph_free(g);
}

static tarei_graph *instance_norm(const int64_t c, const char *const output) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;t");
  const int scale = add_vector(g, "scale", 2, (float[]){2, 3});
  const int bias = add_vector(g, "bias", 2, (float[]){4, 5});
  const int i = OP(g, "InstanceNormalization", "i", x, scale, bias);
  const int gain = add_floats(g, "gain", 2, (int64_t[]){c, 1}, (float[]){10, 100});
  const int shift = add_floats(g, "shift", 3, (int64_t[]){1, c, 1}, (float[]){0.5f, 0.25f});
  const int m = OP(g, "Mul", "m", i, gain);
  const int y = OP(g, "Add", "y", shift, m);
  if (output) {
    assert_true(tarei_graph_mark_output(g, tarei_graph_find_value(g, output)));
  }
  end_graph(g, y);
  return g;
}

static void affine_goes_into_instance_norm(void **state) {
  (void)state;
  tarei_graph *const g = instance_norm(2, NULL);
  assert_true(run_pass(g, &tarei_pass_fuse_instance_norm_affine));
  assert_int_equal(g->n_nodes, 1);
  assert_string_equal(g->nodes[0].name, "n_i + n_m + n_y");
  expect_floats(g, g->nodes[0].in[1], 2, (float[]){20, 300});
  expect_floats(g, g->nodes[0].in[2], 2, (float[]){40.5f, 500.25f});
  tarei_graph_free(g);
}

static void affine_stops_at_an_output(void **state) {
  (void)state;
  tarei_graph *const g = instance_norm(2, "m");
  assert_true(run_pass(g, &tarei_pass_fuse_instance_norm_affine));
  assert_int_equal(g->n_nodes, 2);
  assert_string_equal(g->nodes[0].name, "n_i + n_m");
  assert_string_equal(g->values[g->nodes[0].out[0]].name, "m");
  tarei_graph_free(g);
}

static void affine_along_another_axis_stays(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;2");
  const int one = add_vector(g, "one", 2, (float[]){1, 1});
  const int i = OP(g, "InstanceNormalization", "i", x, one, one);
  end_graph(g, OP(g, "Mul", "y", i, add_vector(g, "per_time", 2, ramp)));
  assert_false(run_pass(g, &tarei_pass_fuse_instance_norm_affine));
  tarei_graph_free(g);
}

/* A layer norm as older exporters write it; `twice`: the difference is computed anew. */
typedef struct form {
  bool twice, by_mul, reversed, affine;
  int64_t axis;
  const char *output;
} form;

static int reduce_mean(tarei_graph *const g, const char *const out, const int x,
                       const int64_t axis) {
  const int value = OP(g, "ReduceMean", out, x);
  assert_true(tarei_attr_set_ints(last_node(g), "axes", &axis, 1));
  return value;
}

static tarei_graph *layer_norm(const form *const f) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4;4");
  const int mean = reduce_mean(g, "mean", x, f->axis);
  const int d = OP(g, "Sub", "d", x, mean);
  const int square =
      f->by_mul ? OP(g, "Mul", "q", d, d) : OP(g, "Pow", "q", d, add_scalar(g, "two", 2));
  const int variance = reduce_mean(g, "v", square, f->axis);
  const int eps = add_scalar(g, "eps", 1e-6f);
  const int sum = f->reversed ? OP(g, "Add", "s", eps, variance) : OP(g, "Add", "s", variance, eps);
  const int root = OP(g, "Sqrt", "r", sum);
  int y = OP(g, "Div", "y", f->twice ? OP(g, "Sub", "d2", x, mean) : d, root);
  if (f->affine) {
    y = OP(g, "Mul", "g", add_vector(g, "gain", 4, ramp), y);
    y = OP(g, "Add", "b", y, add_floats(g, "shift", 3, (int64_t[]){1, 1, 4}, ramp + 4));
  }
  if (f->output) {
    assert_true(tarei_graph_mark_output(g, tarei_graph_find_value(g, f->output)));
  }
  end_graph(g, y);
  return g;
}

static void layer_norm_is_found(void **state) {
  (void)state;
  for (int bits = 0; bits < 16; bits++) {
    const form f = {.twice = bits & 1,
                    .by_mul = bits & 2,
                    .reversed = bits & 4,
                    .affine = bits & 8,
                    .axis = bits & 1 ? 2 : -1};
    tarei_graph *const g = layer_norm(&f);
    assert_true(run_pass(g, &tarei_pass_fuse_layer_norm));
    assert_int_equal(g->n_nodes, 1);
    assert_ptr_equal(g->nodes[0].op, &tarei_op_layer_normalization);
    assert_int_equal(tarei_attr_int(&g->nodes[0], "axis", 0), -1);
    assert_float_equal(tarei_attr_float(&g->nodes[0], "epsilon", 0), 1e-6f, 1e-12f);
    assert_string_equal(g->values[g->outputs[0]].name, f.affine ? "b" : "y");
    expect_floats(g, g->nodes[0].in[1], 4, f.affine ? ramp : (float[]){1, 1, 1, 1});
    assert_int_equal(g->nodes[0].n_in, f.affine ? 3 : 2);
    if (f.affine) {
      expect_floats(g, g->nodes[0].in[2], 4, ramp + 4);
      assert_int_equal(g->values[g->nodes[0].in[2]].rank, 1);
    }
    tarei_graph_free(g);
  }
}

static void what_only_looks_like_layer_norm_stays(void **state) {
  (void)state;
  const char *const inner[] = {"mean", "d", "q", "v", "s", "r"};
  for (int i = 0; i < 6; i++) {
    tarei_graph *const g = layer_norm(&(form){.axis = -1, .output = inner[i]});
    const bool centred_apart = i < 2; /* what follows is a norm of d, which has no mean */
    assert_int_equal(run_pass(g, &tarei_pass_fuse_layer_norm), centred_apart);
    for (int n = 0; n < g->n_nodes; n++) {
      assert_ptr_not_equal(g->nodes[n].op, &tarei_op_layer_normalization);
    }
    tarei_graph_free(g);
  }
  tarei_graph *const g = layer_norm(&(form){.axis = 1});
  assert_false(run_pass(g, &tarei_pass_fuse_layer_norm));
  tarei_graph_free(g);
}

/* Two groups of two channels; one scale and bias for each group where `by_group`. */
static tarei_graph *group_norm(const char *const dims, const int64_t *const rows,
                               const bool by_group) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", dims);
  const int to = tarei_graph_add_const(g, "to", TARE_I64, 1, (int64_t[]){3}, rows);
  const int back = OP(g, "Shape", "back", x);
  const int scale = add_vector(g, "scale", 2, (float[]){2, by_group ? 3 : 2});
  const int bias = add_vector(g, "bias", 2, (float[]){4, by_group ? 5 : 4});
  const int norm =
      OP(g, "InstanceNormalization", "i", OP(g, "Reshape", "rows", x, to), scale, bias);
  assert_true(tarei_attr_set_float(last_node(g), "epsilon", 0.25f));
  const int y = OP(g, "Reshape", "y", norm, back);
  const float gain[] = {10, 100, 1000, 10000};
  end_graph(g, OP(g, "Mul", "z", y, add_floats(g, "gain", 3, (int64_t[]){4, 1, 1}, gain)));
  return g;
}

static void group_norm_is_found(void **state) {
  (void)state;
  for (int by_group = 0; by_group < 2; by_group++) {
    tarei_graph *const g = group_norm("n;4;t;5", (int64_t[]){0, 2, -1}, by_group);
    assert_true(run_pass(g, &tarei_pass_fuse_group_norm));
    assert_true(run_pass(g, &tarei_pass_fuse_instance_norm_affine));
    const tarei_node *const node = &g->nodes[g->values[g->outputs[0]].producer];
    assert_ptr_equal(node->op, &tarei_op_group_norm);
    assert_int_equal(tarei_attr_int(node, TAREI_ATTR_GROUPS, 0), 2);
    assert_float_equal(tarei_attr_float(node, "epsilon", 0), 0.25f, 0);
    const float up = by_group ? 3 : 2, more = by_group ? 5 : 4;
    expect_floats(g, node->in[1], 4, (float[]){20, 200, 1000 * up, 10000 * up});
    expect_floats(g, node->in[2], 4, (float[]){40, 400, 1000 * more, 10000 * more});
    tarei_graph_free(g);
  }
}

/* Samples that are split, and a norm that somebody else reads. */
static void what_is_no_group_norm_stays(void **state) {
  (void)state;
  tarei_graph *g = group_norm("2;4;2;4", (int64_t[]){4, 2, 8}, false);
  assert_false(run_pass(g, &tarei_pass_fuse_group_norm));
  tarei_graph_free(g);
  g = group_norm("n;4;t;5", (int64_t[]){0, 2, -1}, false);
  assert_true(tarei_graph_mark_output(g, tarei_graph_find_value(g, "i")));
  assert_false(run_pass(g, &tarei_pass_fuse_group_norm));
  tarei_graph_free(g);
}

/* As Conv-TasNet has it, over channels and time. `nested`: means of means; `early`: the gain comes
 * before the division, and the root is a power. */
typedef struct global_form {
  bool nested, early;
  const char *output;
} global_form;

static int global_mean(tarei_graph *const g, const char *const name, const int x,
                       const bool nested) {
  char inner[16];
  snprintf(inner, sizeof inner, "%s_1", name);
  if (nested) {
    return reduce_mean(g, name, reduce_mean(g, inner, x, 1), -1);
  }
  const int value = OP(g, "ReduceMean", name, x);
  assert_true(tarei_attr_set_ints(last_node(g), "axes", (int64_t[]){2, 1}, 2));
  return value;
}

static tarei_graph *global_norm(const global_form *const f) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4;t");
  const int gain = add_floats(g, "gain", 3, (int64_t[]){1, 4, 1}, ramp);
  const int d = OP(g, "Sub", "d", x, global_mean(g, "mean", x, f->nested));
  const int square = OP(g, "Pow", "q", d, add_scalar(g, "two", 2));
  const int sum =
      OP(g, "Add", "s", global_mean(g, "v", square, f->nested), add_scalar(g, "eps", 1e-6f));
  const int root =
      f->early ? OP(g, "Pow", "r", sum, add_scalar(g, "half", 0.5f)) : OP(g, "Sqrt", "r", sum);
  int y = OP(g, "Div", "y", f->early ? OP(g, "Mul", "g", gain, d) : d, root);
  y = f->early ? y : OP(g, "Mul", "g", gain, y);
  y = OP(g, "Add", "b", y, add_floats(g, "shift", 2, (int64_t[]){4, 1}, ramp + 4));
  if (f->output) {
    assert_true(tarei_graph_mark_output(g, tarei_graph_find_value(g, f->output)));
  }
  end_graph(g, y);
  return g;
}

static void global_norm_is_found(void **state) {
  (void)state;
  for (int bits = 0; bits < 4; bits++) {
    tarei_graph *const g = global_norm(&(global_form){.nested = bits & 1, .early = bits & 2});
    assert_true(run_pass(g, &tarei_pass_fuse_layer_norm));
    assert_int_equal(g->n_nodes, 3);
    const tarei_node *node = NULL;
    for (int i = 0; i < g->n_nodes; i++) {
      node = g->nodes[i].op == &tarei_op_global_norm_last ? &g->nodes[i] : node;
    }
    assert_non_null(node);
    assert_float_equal(tarei_attr_float(node, "epsilon", 0), 1e-6f, 1e-12f);
    expect_floats(g, node->in[1], 4, ramp);
    expect_floats(g, node->in[2], 4, ramp + 4);
    assert_string_equal(g->values[g->outputs[0]].name, "b");
    tarei_graph_free(g);
  }
  const char *const inner[] = {"mean", "d", "q", "v", "s", "r"};
  for (int i = 0; i < 6; i++) {
    tarei_graph *const g = global_norm(&(global_form){.output = inner[i]});
    assert_false(run_pass(g, &tarei_pass_fuse_layer_norm));
    tarei_graph_free(g);
  }
}

/* Without a mean, as T5 writes it: 0 divides, 1 multiplies by 1 / root, 2 by a reciprocal. */
static tarei_graph *rms_norm(const int way, const bool other_axis) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4;4");
  const int q = way == 2 ? OP(g, "Mul", "q", x, x) : OP(g, "Pow", "q", x, add_scalar(g, "two", 2));
  const int64_t axis = other_axis ? 1 : -1;
  const int axes = tarei_graph_add_const(g, "axes", TARE_I64, 1, (int64_t[]){1}, &axis);
  const int mean = OP(g, "ReduceMean", "m", q, axes);
  const int root = OP(g, "Sqrt", "r", OP(g, "Add", "s", mean, add_scalar(g, "eps", 1e-6f)));
  int y;
  if (way == 0) {
    y = OP(g, "Div", "y", x, root);
  } else {
    const int inverse = way == 1 ? OP(g, "Div", "i", add_scalar(g, "one", 1), root)
                                 : OP(g, "Reciprocal", "i", root);
    y = OP(g, "Mul", "y", x, inverse);
  }
  end_graph(g, OP(g, "Mul", "w", add_vector(g, "gain", 4, ramp), y));
  return g;
}

static void rms_norm_is_found(void **state) {
  (void)state;
  for (int way = 0; way < 3; way++) {
    tarei_graph *const g = rms_norm(way, false);
    assert_true(run_pass(g, &tarei_pass_fuse_layer_norm));
    assert_int_equal(g->n_nodes, 1);
    assert_ptr_equal(g->nodes[0].op, &tarei_op_rms_normalization);
    assert_true(tarei_attr_float(&g->nodes[0], "epsilon", 0) == 1e-6f);
    expect_floats(g, g->nodes[0].in[1], 4, ramp);
    tarei_graph_free(g);
    tarei_graph *const other = rms_norm(way, true);
    assert_false(run_pass(other, &tarei_pass_fuse_layer_norm));
    tarei_graph_free(other);
  }
}

int norm_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rms_norm_is_found),
      cmocka_unit_test(global_norm_is_found),
      cmocka_unit_test(batchnorm_goes_into_conv),
      cmocka_unit_test(other_batchnorm_becomes_conv),
      cmocka_unit_test(batchnorm_without_convs_stays),
      cmocka_unit_test(batchnorm_behind_conv_waits),
      cmocka_unit_test(batchnorm_of_bands_is_split),
      cmocka_unit_test(other_reshaped_batchnorm_stays),
      cmocka_unit_test(group_norm_is_found),
      cmocka_unit_test(what_is_no_group_norm_stays),
      cmocka_unit_test(affine_goes_into_instance_norm),
      cmocka_unit_test(affine_stops_at_an_output),
      cmocka_unit_test(affine_along_another_axis_stays),
      cmocka_unit_test(layer_norm_is_found),
      cmocka_unit_test(what_only_looks_like_layer_norm_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
