#include "shapes/profiles.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/profile_set.h"

/* There is room for TARE_MAX_SYMBOLS names, or for the axes of all inputs where those are fewer. */
static tare_status number_symbol(tare_profiles *const set, const char *const name, int *const out,
                                 tare_error *const err) {
  for (*out = 0; *out < set->n_symbols; ++*out) {
    if (strcmp(set->symbols[*out], name) == 0) {
      return TARE_OK;
    }
  }
  if (set->n_symbols == TARE_MAX_SYMBOLS) {
    return tarei_fail(err, TARE_E_LIMIT,
                      "the inputs have more than %d symbols: '%s' is one too many",
                      TARE_MAX_SYMBOLS, name);
  }
  set->symbols[set->n_symbols++] = name;
  return TARE_OK;
}

static tare_status copy_dim(tare_profiles *const set, const tare_dim *const from, const int at,
                            const int axis, tare_error *const err) {
  tare_dim *const dim = &set->inputs[at].dims[axis];
  *dim = (tare_dim){.value = from->value,
                    .symbol = tarei_strdup(from->symbol),
                    .declared = tarei_strdup(from->declared)};
  if (from->declared && !dim->declared) {
    return tarei_fail_memory(err, "profiles", strlen(from->declared) + 1);
  }
  if (!from->symbol) {
    set->dim_symbols[at][axis] = -1;
    return TARE_OK;
  }
  return dim->symbol ? number_symbol(set, dim->symbol, &set->dim_symbols[at][axis], err)
                     : tarei_fail_memory(err, "profiles", strlen(from->symbol) + 1);
}

static tare_status copy_port(tare_profiles *const set, const tare_port *const from, const int at,
                             tare_error *const err) {
  tare_port *const port = &set->inputs[at];
  assert(from->rank >= 0 && from->rank <= TARE_MAX_RANK);
  *port = (tare_port){.name = tarei_strdup(from->name), .dtype = from->dtype, .rank = from->rank};
  if (!port->name) {
    return tarei_fail_memory(err, "profiles", strlen(from->name) + 1);
  }
  for (int axis = 0; axis < from->rank; axis++) {
    TAREI_TRY(copy_dim(set, &from->dims[axis], at, axis, err));
  }
  return TARE_OK;
}

static tare_status profiles_reserve(tare_profiles *const set, const tare_port *const inputs,
                                    tare_error *const err) {
  size_t n = 0;
  for (int i = 0; i < set->n_inputs; i++) {
    n += (size_t)inputs[i].rank;
  }
  n = n < TARE_MAX_SYMBOLS ? n : TARE_MAX_SYMBOLS;
  set->symbols = tarei_calloc(n, sizeof *set->symbols);
  return set->symbols ? TARE_OK : tarei_fail_memory(err, "profiles", n * sizeof *set->symbols);
}

static tare_status profiles_read_sums(tare_profiles *const set, tare_error *const err) {
  set->sums = tarei_calloc((size_t)set->n_symbols, sizeof *set->sums);
  if (!set->sums) {
    return tarei_fail_memory(err, "profiles", (size_t)set->n_symbols * sizeof *set->sums);
  }
  for (int s = 0; s < set->n_symbols; s++) {
    set->sums[s] = tarei_symbol_sum_read(set->symbols[s], set->symbols, set->n_symbols);
  }
  return TARE_OK;
}

tare_status tare_profiles_new(const tare_port *const inputs, const int n_inputs,
                              tare_profiles **const out, tare_error *const err) {
  *out = NULL;
  tare_profiles *set = tarei_calloc(1, sizeof *set);
  if (!set) {
    return tarei_fail_memory(err, "profiles", sizeof *set);
  }
  set->inputs = tarei_calloc((size_t)n_inputs, sizeof *set->inputs);
  set->dim_symbols = tarei_calloc((size_t)n_inputs, sizeof *set->dim_symbols);
  if (!set->inputs || !set->dim_symbols) {
    tare_profiles_free(&set);
    return tarei_fail_memory(err, "profiles", (size_t)n_inputs * sizeof *inputs);
  }
  set->n_inputs = n_inputs;
  tare_status status = profiles_reserve(set, inputs, err);
  for (int i = 0; i < n_inputs && status == TARE_OK; i++) {
    status = copy_port(set, &inputs[i], i, err);
  }
  if (status == TARE_OK) {
    status = profiles_read_sums(set, err);
  }
  if (status == TARE_OK) {
    status = tarei_profiles_describe(set, err);
  }
  if (status != TARE_OK) {
    tare_profiles_free(&set);
    return status;
  }
  *out = set;
  return TARE_OK;
}

