#include "graph/passes/const_data.h"
#include "graph/passes/convs/lone_convs.h"
#include "unit/graph/pass_helpers.h"

static const float ramp[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static int transpose(tarei_graph *const g, const char *const out, const int x,
                     const int64_t *const perm, const int rank) {
  const int value = OP(g, "Transpose", out, x);
  assert_true(tarei_attr_set_ints(last_node(g), "perm", perm, rank));
  return value;
}

static const int64_t swap_last[] = {0, 2, 1};

/* Conv with a kernel of 1 and c channels in and out. */
static int conv(tarei_graph *const g, const char *const out, const int x, const int64_t c) {
  char name[32];
  snprintf(name, sizeof name, "w_%s", out);
  return OP(g, "Conv", out, x, add_floats(g, name, 3, (int64_t[]){c, c, 1}, ramp));
}

static void conv_runs_channels_last(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;t + 1");
  const int w = add_floats(g, "w", 3, (int64_t[]){3, 2, 2}, ramp);
  const int c = OP(g, "Conv", "c", x, w, add_vector(g, "b", 3, ramp));
  assert_true(tarei_attr_set_ints(last_node(g), "kernel_shape", (int64_t[]){2}, 1));
  end_graph(g, OP(g, "Softmax", "y", c));
  assert_true(run_pass(g, &tarei_pass_channels_last));
  expect_nodes(g,
               "x__nxc/Transpose: Transpose(x) perm=[0, 2, 1] -> x__nxc float32[n, t + 1, 2]\n"
               "n_c: ConvLast(x__nxc, w__last, b) kernel_shape=[2] -> c float32[n, t, 3]\n"
               "c__ncx/Transpose: Transpose(c) perm=[0, 2, 1] -> c__ncx float32[n, 3, t]\n"
               "n_y: Softmax(c__ncx) -> y float32[n, 3, t]\n");
  expect_floats(g, tarei_graph_find_value(g, "w__last"), 12,
                (float[]){1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10, 12});
  assert_true(g->values[tarei_graph_find_value(g, "c")].observable);
  assert_false(g->values[tarei_graph_find_value(g, "c__ncx")].observable);
  assert_false(g->values[tarei_graph_find_value(g, "x__nxc")].observable);
  assert_false(run_pass(g, &tarei_pass_channels_last));
  tarei_graph_free(g);
}

static void conv_2d_and_output(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;h;w");
  const int w = add_floats(g, "k", 4, (int64_t[]){1, 2, 1, 1}, ramp);
  end_graph(g, OP(g, "Conv", "y", x, w));
  assert_true(run_pass(g, &tarei_pass_channels_last));
  expect_nodes(g,
               "x__nxc/Transpose: Transpose(x) perm=[0, 2, 3, 1] -> x__nxc float32[n, h, w, 2]\n"
               "n_y: ConvLast(x__nxc, k__last) -> y__nxc float32[n, h, w, 1]\n"
               "y/Transpose: Transpose(y__nxc) perm=[0, 3, 1, 2] -> y float32[n, 1, h, w]\n");
  tarei_graph_free(g);
}

static void restore_lone_convs(tarei_graph *const g) {
  tarei_pass_log log = {0};
  tare_error err = {0};
  assert_int_equal(tarei_graph_restore_lone_convs(g, &log, &err), TARE_OK);
  tarei_graph_check(g);
}

/* Two Transposes would be all that one convolution has of the other layout. */
static void lone_conv_is_restored(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;h;w");
  const int w = add_floats(g, "k", 4, (int64_t[]){3, 2, 1, 2}, ramp);
  end_graph(g, OP(g, "Conv", "y", x, w));
  assert_true(run_pass(g, &tarei_pass_channels_last));
  restore_lone_convs(g);
  expect_nodes(g, "n_y: Conv(x, k__last__first) -> y float32[n, 3, h, w - 1]\n");
  expect_floats(g, tarei_graph_find_value(g, "k__last__first"), 12, ramp);
  tarei_graph_free(g);
}

/* One channel is moved by a Reshape. */
static void lone_conv_of_one_channel_is_restored(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;1;t");
  const int w = add_floats(g, "k", 3, (int64_t[]){3, 1, 2}, ramp);
  end_graph(g, OP(g, "Conv", "y", x, w));
  assert_true(run_pass(g, &tarei_pass_channels_last));
  assert_true(run_pass(g, &tarei_pass_simplify_reshapes));
  assert_int_equal(count_ops(g, &tarei_op_transpose), 1);
  restore_lone_convs(g);
  expect_nodes(g, "n_y: Conv(x, k__last__first) -> y float32[n, 3, t - 1]\n");
  tarei_graph_free(g);
}

/* Between others, with an activation of its own, and where lines are short. */
static void other_convs_stay_last(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    int x = conv(g, "a", add_input(g, "x", i == 2 ? "n;2;15" : "n;2;t"), 2);
    x = i == 0 ? conv(g, "b", x, 2) : i == 1 ? OP(g, "Relu", "b", x) : x;
    end_graph(g, x);
    optimize(g, false);
    const int lasts = count_ops(g, &tarei_op_conv_last);
    assert_int_equal(lasts, i == 0 ? 2 : 1);
    restore_lone_convs(g);
    assert_int_equal(count_ops(g, &tarei_op_conv_last), lasts);
    tarei_graph_free(g);
  }
}

