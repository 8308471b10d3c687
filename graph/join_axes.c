#include "graph/join_axes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/equal_dims.h"
#include "graph/pass.h"
#include "shapes/expr_linear.h"

enum { MOST_NAMED = 16 }; /* lengths to which a model gives names of their own */

/* What is known of a symbol of the inputs. */
typedef struct axis_symbol {
  bool unnamed;  /* has no name but one made of that of its input */
  bool used;     /* an input has it */
  bool shared;   /* several axes have it */
  int same;      /* a symbol before it that it is the same as, or itself */
  tarei_expr is; /* the number or sum that it is, over the expressions of the graph, or NONE */
} axis_symbol;

typedef struct join {
  tarei_graph *graph;
  axis_symbol *symbols;
  int n_symbols;
  const tarei_exprs *inferred; /* of the pairs */
  tarei_equal_dims pairs;
  const tarei_graph **homes;     /* per symbol: the body that alone compares it, or NULL */
  const tarei_equal_pair **last; /* per expression: the last pair of a body that has it, or NULL */
  int *first;                    /* per expression: a symbol that it is equal to, or -1 */
  int n_joined;
} join;

/* --- names --------------------------------------------------------------------------------------
 */

static bool is_letter_of_name(const char c) {
  return isalnum((unsigned char)c) != 0;
}

/* How many characters are alike, where all that is no letter or digit is. */
static size_t alike(const char *const a, const char *const b) {
  size_t n = 0;
  while (a[n] && b[n] && (a[n] == b[n] || (!is_letter_of_name(a[n]) && !is_letter_of_name(b[n])))) {
    n++;
  }
  return n;
}

/* "past.3.key_d2" or "batch_past_3_key" for an axis of past.3.key. */
static bool is_named_by(const char *const name, const char *const input) {
  const size_t n = strlen(input);
  bool found = false;
  for (const char *at = name; *at && !found; at++) {
    const bool begins = at == name || !is_letter_of_name(at[-1]);
    found = begins && n && alike(at, input) == n && !is_letter_of_name(at[n]);
  }
  return found && strlen(name) > n;
}

static void look_at_axis(join *const j, const tarei_value *const v, const int axis) {
  const int s = tarei_expr_is_symbol(j->graph->exprs, v->dims[axis]);
  if (s >= 0) {
    axis_symbol *const symbol = &j->symbols[s];
    const char *const name = tarei_exprs_symbol_name(j->graph->exprs, s);
    symbol->shared = symbol->used;
    symbol->unnamed = !symbol->shared && is_named_by(name, v->name);
    symbol->used = true;
  }
}

/* Nobody names so many lengths: each axis has a name because it has to have one. */
static void distrust_many_names(join *const j) {
  int n = 0;
  for (int s = 0; s < j->n_symbols; s++) {
    n += j->symbols[s].used;
  }
  for (int s = 0; s < j->n_symbols && n > MOST_NAMED; s++) {
    j->symbols[s].unnamed |= j->symbols[s].used && !j->symbols[s].shared;
  }
}

static bool start_join(join *const j, tarei_graph *const graph) {
  *j = (join){.graph = graph, .n_symbols = tarei_exprs_n_symbols(graph->exprs)};
  j->symbols = tarei_calloc((size_t)j->n_symbols, sizeof *j->symbols);
  for (int s = 0; j->symbols && s < j->n_symbols; s++) {
    j->symbols[s] = (axis_symbol){.same = s, .is = TAREI_EXPR_NONE};
  }
  for (int i = 0; j->symbols && i < graph->n_inputs; i++) {
    const tarei_value *const v = &graph->values[graph->inputs[i]];
    for (int d = 0; d < v->rank; d++) {
      look_at_axis(j, v, d);
    }
  }
  if (j->symbols) {
    distrust_many_names(j);
  }
  return j->symbols != NULL;
}

/* --- what pairs say -----------------------------------------------------------------------------
 */

static int root_of(const join *const j, int s) {
  while (j->symbols[s].same != s) {
    s = j->symbols[s].same;
  }
  return s;
}

