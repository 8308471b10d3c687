/* From annotated float graphs to int8: what moves as bytes between the layers. */
#include "graph/quantize/lower_bound.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/row_need.h"
#include "quantize_helpers.h"

/* x -> two blocks of relu(conv(relu(conv)) + residual) -> conv; the first block's residual is
 * itself a convolution. */
static tarei_graph *residual_net(void) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;8;t");
  const int side = conv(g, "side", x, 8);
  const int a = OP(g, "Relu", "ra", conv(g, "a", x, 8));
  const int r1 = OP(g, "Relu", "r1", OP(g, "Add", "sum1", conv(g, "b", a, 8), side));
  const int c = OP(g, "Relu", "rc", conv(g, "c", r1, 8));
  const int r2 = OP(g, "Relu", "r2", OP(g, "Add", "sum2", conv(g, "d", c, 8), r1));
  end_graph(g, conv(g, "y", r2, 8));
  optimize(g, false);
  return g;
}

static void a_residual_net_has_no_floats_inside(void **state) {
  (void)state;
  tarei_graph *const g = residual_net();
  annotate(g);
  quantize(g);
  assert_int_equal(count_op(g, &tarei_op_qconv_last), 6);
  assert_int_equal(count_op(g, &tarei_op_quantize), 1);  /* the input */
  assert_int_equal(count_op(g, &tarei_op_transpose), 2); /* input and output */
  assert_int_equal(g->n_nodes, 9);
  for (int i = 0; i < g->n_nodes; i++) {
    const tarei_value *const v = &g->values[g->nodes[i].out[0]];
    const bool last = v->is_output || strcmp(v->name, "y__nxc") == 0;
    assert_int_equal(v->dtype, last ? TARE_F32 : TARE_U8);
  }
  const tarei_node *const sum = node_called(g, "n_sum2");
  assert_int_equal(dtype_of_input(g, sum, 3), TARE_U8);
  assert_int_equal(tarei_attr_int(sum, "activation_last", 0), 1);
  assert_int_equal(sum->in[3], node_called(g, "n_c")->in[0]); /* one form of it for both readers */
  tarei_graph_free(g);
}

static void residuals_are_observed(void **state) {
  (void)state;
  tarei_graph *const g = residual_net();
  unsigned char uses[64] = {0};
  assert_true(g->n_values <= 64);
  tarei_graph_mark_uses(g, uses);
  assert_true(uses[tarei_graph_find_value(g, "side")] & TAREI_READ_AS_BYTES);
  assert_true(uses[tarei_graph_find_value(g, "r1")] & TAREI_READ_AS_BYTES);
  assert_false(uses[tarei_graph_find_value(g, "y__nxc")] & TAREI_READ_AS_BYTES);
  tarei_graph_free(g);
}

/* Without a scale, and where one scale drowns quiet rows. */
static void other_residuals_stay_float(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    tarei_graph *const g = residual_net();
    annotate(g);
    if (form == 0) {
      drop_scale(g, "side");
    } else {
      quant_of(g, "side")->granularity = TAREI_PER_ROW;
      quant_of(g, "side")->static_loss = 0.01;
    }
    quantize(g);
    assert_int_equal(dtype_of_input(g, node_called(g, "n_sum1"), 3), TARE_F32);
    assert_int_equal(dtype_of_input(g, node_called(g, "n_sum2"), 3), TARE_U8);
    tarei_graph_free(g);
  }
}

static int norm(tarei_graph *const g, const char *const out, const int x) {
  return OP(g, "LayerNormalization", out, x, add_vector(g, "gain", 8, ramp),
            add_vector(g, "shift", 8, ramp));
}