/* Convolutions of one tensor share its transposition. */
static void two_convs_read_one_transpose(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;t");
  assert_true(tarei_graph_mark_output(g, conv(g, "a", x, 2)));
  end_graph(g, conv(g, "b", x, 2));
  assert_true(run_pass(g, &tarei_pass_channels_last));
  assert_int_equal(count_ops(g, &tarei_op_transpose), 3);
  tarei_graph_free(g);
}

static void means_over_space_follow_the_layout(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int c = conv(g, "c", add_input(g, "x", "n;2;t"), 2);
  end_graph(g, OP(g, "Flatten", "y", OP(g, "GlobalAveragePool", "p", c)));
  optimize(g, false);
  expect_nodes(g,
               "x__nxc/Transpose: Transpose(x) perm=[0, 2, 1] -> x__nxc float32[n, t, 2]\n"
               "n_c: ConvLast(x__nxc, w_c__last) -> c float32[n, t, 2]\n"
               "n_p: ReduceMean(c) axes=[1] -> p float32[n, 1, 2]\n"
               "n_y: Reshape(p) dims=[n, 2] -> y float32[n, 2]\n");
  tarei_graph_free(g);
}

static void pools_follow_the_layout(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int c = conv(g, "c", add_input(g, "x", "n;2;t"), 2);
  const int m = OP(g, "MaxPool", "m", c);
  assert_true(tarei_attr_set_ints(last_node(g), "kernel_shape", (int64_t[]){2}, 1));
  const int a = OP(g, "AveragePool", "a", m);
  assert_true(tarei_attr_set_ints(last_node(g), "kernel_shape", (int64_t[]){3}, 1));
  end_graph(g, OP(g, "Flatten", "y", OP(g, "GlobalMaxPool", "p", a)));
  optimize(g, false);
  expect_nodes(g,
               "x__nxc/Transpose: Transpose(x) perm=[0, 2, 1] -> x__nxc float32[n, t, 2]\n"
               "n_c: ConvLast(x__nxc, w_c__last) -> c float32[n, t, 2]\n"
               "n_m: MaxPoolLast(c) kernel_shape=[2] -> m float32[n, t - 1, 2]\n"
               "n_a: AveragePoolLast(m) kernel_shape=[3] -> a float32[n, t - 3, 2]\n"
               "n_p: ReduceMax(a) axes=[1] -> p float32[n, 1, 2]\n"
               "n_y: Reshape(p) dims=[n, 2] -> y float32[n, 2]\n");
  tarei_graph_free(g);
}

