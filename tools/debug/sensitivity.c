#include "tools/debug/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/progress.h"

static tare_status find_layers(sensitivity *const s, const tare_plan *const plan,
                               tare_error *const err) {
  s->layers = cli_realloc(NULL, (size_t)tare_plan_n_layers(plan), sizeof *s->layers);
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (!tare_precision_is_integer(layer.got)) {
      continue;
    }
    s->layers[s->n] = (sensitive_layer){.name = cli_format("%s", layer.name),
                                        .precision = tare_precision_name(layer.got)};
    const tare_status status = tare_layer_glob(layer.origins[0], &s->layers[s->n++].glob, err);
    if (status != TARE_OK) {
      return status;
    }
  }
  return TARE_OK;
}

/* The requests that were given, and more. */
static char *with_given(const sensitivity *const s, const char *const more) {
  const char *const given = s->build->layer_precisions;
  return cli_format("%s%s%s", given ? given : "", given && *more ? "," : "", more);
}

static char *requests_for(const sensitivity *const s, const sensitive_layer *const l) {
  if (!s->all_but_one) {
    return cli_format("*:fp32,%s:%s", l->glob, l->precision);
  }
  char *const more = cli_format("%s:%s", l->glob, s->keep);
  char *const requests = with_given(s, more);
  free(more);
  return requests;
}

/* Builds and compares plans with each of n requests, NULL: those given. */
static tare_status try_requests(sensitivity *const s, char *const *const requests, const int n,
                                tare_eval_result *const results, tare_error *const err) {
  const char *lines[TARE_MOST_TRIALS];
  const tare_build_options build = opt_build_options(s->build, s->common, s->table);
  tare_eval_options o = s->eval;
  o.against = s->reference;
  for (int i = 0; i < n; i++) {
    lines[i] = requests[i] ? requests[i] : build.layer_precisions;
  }
  CLI_TRY(tare_try_requests(s->model, s->profiles, &build, lines, n, s->data, &o, results, err));
  s->samples = results[0].total.samples;
  return TARE_OK;
}

/* The result keeps nothing that the layer needs. */
static void take_result(sensitivity *const s, sensitive_layer *const l,
                        tare_eval_result *const result) {
  l->sqnr_db = result->total.sqnr_db;
  l->errors = result->errors;
  l->levels = result->levels;
  s->n_errors = result->n_errors;
  s->n_columns = result->n_columns;
  s->n_levels = result->n_levels;
  result->errors = NULL;
  result->levels = NULL;
  tare_eval_result_fini(result);
}

static tare_status measure_group(sensitivity *const s, const int first, const int n,
                                 tare_error *const err) {
  char *requests[TARE_MOST_TRIALS];
  tare_eval_result results[TARE_MOST_TRIALS];
  for (int i = 0; i < n; i++) {
    requests[i] = requests_for(s, &s->layers[first + i]);
  }
  const tare_status status = try_requests(s, requests, n, results, err);
  for (int i = 0; i < n; i++) {
    free(requests[i]);
    if (status == TARE_OK) {
      take_result(s, &s->layers[first + i], &results[i]);
    }
  }
  return status;
}

static tare_status measure_all(sensitivity *const s, tare_error *const err) {
  progress p = progress_start("layers", s->common);
  tare_status status = TARE_OK;
  for (int done = 0; status == TARE_OK && done < s->n; done += TARE_MOST_TRIALS) {
    const int n = s->n - done < TARE_MOST_TRIALS ? s->n - done : TARE_MOST_TRIALS;
    status = measure_group(s, done, n, err);
    (void)progress_tick(&p, done + n, s->n);
  }
  progress_end(&p);
  return status;
}

/* --- ranking ---------------------------------------------------------------------------------- */

/* A layer that leaves no numbers, NAN, costs most. */
static double noise_of(const double sqnr_db) {
  return isnan(sqnr_db) ? INFINITY : pow(10, -sqnr_db / 10); /* 0 for INFINITY */
}

