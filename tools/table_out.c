#include "tools/table_out.h"

#include <stdio.h>

table_kind table_kind_of(const char *const path) {
  return cli_ends_with(path, ".json")    ? TABLE_KIND_JSON
         : cli_ends_with(path, ".cache") ? TABLE_KIND_TRT
                                         : TABLE_KIND_NONE;
}

tare_status table_check_column(const opt_table *const options, const table_kind kind, const int n,
                               const char *const path, tare_error *const err) {
  const int index = options->profile_index;
  if (kind != TABLE_KIND_TRT || (n == 1) == (index < 0)) {
    return kind != TABLE_KIND_TRT || index < n
               ? TARE_OK
               : cli_fail(err, TARE_E_USAGE, "--profile-index %d: the profiles are 0 to %d", index,
                          n - 1);
  }
  return n == 1
             ? cli_fail(err, TARE_E_USAGE,
                        "--profile-index %d: the thresholds are merged over all profiles; "
                        "--per-profile keeps them apart",
                        index)
             : cli_fail(err, TARE_E_USAGE,
                        "%s: a TensorRT cache holds the thresholds of one profile, and there are "
                        "%d: choose one with --profile-index 0 to %d",
                        path, n, n - 1);
}

tare_status table_write(const tare_table *const table, const table_kind kind,
                        const opt_table *const options, const char *const path,
                        tare_error *const err) {
  if (kind != TABLE_KIND_TRT) {
    return tare_table_write_json(table, path, err);
  }
  CLI_TRY(table_check_column(options, kind, tare_table_n_profiles(table), path, err));
  const tare_trt_options trt = {.version = *options->trt_version ? options->trt_version : NULL,
                                .algorithm = options->algo_header,
                                .profile = options->profile_index < 0 ? 0 : options->profile_index};
  return tare_table_write_trt(table, &trt, path, err);
}

static int count_dead(const tare_table *const table) {
  int dead = 0;
  for (int t = 0; t < tare_table_n_tensors(table); t++) {
    dead += tare_table_get(table, t, 0).amax <= 0;
  }
  return dead;
}

void table_print(const tare_table *const table) {
  const int n = tare_table_n_specs(table);
  printf("method     %s\n", tare_table_method(table));
  printf("tensors    %d", tare_table_n_tensors(table));
  const int dead = count_dead(table);
  if (dead > 0) {
    printf(" (%d dead, left in float)", dead);
  }
  printf("\ncolumns    %d\n", tare_table_n_profiles(table));
  for (int p = 0; p < n; p++) {
    printf("profile %-2d %s\n", p, tare_table_spec(table, p));
  }
  if (n == 0) {
    printf("profiles   unknown\n");
  }
  for (int i = 0; i < tare_table_n_warnings(table); i++) {
    printf("%s%s\n", i ? "  " : "warnings\n  ", tare_table_warning(table, i));
  }
}

void table_json(cJSON *const object, const tare_table *const table) {
  json_text(object, "method", tare_table_method(table));
  json_int(object, "tensors", tare_table_n_tensors(table));
  json_int(object, "dead", count_dead(table));
  json_int(object, "columns", tare_table_n_profiles(table));
  cJSON *const profiles = json_add(object, "profiles", json_array());
  for (int p = 0; p < tare_table_n_specs(table); p++) {
    json_text(profiles, NULL, tare_table_spec(table, p));
  }
  warnings_json(object, table);
}

void warnings_json(cJSON *const object, const tare_table *const table) {
  cJSON *const warnings = json_add(object, "warnings", json_array());
  for (int i = 0; table && i < tare_table_n_warnings(table); i++) {
    json_text(warnings, NULL, tare_table_warning(table, i));
  }
}

void table_print_written(const tare_table *const table, const table_kind kind,
                         const opt_table *const options, const char *const path) {
  printf("written    %s\n", path);
  if (kind == TABLE_KIND_TRT && !options->algo_header) {
    printf("header     EntropyCalibration2, which trtexec takes; the thresholds are by %s\n",
           tare_table_method(table));
  }
}
