#include "tools/table_out.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/options/formats.h"
#include "tools/say.h"

tare_status table_check_column(const table_out *const out, const int n, tare_error *const err) {
  const tare_table_format *const f = tare_table_format_at(out->format);
  const int index = out->options->profile_index;
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
                    out->path, f->noun, n, n - 1);
  }
  return index < n ? TARE_OK
                   : cli_fail(err, TARE_E_USAGE, "--profile-index %d: the profiles are 0 to %d",
                              index, n - 1);
}

/* The library's options; the settings are written to a list of TARE_MAX_TABLE_OPTIONS. */
static tare_table_write_options write_options(const table_out *const out,
                                              tare_table_setting *const settings) {
  const opt_table *const given = out->options;
  tare_table_write_options o = {.profile = given->profile_index < 0 ? 0 : given->profile_index,
                                .settings = settings};
  const tare_table_option *option = NULL;
  int owner = 0;
  for (int k = 0; (option = format_option(k, &owner)) != NULL; k++) {
    if (owner == out->format && given->settings[k]) {
      settings[o.n_settings++] = (tare_table_setting){option->name, given->settings[k]};
    }
  }
  return o;
}

static int table_lost(const table_out *const out, const tare_table *const table,
                      const char **const lost) {
  tare_table_setting settings[TARE_MAX_TABLE_OPTIONS];
  const tare_table_write_options o = write_options(out, settings);
  return tare_table_lost(table, out->format, &o, lost);
}

static void say_lost(const table_out *const out, const tare_table *const table) {
  const char *lost[TARE_MAX_TABLE_PARTS];
  const int n = table_lost(out, table, lost);
  if (n == 0) {
    return;
  }
  char *const list = cli_join(lost, n, " and ");
  char *const own = format_extensions(format_is_own, "NAME");
  say(out->common, "warning: %s: %s has no place for %s of this table (for tare build, write %s)",
      out->path, tare_table_format_at(out->format)->noun, list, own);
  free(list);
  free(own);
}

/* Whether the file has the layers of a model, rather than those of the file that was read. */
static bool has_model_layers(const table_out *const out) {
  return out->layers.written > 0;
}

static void say_layers(const table_out *const out) {
  const tare_table_layers *const n = &out->layers;
  const char *const engine = tare_table_format_at(out->format)->engine;
  if (!has_model_layers(out)) {
    return;
  }
  if (n->without + n->other > 0) {
    say(out->common,
        "warning: %s: %s keeps %d layer%s in float: %d without a threshold for the input, %d of a "
        "kind that it does not quantize",
        out->path, engine, n->without + n->other, cli_s(n->without + n->other), n->without,
        n->other);
  }
  if (n->unread > 0) {
    say(out->common,
        "warning: %s: left out %d tensor%s of the table, which no layer of the file reads",
        out->path, n->unread, cli_s(n->unread));
  }
}

tare_status table_write(table_out *const out, const tare_table *const table,
                        tare_error *const err) {
  CLI_TRY(table_check_column(out, tare_table_n_profiles(table), err));
  tare_table_setting settings[TARE_MAX_TABLE_OPTIONS];
  tare_table_write_options o = write_options(out, settings);
  o.merged = &out->merged;
  o.model = out->model;
  o.layers = &out->layers;
  CLI_TRY(tare_table_write(table, out->format, &o, out->path, err));
  say_lost(out, table);
  say_layers(out);
  return TARE_OK;
}

tare_status table_write_named(const char *const path, const opt_common *const common,
                              const tare_model *const model, const tare_table *const table,
                              tare_error *const err) {
  const opt_table options = {.profile_index = -1};
  table_out out = {.common = common,
                   .options = &options,
                   .format = tare_table_format_of(path),
                   .path = path,
                   .model = model};
  return table_write(&out, table, err);
}

/* The file that the output was merged with; NULL without one. */
static const char *table_out_template(const table_out *const out) {
  const tare_table_option *option = NULL;
  int owner = 0;
  for (int k = 0; (option = format_option(k, &owner)) != NULL; k++) {
    if (owner == out->format && option->merges && out->options->settings[k]) {
      return out->options->settings[k];
    }
  }
  return NULL;
}