static int by_noise(const void *const a, const void *const b) {
  const double x = ((const sensitive_layer *)a)->noise, y = ((const sensitive_layer *)b)->noise;
  return (x < y) - (x > y);
}

static void sensitivity_sort(sensitivity *const s) {
  const double all = noise_of(s->quantized_db);
  for (int i = 0; i < s->n; i++) {
    const double noise = noise_of(s->layers[i].sqnr_db);
    const bool cures = noise < INFINITY || all < INFINITY;
    s->layers[i].noise = !s->all_but_one ? noise : cures ? all - noise : 0;
  }
  qsort(s->layers, (size_t)s->n, sizeof *s->layers, by_noise);
}

/* How many layers meet the target if the noise of layers adds up. */
static int count_to_keep(const sensitivity *const s) {
  const double most = noise_of(s->target_db);
  double noise = 0;
  int n = s->n;
  while (n > 0 && noise + fmax(s->layers[n - 1].noise, 0) <= most) {
    noise += fmax(s->layers[--n].noise, 0);
  }
  return n;
}

static void request_kept(sensitivity *const s) {
  char *line = cli_format("%s", "");
  for (int i = 0; i < s->n_kept; i++) {
    line = cli_append(line, "%s%s:%s", i ? "," : "", s->layers[i].glob, s->keep);
  }
  free(s->line);
  s->line = with_given(s, line);
  free(line);
}

static tare_status measure_requests(sensitivity *const s, char *const requests,
                                    double *const sqnr_db, tare_error *const err) {
  tare_eval_result result;
  CLI_TRY(try_requests(s, &requests, 1, &result, err));
  *sqnr_db = result.total.sqnr_db;
  tare_eval_result_fini(&result);
  return TARE_OK;
}

/* The estimate first, then one layer more at a time: errors of layers may also amplify each other.
 */
static tare_status keep_layers(sensitivity *const s, tare_error *const err) {
  progress p = progress_start("keep", s->common);
  tare_status status = TARE_OK;
  s->kept_db = s->quantized_db;
  const int least = count_to_keep(s);
  for (int n = least > 0 ? least : 1; status == TARE_OK && s->kept_db < s->target_db && n <= s->n;
       n++) {
    s->n_kept = n;
    request_kept(s);
    status = measure_requests(s, s->line, &s->kept_db, err);
    (void)progress_tick(&p, s->n_kept, s->n);
  }
  progress_end(&p);
  return status;
}

static tare_status sensitivity_prepare(sensitivity *const s, tare_error *const err) {
  const tare_build_options o = opt_build_options(NULL, s->common, NULL);
  const tare_build_options given = opt_build_options(s->build, s->common, s->table);
  tare_plan *plan = NULL;
  CLI_TRY(tare_plan_build(s->model, s->profiles, &o, &s->reference, err));
  CLI_TRY(tare_plan_build(s->model, s->profiles, &given, &plan, err));
  const tare_status status = find_layers(s, plan, err);
  tare_plan_free(&plan);
  return status;
}

tare_status sensitivity_measure(sensitivity *const s, tare_error *const err) {
  CLI_TRY(sensitivity_prepare(s, err));
  CLI_TRY(measure_requests(s, NULL, &s->quantized_db, err));
  CLI_TRY(measure_all(s, err));
  sensitivity_sort(s);
  CLI_TRY(sensitivity_rank_layers(s, err));
  request_kept(s);
  return keep_layers(s, err);
}

void sensitivity_fini(sensitivity *const s) {
  for (int i = 0; i < s->n; i++) {
    free(s->layers[i].name);
    tare_free(s->layers[i].glob);
    free(s->layers[i].errors);
    free(s->layers[i].levels);
  }
  free(s->layers);
  free(s->line);
  tare_plan_free(&s->reference);
}
