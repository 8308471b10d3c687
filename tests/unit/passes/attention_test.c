/* Attention in the forms that exporters write. */
#include <math.h>

#include "base/mem.h"
#include "graph/quantize/quantize.h"
#include "unit/graph/pass_helpers.h"

static int with_ints(tarei_graph *const g, const int out, const char *const name,
                     const int64_t *const values, const int n) {
  assert_true(tarei_attr_set_ints(last_node(g), name, values, n));
  return out;
}

static int transpose(tarei_graph *const g, const char *const out, const int x, const int n,
                     const int64_t *const perm) {
  return with_ints(g, OP(g, "Transpose", out, x), "perm", perm, n);
}

static int reshape(tarei_graph *const g, const char *const out, const int x, const int n,
                   const int64_t *const dims) {
  return OP(g, "Reshape", out, x, add_ints(g, "dims", n, dims));
}

#define LIST(...)                                                                \
  (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { \
    __VA_ARGS__                                                                  \
  }

/* [B, n, 4 * 8] -> [B, 4, n, 8], or [B, 4, 8, n] when turned. */
static int split(tarei_graph *const g, const char *const out, const int x, const bool turned) {
  char name[64];
  (void)snprintf(name, sizeof name, "%s_split", out);
  const int heads = reshape(g, name, x, LIST(0, -1, 4, 8));
  return turned ? transpose(g, out, heads, LIST(0, 2, 3, 1))
                : transpose(g, out, heads, LIST(0, 2, 1, 3));
}

static int join(tarei_graph *const g, const char *const out, const int x) {
  return reshape(g, out, transpose(g, "back", x, LIST(0, 2, 1, 3)), LIST(0, -1, 32));
}

static void expect_attention(tarei_graph *const g, const char *const line) {
  optimize(g, false);
  expect_nodes(g, line);
  tarei_graph_free(g);
}

static void heads_on_an_axis(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int q = split(g, "q", add_input(g, "x", "batch;n;32"), false);
  const int k = split(g, "k", add_input(g, "y", "batch;m;32"), true);
  const int v = split(g, "v", add_input(g, "z", "batch;m;32"), false);
  const int mask = add_input(g, "mask", "batch;1;1;m");
  const int scores = OP(g, "Div", "scaled", OP(g, "MatMul", "qk", q, k), add_scalar(g, "c", 4));
  const int p = OP(g, "Softmax", "p", OP(g, "Add", "masked", scores, mask));
  end_graph(g, join(g, "out", OP(g, "MatMul", "pv", p, v)));
  expect_attention(g,
                   "n_qk + n_scaled + n_masked + n_p + n_pv + n_back + n_out: Attention(x, y, z, "
                   "mask) heads=4 scale=0.25 products=n_qk + n_pv -> out float32[batch, n, 32]\n");
}

/* Factors of Q and K, keys turned after they were split, no mask; another width of the values. */
static void factors_of_operands(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int q = OP(g, "Mul", "qs", split(g, "q", add_input(g, "x", "batch;n;32"), false),
                   add_scalar(g, "a", 0.5f));
  const int keys = split(g, "k", add_input(g, "y", "batch;n;32"), false);
  const int k =
      OP(g, "Mul", "ks", transpose(g, "kt", keys, LIST(0, 1, 3, 2)), add_scalar(g, "b", 0.25f));
  const int z = reshape(g, "v4", add_input(g, "z", "batch;n;12"), LIST(0, -1, 4, 3));
  const int v = transpose(g, "v", z, LIST(0, 2, 1, 3));
  const int p = OP(g, "Softmax", "p", OP(g, "MatMul", "qk", q, k));
  const int back = transpose(g, "back", OP(g, "MatMul", "pv", p, v), LIST(0, 2, 1, 3));
  end_graph(g, reshape(g, "out", back, LIST(0, -1, 12)));
  expect_attention(g,
                   "n_qk + n_p + n_pv + n_back + n_out: Attention(x, y, z) heads=4 scale=0.125 "
                   "products=n_qk + n_pv -> "
                   "out float32[batch, n, 12]\n");
}

/* The mask as a Where in front of the softmax, and one behind it for rows that are masked all over:
 * by what is NaN (form 0), what does not equal itself (1), or the same condition (2). */
static void masked_by_where(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int q = split(g, "q", add_input(g, "x", "batch;n;32"), false);
    const int k = split(g, "k", add_input(g, "y", "batch;m;32"), true);
    const int v = split(g, "v", add_input(g, "z", "batch;m;32"), false);
    const int out = OP(g, "Cast", "keep", add_input(g, "mask", "batch;1;1;m"));
    assert_true(tarei_attr_set_int(last_node(g), "to", TARE_BOOL));
    const int low = add_scalar(g, "low", -INFINITY), zero = add_scalar(g, "none", 0);
    const int scores = OP(g, "MatMul", "qk", q, k);
    int p = OP(g, "Softmax", "p", OP(g, "Where", "masked", out, low, scores));
    p = form == 0   ? OP(g, "Where", "safe", OP(g, "IsNaN", "nan", p), zero, p)
        : form == 1 ? OP(g, "Where", "safe", OP(g, "Equal", "same", p, p), p, zero)
        : form == 2 ? OP(g, "Where", "safe", out, zero, p)
                    : p;
    end_graph(g, join(g, "out", OP(g, "MatMul", "pv", p, v)));
    optimize(g, false);
    int found = -1;
    for (int i = 0; i < g->n_nodes; i++) {
      found = g->nodes[i].op == &tarei_op_attention ? i : found;
      assert_true(g->nodes[i].op != &tarei_op_softmax);
    }
    assert_true(found >= 0);
    assert_int_equal(tarei_attr_int(&g->nodes[found], "guard", 0), form < 3);
    assert_int_equal(g->nodes[found].n_in, 4);
    assert_ptr_equal(g->nodes[g->values[g->nodes[found].in[3]].producer].op, &tarei_op_where);
    tarei_graph_free(g);
  }
}