static int pool(tarei_graph *const g, const char *const out, const int x) {
  const int value = OP(g, "MaxPool", out, x);
  assert_true(tarei_attr_set_ints(last_node(g), "kernel_shape", (int64_t[]){2}, 1));
  return value;
}

static int norm(tarei_graph *const g, const char *const out, const int x) {
  const int one = add_vector(g, "one", 2, ramp);
  return OP(g, "InstanceNormalization", out, x, one, one);
}

/* Nothing around takes the Transposes away that the other layout would need. */
static void pools_and_norms_alone_stay(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;t");
  const int c = conv(g, "c", add_input(g, "z", "n;2;u"), 2); /* elsewhere */
  assert_true(tarei_graph_mark_output(g, OP(g, "Flatten", "f", c)));
  end_graph(g, pool(g, "y", OP(g, "Relu", "r", norm(g, "i", x))));
  optimize(g, false);
  assert_int_equal(count_ops(g, &tarei_op_conv_last), 1);
  assert_int_equal(count_ops(g, &tarei_op_instance_normalization), 1);
  assert_int_equal(count_ops(g, &tarei_op_max_pool), 1);
  assert_int_equal(count_ops(g, &tarei_op_transpose), 2); /* of the Conv */
  tarei_graph_free(g);
}

/* Before a Conv and beside it, at any distance that Transposes can pass. */
static void pools_and_norms_near_a_conv_follow_it(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;2;t");
  const int before = OP(g, "Relu", "r", norm(g, "i", x));
  const int joined = OP(g, "Concat", "j", before, before);
  assert_true(tarei_attr_set_int(last_node(g), "axis", 2));
  assert_true(tarei_graph_mark_output(g, conv(g, "c", joined, 2)));
  end_graph(g, pool(g, "y", x));
  assert_true(run_pass(g, &tarei_pass_channels_last));
  assert_int_equal(count_ops(g, &tarei_op_instance_norm_last), 1);
  assert_int_equal(count_ops(g, &tarei_op_max_pool_last), 1);
  tarei_graph_free(g);
}

/* The model has channels last around it already. */
static void norms_between_transposes_follow_them(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = transpose(g, "x_t", add_input(g, "x", "n;t;2"), swap_last, 3);
  end_graph(g, transpose(g, "y", OP(g, "Elu", "e", norm(g, "i", x)), swap_last, 3));
  optimize(g, false);
  assert_int_equal(count_ops(g, &tarei_op_instance_norm_last), 1);
  assert_int_equal(count_ops(g, &tarei_op_transpose), 0);
  tarei_graph_free(g);
}

/* x -> Conv with a kernel of 4, pads 2 and 2 -> Slice of axis 2 from `from` to `to`. */
static tarei_graph *cut_conv(const int64_t from, const int64_t to, const int64_t stride) {
  tarei_graph *const g = tarei_graph_new("test");
  const int w = add_floats(g, "w", 3, (int64_t[]){2, 2, 4}, ramp);
  const int c = OP(g, "Conv", "c", add_input(g, "x", "n;2;t"), w);
  assert_true(tarei_attr_set_ints(last_node(g), "pads", (int64_t[]){2, 2}, 2));
  assert_true(tarei_attr_set_ints(last_node(g), "strides", &stride, 1));
  end_graph(g, OP(g, "Slice", "y", c, add_ints(g, "from", 1, &from), add_ints(g, "to", 1, &to),
                  add_ints(g, "at", 1, (int64_t[]){-1}), add_ints(g, "by", 1, (int64_t[]){1})));
  return g;
}

static void what_padding_made_is_cut_from_the_pads(void **state) {
  (void)state;
  tarei_graph *g = cut_conv(0, -1, 1);
  assert_true(run_pass(g, &tarei_pass_trim_pads));
  expect_nodes(g, "n_c + n_y: Conv(x, w) pads=[2, 1] strides=[1] -> y float32[n, 2, t]\n");
  tarei_graph_free(g);
  g = cut_conv(1, INT64_MAX, 1);
  assert_true(run_pass(g, &tarei_pass_trim_pads));
  expect_nodes(g, "n_c + n_y: Conv(x, w) pads=[1, 2] strides=[1] -> y float32[n, 2, t]\n");
  tarei_graph_free(g);
}

