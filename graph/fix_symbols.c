#include "graph/fix_symbols.h"

#include <inttypes.h>
#include <string.h>

#include "graph/closed.h"
#include "graph/pass.h"
#include "shapes/profiles.h"

enum { MOST_PROBED = 16 }; /* symbols that an error is blamed on: each takes two inferences */

/* --- constants for symbols -------------------------------------------------------------------- */

/* Puts a length in the place of a symbol; whether an input has the symbol. */
static bool replace(const tarei_graph *const graph, const int symbol, const tarei_expr length) {
  bool found = false;
  for (int i = 0; i < graph->n_inputs; i++) {
    tarei_value *const v = &graph->values[graph->inputs[i]];
    for (int d = 0; d < v->rank; d++) {
      if (tarei_expr_is_symbol(graph->exprs, v->dims[d]) == symbol) {
        v->dims[d] = length;
        found = true;
      }
    }
  }
  return found;
}

static tare_status fix(tarei_graph *const graph, const int symbol, const int64_t value,
                       bool *const found, tare_error *const err) {
  const tarei_expr number = tarei_expr_const(graph->exprs, value);
  *found = number != TAREI_EXPR_NONE && replace(graph, symbol, number);
  return number == TAREI_EXPR_NONE ? tarei_fail_memory(err, graph->name, sizeof number) : TARE_OK;
}

tare_status tarei_graph_fix_symbols(tarei_graph *const graph, const tare_profiles *const profiles,
                                    int *const n_fixed, tare_error *const err) {
  *n_fixed = 0;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const int symbol = tarei_exprs_find_symbol(graph->exprs, tare_profiles_symbol(profiles, s));
    int64_t value;
    bool found;
    if (symbol >= 0 && tarei_profiles_fix(profiles, s, &value)) {
      TAREI_TRY(fix(graph, symbol, value, &found, err));
      *n_fixed += found;
    }
  }
  return TARE_OK;
}

/* --- what depends on symbols ------------------------------------------------------------------ */

enum { ALL_SYMBOLS = -1 };

/* Infers a copy of the graph, which has the same symbols, with a value for one of them or for all.
 */
static tare_status infer_with(const tarei_graph *const graph, const int symbol, const int64_t value,
                              tare_error *const err) {
  tarei_graph *copy;
  TAREI_TRY(tarei_graph_clone(graph, &copy, err));
  tare_status status = TARE_OK;
  bool found;
  const int n = tarei_exprs_n_symbols(graph->exprs);
  for (int s = 0; s < n && status == TARE_OK; s++) {
    if (symbol == ALL_SYMBOLS || symbol == s) {
      status = fix(copy, s, value, &found, err);
    }
  }
  if (status == TARE_OK) {
    status = tarei_graph_infer(copy, err);
  }
  tarei_graph_free(copy);
  return status;
}

/* True when a value for the symbol, or for all, changes how the inference fails. */
static bool matters(const tarei_graph *const graph, const int symbol,
                    const tare_error *const failure) {
  static const int64_t values[] = {1, 64}; /* a single one, and many */
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    tare_error other = {0};
    if (infer_with(graph, symbol, values[i], &other) == TARE_OK ||
        strcmp(other.message, failure->message) != 0) {
      return true;
    }
  }
  return false;
}

static bool is_fixed(const tare_profiles *const profiles, const char *const name,
                     int64_t *const value) {
  const int symbol = profiles ? tarei_profiles_find_symbol(profiles, name) : -1;
  return symbol >= 0 && tarei_profiles_fix(profiles, symbol, value);
}

/* Adds to a failure which symbols it depends on, and the values of those that the profiles (NULL:
 * none) fix. */
static void blame_symbols(const tarei_graph *const graph, const tare_profiles *const profiles,
                          tare_error *const failure) {
  tarei_str fixed = {0}, varying = {0};
  const tare_error first = *failure;
  const char *example = "";
  const int n = tarei_exprs_n_symbols(graph->exprs);
  for (int s = 0; s < n && s < MOST_PROBED; s++) {
    const char *const name = tarei_exprs_symbol_name(graph->exprs, s);
    int64_t value;
    if (tarei_exprs_is_measured(graph->exprs, s)) {
      continue;
    }
    if (is_fixed(profiles, name, &value)) {
      tarei_str_add(&fixed, "%s%s=%" PRId64, fixed.length ? ", " : "", name, value);
    } else if (matters(graph, s, &first)) {
      example = varying.length ? example : name;
      tarei_str_add(&varying, "%s'%s'", varying.length ? " and " : "", name);
    }
  }
  if (fixed.length) {
    (void)tarei_fail(failure, first.status, "%s, at %s in every profile", first.message,
                     tarei_str_get(&fixed));
  }
  if (varying.length) {
    const tare_error at = *failure;
    (void)tarei_fail(failure, first.status,
                     "%s; this depends on %s (if the model needs one fixed size there, give it in "
                     "every profile: %s=1)",
                     at.message, tarei_str_get(&varying), example);
  }
  tarei_str_free(&fixed);
  tarei_str_free(&varying);
}

