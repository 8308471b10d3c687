/* A trial of a part: what it is built with, how it fails, and whether another fails like it. */
#include "tools/debug/trial.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/debug/scratch.h"
#include "tools/debug/trial_files.h"

/* --- failures --------------------------------------------------------------------------------- */

void failure_copy(failure *const to, const failure *const from) {
  *to = *from;
  to->tensor = from->tensor ? cli_format("%s", from->tensor) : NULL;
}

void failure_fini(failure *const f) {
  free(f->tensor);
  *f = (failure){.kind = FAILS_NOT};
}

const char *failure_sentence(const failure *const f) {
  const char *const path = strstr(f->error.message, ".onnx: ");
  return path ? path + strlen(".onnx: ") : f->error.message;
}

/* The first words of a refusal, without names in quotes and numbers. */
static char *first_words(const failure *const f) {
  const char *at = failure_sentence(f);
  char *words = cli_format("%s", "");
  bool quoted = false;
  for (; *at && (quoted || *at != ':'); at++) {
    quoted ^= *at == '\'';
    if (!quoted && !isdigit((unsigned char)*at)) {
      words = cli_append(words, "%c", *at);
    }
  }
  return words;
}

/* What is not supported is counted in the sentence: a part may have less of it. */
static bool is_like_refusal(const failure *const a, const failure *const b) {
  char *const x = first_words(a), *const y = first_words(b);
  const tare_status status = a->error.status;
  const bool like =
      status == b->error.status && (status == TARE_E_UNSUPPORTED || strcmp(x, y) == 0);
  free(x);
  free(y);
  return like;
}

bool failure_is_like(const failure *const a, const failure *const b) {
  const bool compared = a->kind == FAILS_NAN || a->kind == FAILS_SQNR;
  return a->kind == b->kind && a->kind != FAILS_BEFORE && (compared || is_like_refusal(a, b));
}

/* A refusal that has nothing to do with the model ends everything. */
static tare_status refuse(failure *const found, const failure_kind kind,
                          const tare_error *const why, tare_error *const err) {
  if (why->status == TARE_E_MEMORY || why->status == TARE_E_IO) {
    *err = *why;
    return why->status;
  }
  found->kind = kind;
  found->error = *why;
  return TARE_OK;
}

/* --- one trial -------------------------------------------------------------------------------- */

void trial_fini(trial *const t) {
  tare_comparison_free(&t->comparison);
  tare_plan_free(&t->plan);
  tare_plan_free(&t->reference);
  tare_dataset_close(&t->data);
  tare_profiles_free(&t->profiles);
  tare_model_free(&t->model);
  failure_fini(&t->found);
}

tare_status trial_learn_types(const trials *const all, const model_part *const part,
                              tare_error *const err) {
  tare_error why = {0};
  failure ignored = {.kind = FAILS_NOT};
  CLI_TRY(trial_write(all, part, err));
  tare_model_free(&all->whole->types);
  return trial_load(all, scratch_path(SCRATCH_MODEL), &all->whole->types, &why) == TARE_OK
             ? TARE_OK
             : refuse(&ignored, FAILS_BEFORE, &why, err);
}

static failure_kind kind_of(const trials *const all, const tare_tensor_error *const e) {
  return e->nans ? FAILS_NAN : e->sqnr_db < all->min_sqnr ? FAILS_SQNR : FAILS_NOT;
}

/* NaN are worse than any SQNR. */
static bool is_worse(const failure *const f, const failure_kind kind, const double sqnr_db) {
  const bool nan = kind == FAILS_NAN, was_nan = f->kind == FAILS_NAN;
  return !f->tensor || (nan != was_nan ? nan : sqnr_db < f->sqnr_db);
}

/* The worst output counts. */
static void judge_outputs(const trials *const all, trial *const t) {
  failure *const f = &t->found;
  for (int i = 0; i < tare_comparison_count(t->comparison); i++) {
    const tare_tensor_error e = tare_comparison_tensor(t->comparison, i);
    const failure_kind kind = kind_of(all, &e);
    if (e.is_output && e.values && is_worse(f, kind, e.sqnr_db)) {
      free(f->tensor);
      *f = (failure){.kind = kind, .tensor = cli_format("%s", e.name), .sqnr_db = e.sqnr_db};
    }
  }
}

/* Judges plan and reference of a trial over its data: sets `found`. Only what has nothing to do
 * with the model is returned: TARE_E_MEMORY, TARE_E_IO. */
