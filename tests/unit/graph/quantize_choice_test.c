/* What layers compute in, by the lengths of their sums and by predicted losses. */
#include <math.h>

#include "graph/ir/record.h"
#include "graph/quantize/row_need.h"
#include "quantize_helpers.h"
#include "shapes/profiles.h"

/* A sum over t, or over what some node measures: the inner axis of a product, or the keys of an
 * attention. */
static tarei_graph *sum_over_t(const bool attention, const bool measured) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", attention ? "n;5;8" : "n;5;t");
  const int y = add_input(g, "y", attention ? "n;t;8" : "n;t;5");
  if (measured) {
    const tarei_expr found =
        tarei_exprs_measured(g->exprs, tarei_exprs_new_owner(g->exprs), "f", 0);
    g->values[y].dims[1] = found;
    g->values[x].dims[2] = attention ? g->values[x].dims[2] : found;
  }
  const int in[] = {x, y, y}, out = tarei_graph_add_value(g, "out");
  const int n = tarei_graph_add_node(g, attention ? "Attention" : "MatMul", attention ? "tare" : "",
                                     "n_out", 1, in, attention ? 3 : 2, &out, 1);
  assert_true(n >= 0 && (!attention || tarei_attr_set_int(&g->nodes[n], "heads", 2)));
  end_graph(g, out);
  annotate(g);
  return g;
}

/* Quantizes for the profiles (NULL: none are known) and returns how long the layer says its sums
 * are; 0 where it runs in int8. */
static int64_t too_long(tarei_graph *const g, const char *const first, const char *const second,
                        const char *const requests, tare_status *const status) {
  static const tare_port port[] = {{"x", TARE_F32, 2, {{-1, "n"}, {-1, "t"}}}};
  tare_error err = {0};
  tare_profiles *profiles = NULL;
  if (first) {
    assert_int_equal(tare_profiles_new(port, 1, &profiles, &err), TARE_OK);
    assert_int_equal(tare_profiles_add(profiles, first, &err), TARE_OK);
    assert_int_equal(tare_profiles_add(profiles, second, &err), TARE_OK);
  }
  tarei_requested requested;
  const tarei_quantize_options options = {.build = {.layer_precisions = requests,
                                                    .constraints = TARE_CONSTRAINTS_OBEY,
                                                    .int8_when_small = true},
                                          .requested = &requested,
                                          .profiles = profiles,
                                          .int8 = true};
  assert_int_equal(tarei_requested_init(&options.build, &requested, &err), TARE_OK);
  *status = tarei_graph_quantize(g, &options, &err);
  if (*status == TARE_OK) {
    *status = tarei_requested_check(&requested, g, &err);
  }
  tarei_requested_fini(&requested);
  tare_profiles_free(&profiles);
  if (*status != TARE_OK) {
    assert_non_null(strstr(err.message, "sums of 65794 products, the limit of int8 is 65793"));
    return -1;
  }
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_record *const record = &g->nodes[n].record;
    if (record->asked) {
      const bool bytes = record->got == TARE_PRECISION_INT8;
      assert_int_equal(record->why, bytes ? TARE_REASON_NONE : TARE_REASON_LONG_SUM);
      return record->number;
    }
  }
  fail_msg("no layer was asked for int8");
  return -1;
}

/* The longest of all profiles decides, not the first or the last; what only a run tells is left to
 * the run. */
