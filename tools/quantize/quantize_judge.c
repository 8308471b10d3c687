#include "tools/quantize/quantize_judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/say.h"
#include "tools/source.h"
#include "tools/tune/effort.h"

static bool file_is_bad(const quantize_file *const file) {
  return file->checked.sqnr_db < ACCURACY_LIMIT; /* not with NAN */
}

static tare_status open_judged(const quantize_judged *const j, const int64_t limit,
                               tare_dataset **const data, tare_eval_options *const eval,
                               tare_error *const err) {
  const ports p = ports_of_model(j->model);
  const opt_metric none = {.metric = -1};
  *eval = source_eval_options(j->in, &none, j->lengths, j->streaming);
  eval->against = j->fp32;
  return source_open_first(j->in, &p, j->streaming, limit, data, err);
}

/* --- layers ----------------------------------------------------------------------------------- */

/* The model with one quantized layer, over the samples. */
static tare_status measure_layer(const quantize_judged *const j, const quantize_writing *const how,
                                 const int profile, const char *const form,
                                 sensitive_layer *const layer, tare_error *const err) {
  opt_export export = *how->export;
  quantize_writing alone = *how;
  tare_dataset *data = NULL;
  tare_plan *plan = NULL;
  tare_eval_options o;
  tare_eval_result result;
  const char *const kept = strcmp(form, "int8") == 0 ? form : "int8-rows";
  char *const requests = cli_format("*:fp32,%s:%s", layer->glob, kept);
  export.options.layer_precisions = requests;
  alone.export = &export;
  tare_status status = quantize_draft(&alone, profile, &plan, err);
  if (status == TARE_OK) {
    status = open_judged(j, ACCURACY_RANKED_SAMPLES, &data, &o, err);
  }
  if (status == TARE_OK) {
    status = tare_eval(plan, data, &o, &result, err);
  }
  if (status == TARE_OK) {
    layer->sqnr_db = result.total.sqnr_db;
    tare_eval_result_fini(&result);
  }
  tare_dataset_close(&data);
  tare_plan_free(&plan);
  free(requests);
  return status;
}

static int by_sqnr(const void *const a, const void *const b) {
  const double x = ((const sensitive_layer *)a)->sqnr_db, y = ((const sensitive_layer *)b)->sqnr_db;
  return (x > y) - (x < y);
}

static void say_remedy(const opt_common *const common, const sensitive_layer *const layers,
                       const int n) {
  char *requests = cli_format("%s", "");
  for (int i = 0; i < n && i < ACCURACY_NAMED_LAYERS; i++) {
    requests = cli_append(requests, "%s%s:fp32", i ? "," : "", layers[i].glob);
  }
  say(common, "--layer-precisions '%s' keeps them in float", requests);
  free(requests);
}

static tare_status rank_layers(const quantize_judged *const j, const quantize_writing *const how,
                               const quantize_file *const file, sensitive_layer *const layers,
                               tare_error *const err) {
  tare_status status = TARE_OK;
  int n = 0;
  for (int i = 0; status == TARE_OK && i < tare_export_n_layers(file->out); i++) {
    const tare_exported_layer layer = tare_export_layer(file->out, i);
    if (strcmp(layer.form, "fp32") == 0) {
      continue;
    }
    layers[n].name = cli_format("%s", layer.name);
    status = tare_layer_glob(layer.name, &layers[n++].glob, err);
    if (status == TARE_OK) {
      status = measure_layer(j, how, file->profile, layer.form, &layers[n - 1], err);
    }
  }
  if (status == TARE_OK && n) {
    qsort(layers, (size_t)n, sizeof *layers, by_sqnr);
    char *const names = accuracy_costly_layers(layers, n);
    say(&j->in->common, "%s", names);
    free(names);
    say_remedy(&j->in->common, layers, n);
  }
  for (int i = 0; i < n; i++) {
    free(layers[i].name);
    tare_free(layers[i].glob);
  }
  return status;
}

/* Names the layers that cost most, unless that takes too long. */
static tare_status say_costly_layers(const quantize_judged *const j,
                                     const quantize_writing *const how,
                                     const quantize_file *const file,
                                     const tare_eval_result *const result, tare_error *const err) {
  const int n = tare_export_n_layers(file->out);
  effort e;
  CLI_TRY(effort_of_model(j->model, j->fp32, result, &e, err));
  const double foreseen = n * effort_of_trial(&e, ACCURACY_RANKED_SAMPLES);
  if (foreseen > accuracy_ranking_seconds(j->processor_seconds)) {
    say(&j->in->common,
        "its layers were not tried one by one, which takes about %.0f s; `tare debug sensitivity' "
        "does it with plans",
        foreseen);
    return TARE_OK;
  }
  sensitive_layer *const layers = cli_realloc(NULL, (size_t)n, sizeof *layers);
  memset(layers, 0, (size_t)n * sizeof *layers);
  const tare_status status = rank_layers(j, how, file, layers, err);
  free(layers);
  return status;
}