static void sums_that_are_normalized_stay_float(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", form ? "n;8;t" : "n;t;8");
    const int h = form ? conv(g, "h", x, 8) : linear(g, "h", x);
    const int m = form ? conv(g, "m", h, 8) : linear(g, "m", h);
    int sum = OP(g, "Add", "sum", m, h);
    if (form) {
      sum = OP(g, "Transpose", "t", sum);
      assert_true(tarei_attr_set_ints(last_node(g), "perm", (int64_t[]){0, 2, 1}, 3));
    }
    end_graph(g, linear(g, "y", norm(g, "l", sum)));
    optimize(g, false);
    annotate(g);
    quantize(g);
    assert_int_equal(dtype_of_input(g, node_called(g, "n_m"), 3), TARE_F32);
    assert_string_equal(tarei_attr_string(node_called(g, "n_h"), "outputs", ""), "both");
    assert_string_equal(tarei_attr_string(node_called(g, "n_l"), "outputs", ""), "u8");
    assert_int_equal(count_op(g, &tarei_op_quantize), 1); /* the input */
    tarei_graph_free(g);
  }
}

static void expect_rows_of(const tarei_graph *const g, const char *const reader,
                           const tarei_node *const maker, const int first) {
  const tarei_node *const node = node_called(g, reader);
  assert_ptr_equal(node->op, &tarei_op_qlinear);
  assert_int_equal(node->in[0], maker->out[first]);
  assert_int_equal(node->in[TAREI_INT8_ROW_SCALES], maker->out[first + 1]);
  assert_int_equal(dtype_of_input(g, node, 0), TARE_U8);
}

/* Layers share the bytes of the rows that they read, which a normalization writes itself. */
static void rows_are_quantized_once(void **state) {
  (void)state;
  static const char *const outputs[] = {"rows", "f32+rows"};
  for (int form = 0; form < 2; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int l = norm(g, "l", add_input(g, "x", "n;t;8"));
    const int a = linear(g, "a", l), b = linear(g, "b", l), r = OP(g, "Erf", "r", a);
    assert_true(tarei_graph_mark_output(g, OP(g, "Softmax", "z", b)));
    assert_true(!form || tarei_graph_mark_output(g, OP(g, "Softmax", "s", l)));
    assert_true(tarei_graph_mark_output(g, linear(g, "c", r)));
    end_graph(g, linear(g, "y", r));
    optimize(g, false);
    annotate(g);
    quant_of(g, "l")->granularity = TAREI_PER_ROW;
    quant_of(g, "r")->granularity = TAREI_PER_ROW;
    quantize(g);
    const tarei_node *const made = node_called(g, "n_l"), *const rows = node_called(g, "r__rows");
    assert_string_equal(tarei_attr_string(made, "outputs", ""), outputs[form]);
    expect_rows_of(g, "n_a", made, form);
    expect_rows_of(g, "n_b", made, form);
    assert_int_equal(count_op(g, &tarei_op_quantize_rows), 1); /* what Erf made */
    expect_rows_of(g, "n_c", rows, 0);
    expect_rows_of(g, "n_y", rows, 0);
    tarei_graph_free(g);
  }
}

/* x -> gelu(linear) -> linear, with the losses of a Gelu whose rows have an amax of 1 to 8;
 * `reads`: how many layers read the rows. */
static tarei_graph *feed_forward(const int reads, const bool shown) {
  tarei_graph *const g = tarei_graph_new("test");
  const int r = OP(g, "Gelu", "r", linear(g, "f1", add_input(g, "x", "n;t;8")));
  assert_true(reads < 2 || tarei_graph_mark_output(g, linear(g, "z", r)));
  assert_true(!shown || tarei_graph_mark_output(g, OP(g, "Softmax", "s", r)));
  end_graph(g, linear(g, "f2", r));
  optimize(g, false);
  annotate(g);
  tarei_quant *const quant = quant_of(g, "r");
  quant->scales[0] = 8.0f / 127;
  quant->static_loss = 1.2e-3;
  quant->row_loss = 3e-4;
  quant->zero_point = 20;
  return g;
}

/* Rows behind a Gelu count from its bound where only layers that take such rows read them. */
static void rows_behind_gelu_count_from_its_bound(void **state) {
  (void)state;
  for (int reads = 1; reads < 3; reads++) {
    tarei_graph *const g = feed_forward(reads, false);
    quantize(g);
    const tarei_node *const made = node_called(g, "n_f1");
    assert_string_equal(tarei_attr_string(made, "outputs", ""), "rows");
    assert_int_equal(count_op(g, &tarei_op_quantize_rows), 0);
    assert_true(tarei_rows_bound(g, made->out[0]) == -0.17f);
    expect_rows_of(g, "n_f2", made, 0);
    assert_true(reads < 2 || node_called(g, "n_z")->in[0] == made->out[0]);
    tarei_graph_free(g);
  }
}

