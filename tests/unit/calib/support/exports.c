/* Models with their tables, and files of exports, for the tests of quantized models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/calib/support/exports.h"

#define EXAMPLES TARE_SOURCE_DIR "/examples"

export_subject export_subjects[N_EXPORT_SUBJECTS] = {
    {.path = EXAMPLES "/digits-conv/digits-conv.onnx",
     .data = {EXAMPLES "/digits-conv/calib/0000.wav", EXAMPLES "/digits-conv/calib/0015.wav"},
     .profile = "samples=1600:16000:40000",
     .rate = 8000,
     .least_db = 15},
    {.path = EXAMPLES "/intents-mini/intents-mini.onnx",
     .data = {EXAMPLES "/intents-mini/calib.h5"},
     .profile = "sequence=2:64:512",
     .least_db = 15},
};

void export_must(const tare_status status, const tare_error *const err) {
  if (status != TARE_OK) {
    fail_msg("%s", err->message);
  }
}

void export_open_subject(export_subject *const s) {
  tare_error err = {0};
  const tare_port *ports = NULL;
  export_must(tare_model_load(s->path, &s->model, &err), &err);
  const int n = tare_model_inputs(s->model, &ports);
  export_must(tare_profiles_new(ports, n, &s->profiles, &err), &err);
  export_must(tare_profiles_add(s->profiles, s->profile, &err), &err);
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.inputs = ports;
  data.n_inputs = n;
  data.rate = s->rate;
  data.limit = EXPORT_SAMPLES;
  export_must(tare_dataset_open(s->data, s->data[1] ? 2 : 1, &data, &s->dataset, &err), &err);
  tare_calibrate_options calibrate;
  tare_calibrate_options_init(&calibrate);
  calibrate.all_tensors = true;
  calibrate.outside = TARE_OUTSIDE_NEAREST;
  tare_stats *stats = NULL;
  export_must(tare_calibrate(s->model, s->dataset, s->profiles, &calibrate, &stats, &err), &err);
  export_must(tare_table_from_stats(stats, NULL, &s->table, &err), &err);
  tare_stats_free(&stats);
  export_must(tare_plan_build(s->model, s->profiles, NULL, &s->plan, &err), &err);
}

int export_open_subjects(void **const state) {
  (void)state;
  for (int i = 0; i < N_EXPORT_SUBJECTS; i++) {
    export_open_subject(&export_subjects[i]);
  }
  return 0;
}

void export_close_subject(export_subject *const s) {
  tare_plan_free(&s->plan);
  tare_table_free(&s->table);
  tare_dataset_close(&s->dataset);
  tare_profiles_free(&s->profiles);
  tare_model_free(&s->model);
}

int export_close_subjects(void **const state) {
  (void)state;
  for (int i = 0; i < N_EXPORT_SUBJECTS; i++) {
    export_close_subject(&export_subjects[i]);
  }
  return 0;
}

/* --- writing and reading --------------------------------------------------------------------- */

tare_export_options export_options_of(const export_subject *const s) {
  tare_export_options o;
  tare_export_options_init(&o);
  o.table = s->table;
  return o;
}

char *export_new_path(void) {
  char *const path = strdup("tare-export-XXXXXX");
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && close(fd) == 0);
  return path;
}

void export_drop_path(char *const path) {
  char data[64];
  snprintf(data, sizeof data, "%s.data", path);
  unlink(path);
  unlink(data);
  free(path);
}

/* Writes the subject's model; counts its layers by form where `form` is not NULL. */
char *export_write(const export_subject *const s, const tare_export_options *const o,
                   const int64_t most, const char *const form, int *const count) {
  tare_error err = {0};
  tare_export *out = NULL;
  bool external = false;
  char *const path = export_new_path();
  export_must(tare_export_new(s->path, o, &out, &err), &err);
  for (int i = 0; form && i < tare_export_n_layers(out); i++) {
    *count += strcmp(tare_export_layer(out, i).form, form) == 0;
  }
  export_must(tare_export_save(out, path, most, &external, &err), &err);
  assert_int_equal(external, most > 0);
  tare_export_free(&out);
  return path;
}

static char *read_bytes(const char *const path, size_t *const n) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *n = (size_t)ftell(file);
  rewind(file);
  char *const bytes = malloc(*n + 1);
  assert_int_equal(fread(bytes, 1, *n, file), *n);
  fclose(file);
  return bytes;
}

void export_assert_same_files(const char *const a, const char *const b) {
  size_t n = 0, m = 0;
  char *const x = read_bytes(a, &n), *const y = read_bytes(b, &m);
  assert_int_equal(n, m);
  assert_memory_equal(x, y, n);
  free(x);
  free(y);
}