/* [B * H, n, d] with the batch in front; the mask is added to [B, H, n, m] between reshapes. */
static void merged_heads(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int q =
      reshape(g, "q3", split(g, "q", add_input(g, "x", "batch;5;32"), false), LIST(-1, 5, 8));
  const int keys =
      reshape(g, "k3", split(g, "k", add_input(g, "y", "batch;7;32"), false), LIST(-1, 7, 8));
  const int v =
      reshape(g, "v3", split(g, "v", add_input(g, "z", "batch;7;32"), false), LIST(-1, 7, 8));
  const int mask = add_input(g, "mask", "batch;1;5;7");
  const int qk = OP(g, "MatMul", "qk", q, transpose(g, "kt", keys, LIST(0, 2, 1)));
  const int masked = OP(g, "Add", "masked", reshape(g, "qk4", qk, LIST(-1, 4, 5, 7)), mask);
  const int p = OP(g, "Softmax", "p", reshape(g, "masked3", masked, LIST(-1, 5, 7)));
  const int pv = reshape(g, "pv4", OP(g, "MatMul", "pv", p, v), LIST(-1, 4, 5, 8));
  end_graph(g, join(g, "out", pv));
  expect_attention(g,
                   "n_qk + n_qk4 + n_masked + n_masked3 + n_p + n_pv + n_pv4 + n_back + n_out: "
                   "Attention(x, y, z, mask) heads=4 scale=1 products=n_qk + n_pv -> out "
                   "float32[batch, 5, 32]\n");
}