/* Where floats are read too, the reader of rows makes them itself. */
static void other_rows_behind_gelu_are_symmetric(void **state) {
  (void)state;
  for (int form = 0; form < 3; form++) {
    tarei_graph *const g = feed_forward(1, form == 0); /* floats are read too */
    tarei_quant *const quant = quant_of(g, "r");
    quant->granularity = TAREI_PER_ROW;
    quant->scales[0] = form == 1 ? 0.1f / 127 : quant->scales[0]; /* no larger than the bound */
    quant->follows_level = form == 2;
    quantize(g);
    const tarei_node *const made = node_called(g, "n_f1");
    assert_int_equal(count_op(g, &tarei_op_quantize_rows), 0);
    if (form == 0) {
      assert_string_equal(tarei_attr_string(made, "outputs", "f32"), "f32");
      assert_int_equal(node_called(g, "n_f2")->in[0], made->out[0]);
      assert_int_equal(dtype_of_input(g, node_called(g, "n_f2"), 0), TARE_F32);
    } else {
      assert_string_equal(tarei_attr_string(made, "outputs", "f32"), "rows");
      assert_int_equal(g->values[made->out[0]].quant.zero_point, TAREI_SYMMETRIC);
      assert_true(tarei_rows_bound(g, made->out[0]) == 0);
      expect_rows_of(g, "n_f2", made, 0);
    }
    tarei_graph_free(g);
  }
}

/* h is read by two layers, so that neither can take the Sigmoid. */
static tarei_graph *gate(const char *const function, const bool with_scale) {
  tarei_graph *const g = tarei_graph_new("test");
  const int h = linear(g, "h", add_input(g, "x", "n;8"));
  const int s = OP(g, function, "s", h);
  assert_true(tarei_graph_mark_output(g, OP(g, "Softmax", "z", h)));
  end_graph(g, linear(g, "y", s));
  optimize(g, false);
  annotate(g);
  if (!with_scale) {
    drop_scale(g, "h");
  }
  return g;
}

static void activations_between_bytes_become_tables(void **state) {
  (void)state;
  static const char *const functions[] = {"Sigmoid", "Atan",     "Celu",  "Mish",           "Selu",
                                          "Shrink",  "Softsign", "Swish", "ThresholdedRelu"};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    tarei_graph *const g = gate(functions[i], true);
    quantize(g);
    assert_int_equal(count_op(g, &tarei_op_lookup), 1);
    const tarei_node *const lookup = node_called(g, "n_s");
    assert_string_equal(tarei_attr_string(lookup, "function", ""), functions[i]);
    assert_true(quant_of(g, g->values[lookup->in[0]].name)->scales[0] ==
                quant_of(g, "h")->scales[0]);
    assert_string_equal(tarei_attr_string(node_called(g, "n_h"), "outputs", ""), "both");
    tarei_graph_free(g);
  }
  tarei_graph *const g = gate("Sigmoid", false); /* then floats go in, bytes come out */
  quantize(g);
  assert_int_equal(count_op(g, &tarei_op_lookup), 0);
  assert_int_equal(count_op(g, &tarei_op_quantize), 1);
  assert_string_equal(tarei_attr_string(node_called(g, "n_s"), "outputs", ""), "u8");
  tarei_graph_free(g);
}

/* Who asks for the shape of a value reads no floats, also behind a transpose. */
static void shapes_keep_no_floats(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int h = linear(g, "h", add_input(g, "x", "n;8"));
  assert_true(tarei_graph_mark_output(g, OP(g, "Shape", "s", OP(g, "Transpose", "t", h))));
  end_graph(g, linear(g, "y", h));
  optimize(g, false);
  annotate(g);
  drop_scale(g, "t"); /* it has that of h */
  quantize(g);
  assert_string_equal(tarei_attr_string(node_called(g, "n_h"), "outputs", ""), "u8");
  assert_int_equal(count_floats(g), 0);
  tarei_graph_free(g);
}

