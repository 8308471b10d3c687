/* Weights that a table rounds: a plan has just the integers that the table decides, in layers of
 * all kinds and precisions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <math.h>
#include <tare/plan.h>

#include "graph/model.h"
#include "graph/pass.h"
#include "graph/quantize/weights/weight_view.h"
#include "graph/table/rounding.h"
#include "graph/table/table.h"
#include "unit/seed.h"

static uint64_t state_of_random;

static uint32_t random_bits(void) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state_of_random >> 32);
}

static int seed_once(void **const state) {
  (void)state;
  state_of_random = test_seed();
  return 0;
}

static tare_error err;

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

/* --- a model ---------------------------------------------------------------------------------- */

/* The layers: weights in ONNX's layout, of which output channel j has k. The last two share theirs.
 */
typedef struct rounded_layer {
  const char *op, *name, *weights;
  int rank;
  int64_t dims[4], group, pad;
  bool outputs_last;
} rounded_layer;

static const rounded_layer LAYERS[] = {
    {"Conv", "dense", "w_dense", 3, {12, 8, 3}, 1, 1, false},
    {"Conv", "depthwise", "w_depthwise", 3, {12, 1, 3}, 12, 1, false},
    {"Conv", "grouped", "w_grouped", 3, {12, 4, 1}, 3, 0, false},
    {"MatMul", "first", "w_linear", 2, {12, 10}, 1, 0, true},
    {"MatMul", "second", "w_shared", 2, {10, 10}, 1, 0, true},
    {"MatMul", "third", "w_shared", 2, {10, 10}, 1, 0, true},
};
enum { N_LAYERS = sizeof LAYERS / sizeof *LAYERS, N_WEIGHTS = N_LAYERS - 1 };

static int64_t outputs_of(const rounded_layer *const l) {
  return l->outputs_last ? l->dims[1] : l->dims[0];
}

static int64_t weights_of(const rounded_layer *const l) {
  int64_t n = 1;
  for (int d = 0; d < l->rank; d++) {
    n *= l->dims[d];
  }
  return n;
}

static int64_t inputs_of(const rounded_layer *const l) {
  return weights_of(l) / outputs_of(l);
}

static int64_t place_of(const rounded_layer *const l, const int64_t j, const int64_t i) {
  return l->outputs_last ? i * outputs_of(l) + j : j * inputs_of(l) + i;
}

/* A power of two, so that the largest multiple within a channel gives the scale back exactly. */
static float scale_of(const int64_t channel) {
  return ldexpf(1, -12 + (int)(channel % 5));
}

/* One weight of each channel is 127 times the scale, which no rounding changes. */
static void fill_weights(const rounded_layer *const l, float *const w) {
  for (int64_t j = 0; j < outputs_of(l); j++) {
    const int64_t k = inputs_of(l), largest = random_bits() % k;
    for (int64_t i = 0; i < k; i++) {
      const float x = (float)((double)random_bits() / 4294967296.0 * 253.0 - 126.5);
      w[place_of(l, j, i)] = scale_of(j) * (i == largest ? 127.0f : x);
    }
  }
}

static void random_decisions(const rounded_layer *const l, uint8_t *const up) {
  for (size_t i = 0; i < tarei_rounding_bytes(outputs_of(l), inputs_of(l)); i++) {
    up[i] = (uint8_t)random_bits();
  }
}

/* What the decisions make of weights. */
static void decide_weights(const rounded_layer *const l, const uint8_t *const up, float *const w) {
  for (int64_t j = 0; j < outputs_of(l); j++) {
    for (int64_t i = 0; i < inputs_of(l); i++) {
      const int64_t bit = j * inputs_of(l) + i;
      float *const x = &w[place_of(l, j, i)];
      const double q = floor((double)*x / (double)scale_of(j)) + (up[bit / 8] >> bit % 8 & 1);
      *x = (float)(q > 127 ? 127 : q < -127 ? -127 : q) * scale_of(j);
    }
  }
}

static void set_ints(tarei_graph *const g, const char *const name, const int n, const int64_t a,
                     const int64_t b) {
  const int64_t values[] = {a, b, 1};
  assert_true(tarei_attr_set_ints(&g->nodes[g->n_nodes - 1], name, values, n));
}