static void long_sums_stay_float(void **state) {
  (void)state;
  static const struct {
    const char *first, *second, *requests;
    bool measured;
    int64_t number;
    tare_status status;
  } cases[] = {
      {"n=1:1:1,t=1:9:65793", "n=1:1:1,t=1:9:100", NULL, false, 0, TARE_OK},
      {"n=1:1:1,t=1:9:65794", "n=1:1:1,t=1:9:100", NULL, false, 65794, TARE_OK},
      {"n=1:1:1,t=1:9:100", "n=1:1:1,t=1:9:65794", NULL, false, 65794, TARE_OK},
      {"n=1:1:1,t=1:9:65793", "n=1:1:99999,t=1:9:65793", NULL, false, 0, TARE_OK},
      {"n=1:1:1,t=1:9:65794", "n=1:1:1,t=1:9:100", "n_out:int8", false, -1, TARE_E_UNSUPPORTED},
      {"n=1:1:1,t=1:9:65794", "n=1:1:1,t=1:9:100", NULL, true, 0, TARE_OK},
      {NULL, NULL, NULL, false, 0, TARE_OK},
  };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    const size_t c = i / 2;
    tarei_graph *const g = sum_over_t(i % 2, cases[c].measured);
    tare_status status;
    assert_int_equal(too_long(g, cases[c].first, cases[c].second, cases[c].requests, &status),
                     cases[c].number);
    assert_int_equal(status, cases[c].status);
    tarei_graph_free(g);
  }
}

static void set_losses(tarei_graph *const g, const char *const name, const double fixed,
                       const double rows, const double rms) {
  tarei_quant *const quant = quant_of(g, name);
  quant->static_loss = fixed;
  quant->row_loss = rows;
  quant->rms = rms;
  tarei_quant_choose_rows(quant);
}

static void assert_got(const tarei_graph *const g, const char *const node,
                       const tare_precision precision, const tare_reason why,
                       const int64_t number) {
  const tarei_record *const record = &node_called(g, node)->record;
  assert_int_equal(record->got, precision);
  assert_int_equal(record->why, why);
  assert_int_equal(record->number, number);
}

static void precisions_follow_the_losses(void **state) {
  (void)state;
  static const struct {
    double fixed, rows, rms_in, rms_out; /* the output has about 81 times the square of the input */
    tare_precision expected;
    tare_reason why;
    int64_t number;
  } cases[] = {
      {1e-5, 1e-6, 1, 9, TARE_PRECISION_INT8, TARE_REASON_NONE, 0},
      {0.02, 1e-4, 1, 9, TARE_PRECISION_INT8_ROWS, TARE_REASON_QUIET_ROWS, 23},
      {0.02, 0.015, 1, 900, TARE_PRECISION_INT8, TARE_REASON_NONE, 0},
      {0.02, 2e-4, 1, 2, TARE_PRECISION_INT16_ROWS, TARE_REASON_NOISY_OUTPUT, 24},
      {2e-4, 2e-4, 1, 2, TARE_PRECISION_INT16_ROWS, TARE_REASON_NOISY_OUTPUT, 24},
      {1e-5, 1e-5, 1, 0.1, TARE_PRECISION_FP32, TARE_REASON_COARSE_WEIGHTS, 5},
      {0.02, 1e-4, 1, 0, TARE_PRECISION_INT8_ROWS, TARE_REASON_QUIET_ROWS, 23}, /* not known */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    end_graph(g, linear(g, "h", add_input(g, "x", "n;8")));
    optimize(g, false);
    annotate(g);
    set_losses(g, "x", cases[i].fixed, cases[i].rows, cases[i].rms_in);
    set_losses(g, "h", 1e-5, 1e-6, cases[i].rms_out);
    quantize(g);
    assert_got(g, "n_h", cases[i].expected, cases[i].why, cases[i].number);
    tarei_graph_free(g);
  }
}

/* Depthwise convolutions have no row scales. */
static void depthwise_layers_go_float(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8;t;t");
    const int w = add_floats(g, "w", 4, (int64_t[]){8, 1, 3, 3}, ramp);
    const int h = OP(g, "Conv", "h", x, w);
    assert_true(tarei_attr_set_int(last_node(g), "group", 8));
    end_graph(g, OP(g, "Relu", "y", h));
    optimize(g, false);
    annotate(g);
    set_losses(g, "x", i ? 0.02 : 0.005, 1e-4, 0);
    quantize(g);
    assert_got(g, "n_h", i ? TARE_PRECISION_FP32 : TARE_PRECISION_INT8,
               i ? TARE_REASON_QUIET_ROWS : TARE_REASON_NONE, i ? 23 : 0);
    tarei_graph_free(g);
  }
}