/* An unsigned value that is the second operand of a product is symmetric for its other readers too.
 */
static void one_form_of_bytes_serves_all_readers(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "8;8");
  const int r = OP(g, "Relu", "r", linear(g, "h", x));
  const int t = OP(g, "Transpose", "rt", r);
  assert_true(tarei_graph_mark_output(g, linear(g, "z", r)));
  end_graph(g, OP(g, "MatMul", "y", x, t));
  optimize(g, false);
  annotate(g);
  drop_scale(g, "rt"); /* it has that of r */
  quantize(g);
  assert_int_equal(count_op(g, &tarei_op_quantize), 1); /* the input */
  assert_int_equal(count_floats(g), 0);
  const tarei_node *const h = node_called(g, "n_h");
  assert_string_equal(tarei_attr_string(h, "outputs", ""), "u8");
  assert_int_equal(g->values[h->out[0]].quant.zero_point, TAREI_SYMMETRIC);
  tarei_graph_free(g);
}

/* conv(Slice(Pad(Concat(a, b)))) and conv(a): one scale, zeros filled in as the zero point. */
static void bytes_are_joined_padded_and_cut(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", "n;4;t");
  const int joined = OP(g, "Concat", "joined", conv(g, "a", x, 4), conv(g, "b", x, 4));
  assert_true(tarei_attr_set_int(last_node(g), "axis", 1));
  const int padded =
      OP(g, "Pad", "padded", joined, add_ints(g, "pads", 6, (int64_t[]){0, 0, 2, 0, 0, 3}));
  const int cut = OP(g, "Slice", "cut", padded, add_ints(g, "from", 1, (int64_t[]){1}),
                     add_ints(g, "to", 1, (int64_t[]){-1}), add_ints(g, "at", 1, (int64_t[]){2}));
  assert_true(tarei_graph_mark_output(g, conv(g, "z", tarei_graph_find_value(g, "a"), 4)));
  end_graph(g, conv(g, "y", cut, 8));
  optimize(g, false);
  annotate(g);
  drop_scale(g, "joined"); /* nobody observes what is cut afterwards */
  drop_scale(g, "padded");
  quantize(g);
  assert_int_equal(count_op(g, &tarei_op_transpose), 3);
  assert_int_equal(count_op(g, &tarei_op_quantize), 1);
  for (int i = 0; i < g->n_nodes; i++) {
    const tarei_node *const n = &g->nodes[i];
    const bool joins = n->op == &tarei_op_concat || n->op == &tarei_op_pad;
    if (joins || n->op == &tarei_op_slice) {
      assert_int_equal(g->values[n->out[0]].dtype, TARE_U8);
      assert_int_equal(dtype_of_input(g, n, 0), TARE_U8);
    }
  }
  const tarei_value *const fill = &g->values[node_called(g, "n_padded")->in[2]];
  assert_int_equal(fill->dtype, TARE_U8);
  assert_int_equal(*(const uint8_t *)fill->data->data, 128);
  tarei_graph_free(g);
}

/* conv(Resize(Tile(Gather(conv)))): nearest picks, linear computes. */
static void what_is_picked_stays_bytes(void **state) {
  (void)state;
  for (int linear = 0; linear < 2; linear++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;4;t");
    const int gathered = OP(g, "Gather", "gathered", conv(g, "a", x, 4),
                            add_ints(g, "order", 4, (int64_t[]){3, 2, 1, 0}));
    assert_true(tarei_attr_set_int(last_node(g), "axis", 1));
    const int tiled =
        OP(g, "Tile", "tiled", gathered, add_ints(g, "times", 3, (int64_t[]){1, 1, 2}));
    const int resized = OP(g, "Resize", "resized", tiled, -1,
                           add_floats(g, "scales", 1, (int64_t[]){3}, (float[]){1, 1, 2}));
    assert_true(tarei_attr_set_string(last_node(g), "mode", linear ? "linear" : "nearest"));
    end_graph(g, conv(g, "y", resized, 4));
    optimize(g, false);
    annotate(g);
    drop_scale(g, "gathered"); /* nobody observes what is picked from afterwards */
    drop_scale(g, "tiled");
    quantize(g);
    const char *const names[] = {"n_gathered", "n_tiled", "n_resized"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      const tarei_node *const node = node_called(g, names[i]);
      assert_int_equal(g->values[node->out[0]].dtype, linear ? TARE_F32 : TARE_U8);
      assert_int_equal(dtype_of_input(g, node, 0), linear ? TARE_F32 : TARE_U8);
    }
    tarei_graph_free(g);
  }
}