static int add_value(tarei_graph *const g, const char *const name) {
  const int value = tarei_graph_add_value(g, name);
  assert_true(value >= 0);
  g->values[value].observable = true;
  return value;
}

static int add_layer(tarei_graph *const g, const rounded_layer *const l, const int x,
                     const float *const w) {
  const int given = tarei_graph_find_value(g, l->weights);
  const int weights =
      given >= 0 ? given : tarei_graph_add_const(g, l->weights, TARE_F32, l->rank, l->dims, w);
  const int in[] = {x, weights}, y = add_value(g, l->name);
  assert_true(tarei_graph_add_node(g, l->op, "", l->name, 17, in, 2, &y, 1) >= 0);
  if (l->rank > 2) {
    assert_true(tarei_attr_set_int(&g->nodes[g->n_nodes - 1], "group", l->group));
    set_ints(g, "pads", 2, l->pad, l->pad);
  }
  return y;
}

/* w: of each layer; the last two have those of the first of them, unless they differ. */
static tare_model *make_model(float *const *const w, const bool shared) {
  tarei_graph *const g = tarei_graph_new("rounded.onnx");
  int x = add_value(g, "x");
  assert_true(tarei_graph_mark_input(g, x));
  tarei_value *const v = &g->values[x];
  v->dtype = TARE_F32;
  v->rank = 3;
  static const char *const dims[] = {"batch", "8", "t"};
  for (int d = 0; d < 3; d++) {
    OK(tarei_expr_parse(g->exprs, dims[d], &v->dims[d], &err));
  }
  for (int i = 0; i < N_LAYERS; i++) {
    rounded_layer layer = LAYERS[i];
    layer.weights = shared || i < N_WEIGHTS ? layer.weights : "w_other";
    x = add_layer(g, &layer, x, w[i]);
    if (layer.rank > 2 && LAYERS[i + 1].rank == 2) {
      const int in = x;
      x = add_value(g, "moved");
      assert_true(tarei_graph_add_node(g, "Transpose", "", "move", 17, &in, 1, &x, 1) >= 0);
      set_ints(g, "perm", 3, 0, 2);
    }
  }
  assert_true(tarei_graph_mark_output(g, x));
  g->model_hash = 5;
  tare_model *model = NULL;
  OK(tarei_graph_infer(g, &err));
  OK(tarei_model_new(g, &model, &err));
  return model;
}

/* --- tables and plans ------------------------------------------------------------------------- */

static tare_table *new_table(const tare_model *const model) {
  tare_table *table = NULL;
  OK(tarei_table_new("max", 1, &table, &err));
  table->model_hash = 5;
  for (int v = 0; v < model->graph->n_values; v++) {
    const tarei_cell cell = tarei_cell_unknown(4);
    if (!model->graph->values[v].data) {
      OK(tarei_table_add_tensor(table, model->graph->values[v].name, NULL, &cell, &err));
    }
  }
  return table;
}

static uint64_t hash_of(const tare_model *const model, const char *const layer) {
  for (int n = 0; n < model->graph->n_nodes; n++) {
    tarei_weight_view view;
    if (strcmp(model->graph->nodes[n].name, layer) == 0 &&
        tarei_weight_view_of(model->graph, &model->graph->nodes[n], &view)) {
      return tarei_weight_view_hash(model->graph, &view);
    }
  }
  fail_msg("no layer %s", layer);
  return 0;
}

static tare_plan *build_plan(const tare_model *const model, const tare_table *const table,
                             const tare_build_options *const given) {
  tare_profiles *profiles = NULL;
  const tare_port *inputs = NULL;
  const int n = tare_model_inputs(model, &inputs);
  OK(tare_profiles_new(inputs, n, &profiles, &err));
  OK(tare_profiles_add(profiles, "batch=1:1:2,t=1:9:64", &err));
  tare_build_options options = *given;
  options.int8_when_small = true;
  options.table = table;
  tare_plan *plan = NULL;
  OK(tare_plan_build(model, profiles, &options, &plan, &err));
  tare_profiles_free(&profiles);
  return plan;
}