void tare_profiles_free(tare_profiles **const profiles) {
  tare_profiles *const set = *profiles;
  if (!set) {
    return;
  }
  for (int i = 0; i < set->n_inputs; i++) {
    free((char *)set->inputs[i].name);
    for (int axis = 0; axis < TARE_MAX_RANK; axis++) {
      free((char *)set->inputs[i].dims[axis].symbol);
      free((char *)set->inputs[i].dims[axis].declared);
    }
  }
  for (int p = 0; p < set->count; p++) {
    free(set->items[p]);
  }
  for (int s = 0; s < set->n_symbols; s++) {
    free(set->axes ? set->axes[s] : NULL);
    free(set->labels ? set->labels[s] : NULL);
  }
  free(set->axes);
  free(set->labels);
  free(set->inputs);
  free(set->dim_symbols);
  free(set->symbols);
  free(set->sums);
  free(set);
  *profiles = NULL;
}

static tare_status profiles_add_copy(tare_profiles *const set, const tare_range *const profile,
                                     tare_error *const err) {
  const size_t bytes = (size_t)set->n_symbols * sizeof *profile;
  tare_range *const copy = tarei_memdup(profile, bytes);
  if (!copy) {
    return tarei_fail_memory(err, "profiles", bytes);
  }
  set->items[set->count++] = copy;
  return TARE_OK;
}

tare_status tarei_profiles_clone(const tare_profiles *const profiles, tare_profiles **const out,
                                 tare_error *const err) {
  TAREI_TRY(tare_profiles_new(profiles->inputs, profiles->n_inputs, out, err));
  for (int p = 0; p < profiles->count; p++) {
    const tare_status status = profiles_add_copy(*out, profiles->items[p], err);
    if (status != TARE_OK) {
      tare_profiles_free(out);
      return status;
    }
  }
  return TARE_OK;
}

bool tarei_profiles_add_up(const tare_profiles *const profiles, int64_t *const values) {
  for (int i = 0; i < profiles->n_symbols; i++) {
    if (profiles->sums[i].is && !tarei_symbol_sum_value(&profiles->sums[i], values, &values[i])) {
      return false;
    }
  }
  return true;
}

void tarei_profiles_keep(tare_profiles *const profiles, const int n) {
  while (profiles->count > n) {
    free(profiles->items[--profiles->count]);
  }
}

tare_status tarei_profiles_replace(tare_profiles *const profiles, const int64_t *const min,
                                   const int64_t *const max, tare_error *const err) {
  tare_range *const profile = tarei_profiles_ones(profiles, err);
  if (!profile) {
    return TARE_E_MEMORY;
  }
  for (int i = 0; i < profiles->n_symbols; i++) {
    profile[i] = (tare_range){min[i], max[i], max[i]};
  }
  tarei_profiles_keep(profiles, 0);
  profiles->items[profiles->count++] = profile;
  return TARE_OK;
}

tare_range *tarei_profiles_ones(const tare_profiles *const profiles, tare_error *const err) {
  const size_t n = (size_t)profiles->n_symbols;
  tare_range *const profile = tarei_calloc(n, sizeof *profile);
  if (!profile) {
    (void)tarei_fail_memory(err, "profiles", n * sizeof *profile);
    return NULL;
  }
  for (size_t i = 0; i < n; i++) {
    profile[i] = (tare_range){1, 1, 1};
  }
  return profile;
}

/* The range of a sum. */
static tare_status profiles_sum_range(const tare_profiles *const set,
                                      const tare_range *const profile, const int symbol,
                                      tare_range *const out, tare_error *const err) {
  int64_t min[TARE_MAX_SYMBOLS], opt[TARE_MAX_SYMBOLS], max[TARE_MAX_SYMBOLS];
  for (int i = 0; i < set->n_symbols; i++) {
    min[i] = profile[i].min;
    opt[i] = profile[i].opt;
    max[i] = profile[i].max;
  }
  const tarei_symbol_sum *const sum = &set->sums[symbol];
  return tarei_symbol_sum_value(sum, min, &out->min) &&
                 tarei_symbol_sum_value(sum, opt, &out->opt) &&
                 tarei_symbol_sum_value(sum, max, &out->max)
             ? TARE_OK
             : tarei_fail(err, TARE_E_LIMIT, "'%s' exceeds 64 bits", set->symbols[symbol]);
}

