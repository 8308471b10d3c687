#include "tools/commands/quantize_choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/progress.h"

/* Tables and plans of the methods that are tried. */
typedef struct candidates {
  tare_table **tables;
  tare_plan **plans;
  int n;
} candidates;

static tare_status make_table(const quantize_trial *const t, const int method,
                              tare_table **const out, tare_error *const err) {
  tare_table_options o;
  tare_table_options_init(&o);
  o.method = tare_method_name(method);
  o.per_profile = t->per_profile;
  o.percentile = tare_method_takes_percentile(method) ? t->percentile : 0;
  return tare_table_from_stats(t->stats, &o, out, err);
}

static tare_status add_candidate(const quantize_trial *const t, const int method,
                                 candidates *const c, quantize_choice *const out,
                                 tare_error *const err) {
  out->tried[out->n_tried++] = (quantize_method){method, NAN};
  CLI_TRY(make_table(t, method, &c->tables[c->n], err));
  const tare_build_options build = opt_build_options(NULL, t->common, c->tables[c->n]);
  c->n++;
  return t->method ? TARE_OK /* nothing to choose */
                   : tare_plan_build(t->model, t->profiles, &build, &c->plans[c->n - 1], err);
}

static tare_status add_candidates(const quantize_trial *const t, candidates *const c,
                                  quantize_choice *const out, tare_error *const err) {
  for (int m = 0; m < tare_n_methods(); m++) {
    if (!t->method || strcmp(t->method, tare_method_name(m)) == 0) {
      CLI_TRY(add_candidate(t, m, c, out, err));
    }
  }
  return TARE_OK;
}

static tare_status try_candidates(const quantize_trial *const t, const candidates *const c,
                                  quantize_choice *const out, tare_error *const err) {
  progress p = progress_start("choose", t->common);
  tare_eval_options o = t->eval;
  o.against = out->fp32;
  o.progress = progress_tick;
  o.progress_user = &p;
  tare_eval_result *const results = cli_realloc(NULL, (size_t)c->n, sizeof *results);
  memset(results, 0, (size_t)c->n * sizeof *results);
  tare_status status = tare_dataset_rewind(t->data, err);
  if (status == TARE_OK) {
    status = tare_eval_many((const tare_plan *const *)c->plans, c->n, t->data, &o, results, err);
  }
  for (int i = 0; i < c->n; i++) {
    out->tried[i].sqnr_db = status == TARE_OK ? tare_eval_lowest_sqnr(&results[i]) : NAN;
    out->best = out->tried[i].sqnr_db > out->tried[out->best].sqnr_db ? i : out->best;
    tare_eval_result_fini(&results[i]);
  }
  free(results);
  progress_end(&p);
  return status;
}

tare_status quantize_choose(const quantize_trial *const t, quantize_choice *const out,
                            tare_error *const err) {
  const size_t most = (size_t)tare_n_methods();
  candidates c = {.tables = cli_realloc(NULL, most, sizeof *c.tables),
                  .plans = cli_realloc(NULL, most, sizeof *c.plans)};
  memset(c.tables, 0, most * sizeof *c.tables);
  memset(c.plans, 0, most * sizeof *c.plans);
  *out = (quantize_choice){.tried = cli_realloc(NULL, most, sizeof *out->tried)};
  const tare_build_options fp32 = opt_build_options(NULL, t->common, NULL);
  tare_status status = TARE_OK;
  if (t->reference || !t->method) {
    status = tare_plan_build(t->model, t->profiles, &fp32, &out->fp32, err);
  }
  if (status == TARE_OK) {
    status = add_candidates(t, &c, out, err);
  }
  if (status == TARE_OK && c.n > 1) {
    status = try_candidates(t, &c, out, err);
  }
  if (status == TARE_OK) {
    out->table = c.tables[out->best];
    c.tables[out->best] = NULL;
  }
  for (int i = 0; i < c.n; i++) {
    tare_table_free(&c.tables[i]);
    tare_plan_free(&c.plans[i]);
  }
  free(c.tables);
  free(c.plans);
  return status;
}

void quantize_choice_fini(quantize_choice *const choice) {
  free(choice->tried);
  tare_table_free(&choice->table);
  tare_plan_free(&choice->fp32);
}
