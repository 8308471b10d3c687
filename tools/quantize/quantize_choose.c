#include "tools/quantize/quantize_choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/progress.h"
#include "tools/quantize/quantize_files.h"
#include "tools/show/layer_facts.h"

/* Of the largest share of integers: with less, a model is accurate because it is in float. */
static const double LEAST_SHARE = 0.9;
/* In dB: the share of models below it does not count. */
static const double LEAST_SQNR = 25;

/* In dB: by so much a method whose scales clip must be better in plans, whose other scales are
 * found at run time, and more than so much is no better. What it clips is little in the data, and
 * may be more in other samples. */
static const double LEAST_GAIN = 1.5, ENOUGH_SQNR = 30;

/* Tables of the methods that are tried, and plans with them for the data at hand. */
typedef struct candidates {
  tare_table **tables;
  tare_plan **plans;
  tare_eval_result *results;
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

static tare_status add_candidates(const quantize_trial *const t, candidates *const c,
                                  quantize_choice *const out, tare_error *const err) {
  for (int m = 0; m < tare_n_methods(); m++) {
    if (!t->method || strcmp(t->method, tare_method_name(m)) == 0) {
      out->tried[out->n_tried++] = (quantize_method){m, NAN, NAN};
      CLI_TRY(make_table(t, m, &c->tables[c->n++], err));
    }
  }
  return TARE_OK;
}

static tare_status plan_candidate(const quantize_trial *const t, const int profile,
                                  const tare_table *const table, tare_plan **const out,
                                  tare_error *const err) {
  if (!t->writing) {
    const tare_build_options build = opt_trial_options(NULL, t->common, table);
    return tare_plan_build(t->model, t->profiles, &build, out, err);
  }
  quantize_writing how = *t->writing;
  how.table = table;
  return quantize_draft(&how, profile, out, err);
}

static tare_status plan_candidates(const quantize_trial *const t, const int profile,
                                   const candidates *const c, tare_error *const err) {
  for (int i = 0; i < c->n; i++) {
    tare_plan_free(&c->plans[i]);
    CLI_TRY(plan_candidate(t, profile, c->tables[i], &c->plans[i], err));
  }
  return TARE_OK;
}

/* 0 without multiply-adds. */
static tare_status integer_share_of(const tare_plan *const plan, double *const out,
                                    tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  CLI_TRY(precision_sums(plan, NULL, &sums, &n, err));
  const double share = precision_share(sums, n, "int");
  *out = isnan(share) ? 0 : share;
  free(sums);
  return TARE_OK;
}

static tare_status take_shares(const candidates *const c, quantize_choice *const out,
                               tare_error *const err) {
  for (int i = 0; i < c->n; i++) {
    double share;
    CLI_TRY(integer_share_of(c->plans[i], &share, err));
    out->tried[i].integer_share = fmin(out->tried[i].integer_share, share);
  }
  return TARE_OK;
}

/* A profile without samples says nothing. */
static void take_sqnrs(const candidates *const c, const int profile, quantize_choice *const out) {
  for (int i = 0; i < c->n; i++) {
    out->tried[i].sqnr_db = fmin(out->tried[i].sqnr_db, quantize_sqnr(&c->results[i], profile));
    tare_eval_result_fini(&c->results[i]);
  }
}

/* With the thresholds of a profile, on its samples; -1: of all. */
static tare_status try_candidates(const quantize_trial *const t, const int profile,
                                  const candidates *const c, quantize_choice *const out,
                                  tare_error *const err) {
  CLI_TRY(plan_candidates(t, profile, c, err));
  CLI_TRY(take_shares(c, out, err));
  progress p = progress_start("choose", t->common);
  tare_eval_options o = t->eval;
  o.against = out->fp32;
  o.progress = progress_tick;
  o.progress_user = &p;
  tare_status status = tare_dataset_rewind(t->data, err);
  if (status == TARE_OK) {
    status = tare_eval_many((const tare_plan *const *)c->plans, c->n, t->data, &o, c->results, err);
  }
  progress_end(&p);
  CLI_TRY(status);
  take_sqnrs(c, profile, out);
  return TARE_OK;
}

/* The largest share of integers of a model with that SQNR. */
static double largest_share(const quantize_choice *const choice, const double sqnr) {
  double share = 0;
  for (int i = 0; i < choice->n_tried; i++) {
    const quantize_method *const m = &choice->tried[i];
    share = m->sqnr_db >= sqnr ? fmax(share, m->integer_share) : share;
  }
  return share;
}

bool quantize_leaves_more(const quantize_choice *const choice, const int tried) {
  const double share = choice->tried[tried].integer_share;
  return share > 0 ? share < LEAST_SHARE * largest_share(choice, LEAST_SQNR)
                   : largest_share(choice, -INFINITY) > 0;
}

/* Scales of minmax clip nothing of the data. */
static bool may_clip(const quantize_method *const method) {
  return strcmp(tare_method_name(method->method), "minmax") != 0;
}

/* What a method is chosen by; NAN where its outputs are no numbers. */
static double merit(const quantize_trial *const t, const quantize_method *const method) {
  const double sqnr = method->sqnr_db;
  const double most = sqnr > ENOUGH_SQNR ? ENOUGH_SQNR : sqnr;
  return t->writing ? sqnr : most - (may_clip(method) ? LEAST_GAIN : 0);
}

static void choose_best(const quantize_trial *const t, quantize_choice *const choice) {
  double best = -INFINITY;
  for (int i = 0; i < choice->n_tried; i++) {
    const double sqnr = merit(t, &choice->tried[i]);
    if (!quantize_leaves_more(choice, i) && sqnr > best) {
      choice->best = i;
      best = sqnr;
    }
  }
}

/* Plans of the engine have thresholds for each profile, models those of one. */
static tare_status try_profiles(const quantize_trial *const t, const candidates *const c,
                                quantize_choice *const out, tare_error *const err) {
  const bool each = t->writing && t->per_profile;
  const int n = each ? tare_profiles_count(t->profiles) : 1;
  for (int i = 0; i < n; i++) {
    CLI_TRY(try_candidates(t, each ? i : -1, c, out, err));
  }
  choose_best(t, out);
  return TARE_OK;
}

tare_status quantize_choose(const quantize_trial *const t, quantize_choice *const out,
                            tare_error *const err) {
  const size_t most = (size_t)tare_n_methods();
  candidates c = {.tables = cli_realloc(NULL, most, sizeof *c.tables),
                  .plans = cli_realloc(NULL, most, sizeof *c.plans),
                  .results = cli_realloc(NULL, most, sizeof *c.results)};
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
    status = try_profiles(t, &c, out, err);
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
  free(c.results);
  return status;
}

void quantize_choice_fini(quantize_choice *const choice) {
  free(choice->tried);
  tare_table_free(&choice->table);
  tare_plan_free(&choice->fp32);
}