static tare_plan *rounding_reload(const tare_plan *const plan) {
  char path[] = "/tmp/tare_rounding_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  tare_plan *loaded = NULL;
  OK(tare_plan_save(plan, path, &err));
  OK(tare_plan_load(path, &loaded, &err));
  unlink(path);
  return loaded;
}

enum { LENGTH = 23, N_OUTPUTS = LENGTH * 10 };

static void run_plan(const tare_plan *const plan, const float *const x, float *const y) {
  tare_context *context = NULL;
  OK(tare_context_new(plan, NULL, &context, &err));
  const tare_tensor in = {.data = (void *)x, .dtype = TARE_F32, .rank = 3, .dims = {1, 8, LENGTH}};
  tare_tensor out;
  OK(tare_context_run(context, &in, &out, &err));
  assert_int_equal(tare_tensor_count(&out), N_OUTPUTS);
  memcpy(y, out.data, N_OUTPUTS * sizeof *y);
  tare_context_free(&context);
}

static tare_layer layer_called(const tare_plan *const plan, const char *const name) {
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    for (int o = 0; o < layer.n_origins; o++) {
      if (strcmp(layer.origins[o], name) == 0) {
        return layer;
      }
    }
  }
  fail_msg("no layer %s", name);
  return (tare_layer){0};
}

/* --- the tests -------------------------------------------------------------------------------- */

typedef struct fixture {
  float *w[N_LAYERS], *decided[N_LAYERS], x[8 * LENGTH];
  uint8_t *up[N_LAYERS];
  tare_model *model, *expected; /* with the weights, and with what the decisions make of them */
  tare_table *table, *plain;    /* with the decisions, and without */
} fixture;

static void make_fixture(fixture *const f) {
  for (int i = 0; i < N_LAYERS; i++) {
    const rounded_layer *const l = &LAYERS[i];
    const size_t n = (size_t)weights_of(l);
    f->w[i] = malloc(n * sizeof(float));
    f->decided[i] = malloc(n * sizeof(float));
    f->up[i] = malloc(tarei_rounding_bytes(outputs_of(l), inputs_of(l)));
    assert_true(f->w[i] && f->decided[i] && f->up[i]);
    fill_weights(l, f->w[i]);
    memcpy(f->w[i], f->w[i < N_WEIGHTS ? i : N_WEIGHTS - 1], n * sizeof(float));
    memcpy(f->decided[i], f->w[i], n * sizeof(float));
    random_decisions(l, f->up[i]);
    decide_weights(l, f->up[i], f->decided[i]);
  }
  for (int i = 0; i < 8 * LENGTH; i++) {
    f->x[i] = (float)((double)random_bits() / 1073741824.0 - 2);
  }
  f->model = make_model(f->w, true);
  f->expected = make_model(f->decided, false);
  f->table = new_table(f->model);
  f->plain = new_table(f->model);
  for (int i = 0; i < N_LAYERS; i++) {
    const rounded_layer *const l = &LAYERS[i];
    OK(tarei_roundings_add(&f->table->roundings, l->name, outputs_of(l), inputs_of(l),
                           hash_of(f->model, l->name), f->up[i], &err));
  }
  OK(tarei_table_finish(f->table, "table", &err));
  OK(tarei_table_finish(f->plain, "table", &err));
}

static void free_fixture(fixture *const f) {
  for (int i = 0; i < N_LAYERS; i++) {
    free(f->w[i]);
    free(f->decided[i]);
    free(f->up[i]);
  }
  tare_model_free(&f->model);
  tare_model_free(&f->expected);
  tare_table_free(&f->table);
  tare_table_free(&f->plain);
}

static void expect_rounding(const tare_plan *const plan, const tare_rounding rounding,
                            const char *const reason) {
  for (int i = 0; i < N_LAYERS; i++) {
    const tare_layer layer = layer_called(plan, LAYERS[i].name);
    assert_true(tare_precision_is_integer(layer.got));
    assert_int_equal(layer.rounding, rounding);
    if (!strstr(layer.rounding_reason, reason) || (!*reason && *layer.rounding_reason)) {
      fail_msg("%s: '%s' does not say '%s'", layer.name, layer.rounding_reason, reason);
    }
  }
}

