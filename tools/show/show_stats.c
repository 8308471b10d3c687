#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/parts/stats_parts.h"
#include "tools/report.h"
#include "tools/show/sample_names.h"
#include "tools/show/show.h"
#include "tools/show/stats_evidence.h"
#include "tools/table_out.h"

enum { SHOWN_DIGITS = 12 }; /* of a hash */

static void show_stats_add_origin(report *const r, const sample_names *const names,
                                  const bool known, const tare_sample_id id) {
  const char *const name = sample_names_get(names, id);
  char *const hash = sample_id_text(id);
  if (!known) {
    report_cell(r, "-");
  } else if (name) {
    report_cell(r, "%s", name);
  } else {
    report_cell(r, "%.*s", SHOWN_DIGITS, hash);
  }
  free(hash);
}

static void show_stats_add_row(report *const r, const tare_stats_entry *const e,
                               const int profile) {
  report_cell(r, "%s", e->tensor);
  report_cell(r, "%d", profile);
  report_cell(r, "%" PRId64, e->n_samples);
  report_cell(r, "%" PRId64, e->count);
  report_cell(r, "%.6g", e->min);
  report_cell(r, "%.6g", e->max);
  report_cell(r, "%" PRId64, e->n_nan + e->n_inf);
  report_loss(r, e->static_loss);
  report_loss(r, e->row_loss);
}

static void show_stats_print_parts(const tare_stats *const stats) {
  const int64_t n = tare_stats_n_counted(stats);
  char *const why = stats_why_partial(stats);
  if (n >= 0) {
    printf("listed     %" PRId64 " sample%s by their contents\n", n, cli_s(n));
  }
  if (why) {
    printf("partial    %s\n", why);
  }
  if (tare_stats_is_undecided(stats)) {
    printf("weights    not decided yet: tare merge --model does it\n");
  }
  free(why);
}

static void show_stats_print_tensors(const tare_stats *const stats,
                                     const sample_names *const names) {
  report *const r = report_new(
      "tensor~,prof>,samples!,count!,min>,max>,bad>,static dB>,rows dB>,min of?,max of?");
  for (int t = 0; t < tare_stats_n_tensors(stats); t++) {
    for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
      const tare_stats_entry entry = tare_stats_get(stats, t, p);
      tare_sample_id min, max;
      const bool known = tare_stats_origin(stats, t, p, &min, &max);
      show_stats_add_row(r, &entry, p);
      show_stats_add_origin(r, names, known, min);
      show_stats_add_origin(r, names, known, max);
    }
  }
  report_print(r, stdout);
}

static tare_status show_stats_print_text(const tare_stats *const stats,
                                         const sample_names *const names, tare_error *const err) {
  printf("model      %s (%016" PRIx64 ")\n", tare_stats_model_name(stats),
         tare_stats_model_hash(stats));
  printf("fit        %s, padding %s\n", tare_stats_fit(stats),
         tare_stats_counts_padding(stats) ? "counted" : "excluded");
  if (*tare_stats_gain_range(stats)) {
    printf("gain range %s\n", tare_stats_gain_range(stats));
  }
  show_stats_print_parts(stats);
  printf("tensors    %d\n", tare_stats_n_tensors(stats));
  table_print_methods(tare_stats_n_clipped(stats), tare_stats_n_corrected(stats),
                      tare_stats_n_smoothed(stats));
  for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
    printf("profile %-2d %s, %" PRId64 " sample%s\n", p, tare_stats_profile(stats, p),
           tare_stats_profile_samples(stats, p), cli_s(tare_stats_profile_samples(stats, p)));
  }
  convergence_print_line(stats);
  show_stats_print_tensors(stats, names);
  convergence_print(stats);
  return stats_warnings_print(stats, err);
}

static void show_stats_fill_origin(cJSON *const bucket, const char *const end,
                                   const sample_names *const names, const tare_sample_id id) {
  char *const key = cli_format("%s_sample", end), *const name_key = cli_format("%s_name", end);
  char *const hash = sample_id_text(id);
  json_text(bucket, key, hash);
  if (sample_names_get(names, id)) {
    json_text(bucket, name_key, sample_names_get(names, id));
  }
  free(key);
  free(name_key);
  free(hash);
}

static void show_stats_fill_tensor(cJSON *const list, const tare_stats *const stats,
                                   const sample_names *const names, const int tensor) {
  cJSON *const item = json_add(list, NULL, json_object());
  json_text(item, "name", tare_stats_get(stats, tensor, 0).tensor);
  cJSON *const buckets = json_add(item, "profiles", json_array());
  for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
    const tare_stats_entry e = tare_stats_get(stats, tensor, p);
    cJSON *const bucket = json_add(buckets, NULL, json_object());
    json_int(bucket, "samples", e.n_samples);
    json_int(bucket, "count", e.count);
    json_real(bucket, "min", e.min);
    json_real(bucket, "max", e.max);
    json_int(bucket, "nan", e.n_nan);
    json_int(bucket, "inf", e.n_inf);
    json_real(bucket, "static_loss", e.static_loss);
    json_real(bucket, "row_loss", e.row_loss);
    tare_sample_id min, max;
    if (tare_stats_origin(stats, tensor, p, &min, &max)) {
      show_stats_fill_origin(bucket, "min", names, min);
      show_stats_fill_origin(bucket, "max", names, max);
    }
  }
}

static tare_status show_stats_fill_json(const tare_stats *const stats,
                                        const sample_names *const names, cJSON *const object,
                                        tare_error *const err) {
  json_text(object, "model", tare_stats_model_name(stats));
  json_hash(object, "model_hash", tare_stats_model_hash(stats));
  json_text(object, "fit", tare_stats_fit(stats));
  json_bool(object, "padding_counted", tare_stats_counts_padding(stats));
  if (*tare_stats_gain_range(stats)) {
    json_text(object, "gain_range", tare_stats_gain_range(stats));
  }
  stats_parts_json(object, stats);
  json_int(object, "clipped", tare_stats_n_clipped(stats));
  json_int(object, "corrected", tare_stats_n_corrected(stats));
  json_int(object, "smoothed", tare_stats_n_smoothed(stats));
  cJSON *const profiles = json_add(object, "profiles", json_array());
  for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
    cJSON *const profile = json_add(profiles, NULL, json_object());
    json_text(profile, "profile", tare_stats_profile(stats, p));
    json_int(profile, "samples", tare_stats_profile_samples(stats, p));
  }
  cJSON *const tensors = json_add(object, "tensors", json_array());
  for (int t = 0; t < tare_stats_n_tensors(stats); t++) {
    show_stats_fill_tensor(tensors, stats, names, t);
  }
  convergence_json(object, stats);
  return stats_warnings_json(object, stats, err);
}

static tare_status show_stats_print(const char *const path, const show_options *const options,
                                    cJSON *const object, tare_error *const err) {
  tare_stats *stats = NULL;
  sample_names names = {0};
  CLI_TRY(tare_stats_load(path, &stats, err));
  tare_status status = sample_names_find(stats, options, &names, err);
  if (status == TARE_OK && object) {
    status = show_stats_fill_json(stats, &names, object, err);
  } else if (status == TARE_OK) {
    show_title(&show_stats, path);
    status = show_stats_print_text(stats, &names, err);
  }
  sample_names_fini(&names);
  tare_stats_free(&stats);
  return status;
}

static const char *show_stats_noun(const char *const path) {
  return cli_ends_with(path, ".stats") ? "statistics" : NULL;
}

const show_kind show_stats = {.name = "statistics",
                              .probe = tare_stats_is_stats_file,
                              .noun = show_stats_noun,
                              .show = show_stats_print};
