#include <stdio.h>

#include "tools/score.h"
#include "tools/show/show.h"

static const char *show_result_noun(const char *const path) {
  return cli_ends_with(path, ".result") ? "the result of an evaluation" : NULL;
}

static int show_result_metric(const tare_eval_result *const result) {
  return result->states ? tare_metric_states_metric(result->states) : -1;
}

static void show_result_print_text(const tare_eval_result *const result, const int metric,
                                   const char *const note) {
  if (metric >= 0) {
    printf("%-16s %s\n", "metric", tare_metric_name(metric));
  }
  score_print(result, NULL, metric, result->n_errors > 0, NULL);
  if (*note) {
    printf("\nmade with\n%s\n", note);
  }
}

static void show_result_fill_json(const tare_eval_result *const result, const int metric,
                                  const char *const note, cJSON *const object) {
  const bool compared = result->n_errors > 0;
  score_json(object, &result->total, metric, compared);
  levels_json(object, result, metric, compared);
  json_real(object, "run_seconds", result->seconds);
  json_text(object, "note", note);
}

static tare_status show_result_print(const char *const path, const show_options *const options,
                                     cJSON *const object, tare_error *const err) {
  tare_eval_result result;
  char *note;
  (void)options;
  CLI_TRY(tare_eval_result_load(path, &result, &note, err));
  const int metric = show_result_metric(&result);
  if (object) {
    show_result_fill_json(&result, metric, note, object);
  } else {
    show_title(&show_result, path);
    show_result_print_text(&result, metric, note);
  }
  tare_free(note);
  tare_eval_result_fini(&result);
  return TARE_OK;
}

const show_kind show_result = {.name = "result",
                               .probe = tare_eval_is_result_file,
                               .noun = show_result_noun,
                               .show = show_result_print};
