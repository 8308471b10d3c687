/* Quantized models, written and read back: every target with every form, on both examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/model.h"
#include "graph/quantize/weights/weight_scale.h"
#include "graph/quantize/weights/weight_view.h"
#include "graph/table/merge.h"
#include "graph/quantize/weights/round_weights.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/named.h"
#include "graph/table/rounding.h"
#include "unit/calib/support/exports.h"

static double sqnr_of(export_subject *const s, const char *const path, const bool fp32) {
  tare_error err = {0};
  tare_model *model = NULL;
  tare_plan *plan = NULL;
  tare_build_options build;
  tare_build_options_init(&build);
  build.int8_when_small = true;
  build.fp32 = fp32;
  export_must(tare_model_load(path, &model, &err), &err);
  export_must(tare_plan_build(model, s->profiles, &build, &plan, &err), &err);
  tare_eval_options eval;
  tare_eval_options_init(&eval);
  eval.against = s->plan;
  eval.outside = TARE_OUTSIDE_NEAREST;
  tare_eval_result result;
  export_must(tare_dataset_rewind(s->dataset, &err), &err);
  export_must(tare_eval(plan, s->dataset, &eval, &result, &err), &err);
  const double db = result.total.sqnr_db;
  assert_int_equal(result.total.samples, EXPORT_SAMPLES);
  tare_eval_result_fini(&result);
  tare_plan_free(&plan);
  tare_model_free(&model);
  return db;
}

/* --- tests ----------------------------------------------------------------------------------- */

/* Dynamic scales lose what row scales keep, so that only their form is looked at. */
static void every_target_and_form_keeps_the_model(void **const state) {
  (void)state;
  for (int i = 0; i < N_EXPORT_SUBJECTS * tare_n_export_targets() * TARE_ROWS_COUNT *
                          TARE_EXPORT_WEIGHTS_COUNT;
       i++) {
    export_subject *const s = &export_subjects[i % N_EXPORT_SUBJECTS];
    tare_export_options o = export_options_of(s);
    o.target = i / N_EXPORT_SUBJECTS % tare_n_export_targets();
    o.rows = (tare_row_form)(i / N_EXPORT_SUBJECTS / tare_n_export_targets() % TARE_ROWS_COUNT);
    o.weights =
        (tare_export_weights)(i / N_EXPORT_SUBJECTS / tare_n_export_targets() / TARE_ROWS_COUNT);
    tare_export *out = NULL;
    tare_error err = {0};
    if (tare_export_new(s->path, &o, &out, &err) != TARE_OK) {
      assert_true(o.rows != TARE_ROWS_FLOAT || o.weights == TARE_EXPORT_WEIGHTS_UINT8);
      assert_int_equal(err.status, TARE_E_USAGE);
      continue;
    }
    tare_export_free(&out);
    int n = 0;
    char *const path = export_write(s, &o, 0, "int8", &n);
    const double whole = sqnr_of(s, path, false), plain = sqnr_of(s, path, true);
    if (n < 10 || whole < s->least_db || plain < s->least_db) {
      fail_msg("%s, %s, rows %s: %d int8 layers, %.1f dB, as floats %.1f dB", s->path,
               tare_export_target_at(o.target)->name, tare_row_form_name((int)o.rows), n, whole,
               plain);
    }
    export_drop_path(path);
  }
}

/* --- rounding -------------------------------------------------------------------------------- */

