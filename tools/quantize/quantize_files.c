#include "tools/quantize/quantize_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/commands/export_show.h"
#include "tools/output.h"

static char *name_of(const char *const path, const int profile) {
  static const char END[] = ".onnx";
  const size_t n = strlen(path), end = sizeof END - 1;
  const bool ends = n > end && strcmp(path + n - end, END) == 0;
  return profile < 0
             ? cli_format("%s", path)
             : cli_format("%.*s.%d%s", (int)(ends ? n - end : n), path, profile, ends ? END : "");
}

tare_status quantize_files_name(const char *const path, const bool per_profile,
                                const int n_profiles, const cli_list *const inputs,
                                quantize_files *const out, tare_error *const err) {
  const int n = per_profile ? n_profiles : 1;
  *out = (quantize_files){.items = cli_realloc(NULL, (size_t)n, sizeof *out->items)};
  for (; out->n < n; out->n++) {
    const int profile = per_profile ? out->n : -1;
    char *const name = name_of(path, profile), *const data = cli_format("%s.data", name);
    out->items[out->n] = (quantize_file){.path = name,
                                         .profile = profile,
                                         .had = output_is_there(name),
                                         .had_data = output_is_there(data)};
    free(data);
  }
  for (int i = 0; i < n; i++) {
    CLI_TRY(output_check(out->items[i].path, inputs, err));
  }
  return TARE_OK;
}

void quantize_files_remove(const quantize_files *const files) {
  for (int i = 0; i < files->n; i++) {
    const quantize_file *const file = &files->items[i];
    char *const data = cli_format("%s.data", file->path);
    if (file->out && !file->had) {
      (void)unlink(file->path); /* it may not have come so far */
    }
    if (file->out && file->external && !file->had_data) {
      (void)unlink(data);
    }
    free(data);
  }
}

void quantize_files_fini(quantize_files *const files) {
  for (int i = 0; i < files->n; i++) {
    quantize_file *const file = &files->items[i];
    if (files->results) {
      tare_eval_result_fini(&files->results[i]);
    }
    tare_plan_free(&file->plan);
    tare_export_free(&file->out);
    free(file->path);
  }
  free(files->results);
  free(files->items);
}

static tare_status quantize_write_file(const quantize_writing *const how, quantize_file *const file,
                                       tare_error *const err) {
  CLI_TRY(quantize_export(how, file->profile, &file->out, err));
  export_say(how->common, file->out, file->path);
  return tare_export_save(file->out, file->path, how->export->most, &file->external, err);
}

tare_status quantize_files_write(const quantize_writing *const how, quantize_files *const files,
                                 tare_error *const err) {
  for (int i = 0; i < files->n; i++) {
    CLI_TRY(quantize_write_file(how, &files->items[i], err));
  }
  return TARE_OK;
}

static tare_status quantize_read_files(const quantize_writing *const how,
                                       quantize_files *const files, tare_error *const err) {
  for (int i = 0; i < files->n; i++) {
    quantize_file *const file = &files->items[i];
    if (!file->plan) {
      CLI_TRY(quantize_plan(how, file->path, &file->plan, err));
    }
  }
  return TARE_OK;
}

tare_status quantize_files_run(const quantize_writing *const how, tare_dataset *const data,
                               const tare_eval_options *const options, quantize_files *const files,
                               tare_eval_result *const results, tare_error *const err) {
  CLI_TRY(quantize_read_files(how, files, err));
  const tare_plan **const plans = cli_realloc(NULL, (size_t)files->n, sizeof *plans);
  for (int i = 0; i < files->n; i++) {
    plans[i] = files->items[i].plan;
  }
  const tare_status status = tare_eval_many(plans, files->n, data, options, results, err);
  free(plans);
  return status;
}

const tare_eval_score *quantize_score(const tare_eval_result *const result, const int profile) {
  return profile < 0 ? &result->total : &result->profiles[profile];
}

double quantize_sqnr(const tare_eval_result *const result, const int profile) {
  return quantize_score(result, profile)->sqnr_db;
}