tare_status tarei_graph_infer_or_wait(tarei_graph **const graph, tare_error *const waits,
                                      tare_error *const err) {
  tarei_graph *read;
  tare_error failure = {0};
  if (!waits) {
    return tarei_graph_infer_settled(*graph, err);
  }
  *waits = (tare_error){0};
  read = (*graph)->read;
  (*graph)->read = NULL;
  TAREI_TRY(read ? TARE_OK : tarei_graph_clone(*graph, &read, err));
  const tare_status status = tarei_graph_infer_settled(*graph, &failure);
  if (status == TARE_OK) {
    (*graph)->read = read;
    return TARE_OK;
  }
  if (status == TARE_E_MEMORY || !tarei_graph_has_operands(read) ||
      !matters(read, ALL_SYMBOLS, &failure)) {
    tarei_graph_free(read);
    return tarei_fail(err, status, "%s", failure.message);
  }
  tarei_graph_free(*graph);
  *graph = read;
  blame_symbols(read, NULL, &failure);
  *waits = failure;
  return TARE_OK;
}

/* --- decisions -------------------------------------------------------------------------------- */

static bool may_be_zero(const tare_profiles *const profiles, const int symbol) {
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    if (tare_profiles_range(profiles, p, symbol).min == 0) {
      return true;
    }
  }
  return false;
}

/* A sum of lengths that may be 0 could be 1 like a dim that is broadcast, so that it must be known
 * to be the sum that its name says. */
static void write_sums(const tarei_graph *const graph, const tare_profiles *const profiles) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const char *const name = tare_profiles_symbol(profiles, s);
    const int symbol = tarei_exprs_find_symbol(graph->exprs, name);
    tarei_expr sum;
    if (symbol >= 0 && tare_profiles_is_sum(profiles, s) &&
        tarei_expr_parse(graph->exprs, name, &sum, NULL) == TARE_OK) {
      (void)replace(graph, symbol, sum); /* an input has it, unless it was fixed */
    }
  }
}

bool tarei_graph_mark_empty(const tarei_graph *const graph, const tare_profiles *const profiles) {
  bool any = false;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const int symbol = tarei_exprs_find_symbol(graph->exprs, tare_profiles_symbol(profiles, s));
    if (symbol >= 0 && may_be_zero(profiles, s)) {
      tarei_exprs_may_be_empty(graph->exprs, symbol);
      any = true;
    }
  }
  if (any) {
    write_sums(graph, profiles);
  }
  return any;
}

static bool has_empty(const tare_profiles *const profiles) {
  bool any = false;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    any = any || may_be_zero(profiles, s);
  }
  return any;
}

/* A copy in which nothing is decided that the profiles do not keep to; whether they decide. */
static tare_status clone_for(const tarei_graph *const graph, const tare_profiles *const profiles,
                             tarei_graph **const out, bool *const decide, tare_error *const err) {
  int n_fixed;
  const bool read = graph->read && has_empty(profiles);
  TAREI_TRY(tarei_graph_clone(read ? graph->read : graph, out, err));
  const bool empty = tarei_graph_mark_empty(*out, profiles);
  TAREI_TRY(tarei_graph_fix_symbols(*out, profiles, &n_fixed, err));
  *decide = read || empty || n_fixed;
  return TARE_OK;
}

/* Adds to a failure which lengths may be 0. */
static void blame_empty(const tare_profiles *const profiles, tare_error *const failure) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    int64_t value;
    if (may_be_zero(profiles, s) && !tarei_profiles_fix(profiles, s, &value)) {
      const tare_error at = *failure;
      (void)tarei_fail(failure, at.status, "%s; '%s' may be 0 in a profile", at.message,
                       tare_profiles_symbol(profiles, s));
    }
  }
}

tare_status tarei_graph_decide(const tarei_graph *const graph, const tare_error *const waits,
                               const tare_profiles *const profiles, tarei_graph **const out,
                               tare_error *const err) {
  bool decide;
  TAREI_TRY(clone_for(graph, profiles, out, &decide, err));
  if (!decide && waits->status != TARE_OK) {
    return tarei_fail(err, waits->status, "%s", waits->message);
  }
  tare_error failure = {0};
  const tare_status status = decide ? tarei_graph_infer_settled(*out, &failure) : TARE_OK;
  if (status == TARE_OK) {
    tarei_graph_drop_closed(*out);
    return TARE_OK;
  }
  blame_symbols(graph, profiles, &failure);
  blame_empty(profiles, &failure);
  return tarei_fail(err, status, "%s", failure.message);
}