static void check_plans(const fixture *const f, const tare_build_options *const o) {
  float rounded[N_OUTPUTS], expected[N_OUTPUTS], nearest[N_OUTPUTS], loaded[N_OUTPUTS];
  tare_plan *a = build_plan(f->model, f->table, o);
  tare_plan *b = build_plan(f->expected, f->plain, o);
  tare_plan *c = build_plan(f->model, f->plain, o);
  tare_plan *d = rounding_reload(a);
  run_plan(a, f->x, rounded);
  run_plan(b, f->x, expected);
  run_plan(c, f->x, nearest);
  run_plan(d, f->x, loaded);
  assert_memory_equal(rounded, expected, sizeof rounded);
  assert_memory_equal(rounded, loaded, sizeof rounded);
  assert_memory_not_equal(rounded, nearest, sizeof rounded);
  expect_rounding(a, TARE_ROUNDING_TABLE, "");
  expect_rounding(b, TARE_ROUNDING_NEAREST, "");
  expect_rounding(c, TARE_ROUNDING_NEAREST, "");
  expect_rounding(d, TARE_ROUNDING_TABLE, "");
  assert_int_equal(tare_plan_n_unused_roundings(a), 0);
  tare_plan_free(&a);
  tare_plan_free(&b);
  tare_plan_free(&c);
  tare_plan_free(&d);
}

static void plans_have_the_integers_of_the_table(void **const state) {
  (void)state;
  static const char *const PRECISIONS[] = {NULL, "*:int8", "*:int8-rows,depthwise:int8",
                                           "*:int16,depthwise:int8", "*:int16-rows,depthwise:int8"};
  for (size_t i = 0; i < sizeof PRECISIONS / sizeof *PRECISIONS; i++) {
    fixture f;
    make_fixture(&f);
    check_plans(&f, &(tare_build_options){.layer_precisions = PRECISIONS[i]});
    check_plans(&f, &(tare_build_options){.layer_precisions = PRECISIONS[i], .symmetric = true});
    free_fixture(&f);
  }
}

static void the_option_rounds_to_nearest(void **const state) {
  (void)state;
  fixture f;
  make_fixture(&f);
  float rounded[N_OUTPUTS], nearest[N_OUTPUTS];
  tare_plan *a =
      build_plan(f.model, f.table, &(tare_build_options){.weight_rounding = TARE_ROUNDING_NEAREST});
  tare_plan *b = build_plan(f.model, f.plain, &(tare_build_options){0});
  run_plan(a, f.x, rounded);
  run_plan(b, f.x, nearest);
  assert_memory_equal(rounded, nearest, sizeof rounded);
  expect_rounding(a, TARE_ROUNDING_NEAREST, "");
  assert_int_equal(tare_plan_n_unused_roundings(a), 0);
  tare_plan_free(&a);
  tare_plan_free(&b);
  free_fixture(&f);
}

/* The names of a fused layer find it, whichever nodes the table's layer was fused from. */
static void fused_layers_are_found_by_their_nodes(void **const state) {
  (void)state;
  fixture f;
  make_fixture(&f);
  float rounded[N_OUTPUTS], expected[N_OUTPUTS];
  tare_table *table = new_table(f.model);
  for (int i = 0; i < N_LAYERS; i++) {
    const rounded_layer *const l = &LAYERS[i];
    char name[64];
    (void)snprintf(name, sizeof name, i & 1 ? "bias%d + %s" : "before%d + %s + after", i, l->name);
    OK(tarei_roundings_add(&table->roundings, name, outputs_of(l), inputs_of(l),
                           hash_of(f.model, l->name), f.up[i], &err));
  }
  OK(tarei_table_finish(table, "table", &err));
  tare_plan *a = build_plan(f.model, table, &(tare_build_options){0});
  tare_plan *b = build_plan(f.model, f.table, &(tare_build_options){0});
  run_plan(a, f.x, rounded);
  run_plan(b, f.x, expected);
  assert_memory_equal(rounded, expected, sizeof rounded);
  assert_int_equal(tare_plan_n_unused_roundings(a), 0);
  tare_plan_free(&a);
  tare_plan_free(&b);
  tare_table_free(&table);
  free_fixture(&f);
}