/* Rows before the batch, as recurrent code has them: the output goes back to that order. */
static void rows_first(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  int in[3];
  static const char *const names[] = {"x", "y", "z"}, *const parts[] = {"q", "k", "v"};
  for (int i = 0; i < 3; i++) {
    char text[16];
    (void)snprintf(text, sizeof text, "%s3", parts[i]);
    in[i] = reshape(g, text, add_input(g, names[i], "5;batch;32"), LIST(5, -1, 8));
    in[i] = i == 1 ? transpose(g, parts[i], in[i], LIST(1, 2, 0))
                   : transpose(g, parts[i], in[i], LIST(1, 0, 2));
  }
  const int p = OP(g, "Softmax", "p", OP(g, "MatMul", "qk", in[0], in[1]));
  const int back = transpose(g, "back", OP(g, "MatMul", "pv", p, in[2]), LIST(1, 0, 2));
  end_graph(g, reshape(g, "out", back, LIST(5, -1, 32)));
  optimize(g, false);
  assert_int_equal(count_ops(g, &tarei_op_attention), 1);
  assert_int_equal(count_ops(g, &tarei_op_matmul), 0);
  assert_int_equal(count_ops(g, &tarei_op_transpose), 4);
  for (int i = 0; i < g->n_nodes; i++) {
    if (g->nodes[i].op == &tarei_op_attention) {
      assert_int_equal(tarei_attr_int(&g->nodes[i], "heads", 0), 4);
    }
  }
  tarei_graph_free(g);
}

/* A mask of merged heads becomes one of four axes. */
static void masks_of_merged_heads(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int q =
      reshape(g, "q3", split(g, "q", add_input(g, "x", "batch;5;32"), false), LIST(-1, 5, 8));
  const int k =
      reshape(g, "k3", split(g, "k", add_input(g, "y", "batch;5;32"), true), LIST(-1, 8, 5));
  const int v =
      reshape(g, "v3", split(g, "v", add_input(g, "z", "batch;5;32"), false), LIST(-1, 5, 8));
  const int mask = add_input(g, "mask", "4*batch;5;5");
  const int p = OP(g, "Softmax", "p", OP(g, "Add", "masked", OP(g, "MatMul", "qk", q, k), mask));
  const int pv = reshape(g, "pv4", OP(g, "MatMul", "pv", p, v), LIST(-1, 4, 5, 8));
  end_graph(g, join(g, "out", pv));
  expect_attention(
      g,
      "n_pv/Reshape: Reshape(mask) dims=[batch, 4, 5, 5] -> n_pv/Reshape float32[batch, 4, 5, 5]\n"
      "n_qk + n_masked + n_p + n_pv + n_pv4 + n_back + n_out: Attention(x, y, z, n_pv/Reshape) "
      "heads=4 scale=1 products=n_qk + n_pv -> out float32[batch, 5, 32]\n");
}

static int masked_layer(tarei_graph *const g, const int layer, const int x, const int out) {
  char names[6][16];
  static const char *const parts[] = {"q", "k", "v", "qk", "p", "y"};
  for (int i = 0; i < 6; i++) {
    (void)snprintf(names[i], sizeof names[i], "%s%d", parts[i], layer);
  }
  const int q = split(g, names[0], x, false), k = split(g, names[1], x, true);
  const int v = split(g, names[2], x, false), scores = OP(g, "MatMul", names[3], q, k);
  char text[16];
  (void)snprintf(text, sizeof text, "masked%d", layer);
  const int p = OP(g, "Softmax", names[4],
                   OP(g, "Where", text, out, add_scalar(g, "low", -INFINITY), scores));
  (void)snprintf(text, sizeof text, "back%d", layer);
  const int back = transpose(g, text, OP(g, "MatMul", names[5], p, v), LIST(0, 2, 1, 3));
  (void)snprintf(text, sizeof text, "out%d", layer);
  return reshape(g, text, back, LIST(0, -1, 32));
}

/* Layers with the same condition have one mask. */
static void layers_share_masks(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int out = add_typed_input(g, "mask", TARE_BOOL, "batch;1;n;n");
  const int x = masked_layer(g, 0, add_input(g, "x", "batch;n;32"), out);
  end_graph(g, masked_layer(g, 1, x, out));
  optimize(g, false);
  assert_int_equal(count_ops(g, &tarei_op_attention), 2);
  assert_int_equal(count_ops(g, &tarei_op_where), 1);
  tarei_graph_free(g);
}

