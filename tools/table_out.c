#include "tools/table_out.h"

#include <stdio.h>

#include "tools/options/formats.h"

tare_status table_check_column(const opt_table *const options, const int format, const int n,
                               const char *const path, tare_error *const err) {
  const tare_table_format *const f = tare_table_format_at(format);
  const int index = options->profile_index;
  if (!f || f->per_profile) {
    return TARE_OK;
  }
  if (n == 1) {
    return index < 0 ? TARE_OK
                     : cli_fail(err, TARE_E_USAGE,
                                "--profile-index %d: the thresholds are merged over all profiles "
                                "(keep them apart with --per-profile)",
                                index);
  }
  if (index < 0) {
    return cli_fail(err, TARE_E_USAGE,
                    "%s: %s holds the thresholds of one profile, but there are %d: choose one with "
                    "--profile-index 0 to %d",
                    path, f->noun, n, n - 1);
  }
  return index < n ? TARE_OK
                   : cli_fail(err, TARE_E_USAGE, "--profile-index %d: the profiles are 0 to %d",
                              index, n - 1);
}

tare_status table_write(const tare_table *const table, const int format,
                        const opt_table *const options, const char *const path,
                        tare_error *const err) {
  CLI_TRY(table_check_column(options, format, tare_table_n_profiles(table), path, err));
  tare_table_setting settings[TARE_MAX_TABLE_OPTIONS];
  tare_table_write_options o = {.profile = options->profile_index < 0 ? 0 : options->profile_index,
                                .settings = settings};
  const tare_table_option *option = NULL;
  int owner = 0;
  for (int k = 0; (option = format_option(k, &owner)) != NULL; k++) {
    if (owner == format && options->settings[k]) {
      settings[o.n_settings++] = (tare_table_setting){option->name, options->settings[k]};
    }
  }
  return tare_table_write(table, format, &o, path, err);
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

void table_print_written(const int format, const opt_table *const options, const char *const path) {
  printf("written    %s\n", path);
  const tare_table_option *option = NULL;
  int owner = 0;
  for (int k = 0; (option = format_option(k, &owner)) != NULL; k++) {
    if (owner == format && option->remark && !options->settings[k]) {
      printf("note       %s\n", option->remark);
    }
  }
}