static int count_dead(const tare_table *const table) {
  int dead = 0;
  for (int t = 0; t < tare_table_n_tensors(table); t++) {
    dead += tare_table_get(table, t, 0).amax <= 0;
  }
  return dead;
}

void table_print_methods(const int clipped, const int corrected, const int smoothed) {
  if (clipped > 0) {
    printf("clipped    weights of %d layer%s\n", clipped, cli_s(clipped));
  }
  if (corrected > 0) {
    printf("corrected  biases of %d layer%s\n", corrected, cli_s(corrected));
  }
  if (smoothed > 0) {
    printf("smoothed   %d tensor%s\n", smoothed, cli_s(smoothed));
  }
}

void table_print_weight_methods(const tare_table *const table) {
  table_print_methods(tare_table_n_clipped(table), tare_table_n_corrected(table),
                      tare_table_n_smoothed(table));
}

void table_print(const tare_table *const table) {
  const int n = tare_table_n_specs(table);
  const char *const method = tare_table_method(table);
  printf("method     %s\n", *method ? method : "unknown");
  if (*tare_table_gain_range(table)) {
    printf("gain range %s\n", tare_table_gain_range(table));
  }
  printf("tensors    %d", tare_table_n_tensors(table));
  const int dead = count_dead(table);
  if (dead > 0) {
    printf(" (%d dead, left in float)", dead);
  }
  printf("\n");
  table_print_weight_methods(table);
  if (tare_table_n_raised(table)) {
    printf("raised     %d layer%s, which 8 bits cost too much\n", tare_table_n_raised(table),
           cli_s(tare_table_n_raised(table)));
  }
  printf("columns    %d\n", tare_table_n_profiles(table));
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

void table_json_weight_methods(cJSON *const object, const tare_table *const table) {
  json_int(object, "clipped", tare_table_n_clipped(table));
  json_int(object, "corrected", tare_table_n_corrected(table));
  json_int(object, "smoothed", tare_table_n_smoothed(table));
}

void table_json(cJSON *const object, const tare_table *const table) {
  json_text(object, "method", tare_table_method(table));
  if (*tare_table_gain_range(table)) {
    json_text(object, "gain_range", tare_table_gain_range(table));
  }
  if (*tare_table_layer_precisions(table)) {
    json_text(object, "layer_precisions", tare_table_layer_precisions(table));
  }
  json_int(object, "tensors", tare_table_n_tensors(table));
  json_int(object, "dead", count_dead(table));
  table_json_weight_methods(object, table);
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

void table_written_json(cJSON *const object, const table_out *const out,
                        const tare_table *const table) {
  const char *lost[TARE_MAX_TABLE_PARTS];
  const int n = table_lost(out, table, lost);
  cJSON *const list = json_add(object, "lost", json_array());
  for (int i = 0; i < n; i++) {
    json_text(list, NULL, lost[i]);
  }
  if (table_out_template(out)) {
    cJSON *const merged = json_add(object, "template", json_object());
    json_text(merged, "file", table_out_template(out));
    json_int(merged, "replaced", out->merged.replaced);
    json_int(merged, "kept", out->merged.kept);
    json_int(merged, "added", out->merged.added);
  }
  if (has_model_layers(out)) {
    cJSON *const layers = json_add(object, "layers", json_object());
    json_int(layers, "written", out->layers.written);
    json_int(layers, "without", out->layers.without);
    json_int(layers, "other", out->layers.other);
    json_int(layers, "unread", out->layers.unread);
  }
}

void table_print_written(const table_out *const out, const tare_table *const table) {
  printf("written    %s\n", out->path);
  if (has_model_layers(out)) {
    printf("layers     %d in the file\n", out->layers.written);
  }
  if (table_out_template(out)) {
    printf("template   %s: replaced %d, kept %d, added %d\n", table_out_template(out),
           out->merged.replaced, out->merged.kept, out->merged.added);
    return; /* its header stays, too */
  }
  const tare_table_option *option = NULL;
  int owner = 0;
  for (int k = 0; (option = format_option(k, &owner)) != NULL; k++) {
    const int number = (int)(option - tare_table_format_at(owner)->options);
    if (owner == out->format && option->remark && !out->options->settings[k] &&
        !tare_table_keeps(table, owner, number)) {
      printf("note       %s\n", option->remark);
    }
  }
}