static void other_cuts_stay(void **state) {
  (void)state;
  tarei_graph *const graphs[] = {
      cut_conv(0, -3, 1), /* more than was padded */
      cut_conv(0, -1, 2), /* the last position may lie on data */
      cut_conv(0, 5, 1),  /* how much goes depends on the length */
      cut_conv(-2, INT64_MAX, 1),
  };
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    assert_false(run_pass(graphs[i], &tarei_pass_trim_pads));
    tarei_graph_free(graphs[i]);
  }
}

static void transposes_pass_what_names_its_axes(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int t = transpose(g, "t", add_input(g, "x", "n;t;4"), swap_last, 3);
  const int s = OP(g, "Slice", "s", t, add_ints(g, "from", 1, (int64_t[]){1}),
                   add_ints(g, "to", 1, (int64_t[]){3}), add_ints(g, "at", 1, (int64_t[]){1}));
  const int p = OP(g, "Pad", "p", s, add_ints(g, "pads", 6, (int64_t[]){0, 0, 5, 0, 1, 0}));
  const int r = OP(g, "ReduceMean", "r", p);
  assert_true(tarei_attr_set_ints(last_node(g), "axes", (int64_t[]){2}, 1));
  end_graph(g, transpose(g, "y", r, swap_last, 3));
  assert_true(run_pass(g, &tarei_pass_push_transposes));
  expect_nodes(g,
               "n_s: Slice(x, from, to, -) axes=[2] -> s float32[n, t, 2]\n"
               "n_p: Pad(s, pads) axes=[0, 2, 1] -> p float32[n, t + 5, 3]\n"
               "n_r: ReduceMean(p) axes=[1] -> y float32[n, 1, 3]\n");
  tarei_graph_free(g);
}

static void conv_with_computed_weights_stays(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  end_graph(g, OP(g, "Conv", "y", add_input(g, "x", "n;2;t"), add_input(g, "w", "3;2;1")));
  assert_false(run_pass(g, &tarei_pass_channels_last));
  tarei_graph_free(g);
}

/* Two blocks with residuals, norms and activations between two ONNX Transposes: none is left. */
static void whole_stack_runs_without_transposes(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;t;2");
  int v = transpose(g, "x_t", x, swap_last, 3);
  for (int block = 0; block < 2; block++) {
    char c[16], i[16], m[16], a[16], e[16];
    snprintf(c, sizeof c, "c%d", block);
    snprintf(i, sizeof i, "i%d", block);
    snprintf(m, sizeof m, "m%d", block);
    snprintf(a, sizeof a, "a%d", block);
    snprintf(e, sizeof e, "e%d", block);
    const int one = add_vector(g, "one", 2, ramp);
    const int convolved = conv(g, c, v, 2);
    const int normed = OP(g, "InstanceNormalization", i, convolved, one, one);
    const int scaled = OP(g, "Mul", m, add_floats(g, "gain", 2, (int64_t[]){2, 1}, ramp), normed);
    v = OP(g, "Add", a, v, scaled);
    v = OP(g, "Elu", e, v);
  }
  end_graph(g, transpose(g, "y", v, swap_last, 3));
  optimize(g, true);
  assert_int_equal(count_ops(g, &tarei_op_transpose), 0);
  assert_int_equal(count_ops(g, &tarei_op_conv_last), 2);
  assert_int_equal(count_ops(g, &tarei_op_instance_norm_last), 2);
  assert_int_equal(g->n_nodes, 10);
  assert_string_equal(g->values[g->outputs[0]].name, "y");
  const int m0 = tarei_graph_find_value(g, "m0"); /* what exists has the name of the model */
  assert_true(m0 >= 0 && g->values[m0].observable);
  tarei_graph_free(g);
}