typedef enum flaw { SEEN_SCORES, SOFTMAX_OF_ROWS, NEAR_NUMBER, FLAWS } flaw;

static void others_are_left_alone(void **state) {
  (void)state;
  for (int f = 0; f < FLAWS; f++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int q = split(g, "q", add_input(g, "x", "batch;6;32"), false);
    const int k = split(g, "k", add_input(g, "y", "batch;6;32"), true);
    const int v = split(g, "v", add_input(g, "z", "batch;6;32"), false);
    int scores = OP(g, "MatMul", "qk", q, k);
    if (f == NEAR_NUMBER) { /* other scores may be as low */
      const int out = add_typed_input(g, "mask", TARE_BOOL, "batch;1;6;6");
      scores = OP(g, "Where", "masked", out, add_scalar(g, "low", -100), scores);
    }
    const int p = OP(g, "Softmax", "p", scores);
    if (f == SOFTMAX_OF_ROWS) {
      assert_true(tarei_attr_set_int(last_node(g), "axis", 2));
    }
    const int out = join(g, "out", OP(g, "MatMul", "pv", p, v));
    if (f == SEEN_SCORES) {
      assert_true(tarei_graph_mark_output(g, scores));
    }
    end_graph(g, out);
    optimize(g, false);
    assert_int_equal(count_ops(g, &tarei_op_attention), 0);
    tarei_graph_free(g);
  }
}

static void all_tensors_are_kept_on_demand(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int q = split(g, "q", add_input(g, "x", "batch;n;32"), false);
  const int k = split(g, "k", add_input(g, "y", "batch;n;32"), true);
  const int v = split(g, "v", add_input(g, "z", "batch;n;32"), false);
  const int p = OP(g, "Softmax", "p", OP(g, "MatMul", "qk", q, k));
  end_graph(g, join(g, "out", OP(g, "MatMul", "pv", p, v)));
  optimize(g, true);
  assert_int_equal(count_ops(g, &tarei_op_attention), 0);
  tarei_graph_free(g);
}

static tarei_graph *plain_attention(void) {
  tarei_graph *const g = tarei_graph_new("test");
  const int q = split(g, "q", add_input(g, "x", "batch;n;32"), false);
  const int k = split(g, "k", add_input(g, "y", "batch;n;32"), true);
  const int v = split(g, "v", add_input(g, "z", "batch;n;32"), false);
  const int p = OP(g, "Softmax", "p", OP(g, "MatMul", "qk", q, k));
  end_graph(g, join(g, "out", OP(g, "MatMul", "pv", p, v)));
  optimize(g, false);
  return g;
}

/* Gives the first n of x, y, z a scale, quantizes, and compares what the attention's record says.
 */