/* A name of the model is better than none, and an earlier one than a later. */
static void join_symbols(join *const j, int a, int b, const bool or_one) {
  a = root_of(j, a);
  b = root_of(j, b);
  const bool unnamed = j->symbols[a].unnamed || j->symbols[b].unnamed;
  if (a == b || (or_one && !unnamed)) {
    return;
  }
  const bool swap = j->symbols[a].unnamed != j->symbols[b].unnamed ? j->symbols[a].unnamed : b < a;
  j->symbols[swap ? a : b].same = swap ? b : a;
  j->n_joined++;
}

static bool has_body_pairs(const tarei_equal_dims *const pairs) {
  bool has = false;
  for (size_t i = 0; i < pairs->n && !has; i++) {
    has = pairs->pairs[i].body != NULL;
  }
  return has;
}

/* A branch may not run, and what it reads is then of any size: a body only says how lengths are
 * that nothing else compares. */
static void find_homes(const join *const j) {
  bool *const seen = (bool *)(j->homes + j->n_symbols);
  for (size_t i = 0; i < j->pairs.n; i++) {
    const tarei_equal_pair *const p = &j->pairs.pairs[i];
    for (int s = 0; s < j->n_symbols; s++) {
      if (j->symbols[s].used &&
          (tarei_expr_uses(j->inferred, p->a, s) || tarei_expr_uses(j->inferred, p->b, s))) {
        j->homes[s] = !seen[s] || j->homes[s] == p->body ? p->body : NULL;
        seen[s] = true;
      }
    }
  }
}

/* Only symbols that inputs have, no measured ones; in a body those that it alone compares. */
static bool is_of_inputs(const join *const j, const tarei_linear_sum *const sum,
                         const tarei_graph *const body) {
  bool is = sum->n > 0;
  for (int t = 0; t < sum->n && is; t++) {
    const int s = sum->terms[t].symbol;
    is = s < j->n_symbols && j->symbols[s].used && (!body || j->homes[s] == body);
  }
  return is;
}

/* The term whose symbol is the sum of all else, where the difference is 0; -1: none. */
static int whole_of(const tarei_linear_sum *const d) {
  int found = -1;
  for (int t = 0; t < d->n; t++) {
    const int64_t sign = d->terms[t].factor;
    bool whole = (sign == 1 && d->constant <= 0) || (sign == -1 && d->constant >= 0);
    for (int i = 0; i < d->n && whole; i++) {
      whole = i == t || (d->terms[i].factor < 0) != (sign < 0);
    }
    found = whole ? t : found;
  }
  return found;
}

static tarei_expr sum_without(const join *const j, const tarei_linear_sum *const d,
                              const int whole) {
  tarei_exprs *const exprs = j->graph->exprs;
  const int64_t sign = -d->terms[whole].factor;
  tarei_expr sum = tarei_expr_const(exprs, sign * d->constant);
  for (int t = 0; t < d->n; t++) {
    const char *const name = tarei_exprs_symbol_name(exprs, d->terms[t].symbol);
    if (t != whole) {
      sum = tarei_expr_add(exprs, sum,
                           tarei_expr_mul(exprs, tarei_expr_const(exprs, sign * d->terms[t].factor),
                                          tarei_expr_symbol(exprs, name)));
    }
  }
  return sum;
}

/* A symbol that is a number or a sum, where the difference of two dims is 0. */
static void learn_sum(join *const j, const tarei_linear_sum *const d, const bool or_one) {
  const int whole = whole_of(d);
  if (whole < 0 || (d->n == 1 && d->constant == 0)) {
    return;
  }
  axis_symbol *const symbol = &j->symbols[d->terms[whole].symbol];
  if (symbol->is == TAREI_EXPR_NONE &&
      (d->n == 1 ? symbol->unnamed && !or_one : symbol->unnamed || !or_one)) {
    symbol->is = sum_without(j, d, whole);
  }
}