/* Gives every second node other scales; the hash that its rounding has. */
static uint64_t clip_some(tare_table *const table, const tarei_graph *const g, const int node,
                          const tarei_weight_view *const view) {
  const uint64_t hash = tarei_weight_view_hash(g, view);
  tarei_numbers *const clippings = &table->numbers[TAREI_NUMBERS_CLIPPING];
  if (node % 2) {
    return hash;
  }
  float *const scales = malloc((size_t)view->n * sizeof *scales);
  assert_non_null(scales);
  for (int64_t j = 0; j < view->n; j++) {
    scales[j] = tarei_weight_view_scale(g->values[view->value].data->data, view, j) *
                (0.5F + 0.5F / (float)(1 + j % 7));
  }
  assert_int_equal(tarei_numbers_add(clippings, g->nodes[node].name, view->n, hash, scales, NULL),
                   TARE_OK);
  free(scales);
  return tarei_clipped_hash(hash, &clippings->items[clippings->n - 1]);
}

/* A copy of the subject's table that rounds the weights of all layers, at random. */
static tare_table *rounding_table(const export_subject *const s) {
  const tarei_graph *const g = s->model->graph;
  tare_table *table = NULL;
  tare_error err = {0};
  export_must(tarei_table_merge(s->table, -1, &table, &err), &err);
  tarei_roundings_fini(&table->roundings);
  for (int n = 0; n < g->n_nodes; n++) {
    tarei_weight_view view;
    if (tarei_weight_view_of(g, &g->nodes[n], &view)) {
      const size_t bytes = tarei_rounding_bytes(view.n, view.k);
      uint8_t *const up = malloc(bytes);
      assert_non_null(up);
      for (size_t i = 0; i < bytes; i++) {
        up[i] = (uint8_t)(i * i * 37 + i * 101 + (size_t)n);
      }
      const uint64_t hash = clip_some(table, g, n, &view);
      export_must(
          tarei_roundings_add(&table->roundings, g->nodes[n].name, view.n, view.k, hash, up, &err),
          &err);
      free(up);
    }
  }
  export_must(tarei_table_finish(table, "table", &err), &err);
  return table;
}

/* Compares the integers of a layer with the decisions; false where the export has none. */
static bool has_decided_weights(const tarei_graph *const g, const tarei_node *const node,
                                const tarei_graph *const exported, const tare_table *const table) {
  tarei_weight_view view;
  char name[256];
  if (!tarei_weight_view_of(g, node, &view)) {
    return false;
  }
  (void)snprintf(name, sizeof name, "%s_quantized", g->values[view.value].name);
  const int value = tarei_graph_find_value(exported, name);
  const float *const w = g->values[view.value].data->data;
  const tarei_weight_choice choice = {
      .rounding = tarei_named_find(TAREI_NAMED(&table->roundings), node->name),
      .clipping =
          tarei_named_find(TAREI_NAMED(&table->numbers[TAREI_NUMBERS_CLIPPING]), node->name)};
  if (value < 0) {
    return false;
  }
  const int8_t *const q = exported->values[value].data->data;
  (void)snprintf(name, sizeof name, "%s_scale", g->values[view.value].name);
  const int of_scales = tarei_graph_find_value(exported, name);
  assert_true(of_scales >= 0);
  const float *const scales = exported->values[of_scales].data->data;
  for (int64_t j = 0; j < view.n; j++) {
    const float scale = tarei_chosen_scale(&choice, w, &view, j);
    assert_true(scales[j] == scale);
    for (int64_t i = 0; i < view.k; i++) {
      const int64_t at = tarei_weight_view_at(&view, j, i);
      assert_int_equal(
          q[at], tarei_weight_round(w[at], scale, tarei_rounding_is_up(choice.rounding, j, i)));
    }
  }
  return true;
}

