#include "tools/debug/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/progress.h"

enum { AT_ONCE = 8 }; /* plans that share a run of the reference */

static tare_status find_layers(sensitivity *const s, const tare_plan *const plan,
                               tare_error *const err) {
  s->layers = cli_realloc(NULL, (size_t)tare_plan_n_layers(plan), sizeof *s->layers);
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (!tare_precision_is_integer(layer.got)) {
      continue;
    }
    s->layers[s->n] = (sensitive_layer){.name = cli_format("%s", layer.name),
                                        .glob = tare_layer_glob(layer.origins[0]),
                                        .precision = tare_precision_name(layer.got)};
    if (!s->layers[s->n++].glob) {
      return cli_fail(err, TARE_E_MEMORY, "names of layers: out of memory");
    }
  }
  return TARE_OK;
}

/* A plan with these requests after or instead of those given; NULL: just those given. */
static tare_status build_with(const sensitivity *const s, const char *const requests,
                              tare_plan **const out, tare_error *const err) {
  tare_build_options o = opt_build_options(s->build, s->common, s->table);
  o.layer_precisions = requests ? requests : o.layer_precisions;
  return tare_plan_build(s->model, s->profiles, &o, out, err);
}

/* The requests that were given, and more. */
static char *with_given(const sensitivity *const s, const char *const more) {
  const char *const given = s->build->layer_precisions;
  return cli_format("%s%s%s", given ? given : "", given && *more ? "," : "", more);
}

static tare_status build_for(const sensitivity *const s, const int layer, tare_plan **const out,
                             tare_error *const err) {
  const sensitive_layer *const l = &s->layers[layer];
  char *const more = s->all_but_one ? cli_format("%s:%s", l->glob, s->keep)
                                    : cli_format("*:fp32,%s:%s", l->glob, l->precision);
  char *const requests = s->all_but_one ? with_given(s, more) : cli_format("%s", more);
  const tare_status status = build_with(s, requests, out, err);
  free(more);
  free(requests);
  return status;
}

/* SQNR of n plans, and their errors for each sample unless NULL, which the caller frees; each is
 * compared with the reference in one pass over the data. */
static tare_status evaluate_plans(sensitivity *const s, tare_plan *const *const plans, const int n,
                                  double *const sqnr, tare_error_tally **const errors,
                                  tare_error *const err) {
  tare_eval_result results[AT_ONCE];
  tare_eval_options o = s->eval;
  o.against = s->reference;
  CLI_TRY(tare_dataset_rewind(s->data, err));
  CLI_TRY(tare_eval_many((const tare_plan *const *)plans, n, s->data, &o, results, err));
  for (int i = 0; i < n; i++) {
    sqnr[i] = results[i].total.sqnr_db;
    s->samples = results[i].total.samples;
    if (errors) {
      errors[i] = results[i].errors;
      s->n_errors = results[i].n_errors;
      results[i].errors = NULL;
    }
    tare_eval_result_fini(&results[i]);
  }
  return TARE_OK;
}

static tare_status measure_group(sensitivity *const s, const int first, const int n,
                                 tare_error *const err) {
  tare_plan *plans[AT_ONCE] = {NULL};
  double sqnr[AT_ONCE];
  tare_error_tally *errors[AT_ONCE] = {NULL};
  tare_status status = TARE_OK;
  for (int i = 0; status == TARE_OK && i < n; i++) {
    status = build_for(s, first + i, &plans[i], err);
  }
  if (status == TARE_OK) {
    status = evaluate_plans(s, plans, n, sqnr, errors, err);
  }
  for (int i = 0; i < n; i++) {
    s->layers[first + i].sqnr_db = status == TARE_OK ? sqnr[i] : NAN;
    s->layers[first + i].errors = errors[i];
    tare_plan_free(&plans[i]);
  }
  return status;
}

static tare_status measure_all(sensitivity *const s, tare_error *const err) {
  progress p = progress_start("layers", s->common);
  tare_status status = TARE_OK;
  for (int done = 0; status == TARE_OK && done < s->n; done += AT_ONCE) {
    const int n = s->n - done < AT_ONCE ? s->n - done : AT_ONCE;
    status = measure_group(s, done, n, err);
    (void)progress_tick(&p, done + n, s->n);
  }
  progress_end(&p);
  return status;
}

/* --- ranking ---------------------------------------------------------------------------------- */

static double noise_of(const double sqnr_db) {
  return pow(10, -sqnr_db / 10); /* 0 for INFINITY */
}

static int by_noise(const void *const a, const void *const b) {
  const double x = ((const sensitive_layer *)a)->noise, y = ((const sensitive_layer *)b)->noise;
  return (x < y) - (x > y);
}

static void sensitivity_sort(sensitivity *const s) {
  const double all = noise_of(s->quantized_db);
  for (int i = 0; i < s->n; i++) {
    const double noise = noise_of(s->layers[i].sqnr_db);
    s->layers[i].noise = s->all_but_one ? all - noise : noise;
  }
  qsort(s->layers, (size_t)s->n, sizeof *s->layers, by_noise);
}

/* How many layers meet the target if the noise of layers adds up. */
static int count_to_keep(const sensitivity *const s) {
  double noise = 0;
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    noise += fmax(s->layers[i].noise, 0);
  }
  while (n < s->n && noise > noise_of(s->target_db)) {
    noise -= fmax(s->layers[n++].noise, 0);
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

static tare_status measure_requests(sensitivity *const s, const char *const requests,
                                    double *const sqnr, tare_error *const err) {
  tare_plan *plan = NULL;
  CLI_TRY(build_with(s, requests, &plan, err));
  const tare_status status = evaluate_plans(s, &plan, 1, sqnr, NULL, err);
  tare_plan_free(&plan);
  return status;
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
  tare_plan *plan = NULL;
  CLI_TRY(tare_plan_build(s->model, s->profiles, &o, &s->reference, err));
  CLI_TRY(build_with(s, NULL, &plan, err));
  const tare_status status = find_layers(s, plan, err);
  tare_plan_free(&plan);
  CLI_TRY(status);
  return s->n ? TARE_OK
              : cli_fail(err, TARE_E_USAGE,
                         "no layer of the model would be quantized: expected "
                         "one or more (tare build says why)");
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
  }
  free(s->layers);
  free(s->line);
  tare_plan_free(&s->reference);
}