/* Absent ones among them: a layer hands all its inputs on, however many they are. */
static void every_input_is_handed_on(void **state) {
  (void)state;
  enum { MANY = 40 };
  tarei_graph *const g = residual_net();
  annotate(g);
  for (int n = 0; n < g->n_nodes; n++) {
    while (strstr(g->nodes[n].name, "n_a") && g->nodes[n].n_in < MANY) {
      assert_true(tarei_graph_append_in(g, n, -1));
    }
  }
  tare_error err = {0};
  const tarei_quantize_options options = {.build = {.int8_when_small = true}, .int8 = true};
  if (tarei_graph_share_scales(g, &err) != TARE_OK ||
      tarei_graph_quantize(g, &options, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  int found = 0;
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    if (node->op == &tarei_op_qconv_last && strstr(node->name, "n_a")) {
      found++;
      assert_int_equal(node->n_in, MANY);
      assert_int_equal(g->values[node->in[0]].dtype, TARE_U8);
      assert_int_equal(node->in[MANY - 1], -1);
      assert_int_equal(g->values[node->out[0]].producer, n);
    }
  }
  assert_int_equal(found, 1);
  tarei_graph_free(g);
}

/* Of two activations, and of one with a constant that has an axis too many for a linear layer. */
static void products_multiply_in_bf16(void **state) {
  (void)state;
  for (int constant = 0; constant < 2; constant++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;5;8");
    const int y =
        constant ? add_floats(g, "y", 3, (int64_t[]){1, 8, 5}, ramp) : add_input(g, "y", "n;8;5");
    end_graph(g, OP(g, "MatMul", "out", x, y));
    tare_error err = {0};
    tarei_requested requested;
    const tarei_quantize_options options = {
        .build = {.layer_precisions = "n_out:bf16", .constraints = TARE_CONSTRAINTS_OBEY},
        .requested = &requested};
    if (tarei_requested_init(&options.build, &requested, &err) != TARE_OK ||
        tarei_graph_quantize(g, &options, &err) != TARE_OK ||
        tarei_requested_check(&requested, g, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    tarei_requested_fini(&requested);
    assert_int_equal(g->nodes[0].record.got, TARE_PRECISION_BF16);
    assert_string_equal(tarei_attr_string(&g->nodes[0], TAREI_ATTR_COMPUTE, ""), "bf16");
    tarei_graph_free(g);
  }
}

int quantize_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_residual_net_has_no_floats_inside),
      cmocka_unit_test(residuals_are_observed),
      cmocka_unit_test(other_residuals_stay_float),
      cmocka_unit_test(rows_are_quantized_once),
      cmocka_unit_test(rows_behind_gelu_count_from_its_bound),
      cmocka_unit_test(other_rows_behind_gelu_are_symmetric),
      cmocka_unit_test(sums_that_are_normalized_stay_float),
      cmocka_unit_test(activations_between_bytes_become_tables),
      cmocka_unit_test(shapes_keep_no_floats),
      cmocka_unit_test(one_form_of_bytes_serves_all_readers),
      cmocka_unit_test(bytes_are_joined_padded_and_cut),
      cmocka_unit_test(what_is_picked_stays_bytes),
      cmocka_unit_test(every_input_is_handed_on),
      cmocka_unit_test(products_multiply_in_bf16),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