static void weights_are_rounded_as_the_table_says(void **const state) {
  (void)state;
  for (int i = 0; i < N_EXPORT_SUBJECTS; i++) {
    const export_subject *const s = &export_subjects[i];
    const tarei_graph *const g = s->model->graph;
    tare_export_options o = export_options_of(s);
    tare_table *table = rounding_table(s);
    tare_export *out = NULL;
    tare_model *exported = NULL;
    tare_error err = {0};
    int compared = 0, reported = 0, clipped = 0;
    o.table = table;
    char *const path = export_write(s, &o, 0, NULL, NULL);
    export_must(tare_model_load(path, &exported, &err), &err);
    for (int n = 0; n < g->n_nodes; n++) {
      compared += has_decided_weights(g, &g->nodes[n], exported->graph, table);
    }
    export_must(tare_export_new(s->path, &o, &out, &err), &err);
    for (int l = 0; l < tare_export_n_layers(out); l++) {
      reported += tare_export_layer(out, l).rounding == TARE_ROUNDING_TABLE;
      clipped += tare_export_layer(out, l).clipped;
    }
    assert_true(compared >= 10);
    assert_int_equal(reported, compared);
    assert_true(clipped > 0 && clipped < compared);
    tare_export_free(&out);
    tare_model_free(&exported);
    tare_table_free(&table);
    export_drop_path(path);
  }
}

/* The largest integer of all weights in 8 bits, of any sign, and how many constants hold them. */
static int largest_weight(const tarei_graph *const g, int *const n) {
  int largest = 0;
  for (int v = 0; v < g->n_values; v++) {
    const tarei_value *const value = &g->values[v];
    if (!strstr(value->name, "_quantized") || value->dtype != TARE_I8 || !value->data) {
      continue;
    }
    ++*n;
    for (size_t i = 0; i < value->data->size; i++) {
      const int q = abs(((const int8_t *)value->data->data)[i]);
      largest = q > largest ? q : largest;
    }
  }
  return largest;
}

/* Two products of u8 and 64 add up to 32640. */
static void weights_of_7_bits_reach_from_minus_64_to_64(void **const state) {
  (void)state;
  for (int i = 0; i < N_EXPORT_SUBJECTS; i++) {
    tare_export_options o = export_options_of(&export_subjects[i]);
    int largest[2], n[2] = {0};
    for (int seven = 0; seven < 2; seven++) {
      tare_model *exported = NULL;
      tare_error err = {0};
      o.weights = seven ? TARE_EXPORT_WEIGHTS_INT7 : TARE_EXPORT_WEIGHTS_INT8;
      char *const path = export_write(&export_subjects[i], &o, 0, NULL, NULL);
      export_must(tare_model_load(path, &exported, &err), &err);
      largest[seven] = largest_weight(exported->graph, &n[seven]);
      tare_model_free(&exported);
      export_drop_path(path);
    }
    assert_true(n[0] >= 10);
    assert_int_equal(n[1], n[0]);
    assert_int_equal(largest[0], 127);
    assert_int_equal(largest[1], 64);
  }
}

/* Scales of activations in the model, as exported for a table of so many samples; to be freed. */
static float *scales_of_activations(const export_subject *const s, const int64_t samples,
                                    int *const n) {
  tare_export_options o = export_options_of(s);
  tare_table *table = NULL;
  tare_model *exported = NULL;
  tare_error err = {0};
  export_must(tarei_table_merge(s->table, -1, &table, &err), &err);
  table->profiles[0].samples = samples;
  o.table = table;
  char *const path = export_write(s, &o, 0, NULL, NULL);
  export_must(tare_model_load(path, &exported, &err), &err);
  const tarei_graph *const g = exported->graph;
  float *const scales = calloc((size_t)g->n_values, sizeof *scales);
  assert_non_null(scales);
  for (int v = 0; v < g->n_values; v++) {
    const tarei_value *const value = &g->values[v];
    const bool scale = value->data && value->rank == 0 && strstr(value->name, "_scale");
    scales[*n] = scale ? *(const float *)value->data->data : 0;
    *n += scale;
  }
  tare_model_free(&exported);
  tare_table_free(&table);
  export_drop_path(path);
  return scales;
}

