#include "tools/show/stats_evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/cli.h"
#include "tools/report.h"

enum { LEAST_SAMPLES = 16 }; /* with fewer, nothing can be said */

static double convergence_share(const tare_convergence *const c,
                                const tare_convergence_step *const step) {
  return c->n_tensors ? (double)step->n_near / c->n_tensors : 1;
}

/* The last part of at most half of the samples; NULL if there is none. */
static const tare_convergence_step *convergence_half(const tare_convergence *const c) {
  const int64_t all = c->steps[c->n - 1].samples;
  const tare_convergence_step *half = NULL;
  for (int i = 0; i < c->n && c->steps[i].samples <= all / 2; i++) {
    half = &c->steps[i];
  }
  return half;
}

void convergence_print_line(const tare_stats *const stats) {
  tare_convergence c;
  tare_stats_convergence(stats, &c);
  const int64_t all = c.n ? c.steps[c.n - 1].samples : 0;
  const tare_convergence_step *const half = all < LEAST_SAMPLES ? NULL : convergence_half(&c);
  if (c.enough && half) {
    printf("enough     %" PRId64 " of %" PRId64
           " samples bring 95 %% of the tensors to 90 %% of their ranges\n",
           c.enough, all);
  } else if (half) {
    printf("enough     not yet: %" PRId64 " of %" PRId64
           " samples bring %.0f %% of the tensors to 90 %% of their ranges, '%s' to %.0f %%: add "
           "samples, or use a method that needs fewer, such as percentile\n",
           half->samples, all, 100 * convergence_share(&c, half), half->farthest, 100 * half->part);
  }
}

void convergence_print(const tare_stats *const stats) {
  tare_convergence c;
  tare_stats_convergence(stats, &c);
  if (c.n < 2 || c.n_tensors == 0) {
    return;
  }
  report *const r = report_new("part of the samples>,tensors near %>,farthest~,at %>");
  for (int i = 0; i < c.n; i++) {
    report_cell(r, "%" PRId64, c.steps[i].samples);
    report_cell(r, "%.1f", 100 * convergence_share(&c, &c.steps[i]));
    report_cell(r, "%s", c.steps[i].farthest);
    report_cell(r, "%.1f", 100 * c.steps[i].part);
  }
  report_print(r, stdout);
}

void convergence_json(cJSON *const object, const tare_stats *const stats) {
  tare_convergence c;
  tare_stats_convergence(stats, &c);
  cJSON *const item = json_add(object, "convergence", json_object());
  json_int(item, "enough", c.enough);
  cJSON *const list = json_add(item, "parts", json_array());
  for (int i = 0; i < c.n && c.n_tensors; i++) {
    cJSON *const step = json_add(list, NULL, json_object());
    json_int(step, "samples", c.steps[i].samples);
    json_real(step, "near", convergence_share(&c, &c.steps[i]));
    json_text(step, "farthest", c.steps[i].farthest);
    json_real(step, "reaches", c.steps[i].part);
  }
}

tare_status stats_warnings_count(const tare_stats *const stats, const char *const path,
                                 tare_error *const err) {
  tare_warnings *warnings = NULL;
  int n = 0;
  CLI_TRY(tare_stats_warnings(stats, &warnings, err));
  for (int i = 0; i < tare_warnings_count(warnings); i++) {
    n += !tare_warnings_get(warnings, i)->usual;
  }
  if (n) {
    char *const quoted = cli_quoted(path);
    printf("warnings   %d kind%s: tare inspect %s shows them\n", n, cli_s(n), quoted);
    free(quoted);
  }
  tare_warnings_free(&warnings);
  return TARE_OK;
}

tare_status stats_warnings_print(const tare_stats *const stats, tare_error *const err) {
  tare_warnings *warnings = NULL;
  CLI_TRY(tare_stats_warnings(stats, &warnings, err));
  for (int i = 0; i < tare_warnings_count(warnings); i++) {
    printf("%s  %s\n", i ? "" : "warnings\n", tare_warnings_get(warnings, i)->text);
  }
  tare_warnings_free(&warnings);
  return TARE_OK;
}

tare_status stats_warnings_json(cJSON *const object, const tare_stats *const stats,
                                tare_error *const err) {
  tare_warnings *warnings = NULL;
  CLI_TRY(tare_stats_warnings(stats, &warnings, err));
  cJSON *const list = json_add(object, "warnings", json_array());
  for (int i = 0; i < tare_warnings_count(warnings); i++) {
    const tare_warning *const w = tare_warnings_get(warnings, i);
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "kind", w->kind);
    json_text(item, "text", w->text);
    json_bool(item, "usual", w->usual);
    cJSON *const names = json_add(item, "names", json_array());
    for (int k = 0; k < w->n_names; k++) {
      json_text(names, NULL, w->names[k]);
    }
  }
  tare_warnings_free(&warnings);
  return TARE_OK;
}
