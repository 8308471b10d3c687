/* Reads a calibration table of any format, and writes it in all of them: JSON must come back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

static void tables_look(const tare_table *const table) {
  for (int i = 0; i < tare_table_n_tensors(table); i++) {
    for (int k = 0; k < tare_table_n_profiles(table); k++) {
      const tare_table_entry entry = tare_table_get(table, i, k);
      if (!(entry.amax >= 0) || isinf(entry.amax) || tare_table_find(table, entry.tensor) != i) {
        abort();
      }
    }
  }
  for (int i = 0; i < tare_table_n_specs(table); i++) {
    (void)strlen(tare_table_spec(table, i));
  }
  for (int i = 0; i < tare_table_n_warnings(table); i++) {
    (void)strlen(tare_table_warning(table, i));
  }
}

static void tables_json(const tare_table *const table) {
  const char *const path = fuzz_path("again.json");
  tare_table *again = NULL;
  tare_error err = {0};
  fuzz_need(tare_table_write_json(table, path, &err), &err);
  fuzz_need(tare_table_read(path, &again, &err), &err);
  if (tare_table_n_tensors(again) != tare_table_n_tensors(table)) {
    abort();
  }
  for (int i = 0; i < tare_table_n_tensors(table); i++) {
    /* files of layers have thresholds of more digits than the float32 that JSON keeps */
    if ((float)tare_table_get(again, i, 0).amax != (float)tare_table_get(table, i, 0).amax) {
      abort();
    }
  }
  tare_table_free(&again);
}

static int tables_test(const uint8_t *const data, const size_t size) {
  const char *const path = fuzz_file("scales.table", data, size);
  tare_table *table = NULL;
  tare_error err = {0};
  if (fuzz_ok(tare_table_read(path, &table, &err), &err)) {
    tables_look(table);
    tables_json(table);
    for (int i = 0; i < tare_n_table_formats(); i++) {
      fuzz_ok(tare_table_write(table, i, &(tare_table_write_options){0}, fuzz_path("again"), &err),
              &err);
    }
  }
  tare_table_free(&table);
  return 0;
}

/* Each format, written from a table of the tests. */
static void tables_make(fuzz_take_fn *const take, void *const user) {
  static const char text[] =
      "TRT-101602-EntropyCalibration2\naudio: 3c010204\n/conv/out: 3d810204\n";
  const char *const path = fuzz_file("seed.cache", text, sizeof text - 1);
  const char *const written = fuzz_path("seed.table");
  tare_table *table = NULL;
  tare_error err = {0};
  fuzz_need(tare_table_read(path, &table, &err), &err);
  for (int i = 0; i < tare_n_table_formats(); i++) {
    if (fuzz_ok(tare_table_write(table, i, &(tare_table_write_options){0}, written, &err), &err)) {
      fuzz_take_file(written, take, user);
    }
  }
  tare_table_free(&table);
}

static const char *const tables_seeds[] = {"tests/fixtures/tables/quoted/*", NULL};

static const char *const tables_words[] = {"TRT-",
                                           ": 3c010204",
                                           "\"tensors\"",
                                           "\"amax\"",
                                           "\"profiles\"",
                                           "\"rounding\"",
                                           "\"smoothing\"",
                                           "\"clipping\"",
                                           "null",
                                           "1e999",
                                           "-1",
                                           "NaN",
                                           "{",
                                           "[",
                                           "_param_0",
                                           "\\u0000",
                                           "\"data\"",
                                           "\n",
                                           NULL};

const fuzz_target fuzz_target_tables = {.name = "tables",
                                        .seeds = tables_seeds,
                                        .make = tables_make,
                                        .test = tables_test,
                                        .words = tables_words};