/* --- files ------------------------------------------------------------------------------------ */

static tare_status judge_files(const quantize_judged *const j, const quantize_writing *const how,
                               quantize_files *const files, tare_eval_result *const results,
                               tare_error *const err) {
  tare_dataset *data = NULL;
  tare_eval_options o;
  tare_status status = open_judged(j, ACCURACY_SAMPLES, &data, &o, err);
  if (status == TARE_OK) {
    status = quantize_files_run(how, data, &o, files, results, err);
  }
  tare_dataset_close(&data);
  CLI_TRY(status);
  for (int i = 0; i < files->n; i++) {
    quantize_file *const file = &files->items[i];
    accuracy_note(&file->checked, &results[i], quantize_score(&results[i], file->profile));
    if (file->profile < 0) {
      score_warn_outputs(&j->in->common, &results[i], file->plan);
    }
  }
  return TARE_OK;
}

/* What so few samples show says little about others (docs/accuracy.md). Those of a profile may be
 * more than were looked at. */
static void warn_of_few(const quantize_judged *const j, const quantize_file *const file) {
  enum { FEW_SAMPLES = 4 };
  const int64_t n = file->checked.samples;
  if (file->profile < 0 && n > 0 && n < FEW_SAMPLES && !j->evaluated && !file_is_bad(file)) {
    say(&j->in->common,
        "warning: %s is calibrated on %" PRId64
        " sample%s, and may have less than %d dB on others, as a quarter to a third of such models "
        "do: "
        "expected 8 or more, or --eval with other data",
        file->path, n, cli_s(n), ACCURACY_LIMIT);
  }
}

/* What was written has no outputs beside those of the model. */
static void say_unchecked(const quantize_judged *const j, const quantize_file *const file,
                          const tare_eval_score *const score) {
  if (!file->checked.samples) {
    say(&j->in->common,
        "the accuracy of %s was not checked: none of the first %d samples is in its profile",
        file->path, ACCURACY_SAMPLES);
  } else if (isnan(file->checked.sqnr_db) && score->top1_agreement < 1) {
    say(&j->in->common,
        "warning: %s has no float output: %.2f %% of its integers are those of float on %" PRId64
        " sample%s (make the scores that decide them an output to have layers raised)",
        file->path, 100 * score->top1_agreement, file->checked.samples,
        cli_s(file->checked.samples));
  }
}

static tare_status quantize_look(const quantize_judged *const j, const quantize_writing *const how,
                                 quantize_files *const files, tare_eval_result *const results,
                                 tare_error *const err) {
  CLI_TRY(judge_files(j, how, files, results, err));
  for (int i = 0; i < files->n; i++) {
    const quantize_file *const file = &files->items[i];
    say_unchecked(j, file, quantize_score(&results[i], file->profile));
    warn_of_few(j, file);
    if (file_is_bad(file)) {
      accuracy_warn(&j->in->common, file->path, file->checked.sqnr_db, file->checked.worst,
                    file->checked.samples);
      CLI_TRY(say_costly_layers(j, how, file, results, err));
    }
  }
  return TARE_OK;
}

void quantize_judge(const quantize_judged *const what, const quantize_writing *const how,
                    quantize_files *const files) {
  tare_error err = {0};
  if (what->in->common.quiet && !what->in->common.json) {
    return;
  }
  tare_eval_result *const results = cli_realloc(NULL, (size_t)files->n, sizeof *results);
  memset(results, 0, (size_t)files->n * sizeof *results);
  if (quantize_look(what, how, files, results, &err) != TARE_OK) {
    say(&what->in->common, "warning: the accuracy of what was written was not checked: %s",
        err.message);
  }
  for (int i = 0; i < files->n; i++) {
    tare_eval_result_fini(&results[i]);
  }
  free(results);
}

void quantize_judge_evaluation(const opt_common *const common, const quantize_files *const files) {
  for (int i = 0; i < files->n; i++) {
    const quantize_file *const file = &files->items[i];
    accuracy found = {0};
    accuracy_note(&found, &files->results[i], quantize_score(&files->results[i], file->profile));
    if (!file_is_bad(file) && found.sqnr_db < ACCURACY_LIMIT) {
      accuracy_warn(common, file->path, found.sqnr_db, found.worst, found.samples);
    }
  }
}