static tare_status trial_judge(const trials *const all, const tare_eval_options *const eval,
                               trial *const t, tare_error *const err) {
  tare_eval_options o = *eval;
  tare_eval_result result = {.n_profiles = 0};
  tare_error why = {0};
  CLI_TRY(tare_comparison_new(t->plan, t->reference, true, &t->comparison, err));
  CLI_TRY(tare_dataset_rewind(t->data, err));
  o.threads = all->in->common.threads;
  o.against = t->reference;
  o.tensors = t->comparison;
  if (tare_eval(t->plan, t->data, &o, &result, &why) != TARE_OK) {
    return refuse(&t->found, FAILS_RUN, &why, err);
  }
  tare_eval_result_fini(&result);
  judge_outputs(all, t);
  return TARE_OK;
}

/* Builds both plans of a trial whose model and profiles are there; sets `found` where one of them
 * is refused. `requests` has the requests by name. */
static tare_status trial_build(const trials *const all, const tare_build_options *const requests,
                               trial *const t, tare_error *const err) {
  tare_error why = {0};
  tare_build_options o = opt_build_options(requests, &all->in->common, all->table);
  o.any_table = true; /* it was checked with the whole model */
  if (tare_plan_build(t->model, t->profiles, &o, &t->plan, &why) != TARE_OK) {
    return refuse(&t->found, FAILS_BUILD, &why, err);
  }
  o = opt_build_options(NULL, &all->in->common, NULL);
  o.fp32 = true;
  return tare_plan_build(t->model, t->profiles, &o, &t->reference, &why) == TARE_OK
             ? TARE_OK
             : refuse(&t->found, FAILS_BUILD, &why, err);
}

tare_status trial_requests(const trials *const all, const model_part *const part,
                           tare_build_options *const out, tare_error *const err) {
  const char *const *const given[] = {&all->build->layer_precisions,
                                      &all->build->layer_weight_types,
                                      &all->build->layer_output_types};
  *out = *all->build;
  const char **const kept[] = {&out->layer_precisions, &out->layer_weight_types,
                               &out->layer_output_types};
  for (int i = 0; i < 3; i++) {
    *kept[i] = NULL;
  }
  for (int i = 0; i < 3; i++) {
    char *text = NULL;
    const tare_status status =
        tare_extract_requests(all->whole->extract, part->needed, *given[i], &text, err);
    if (status != TARE_OK) {
      trial_requests_fini(out);
      return status;
    }
    *kept[i] = text;
  }
  return TARE_OK;
}

void trial_requests_fini(tare_build_options *const requests) {
  tare_free((char *)requests->layer_precisions);
  tare_free((char *)requests->layer_weight_types);
  tare_free((char *)requests->layer_output_types);
  *requests = (tare_build_options){0};
}

static tare_status build_and_judge(const trials *const all, const model_part *const part,
                                   trial *const t, tare_error *const err) {
  tare_build_options requests;
  tare_eval_options plain;
  tare_eval_options_init(&plain);
  CLI_TRY(trial_requests(all, part, &requests, err));
  const tare_status status = trial_build(all, &requests, t, err);
  trial_requests_fini(&requests);
  CLI_TRY(status);
  return t->found.kind == FAILS_NOT ? trial_judge(all, &plain, t, err) : TARE_OK;
}

tare_status trial_of_part(trials *const all, const model_part *const part, trial *const out,
                          tare_error *const err) {
  tare_error why = {0};
  *out = (trial){.found.kind = FAILS_NOT};
  all->n++;
  if (trial_write(all, part, &why) != TARE_OK) {
    return refuse(&out->found, FAILS_BEFORE, &why, err);
  }
  if (trial_load(all, scratch_path(SCRATCH_MODEL), &out->model, &why) != TARE_OK) {
    return refuse(&out->found, FAILS_LOAD, &why, err);
  }
  if (!all->recorded) {
    return TARE_OK;
  }
  const int file = part->inputs.n ? SCRATCH_DATA : SCRATCH_INPUTS;
  tare_status status = trial_open_data(all, file, out->model, &out->data, &why);
  if (status == TARE_OK) {
    status = trial_profiles(all, out, &why);
  }
  return status == TARE_OK ? build_and_judge(all, part, out, err)
                           : refuse(&out->found, FAILS_BEFORE, &why, err);
}