static void inverse_pair_cancels_under_other_uses(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = OP(g, "Relu", "r", add_input(g, "x", "n;4;6"));
  const int t = transpose(g, "t", x, swap_last, 3);
  assert_true(tarei_graph_mark_output(g, OP(g, "Softmax", "s", t)));
  end_graph(g, OP(g, "Softmax", "y", transpose(g, "u", t, swap_last, 3)));
  assert_true(run_pass(g, &tarei_pass_push_transposes));
  expect_nodes(g,
               "n_r: Relu(x) -> r float32[n, 4, 6]\n"
               "n_t: Transpose(r) perm=[0, 2, 1] -> t float32[n, 6, 4]\n"
               "n_s: Softmax(t) -> s float32[n, 6, 4]\n"
               "n_y: Softmax(r) -> y float32[n, 4, 6]\n");
  tarei_graph_free(g);
}

static void pair_between_ports_becomes_identity(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int t = transpose(g, "t", add_input(g, "x", "n;4;6"), swap_last, 3);
  end_graph(g, transpose(g, "y", t, swap_last, 3));
  assert_true(run_pass(g, &tarei_pass_push_transposes));
  expect_nodes(g, "n_y: Identity(x) -> y float32[n, 4, 6]\n");
  tarei_graph_free(g);
}

static void two_permutations_become_one(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int t = transpose(g, "t", add_input(g, "x", "a;b;c;d"), (int64_t[]){1, 2, 3, 0}, 4);
  end_graph(g, transpose(g, "y", t, (int64_t[]){0, 2, 1, 3}, 4));
  assert_true(run_pass(g, &tarei_pass_push_transposes));
  expect_nodes(g, "n_y: Transpose(x) perm=[1, 3, 2, 0] -> y float32[b, d, c, a]\n");
  tarei_graph_free(g);
}

/* Constants that are broadcast are permuted; single elements are not. */
static void constants_are_transposed_on_the_way(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  int v = transpose(g, "t", add_input(g, "x", "n;3;2"), swap_last, 3);
  v = OP(g, "Mul", "m", v, add_scalar(g, "two", 2));
  v = OP(g, "Add", "a", add_floats(g, "grid", 2, (int64_t[]){2, 3}, ramp), v);
  v = OP(g, "Sub", "s", v, add_vector(g, "row", 3, ramp));
  end_graph(g, OP(g, "Softmax", "y", v));
  assert_true(run_pass(g, &tarei_pass_push_transposes));
  expect_nodes(g,
               "n_m: Mul(x, two) -> m float32[n, 3, 2]\n"
               "n_a: Add(grid__nxc__flat, m) -> a float32[n, 3, 2]\n"
               "n_s: Sub(a, row__nxc__flat) -> s float32[n, 3, 2]\n"
               "s__ncx/Transpose: Transpose(s) perm=[0, 2, 1] -> s__ncx float32[n, 2, 3]\n"
               "n_y: Softmax(s__ncx) -> y float32[n, 2, 3]\n");
  const int grid = tarei_graph_find_value(g, "grid__nxc__flat");
  const int row = tarei_graph_find_value(g, "row__nxc__flat");
  expect_floats(g, grid, 6, (float[]){1, 4, 2, 5, 3, 6});
  assert_int_equal(g->values[grid].rank, 2);
  assert_int_equal(g->values[row].rank, 2); /* [3, 1]: along the channels */
  tarei_graph_free(g);
}

/* A Split of a transposed tensor; Its parts have 1 and 3 elements. */
static tarei_graph *split_transposed(const char *const dims, const int64_t axis) {
  tarei_graph *const g = tarei_graph_new("test");
  const int in[] = {transpose(g, "t", add_input(g, "x", dims), swap_last, 3),
                    add_ints(g, "sizes", 2, (int64_t[]){1, 3})};
  const int parts[] = {tarei_graph_add_value(g, "a"), tarei_graph_add_value(g, "b")};
  assert_true(tarei_graph_add_node(g, "Split", "", "n_s", 17, in, 2, parts, 2) >= 0);
  assert_true(tarei_attr_set_int(last_node(g), "axis", axis));
  assert_true(tarei_graph_mark_output(g, transpose(g, "first", parts[0], swap_last, 3)));
  end_graph(g, transpose(g, "second", OP(g, "Tanh", "th", parts[1]), swap_last, 3));
  return g;
}