tare_status tarei_profiles_derive(const tare_profiles *const set, const bool *const given,
                                  tare_range *const profile, tare_error *const err) {
  for (int i = 0; i < set->n_symbols; i++) {
    if (set->sums[i].is && !given[i]) {
      TAREI_TRY(profiles_sum_range(set, profile, i, &profile[i], err));
    }
  }
  return TARE_OK;
}

static tare_status profiles_check_sum(const tare_profiles *const set,
                                      const tare_range *const profile, const int symbol,
                                      tare_error *const err) {
  const tare_range r = profile[symbol];
  tare_range sum;
  TAREI_TRY(profiles_sum_range(set, profile, symbol, &sum, err));
  return r.min == sum.min && r.opt == sum.opt && r.max == sum.max
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "'%s' follows from the other symbols: expected %" PRId64 ":%" PRId64
                          ":%" PRId64 ", got %" PRId64 ":%" PRId64 ":%" PRId64 " (leave it out)",
                          set->symbols[symbol], sum.min, sum.opt, sum.max, r.min, r.opt, r.max);
}

tare_status tarei_profiles_append(tare_profiles *const set, const tare_range *const profile,
                                  tare_error *const err) {
  for (int i = 0; i < set->n_symbols; i++) {
    const tare_range r = profile[i];
    if (r.min < 0 || r.min > r.opt || r.opt > r.max) {
      return tarei_fail(err, TARE_E_USAGE,
                        "%s=%" PRId64 ":%" PRId64 ":%" PRId64
                        " is out of order: expected min <= opt <= max",
                        set->symbols[i], r.min, r.opt, r.max);
    }
  }
  for (int i = 0; i < set->n_symbols; i++) {
    TAREI_TRY(set->sums[i].is ? profiles_check_sum(set, profile, i, err) : TARE_OK);
  }
  if (set->count == TARE_MAX_PROFILES) {
    return tarei_fail(err, TARE_E_LIMIT, "more than %d profiles", TARE_MAX_PROFILES);
  }
  return profiles_add_copy(set, profile, err);
}

bool tarei_profiles_fix(const tare_profiles *const profiles, const int symbol,
                        int64_t *const value) {
  *value = profiles->count ? profiles->items[0][symbol].min : 0;
  for (int p = 0; p < profiles->count; p++) {
    const tare_range r = profiles->items[p][symbol];
    if (r.min != *value || r.max != *value) {
      return false;
    }
  }
  return profiles->count > 0;
}

int tare_profiles_count(const tare_profiles *const profiles) {
  return profiles->count;
}

int tare_profiles_n_symbols(const tare_profiles *const profiles) {
  return profiles->n_symbols;
}

const char *tare_profiles_symbol(const tare_profiles *const profiles, const int symbol) {
  return symbol >= 0 && symbol < profiles->n_symbols ? profiles->symbols[symbol] : NULL;
}

bool tare_profiles_is_sum(const tare_profiles *const profiles, const int symbol) {
  if (!tarei_has_number(symbol, profiles->n_symbols)) {
    return false;
  }
  return profiles->sums[symbol].is;
}

tare_range tare_profiles_range(const tare_profiles *const profiles, const int profile,
                               const int symbol) {
  if (!tarei_has_number(profile, profiles->count)) {
    return (tare_range){0};
  }
  if (!tarei_has_number(symbol, profiles->n_symbols)) {
    return (tare_range){0};
  }
  return profiles->items[profile][symbol];
}

/* A name that the specification's syntax would read otherwise stands in quotes. */
static void profiles_print_symbol(const char *const name, tarei_str *const out) {
  if (name[0] && !strpbrk(name, ",='#\"\\ \t\r\n\v\f")) {
    tarei_str_add(out, "%s", name);
    return;
  }
  tarei_str_add(out, "'");
  for (const char *c = name; *c; c++) {
    tarei_str_add(out, "%s%c", *c == '\'' ? "'" : "", *c);
  }
  tarei_str_add(out, "'");
}

void tarei_profiles_print(const tare_profiles *const profiles, const int profile,
                          tarei_str *const out) {
  for (int i = 0; i < profiles->n_symbols; i++) {
    const tare_range r = tare_profiles_range(profiles, profile, i);
    tarei_str_add(out, "%s", i ? "," : "");
    profiles_print_symbol(profiles->symbols[i], out);
    tarei_str_add(out, "=%" PRId64 ":%" PRId64 ":%" PRId64, r.min, r.opt, r.max);
  }
}