/* Nor have products of activations, whichever operand it is. */
static void products_go_float(void **state) {
  (void)state;
  static const char *const NAMES[] = {"x", "y"};
  for (int i = 0; i < 4; i++) {
    const bool drowns = i >= 2;
    tarei_graph *const g = sum_over_t(false, false);
    set_losses(g, NAMES[i % 2], drowns ? 0.02 : 0.005, 1e-4, 0);
    quantize(g);
    assert_got(g, "n_out", drowns ? TARE_PRECISION_FP32 : TARE_PRECISION_INT8,
               drowns ? TARE_REASON_QUIET_ROWS : TARE_REASON_NONE, drowns ? 23 : 0);
    tarei_graph_free(g);
  }
}

/* A chain of convolutions along one axis, or over two. */
static tarei_graph *chain_of_convs(const bool line) {
  static const char *const OUT[] = {"a", "b", "c"};
  tarei_graph *const g = tarei_graph_new("test");
  int x = add_input(g, "x", line ? "n;4;t" : "n;4;t;t");
  for (int i = 0; i < 3; i++) {
    char name[8];
    (void)snprintf(name, sizeof name, "w_%s", OUT[i]);
    x = OP(g, "Conv", OUT[i], x, add_floats(g, name, line ? 3 : 4, (int64_t[]){4, 4, 3, 3}, ramp));
  }
  end_graph(g, x);
  optimize(g, false);
  annotate(g);
  return g;
}

/* Those that lose least keep one scale, whatever their place; what is left of the budget is not for
 * others. */
static void convolutions_along_an_axis_share_a_budget(void **state) {
  (void)state;
  static const struct {
    bool line;
    double x, a, b; /* what one scale costs the inputs of a, b and c */
    bool rows[3];
  } cases[] = {
      {true, 4e-5, 9e-5, 5e-5, {false, true, false}},
      {true, 2e-3, 9e-5, 5e-5, {true, true, false}},
      {true, 3e-5, 2e-5, 4e-5, {false, false, false}},
      {false, 2e-3, 2e-3, 2e-3, {false, false, false}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const g = chain_of_convs(cases[i].line);
    set_losses(g, "x", cases[i].x, 1e-6, 0);
    set_losses(g, "a", cases[i].a, 1e-6, 0);
    set_losses(g, "b", cases[i].b, 1e-6, 0);
    quantize(g);
    static const char *const NODES[] = {"n_a", "n_b", "n_c"};
    for (int n = 0; n < 3; n++) {
      assert_int_equal(node_called(g, NODES[n])->record.got,
                       cases[i].rows[n] ? TARE_PRECISION_INT8_ROWS : TARE_PRECISION_INT8);
    }
    tarei_graph_free(g);
  }
}

/* Of a tensor with few rows in a sample others exceed one scale; depthwise layers have no other. */
static void few_rows_have_their_own_scales(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    const bool few = i > 0, symmetric = i > 1;
    tarei_graph *const g = tarei_graph_new("test");
    const int x = add_input(g, "x", "n;8;t");
    const int w = add_floats(g, "w", 3, (int64_t[]){8, 1, 3}, ramp);
    const int h = OP(g, "Conv", "h", x, w);
    assert_true(tarei_attr_set_int(last_node(g), "group", 8));
    end_graph(g, conv(g, "y", h, 8));
    optimize(g, false);
    annotate(g);
    quant_of(g, "x")->few_rows = few;
    quant_of(g, "h")->few_rows = few;
    quantize_as(g, symmetric);
    const bool own = few && !symmetric;
    const tare_reason why = own ? TARE_REASON_FEW_ROWS : TARE_REASON_NONE;
    assert_got(g, "n_h", own ? TARE_PRECISION_FP32 : TARE_PRECISION_INT8, why, 0);
    assert_got(g, "n_y", own ? TARE_PRECISION_INT8_ROWS : TARE_PRECISION_INT8, why, 0);
    tarei_graph_free(g);
  }
}