static void scales_of_few_samples_are_wider(void **const state) {
  (void)state;
  const export_subject *const s = &export_subjects[1];
  int n[2] = {0};
  float *const few = scales_of_activations(s, 7, &n[0]);
  float *const enough = scales_of_activations(s, 8, &n[1]);
  assert_true(n[0] >= 10);
  assert_int_equal(n[0], n[1]);
  for (int i = 0; i < n[0]; i++) {
    assert_true(few[i] > 1.2499F * enough[i] && few[i] < 1.2501F * enough[i]);
  }
  free(few);
  free(enough);
}

static void an_export_is_the_same_bytes_again(void **const state) {
  (void)state;
  for (int i = 0; i < N_EXPORT_SUBJECTS; i++) {
    const tare_export_options o = export_options_of(&export_subjects[i]);
    char *const a = export_write(&export_subjects[i], &o, 0, NULL, NULL);
    char *const b = export_write(&export_subjects[i], &o, 0, NULL, NULL);
    export_assert_same_files(a, b);
    export_drop_path(a);
    export_drop_path(b);
  }
}

static void constants_may_lie_beside_the_model(void **const state) {
  (void)state;
  export_subject *const s = &export_subjects[0];
  const tare_export_options o = export_options_of(s);
  char *const whole = export_write(s, &o, 0, NULL, NULL);
  char *const beside = export_write(s, &o, 1, NULL, NULL);
  assert_true(sqnr_of(s, whole, false) == sqnr_of(s, beside, false));
  export_drop_path(whole);
  export_drop_path(beside);
}

/* A model of before would read the constants of one that could not be written. */
static void constants_of_a_lost_model_are_not_kept(void **const state) {
  (void)state;
  const export_subject *const s = &export_subjects[0];
  const tare_export_options o = export_options_of(s);
  tare_error err = {0};
  tare_export *out = NULL;
  bool external = false;
  char *const path = export_new_path();
  char data[64];
  snprintf(data, sizeof data, "%s.data", path);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  export_must(tare_export_new(s->path, &o, &out, &err), &err);
  assert_int_equal(tare_export_save(out, path, 1 /* most */, &external, &err), TARE_E_IO);
  assert_int_equal(access(data, F_OK), -1);
  assert_int_equal(rmdir(path), 0);
  tare_export_free(&out);
  export_drop_path(path);
}

static void rows_get_the_form_that_was_asked_for(void **const state) {
  (void)state;
  static const char *const FORMS[TARE_ROWS_COUNT] = {"fp32", "int16", "dynamic"};
  for (int rows = 0; rows < TARE_ROWS_COUNT; rows++) {
    tare_export_options o = export_options_of(&export_subjects[0]);
    o.rows = (tare_row_form)rows;
    int n = 0;
    export_drop_path(export_write(&export_subjects[0], &o, 0, FORMS[rows], &n));
    assert_true(n > 0); /* its first convolution reads one channel */
  }
}

/* A copy of the subject's table in which one scale costs the rows of every tensor half. */
static tare_table *lossy_table(const export_subject *const s) {
  tare_table *table = NULL;
  tare_error err = {0};
  export_must(tarei_table_merge(s->table, -1, &table, &err), &err);
  for (int t = 0; t < table->n_tensors; t++) {
    for (int c = 0; c < table->n_columns; c++) {
      table->tensors[t].cells[c].static_loss = 0.5;
    }
  }
  return table;
}

static void no_convolution_is_static_where_rows_are_lost(void **const state) {
  (void)state;
  tare_export_options o = export_options_of(&export_subjects[0]);
  tare_table *table = lossy_table(&export_subjects[0]);
  tare_export *out = NULL;
  tare_error err = {0};
  o.table = table;
  export_must(tare_export_new(export_subjects[0].path, &o, &out, &err), &err);
  int n = 0;
  for (int l = 0; l < tare_export_n_layers(out); l++) {
    const tare_exported_layer layer = tare_export_layer(out, l);
    if (strcmp(layer.op, "Conv") == 0) {
      assert_string_equal(layer.form, "fp32");
      n++;
    }
  }
  assert_true(n > 10); /* depthwise ones among them */
  tare_export_free(&out);
  tare_table_free(&table);
}