static void split_lets_transposes_pass(void **state) {
  (void)state;
  for (int negative = 0; negative < 2; negative++) {
    tarei_graph *const g = split_transposed("n;t;4", negative ? -2 : 1);
    assert_true(run_pass(g, &tarei_pass_push_transposes));
    for (int i = 0; i < g->n_nodes; i++) {
      assert_ptr_not_equal(g->nodes[i].op, &tarei_op_transpose);
      assert_ptr_not_equal(g->nodes[i].op, &tarei_op_split);
    }
    for (int i = 0; i < 2; i++) {
      int64_t size;
      assert_true(tarei_value_dim_const(g, g->outputs[i], 2, &size));
      assert_int_equal(size, i ? 3 : 1);
    }
    tarei_graph_free(g);
  }
}

/* Parts of an axis whose length is not constant. */
static void split_of_unknown_parts_stays(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = transpose(g, "t", add_input(g, "x", "n;2 * t;4"), swap_last, 3);
  const int parts[] = {tarei_graph_add_value(g, "a"), tarei_graph_add_value(g, "b")};
  assert_true(tarei_graph_add_node(g, "Split", "", "n_s", 13, &x, 1, parts, 2) >= 0);
  assert_true(tarei_attr_set_int(last_node(g), "axis", 2));
  assert_true(tarei_graph_mark_output(g, parts[0]));
  end_graph(g, parts[1]);
  assert_false(run_pass(g, &tarei_pass_push_transposes));
  tarei_graph_free(g);
}

static void resize_names_its_axes(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int t = transpose(g, "t", add_input(g, "x", "n;t;4"), swap_last, 3);
  const int none = tarei_graph_add_const(g, "none", TARE_F32, 1, (int64_t[]){0}, NULL);
  const int r = OP(g, "Resize", "r", t, none, add_vector(g, "scales", 3, (float[]){1, 1, 2}));
  end_graph(g, transpose(g, "y", r, swap_last, 3));
  assert_true(run_pass(g, &tarei_pass_push_transposes));
  expect_nodes(g, "n_r: Resize(x, none, scales) axes=[0, 2, 1] -> y float32[n, 2 * t, 4]\n");
  tarei_graph_free(g);
}

static void concat_moves_its_axis(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int a = transpose(g, "a", add_input(g, "x", "n;t;3"), swap_last, 3);
  const int b = transpose(g, "b", add_input(g, "z", "n;t;5"), swap_last, 3);
  const int c = OP(g, "Concat", "c", a, b);
  assert_true(tarei_attr_set_int(last_node(g), "axis", -2));
  end_graph(g, transpose(g, "y", c, swap_last, 3));
  assert_true(run_pass(g, &tarei_pass_push_transposes));
  expect_nodes(g, "n_c: Concat(x, z) axis=2 -> y float32[n, t, 8]\n");
  tarei_graph_free(g);
}

static void unlike_inputs_hold_a_transpose(void **state) {
  (void)state;
  for (int form = 0; form < 3; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int t = transpose(g, "t", add_input(g, "x", "n;4;4"), swap_last, 3);
    const int other = form == 0 ? add_input(g, "z", "n;4;4")
                      : form == 1
                          ? transpose(g, "u", add_input(g, "z", "4;n;4"), (int64_t[]){1, 2, 0}, 3)
                          : add_floats(g, "c", 4, (int64_t[]){1, 1, 1, 1}, ramp); /* widens */
    end_graph(g, OP(g, "Add", "y", t, other));
    assert_false(run_pass(g, &tarei_pass_push_transposes));
    tarei_graph_free(g);
  }
}

