#include "tools/options/judge_lengths.h"

#include <stdlib.h>
#include <string.h>

enum { ENDS = 3 /* of a profile: minimum, optimum and maximum */, MOST_ROUNDS = 8 };

/* A profile of the lengths; `widens`: a symbol with one value gets others, so that it is none that
 * the model is fixed to. */
static tare_status judge_profile(const tare_model *const model, const lengths *const l,
                                 const bool widens, tare_profiles **const out,
                                 tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n_inputs = tare_model_inputs(model, &inputs);
  char *spec = NULL;
  CLI_TRY(tare_profiles_new(inputs, n_inputs, out, err));
  for (int s = 0; s < tare_profiles_n_symbols(l->symbols); s++) {
    tare_range r = lengths_range(l, s);
    r.max *= widens && r.min == r.max && r.min > 1 ? 2 : 1;
    if (!tare_profiles_is_sum(l->symbols, s)) {
      spec = lengths_append_range(spec, tare_profiles_symbol(l->symbols, s), r);
    }
  }
  const tare_status status = tare_profiles_add(*out, spec ? spec : "", err);
  free(spec);
  if (status != TARE_OK) {
    tare_profiles_free(out);
  }
  return status;
}

static void judge_end_of(const tare_profiles *const profiles, const int end,
                         int64_t values[const TARE_MAX_SYMBOLS]) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range r = tare_profiles_range(profiles, 0, s);
    values[s] = end == 0 ? r.min : end == 1 ? r.opt : r.max;
  }
}

/* The first end of the profile of the lengths at which the model cannot run, with the values there;
 * ENDS: it can at all of them. */
static tare_status judge_ends(const judge *const j, const tare_model *const model,
                              const lengths *const l, int *const end,
                              int64_t values[const TARE_MAX_SYMBOLS], tare_error *const err) {
  tare_profiles *profiles = NULL;
  tare_status status = judge_profile(model, l, false, &profiles, err);
  for (*end = 0; status == TARE_OK && *end < ENDS; ++*end) {
    judge_end_of(profiles, *end, values);
    status = tare_length_check_at(j->check, values, err);
    if (status == TARE_E_SHAPE || status == TARE_E_LIMIT) {
      status = TARE_OK;
      break;
    }
  }
  tare_profiles_free(&profiles);
  return status;
}

/* Another failure than of memory is one of the model, which whoever builds a plan reports. */
static tare_status judge_open(judge *const j, const tare_model *const model, const lengths *const l,
                              const bool widens, tare_error *const err) {
  tare_profiles *profiles = NULL;
  tare_length_check_free(&j->check);
  CLI_TRY(judge_profile(model, l, widens, &profiles, err));
  const tare_status status = tare_length_check_new(model, profiles, &j->check, err);
  tare_profiles_free(&profiles);
  return status == TARE_E_MEMORY ? status : TARE_OK;
}

/* Rows of values in order, so that equal ones are asked about once. */
typedef struct judge_rows {
  const int64_t *values;
  size_t n_symbols;
} judge_rows;

static int judge_by_values(const void *const a, const void *const b, void *const user) {
  const judge_rows *const rows = user;
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return memcmp(rows->values + x * rows->n_symbols, rows->values + y * rows->n_symbols,
                rows->n_symbols * sizeof *rows->values);
}

/* Marks the rows that the model can run. */
static tare_status judge_mark(judge *const j, const lengths *const l, bool *const runs,
                              tare_error *const err) {
  const size_t n = (size_t)l->n;
  judge_rows rows = {l->values, (size_t)tare_profiles_n_symbols(l->symbols)};
  size_t *const order = cli_realloc(NULL, n, sizeof *order);
  tare_status status = TARE_OK;
  for (size_t i = 0; i < n; i++) {
    order[i] = i;
  }
  qsort_r(order, n, sizeof *order, judge_by_values, &rows);
  for (size_t i = 0; i < n && status != TARE_E_MEMORY; i++) {
    if (i == 0 || judge_by_values(&order[i - 1], &order[i], &rows) != 0) {
      status = judge_at(j, rows.values + order[i] * rows.n_symbols, err);
    }
    runs[order[i]] = status == TARE_OK;
  }
  free(order);
  return status == TARE_E_MEMORY ? status : TARE_OK;
}