/* Two symbols that are equal to an expression that is no sum are equal. */
static void learn_from_expr(join *const j, const tarei_expr a, const tarei_expr b) {
  const int s = tarei_expr_is_symbol(j->inferred, a);
  if (s < 0 || s >= j->n_symbols || !j->symbols[s].used) {
    return;
  }
  if (j->first[b] >= 0) {
    join_symbols(j, s, j->first[b], false);
  }
  j->first[b] = s;
}

static void learn(join *const j, tarei_exprs *const exprs, const tarei_equal_pair *const pair) {
  tarei_linear_sum d;
  const bool linear = tarei_expr_linear(exprs, tarei_expr_sub(exprs, pair->a, pair->b), &d);
  if (linear && is_of_inputs(j, &d, pair->body)) {
    const bool two = d.n == 2 && d.constant == 0 && d.terms[0].factor == -d.terms[1].factor;
    if (two) {
      join_symbols(j, d.terms[0].symbol, d.terms[1].symbol, pair->or_one);
    } else {
      learn_sum(j, &d, pair->or_one);
    }
  } else if (!linear && !pair->or_one) {
    learn_from_expr(j, pair->a, pair->b);
    learn_from_expr(j, pair->b, pair->a);
  }
}

static tarei_expr opposite_dim(const tarei_equal_pair *const pair, const tarei_expr side) {
  return pair->a == side ? pair->b : pair->a;
}

/* What is equal to the same dim in one body is equal there: caches to one mask. */
static void learn_beside(join *const j, tarei_exprs *const exprs,
                         const tarei_equal_pair *const pair, const tarei_expr side) {
  const tarei_equal_pair *const last = j->last[side];
  if (last && last->body == pair->body) {
    const tarei_equal_pair beside = {opposite_dim(last, side), opposite_dim(pair, side), true,
                                     pair->body};
    learn(j, exprs, &beside);
  }
  j->last[side] = pair;
}

/* Only where pairs alone join nothing more. */
static void learn_all_beside(join *const j, tarei_exprs *const exprs) {
  for (size_t i = 0; i < j->pairs.n; i++) {
    const tarei_equal_pair *const pair = &j->pairs.pairs[i];
    if (pair->body) {
      learn_beside(j, exprs, pair, pair->a);
      learn_beside(j, exprs, pair, pair->b);
    }
  }
}

static tarei_expr largest_expr(const tarei_equal_dims *const pairs) {
  tarei_expr most = 0;
  for (size_t i = 0; i < pairs->n; i++) {
    const tarei_equal_pair *const p = &pairs->pairs[i];
    most = p->a > most ? p->a : most;
    most = p->b > most ? p->b : most;
  }
  return most;
}

static tare_status learn_all(join *const j, tarei_graph *const inferred, tare_error *const err) {
  const size_t n = (size_t)largest_expr(&j->pairs) + 1, n_symbols = (size_t)j->n_symbols;
  j->first = tarei_calloc(n, sizeof *j->first);
  j->homes = tarei_calloc(n_symbols, sizeof *j->homes + sizeof(bool));
  j->last = tarei_calloc(n, sizeof *j->last);
  const bool good = j->first && j->homes && j->last;
  if (good) {
    memset(j->first, -1, n * sizeof *j->first);
    j->inferred = inferred->exprs;
    if (has_body_pairs(&j->pairs)) {
      find_homes(j);
    }
    for (size_t i = 0; i < j->pairs.n; i++) {
      learn(j, inferred->exprs, &j->pairs.pairs[i]);
    }
    if (!j->n_joined) {
      learn_all_beside(j, inferred->exprs);
    }
  }
  free(j->first);
  free(j->homes);
  free(j->last);
  j->last = NULL;
  j->first = NULL;
  j->homes = NULL;
  return good ? TARE_OK : tarei_fail_memory(err, inferred->name, n * sizeof *j->first);
}

/* --- what follows for the inputs
 * ------------------------------------------------------------------ */

/* Sums of symbols that are sums themselves wait for the next round, and all of them do where
 * symbols were joined. */