static void transposed_ones_are_reshapes(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int u =
      OP(g, "Unsqueeze", "u", add_input(g, "x", "n;t"), add_ints(g, "axes", 1, (int64_t[]){1}));
  const int t = transpose(g, "t", u, swap_last, 3);
  end_graph(g, OP(g, "Softmax", "y", t));
  assert_true(run_pass(g, &tarei_pass_simplify_reshapes));
  expect_nodes(g,
               "n_t: Reshape(x) dims=[n, t, 1] -> t float32[n, t, 1]\n"
               "n_y: Softmax(t) -> y float32[n, t, 1]\n");
  tarei_graph_free(g);
}

static void swapped_axes_are_no_reshape(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  end_graph(g, transpose(g, "y", add_input(g, "x", "1;n;2"), swap_last, 3));
  assert_false(run_pass(g, &tarei_pass_simplify_reshapes));
  tarei_graph_free(g);
}

/* Every permutation of a tensor of four axes, against the definition. */
static void permuted_constants_hold_the_right_elements(void **state) {
  (void)state;
  const int64_t dims[4] = {2, 3, 1, 4};
  float data[24];
  for (int i = 0; i < 24; i++) {
    data[i] = (float)i;
  }
  for (int code = 0; code < 256; code++) {
    const int64_t perm[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
    if ((1 << perm[0] | 1 << perm[1] | 1 << perm[2] | 1 << perm[3]) != 15) {
      continue;
    }
    tarei_graph *const g = tarei_graph_new("test");
    int out;
    assert_int_equal(
        tarei_const_permute(g, add_floats(g, "c", 4, dims, data), 4, perm, "_p", &out, NULL),
        TARE_OK);
    const tare_tensor tensor = tarei_value_tensor(g, out);
    for (int64_t n = 0; n < 24; n++) {
      int64_t rest = n, index[4];
      for (int i = 3; i >= 0; i--) {
        index[perm[i]] = rest % tensor.dims[i];
        rest /= tensor.dims[i];
      }
      const int64_t from = ((index[0] * 3 + index[1]) * 1 + index[2]) * 4 + index[3];
      assert_int_equal((int64_t)((const float *)tensor.data)[n], from);
    }
    tarei_graph_free(g);
  }
}

int layout_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resize_names_its_axes),
      cmocka_unit_test(split_lets_transposes_pass),
      cmocka_unit_test(split_of_unknown_parts_stays),
      cmocka_unit_test(conv_runs_channels_last),
      cmocka_unit_test(conv_2d_and_output),
      cmocka_unit_test(lone_conv_is_restored),
      cmocka_unit_test(lone_conv_of_one_channel_is_restored),
      cmocka_unit_test(other_convs_stay_last),
      cmocka_unit_test(two_convs_read_one_transpose),
      cmocka_unit_test(means_over_space_follow_the_layout),
      cmocka_unit_test(pools_follow_the_layout),
      cmocka_unit_test(pools_and_norms_alone_stay),
      cmocka_unit_test(pools_and_norms_near_a_conv_follow_it),
      cmocka_unit_test(norms_between_transposes_follow_them),
      cmocka_unit_test(what_padding_made_is_cut_from_the_pads),
      cmocka_unit_test(other_cuts_stay),
      cmocka_unit_test(transposes_pass_what_names_its_axes),
      cmocka_unit_test(conv_with_computed_weights_stays),
      cmocka_unit_test(whole_stack_runs_without_transposes),
      cmocka_unit_test(inverse_pair_cancels_under_other_uses),
      cmocka_unit_test(pair_between_ports_becomes_identity),
      cmocka_unit_test(two_permutations_become_one),
      cmocka_unit_test(constants_are_transposed_on_the_way),
      cmocka_unit_test(concat_moves_its_axis),
      cmocka_unit_test(unlike_inputs_hold_a_transpose),
      cmocka_unit_test(transposed_ones_are_reshapes),
      cmocka_unit_test(swapped_axes_are_no_reshape),
      cmocka_unit_test(permuted_constants_hold_the_right_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
