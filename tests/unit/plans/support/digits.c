#include "unit/plans/support/digits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EXAMPLE TARE_SOURCE_DIR "/examples/digits-conv/"
#define PROFILES "samples=1600:16000:40000"

tare_error digits_error;

tare_profiles *digits_profiles(const tare_model *const model, const char *const a,
                               const char *const b) {
  const tare_port *ports;
  tare_profiles *p = NULL;
  const int n = tare_model_inputs(model, &ports);
  DIGITS_OK(tare_profiles_new(ports, n, &p, &digits_error));
  DIGITS_OK(tare_profiles_add(p, a, &digits_error));
  if (b) {
    DIGITS_OK(tare_profiles_add(p, b, &digits_error));
  }
  return p;
}

tare_table *digits_calibrate(const tare_model *const model, const tare_profiles *const profiles,
                             const bool per_profile) {
  const char *const paths[] = {EXAMPLE "calib"};
  const tare_port *ports;
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.n_inputs = tare_model_inputs(model, &ports);
  data.inputs = ports;
  data.rate = 8000;
  data.limit = 6;
  tare_dataset *set = NULL;
  DIGITS_OK(tare_dataset_open(paths, 1, &data, &set, &digits_error));
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  options.outside = TARE_OUTSIDE_NEAREST;
  tare_stats *stats = NULL;
  DIGITS_OK(tare_calibrate(model, set, profiles, &options, &stats, &digits_error));
  tare_table_options method;
  tare_table_options_init(&method);
  method.per_profile = per_profile;
  tare_table *table = NULL;
  DIGITS_OK(tare_table_from_stats(stats, &method, &table, &digits_error));
  tare_stats_free(&stats);
  tare_dataset_close(&set);
  return table;
}

int digits_setup(void **state) {
  digits *const d = calloc(1, sizeof *d);
  assert_non_null(d);
  DIGITS_OK(tare_model_load(EXAMPLE "digits-conv.onnx", &d->model, &digits_error));
  d->one = digits_profiles(d->model, PROFILES, NULL);
  d->two = digits_profiles(d->model, "samples=1600:8000:12000", "samples=12001:20000:40000");
  d->table = digits_calibrate(d->model, d->one, false);
  strcpy(d->folder, "/tmp/tare-plan-XXXXXX");
  assert_non_null(mkdtemp(d->folder));
  *state = d;
  return 0;
}

int digits_teardown(void **state) {
  digits *const d = *state;
  tare_table_free(&d->table);
  tare_profiles_free(&d->one);
  tare_profiles_free(&d->two);
  tare_model_free(&d->model);
  assert_int_equal(rmdir(d->folder), 0); /* every test cleans up behind itself */
  free(d);
  return 0;
}

tare_plan *digits_build(const digits *const d, const tare_table *const table,
                        const char *const isa) {
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  options.table = table;
  options.isa = isa;
  tare_plan *plan = NULL;
  DIGITS_OK(tare_plan_build(d->model, d->one, &options, &plan, &digits_error));
  return plan;
}