static tarei_expr replacement_of(const join *const j, const int s) {
  tarei_exprs *const exprs = j->graph->exprs;
  const int root = root_of(j, s);
  if (j->n_joined) {
    return root == s ? TAREI_EXPR_NONE
                     : tarei_expr_symbol(exprs, tarei_exprs_symbol_name(exprs, root));
  }
  tarei_expr is = j->symbols[s].is;
  for (int k = 0; k < j->n_symbols && is != TAREI_EXPR_NONE; k++) {
    const bool waits = j->symbols[k].is != TAREI_EXPR_NONE && tarei_expr_uses(exprs, is, k);
    is = waits ? TAREI_EXPR_NONE : is;
  }
  return is;
}

static bool keep_declared(tarei_value *const v, const int axis, const char *const name) {
  if (!v->declared) {
    v->declared = tarei_calloc(TARE_MAX_RANK, sizeof *v->declared);
  }
  if (v->declared && !v->declared[axis]) {
    v->declared[axis] = tarei_strdup(name);
  }
  return v->declared && v->declared[axis];
}

static bool replace_axis(const join *const j, tarei_value *const v, const int axis,
                         bool *const changed) {
  const int s = tarei_expr_is_symbol(j->graph->exprs, v->dims[axis]);
  const tarei_expr by = s < 0 ? TAREI_EXPR_NONE : replacement_of(j, s);
  if (by == TAREI_EXPR_NONE) {
    return true;
  }
  v->dims[axis] = by;
  j->symbols[s].used = false;
  *changed = true;
  return keep_declared(v, axis, tarei_exprs_symbol_name(j->graph->exprs, s));
}

static tare_status apply(join *const j, bool *const changed, tare_error *const err) {
  bool *const had = tarei_calloc((size_t)j->n_symbols, sizeof *had);
  bool good = had != NULL;
  for (int s = 0; good && s < j->n_symbols; s++) {
    had[s] = j->symbols[s].used;
  }
  for (int i = 0; i < j->graph->n_inputs; i++) {
    tarei_value *const v = &j->graph->values[j->graph->inputs[i]];
    for (int d = 0; good && d < v->rank; d++) {
      good = replace_axis(j, v, d, changed);
    }
  }
  for (int s = 0; good && s < j->n_symbols; s++) {
    if (had[s] && !j->symbols[s].used) {
      tarei_exprs_drop(j->graph->exprs, s);
    }
    j->symbols[s].same = s;
    j->symbols[s].is = TAREI_EXPR_NONE;
  }
  j->n_joined = 0;
  free(had);
  return good ? TARE_OK : tarei_fail_memory(err, j->graph->name, sizeof *had);
}

/* One inference of a copy; what it fails for is told when the graph itself is inferred. */
static tare_status join_once(join *const j, bool *const changed, tare_error *const err) {
  tarei_graph *copy = NULL;
  TAREI_TRY(tarei_graph_clone(j->graph, &copy, err));
  j->pairs = (tarei_equal_dims){0};
  copy->equal = &j->pairs;
  tare_status status = tarei_graph_infer(copy, NULL);
  const bool memory = status == TARE_E_MEMORY || j->pairs.failed;
  status = memory ? tarei_fail_memory(err, j->graph->name, sizeof *copy) : learn_all(j, copy, err);
  free(j->pairs.pairs);
  tarei_graph_free(copy);
  TAREI_TRY(status);
  return apply(j, changed, err);
}

static int count_used(const join *const j, bool *const unnamed) {
  int n = 0;
  for (int s = 0; s < j->n_symbols; s++) {
    n += j->symbols[s].used;
    *unnamed |= j->symbols[s].used && j->symbols[s].unnamed;
  }
  return n;
}

tare_status tarei_graph_join_axes(tarei_graph *const graph, tare_error *const err) {
  join j;
  if (!start_join(&j, graph)) {
    return tarei_fail_memory(err, graph->name, sizeof *j.symbols);
  }
  bool unnamed = false;
  bool changed = count_used(&j, &unnamed) > 1 || unnamed;
  tare_status status = TARE_OK;
  while (changed && status == TARE_OK) {
    changed = false;
    status = join_once(&j, &changed, err);
  }
  free(j.symbols);
  return status;
}
