/* Quantized models turned back: exporting again gives the same bytes, for every target and form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/calib/exports.h"

#define FOREIGN TARE_SOURCE_DIR "/tests/fixtures/qdq/foreign.onnx"

static tare_import *import_of(const char *const path, char **const clean) {
  tare_error err = {0};
  tare_import *in = NULL;
  bool external = false;
  export_must(tare_import_new(path, NULL, &in, &err), &err);
  *clean = export_new_path();
  export_must(tare_import_save(in, *clean, 0, &external, &err), &err);
  assert_false(external);
  return in;
}

/* Exports, imports, exports again. */
static void round_trip(const export_subject *const s, const tare_export_options *const o) {
  tare_error err = {0};
  char *clean = NULL;
  char *const first = export_write(s, o, 0, NULL, NULL);
  tare_import *in = import_of(first, &clean);
  const tare_import_counts counts = tare_import_count(in);
  if (counts.kept || counts.relus || counts.scales || !counts.activations || !counts.constants) {
    fail_msg("%s: %d kept, %d relus, %d scales, %d activations, %d constants", s->path, counts.kept,
             counts.relus, counts.scales, counts.activations, counts.constants);
  }
  export_subject again = *s;
  again.path = clean;
  tare_export_options to = *o;
  to.table = tare_import_table(in);
  to.layer_precisions = tare_import_precisions(in);
  char *const second = export_write(&again, &to, 0, NULL, NULL);
  export_assert_same_files(first, second);
  export_must(tare_table_write_json(to.table, second, &err), &err);
  tare_table *read = NULL;
  export_must(tare_table_read(second, &read, &err), &err);
  to.table = read;
  char *const third = export_write(&again, &to, 0, NULL, NULL);
  export_assert_same_files(first, third);
  tare_table_free(&read);
  tare_import_free(&in);
  export_drop_path(first);
  export_drop_path(second);
  export_drop_path(third);
  export_drop_path(clean);
}

static void an_export_comes_back_to_the_byte(void **const state) {
  (void)state;
  static const tare_row_form ROWS[] = {TARE_ROWS_FLOAT, TARE_ROWS_INT16};
  for (int i = 0; i < N_EXPORT_SUBJECTS * tare_n_export_targets() * 4; i++) {
    const export_subject *const s = &export_subjects[i % N_EXPORT_SUBJECTS];
    tare_export_options o = export_options_of(s);
    o.target = i / N_EXPORT_SUBJECTS % tare_n_export_targets();
    o.rows = ROWS[i / N_EXPORT_SUBJECTS / tare_n_export_targets() % 2];
    o.float_weights = i / N_EXPORT_SUBJECTS / tare_n_export_targets() / 2;
    tare_error err = {0};
    tare_export *out = NULL;
    if (tare_export_new(s->path, &o, &out, &err) == TARE_E_USAGE) { /* not a form of the target */
      assert_int_not_equal(o.rows, TARE_ROWS_FLOAT);
      continue;
    }
    tare_export_free(&out);
    round_trip(s, &o);
  }
}

/* The first product shares its input with two others, so that the table has its threshold. */
static void float_layers_stay_float(void **const state) {
  (void)state;
  const export_subject *const s = &export_subjects[1];
  tare_export_options o = export_options_of(s);
  tare_export *out = NULL;
  tare_error err = {0};
  char spec[256];
  export_must(tare_export_new(s->path, &o, &out, &err), &err);
  snprintf(spec, sizeof spec, "%s:fp32", tare_export_layer(out, 0).name);
  tare_export_free(&out);
  o.layer_precisions = spec;
  char *clean = NULL, *const path = export_write(s, &o, 0, NULL, NULL);
  tare_import *in = import_of(path, &clean);
  assert_string_equal(tare_import_precisions(in), spec);
  tare_import_free(&in);
  export_drop_path(path);
  export_drop_path(clean);
  round_trip(s, &o);
}

static tare_table_entry entry_of(const tare_table *const table, const char *const tensor) {
  const int i = tare_table_find(table, tensor);
  if (i < 0) {
    fail_msg("no threshold of %s", tensor);
  }
  return tare_table_get(table, i, 0);
}

/* Scales of other tools: uneven zero points, a Relu that a zero point stands for, an output behind
 * a pair, weights whose largest integer is not 127, and integers that something else reads. */
static void foreign_models_come_back(void **const state) {
  (void)state;
  tare_error err = {0};
  char *clean = NULL;
  tare_import *in = import_of(FOREIGN, &clean);
  const tare_import_counts counts = tare_import_count(in);
  const tare_table *const table = tare_import_table(in);
  assert_int_equal(counts.activations, 3);
  assert_int_equal(counts.constants, 2);
  assert_int_equal(counts.relus, 1);
  assert_int_equal(counts.scales, 1);
  assert_int_equal(counts.kept, 2);
  assert_string_equal(tare_import_kept(in, 0).op, "MatMulInteger");
  assert_string_equal(tare_import_kept(in, 1).op, "QuantizeLinear");
  const tare_table_entry x = entry_of(table, "x");
  assert_true(x.min == -0.5 * 100 && x.max == 0.5 * 155 && x.amax == x.max);
  assert_int_equal(tare_table_n_warnings(table), 1);
  assert_true(entry_of(table, "h_restored").min == 0);
  assert_true(fabs(entry_of(table, "h_restored").amax - 255 * 0.25) < 1e-4);
  assert_true(entry_of(table, "y").amax == 127 * 0.125);
  tare_model *model = NULL;
  const tare_port *outputs = NULL;
  export_must(tare_model_load(clean, &model, &err), &err);
  assert_int_equal(tare_model_outputs(model, &outputs), 2);
  assert_string_equal(outputs[0].name, "y");
  tare_model_free(&model);
  tare_import_free(&in);
  export_drop_path(clean);
}

static void what_is_not_quantized_is_refused(void **const state) {
  (void)state;
  tare_import *in = NULL;
  tare_error err = {0};
  assert_int_equal(tare_import_new(export_subjects[0].path, NULL, &in, &err), TARE_E_UNSUPPORTED);
  assert_null(in);
  assert_int_equal(tare_import_new("/no/such.onnx", NULL, &in, &err), TARE_E_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_export_comes_back_to_the_byte),
      cmocka_unit_test(float_layers_stay_float),
      cmocka_unit_test(foreign_models_come_back),
      cmocka_unit_test(what_is_not_quantized_is_refused),
  };
  return cmocka_run_group_tests(tests, export_open_subjects, export_close_subjects);
}