/* A sample of the heads of an attention has more rows than what they are joined to. */
static void joined_rows_are_fewer(void **state) {
  (void)state;
  static const struct {
    double elements;
    bool few;
  } cases[] = {{64, true}, {72, false}, {0, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const g = tarei_graph_new("test");
    const int shape = add_ints(g, "shape", 3, (int64_t[]){0, 0, 8});
    const int joined = OP(g, "Reshape", "joined", add_input(g, "x", "n;t;2;4"), shape);
    end_graph(g, linear(g, "y", OP(g, "Transpose", "turned", joined)));
    assert_true(tarei_attr_set_ints(&g->nodes[g->n_nodes - 2], "perm", (int64_t[]){1, 0, 2}, 3));
    optimize(g, false);
    annotate(g);
    drop_scale(g, "joined");
    quant_of(g, "x")->elements = cases[i].elements;
    quantize_as(g, false);
    assert_got(g, "n_y", cases[i].few ? TARE_PRECISION_INT8_ROWS : TARE_PRECISION_INT8,
               cases[i].few ? TARE_REASON_FEW_ROWS : TARE_REASON_NONE, 0);
    tarei_graph_free(g);
  }
}

/* Operands of products have no scales of rows: where few samples were calibrated, theirs have room
 * for others. */
static void operands_get_headroom(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    tarei_graph *const g = sum_over_t(false, false);
    const float own = quant_of(g, "y")->scales[0];
    quant_of(g, "y")->few_samples = i > 0;
    quantize_as(g, i > 1);
    assert_got(g, "n_out", TARE_PRECISION_INT8, TARE_REASON_NONE, 0);
    int found = 0;
    for (int n = 0; n < g->n_nodes; n++) {
      const tarei_node *const node = &g->nodes[n];
      if (node->op == &tarei_op_quantize && node->in[0] == tarei_graph_find_value(g, "y")) {
        found++;
        assert_true(g->values[node->out[0]].quant.scales[0] == (i == 1 ? 1.5f * own : own));
      }
    }
    assert_int_equal(found, 1);
    tarei_graph_free(g);
  }
}

/* The scale of what is joined costs the rows of a quieter part more. */
static void parts_pay_for_the_scale_of_the_whole(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("test");
  const int a = linear(g, "a", add_input(g, "x", "n;8")), b = linear(g, "b", 0);
  const int joined = OP(g, "Concat", "joined", a, b);
  assert_true(tarei_attr_set_int(last_node(g), "axis", 0));
  end_graph(g, linear(g, "y", joined));
  optimize(g, false);
  annotate(g);
  set_scale(g, "a", 1, false);
  set_scale(g, "b", 8, false);
  set_scale(g, "joined", 8, false);
  set_losses(g, "a", 1e-5, 1e-5, 1);
  set_losses(g, "b", 1e-5, 1e-5, 1);
  tare_error err = {0};
  assert_int_equal(tarei_graph_share_scales(g, &err), TARE_OK);
  assert_true(fabs(quant_of(g, "a")->static_loss - 64e-5) < 1e-9);
  assert_int_equal(quant_of(g, "a")->granularity, TAREI_PER_ROW);
  assert_true(quant_of(g, "b")->static_loss == 1e-5);
  assert_int_equal(quant_of(g, "b")->granularity, TAREI_PER_TENSOR);
  tarei_graph_free(g);
}

int quantize_choice_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_sums_stay_float),
      cmocka_unit_test(precisions_follow_the_losses),
      cmocka_unit_test(depthwise_layers_go_float),
      cmocka_unit_test(products_go_float),
      cmocka_unit_test(convolutions_along_an_axis_share_a_budget),
      cmocka_unit_test(few_rows_have_their_own_scales),
      cmocka_unit_test(joined_rows_are_fewer),
      cmocka_unit_test(operands_get_headroom),
      cmocka_unit_test(parts_pay_for_the_scale_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