/* Drops the rows that fail. */
static tare_status judge_drop(judge *const j, lengths *const l, tare_error *const err) {
  const size_t n = (size_t)tare_profiles_n_symbols(l->symbols);
  bool *const runs = cli_realloc(NULL, (size_t)l->n, sizeof *runs);
  const tare_status status = judge_mark(j, l, runs, err);
  int64_t kept = 0;
  for (int64_t i = 0; status == TARE_OK && i < l->n; i++) {
    if (runs[i]) {
      memmove(l->values + (size_t)kept++ * n, l->values + (size_t)i * n, n * sizeof *l->values);
    }
  }
  l->n = status == TARE_OK ? kept : l->n;
  free(runs);
  return status;
}

/* Bounds a symbol so that the model can run at an end of the profile, where every sample alone
 * does; false: no bound helps. */
static tare_status judge_bound(judge *const j, const int64_t *const values, const int end,
                               bool *const bounds, tare_error *const err) {
  tare_length_near near;
  CLI_TRY(tare_length_check_near(j->check, values, &near, err));
  const bool up = end == 0 && near.symbol >= 0 && near.above > 0;
  const bool down = end == ENDS - 1 && near.symbol >= 0 && near.below > 0;
  if (up) {
    j->least[near.symbol] = near.above;
  } else if (down) {
    j->most[near.symbol] = near.below;
  }
  *bounds = up || down;
  return TARE_OK;
}

static tare_status judge_all(judge *const j, const tare_model *const model, lengths *const l,
                             tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS];
  bool helps = true;
  for (int round = 0; helps && round < MOST_ROUNDS && l->n > 0; round++) {
    int end;
    const int64_t before = l->n;
    CLI_TRY(judge_ends(j, model, l, &end, values, err));
    if (end == ENDS) {
      return TARE_OK;
    }
    CLI_TRY(judge_drop(j, l, err));
    if (l->n == before) {
      CLI_TRY(judge_bound(j, values, end, &helps, err));
      CLI_TRY(judge_drop(j, l, err));
    }
  }
  return TARE_OK;
}

/* Where symbols have one value, the model is fixed to it, and says nothing of others. */
static bool has_single(const lengths *const l) {
  bool single = false;
  for (int s = 0; s < tare_profiles_n_symbols(l->symbols); s++) {
    const tare_range r = lengths_range(l, s);
    single = single || (r.min == r.max && r.min > 1);
  }
  return single;
}

/* Whether the model cannot run at an end of the profile. */
static tare_status judge_fails(const judge *const j, const tare_model *const model,
                               const lengths *const l, bool *const fails, tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS];
  int end = ENDS;
  CLI_TRY(j->check ? judge_ends(j, model, l, &end, values, err) : TARE_OK);
  *fails = end < ENDS;
  return TARE_OK;
}

/* How many of all rows are outside of the profile of those that are left. */
static int64_t judge_count_outside(judge *const j, const lengths *const all,
                                   const lengths *const left) {
  const size_t n = (size_t)tare_profiles_n_symbols(left->symbols);
  int64_t outside = 0;
  for (int s = 0; left->n > 0 && s < (int)n; s++) {
    j->ranges[s] = lengths_range(left, s);
  }
  for (int64_t i = 0; left->n > 0 && i < all->n; i++) {
    outside += judge_is_outside(j, all->values + (size_t)i * n);
  }
  return outside;
}

static tare_status judge_failing(judge *const j, const tare_model *const model, lengths *const l,
                                 judged *const out, tare_error *const err) {
  const size_t size = (size_t)l->n * (size_t)tare_profiles_n_symbols(l->symbols);
  lengths all = *l;
  all.values = cli_realloc(NULL, size, sizeof *all.values);
  memcpy(all.values, l->values, size * sizeof *all.values);
  const tare_status status = judge_all(j, model, l, err);
  out->dropped = all.n - l->n;
  out->outside = judge_count_outside(j, &all, l);
  free(all.values);
  return status;
}

tare_status judge_lengths(judge *const j, const tare_model *const model, lengths *const l,
                          judged *const out, tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n_inputs = tare_model_inputs(model, &inputs);
  bool fails;
  *out = (judged){0};
  CLI_TRY(judge_open(j, model, l, false, err));
  CLI_TRY(judge_fails(j, model, l, &fails, err));
  if ((fails || !j->check) && has_single(l)) {
    CLI_TRY(judge_open(j, model, l, true, err));
    CLI_TRY(judge_fails(j, model, l, &fails, err));
  }
  if (!fails) {
    return TARE_OK;
  }
  tare_profiles_free(&j->symbols);
  CLI_TRY(tare_profiles_new(inputs, n_inputs, &j->symbols, err));
  return judge_failing(j, model, l, out, err);
}