static void expect_precision(const int n, const char *const requests, const char *const record) {
  static const char *const names[] = {"x", "y", "z"};
  tarei_graph *const g = plain_attention();
  for (int i = 0; i < n; i++) {
    tarei_quant *const quant = &g->values[tarei_graph_find_value(g, names[i])].quant;
    quant->scales = tarei_memdup(&(float){0.5f}, sizeof(float));
    assert_non_null(quant->scales);
    quant->n_scales = 1;
    quant->zero_point = 0;
  }
  tarei_requested requested;
  const tarei_quantize_options options = {
      .int8 = true, .build.layer_precisions = requests, .requested = &requested};
  tare_error err = {0};
  if (tarei_requested_init(&options.build, &requested, &err) != TARE_OK ||
      tarei_graph_quantize(g, &options, &err) != TARE_OK ||
      tarei_requested_check(&requested, g, &err) != TARE_OK ||
      tarei_graph_compact(g, &err) != TARE_OK || tarei_graph_infer(g, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tarei_requested_fini(&requested);
  const int floats = strncmp(record, "int8", 4) != 0 ? 3 : 0;
  const int rows = strncmp(record, "int8-rows", 9) == 0 ? 2 : 0;
  assert_int_equal(count_ops(g, &tarei_op_quantize), 3 - floats - rows);
  assert_int_equal(count_ops(g, &tarei_op_quantize_rows), rows);
  for (int i = 0; i < g->n_nodes; i++) {
    const tarei_node *const node = &g->nodes[i];
    if (node->op == &tarei_op_attention) {
      const tarei_reason reason = tarei_record_reason(&node->record);
      tarei_str text = {0};
      tarei_str_add(&text, "%s%s", tare_precision_name(node->record.got), reason.why ? ": " : "");
      tarei_reason_print(&reason, &text);
      assert_string_equal(tarei_str_get(&text), record);
      tarei_str_free(&text);
      for (int k = 0; k < 3; k++) {
        const tarei_value *const operand = &g->values[node->in[k]];
        assert_int_equal(operand->dtype, k < floats ? TARE_F32 : TARE_U8);
        if (k >= floats) {
          assert_int_equal(operand->quant.zero_point, k == 0 && !rows ? 0 : TAREI_SYMMETRIC);
        }
        if (k < rows) {
          const tarei_value *const scales = &g->values[node->in[TAREI_INT8_ROW_SCALES + k]];
          assert_int_equal(scales->producer, operand->producer);
        }
      }
    }
  }
  tarei_graph_free(g);
}

static void int8_takes_scales_of_what_is_bytes(void **state) {
  (void)state;
  expect_precision(3, NULL, "int8");
  expect_precision(2, NULL, "fp32: no scale for 'z'");
  expect_precision(3, "*:fp32", "fp32");
  expect_precision(3, "n_qk:int8-rows,n_pv:int8-rows", "int8-rows");
  expect_precision(2, "*:int8-rows", "fp32: no scale for 'z'");
}

static void both_products_have_one_precision(void **state) {
  (void)state;
#define ONE "attention has one precision: it applies to "
  expect_precision(3, "n_qk:fp32", "fp32: " ONE "'n_pv' too");
  expect_precision(3, "n_pv:fp32", "fp32: " ONE "'n_qk' too");
  expect_precision(3, "n_pv:fp32,n_qk:fp32", "fp32");
  expect_precision(3, "n_[qp][kv]:fp32", "fp32");
  expect_precision(3, "*:fp32,n_p:int8", "int8: " ONE "'n_qk' too");
  expect_precision(0, "n_qk:bf16", "bf16: " ONE "'n_pv' too");
  expect_precision(0, "n_qk:bf16,n_pv:fp32", "fp32: " ONE "'n_qk' too");
  expect_precision(0, "n_qk:bf16,n_pv:bf16", "bf16");
  expect_precision(0, "out:bf16", "bf16"); /* the tensor that it writes */
  expect_precision(0, "*:bf16", "bf16");
#undef ONE
}

static void operators_name_attention(void **state) {
  (void)state;
  expect_precision(0, "@MatMul:bf16", "bf16");
  expect_precision(0, "@Attention:bf16", "bf16");
  expect_precision(3, "@MatMul:int8", "int8");
  expect_precision(3, "@MatMul:bf16,@Attention:int8", "int8");
  expect_precision(3, "@MatMul:int16-rows",
                   "fp32: bf16 is for products and dense convolutions, int16 for those with "
                   "constant weights");
}

int attention_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masked_by_where),
      cmocka_unit_test(heads_on_an_axis),
      cmocka_unit_test(factors_of_operands),
      cmocka_unit_test(merged_heads),
      cmocka_unit_test(rows_first),
      cmocka_unit_test(masks_of_merged_heads),
      cmocka_unit_test(layers_share_masks),
      cmocka_unit_test(others_are_left_alone),
      cmocka_unit_test(all_tensors_are_kept_on_demand),
      cmocka_unit_test(int8_takes_scales_of_what_is_bytes),
      cmocka_unit_test(both_products_have_one_precision),
      cmocka_unit_test(operators_name_attention),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