static int target_of(const char *const name) {
  int target = 0;
  while (strcmp(tare_export_target_at(target)->name, name) != 0) {
    target++;
  }
  return target;
}

/* How many residuals TensorRT would add in float, in a model that was written for a target. */
static int count_float_residuals(const char *const target) {
  tare_export_options o = export_options_of(&export_subjects[0]);
  o.target = target_of(target);
  char *const path = export_write(&export_subjects[0], &o, 0, NULL, NULL);
  tare_check *check = NULL;
  tare_error err = {0};
  export_must(tare_check_new(path, target_of("tensorrt"), NULL, &check, &err), &err);
  int n = 0;
  for (int i = 0; i < tare_check_n_findings(check); i++) {
    n += strcmp(tare_check_finding(check, i).rule, "residual") == 0;
  }
  tare_check_free(&check);
  export_drop_path(path);
  return n;
}

static void residuals_are_int8_where_tensorrt_fuses_them(void **const state) {
  (void)state;
  assert_int_equal(count_float_residuals("tensorrt"), 0);
  assert_int_equal(count_float_residuals("generic"), 4); /* one for each block */
}

static void layers_stay_float_by_name(void **const state) {
  (void)state;
  tare_export_options o = export_options_of(&export_subjects[0]);
  o.layer_precisions = "*:fp32";
  int n = 0;
  export_drop_path(export_write(&export_subjects[0], &o, 0, "int8", &n));
  assert_int_equal(n, 0);
  o.layer_precisions = "no-such-layer:fp32";
  tare_export *out = NULL;
  tare_error err = {0};
  assert_int_equal(tare_export_new(export_subjects[0].path, &o, &out, &err), TARE_E_USAGE);
  assert_null(out);
}

static void what_cannot_be_exported_is_refused(void **const state) {
  (void)state;
  tare_export *out = NULL;
  tare_error err = {0};
  tare_export_options o = export_options_of(&export_subjects[0]);
  char *const path = export_write(&export_subjects[0], &o, 0, NULL, NULL);
  o.any_table = true;
  assert_int_equal(tare_export_new(path, &o, &out, &err), TARE_E_UNSUPPORTED); /* quantized */
  o.any_table = false;
  assert_int_equal(tare_export_new(export_subjects[1].path, &o, &out, &err), TARE_E_USAGE);
  o.any_table = true;
  o.profile = 7;
  assert_int_equal(tare_export_new(export_subjects[0].path, &o, &out, &err), TARE_E_USAGE);
  o.profile = -1;
  o.target = 99;
  assert_int_equal(tare_export_new(export_subjects[0].path, &o, &out, &err), TARE_E_USAGE);
  o.target = 0;
  assert_int_equal(tare_export_new("/no/such.onnx", &o, &out, &err), TARE_E_INPUT);
  export_drop_path(path);
}

int export_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_target_and_form_keeps_the_model),
      cmocka_unit_test(an_export_is_the_same_bytes_again),
      cmocka_unit_test(weights_are_rounded_as_the_table_says),
      cmocka_unit_test(weights_of_7_bits_reach_from_minus_64_to_64),
      cmocka_unit_test(scales_of_few_samples_are_wider),
      cmocka_unit_test(constants_may_lie_beside_the_model),
      cmocka_unit_test(constants_of_a_lost_model_are_not_kept),
      cmocka_unit_test(rows_get_the_form_that_was_asked_for),
      cmocka_unit_test(no_convolution_is_static_where_rows_are_lost),
      cmocka_unit_test(residuals_are_int8_where_tensorrt_fuses_them),
      cmocka_unit_test(layers_stay_float_by_name),
      cmocka_unit_test(what_cannot_be_exported_is_refused),
  };
  return cmocka_run_group_tests(tests, export_open_subjects, export_close_subjects);
}