static void roundings_of_other_weights_are_not_used(void **const state) {
  (void)state;
  static const char REASON[] = "the table's rounding belongs to other weights than 'w_";
  fixture f;
  make_fixture(&f);
  float rounded[N_OUTPUTS], nearest[N_OUTPUTS];
  tare_table *table = new_table(f.model);
  for (int i = 0; i < N_LAYERS; i++) {
    const rounded_layer *const l = &LAYERS[i];
    const uint64_t hash = hash_of(f.model, l->name);
    OK(tarei_roundings_add(&table->roundings, l->name, outputs_of(l), i & 1 ? inputs_of(l) : 1,
                           i & 1 ? hash + 1 : hash, f.up[i], &err));
  }
  OK(tarei_roundings_add(&table->roundings, "missing", 1, 1, 0, f.up[0], &err));
  OK(tarei_table_finish(table, "table", &err));
  tare_plan *a = build_plan(f.model, table, &(tare_build_options){0});
  tare_plan *b = build_plan(f.model, f.plain, &(tare_build_options){0});
  run_plan(a, f.x, rounded);
  run_plan(b, f.x, nearest);
  assert_memory_equal(rounded, nearest, sizeof rounded);
  expect_rounding(a, TARE_ROUNDING_NEAREST, REASON);
  assert_int_equal(tare_plan_n_unused_roundings(a), N_LAYERS + 1);
  assert_string_equal(tare_plan_unused_rounding(a, 0), "dense");
  assert_string_equal(tare_plan_unused_rounding(a, 4), "missing");
  tare_plan *loaded = rounding_reload(a);
  expect_rounding(loaded, TARE_ROUNDING_NEAREST, REASON);
  assert_int_equal(tare_plan_n_unused_roundings(loaded), 0);
  tare_plan_free(&loaded);
  tare_plan_free(&a);
  tare_plan_free(&b);
  tare_table_free(&table);
  free_fixture(&f);
}

/* Float layers have nothing to round, nor do those that store bytes with scales of blocks. */
static void float_layers_keep_their_weights(void **const state) {
  (void)state;
  fixture f;
  make_fixture(&f);
  const tare_build_options floats = {.layer_precisions = "*:fp32"};
  const tare_build_options stored = {.layer_precisions = "*:fp32",
                                     .layer_weight_types = "third:int8"};
  float rounded[N_OUTPUTS], expected[N_OUTPUTS];
  tare_plan *a = build_plan(f.model, f.table, &floats);
  tare_plan *b = build_plan(f.model, f.plain, &floats);
  run_plan(a, f.x, rounded);
  run_plan(b, f.x, expected);
  assert_memory_equal(rounded, expected, sizeof rounded);
  assert_int_equal(layer_called(a, "first").rounding, TARE_ROUNDING_NONE);
  assert_int_equal(tare_plan_n_unused_roundings(a), 0);
  tare_plan_free(&a);
  a = build_plan(f.model, f.table, &stored);
  assert_int_equal(layer_called(a, "third").rounding, TARE_ROUNDING_NEAREST);
  assert_string_equal(layer_called(a, "third").rounding_reason,
                      "weights 'w_shared' have scales of blocks, and the table rounds for one "
                      "scale per channel");
  assert_int_equal(tare_plan_n_unused_roundings(a), 1);
  assert_string_equal(tare_plan_unused_rounding(a, 0), "third");
  tare_plan_free(&a);
  tare_plan_free(&b);
  free_fixture(&f);
}

int rounding_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_have_the_integers_of_the_table),
      cmocka_unit_test(the_option_rounds_to_nearest),
      cmocka_unit_test(fused_layers_are_found_by_their_nodes),
      cmocka_unit_test(roundings_of_other_weights_are_not_used),
      cmocka_unit_test(float_layers_keep_their_weights),
  };
  return cmocka_run_group_tests(tests, seed_once, NULL);
}
