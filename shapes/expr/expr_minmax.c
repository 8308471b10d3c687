/* min, max and broadcast, as sets of operands of which none is known to beat another. */
#include <string.h>

#include "shapes/expr/expr_build.h"

typedef struct expr_minmax_operands {
  int n;
  tarei_expr items[TAREI_EXPR_MAX_OPERANDS];
} expr_minmax_operands;

/* Takes a nested min(min(a, b), c) apart. False when there are too many operands. */
static bool expr_minmax_collect(const tarei_exprs *const pool, const tarei_atom_kind kind,
                                tarei_expr e, expr_minmax_operands *const out) {
  const tarei_atom *atom = tarei_exprs_bare_atom(pool, e);
  for (; atom && atom->kind == kind; atom = tarei_exprs_bare_atom(pool, e)) {
    if (out->n == TAREI_EXPR_MAX_OPERANDS) {
      return false;
    }
    out->items[out->n++] = atom->b;
    e = atom->a;
  }
  if (out->n == TAREI_EXPR_MAX_OPERANDS) {
    return false;
  }
  out->items[out->n++] = e;
  return true;
}

static int64_t least_value(const tarei_exprs *const pool, const tarei_expr e) {
  return tarei_expr_interval(pool, e).lo;
}

static tarei_expr expr_minmax_min(tarei_exprs *pool, tarei_expr a, tarei_expr b);

/* True when a can be left out beside b. In a broadcast that is 1, and what is 1 wherever it is not
 * equal to b. */
static bool beaten(tarei_exprs *const pool, const tarei_atom_kind kind, const tarei_expr a,
                   const tarei_expr b) {
  int64_t n;
  if (kind == TAREI_ATOM_BROADCAST && tarei_expr_is_const(pool, a, &n)) {
    return n == 1;
  }
  if (kind == TAREI_ATOM_BROADCAST && least_value(pool, b) >= 2) {
    return true;
  }
  if (kind == TAREI_ATOM_BROADCAST) {
    return a == b || (least_value(pool, a) >= 1 && expr_minmax_min(pool, a, b) == a);
  }
  const tarei_expr d =
      kind == TAREI_ATOM_MIN ? tarei_expr_sub(pool, a, b) : tarei_expr_sub(pool, b, a);
  return d != TAREI_EXPR_NONE && least_value(pool, d) >= 0;
}

static void drop_beaten(tarei_exprs *const pool, const tarei_atom_kind kind,
                        expr_minmax_operands *const set) {
  for (int i = 0; i < set->n;) {
    bool drop = false;
    for (int j = 0; j < set->n && !drop; j++) {
      drop = i != j && beaten(pool, kind, set->items[i], set->items[j]);
    }
    if (drop) {
      set->n--;
      memmove(set->items + i, set->items + i + 1, (size_t)(set->n - i) * sizeof *set->items);
    } else {
      i++;
    }
  }
}

static void expr_minmax_sort(expr_minmax_operands *const set) {
  for (int i = 1; i < set->n; i++) {
    for (int j = i; j > 0 && set->items[j - 1] > set->items[j]; j--) {
      const tarei_expr swap = set->items[j];
      set->items[j] = set->items[j - 1];
      set->items[j - 1] = swap;
    }
  }
}

static tarei_expr expr_minmax_combine(tarei_exprs *const pool, const tarei_atom_kind kind,
                                      const tarei_expr a, const tarei_expr b) {
  expr_minmax_operands set = {0};
  if (!expr_minmax_collect(pool, kind, a, &set) || !expr_minmax_collect(pool, kind, b, &set)) {
    return TAREI_EXPR_NONE;
  }
  drop_beaten(pool, kind, &set);
  expr_minmax_sort(&set);
  pool->doubts = pool->doubts || set.n > 1;
  tarei_expr result = set.items[0];
  for (int i = 1; i < set.n && result != TAREI_EXPR_NONE; i++) {
    result = tarei_exprs_atom(pool, kind, result, set.items[i]);
  }
  return result;
}

static tarei_expr expr_minmax_min(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return expr_minmax_combine(pool, TAREI_ATOM_MIN, a, b);
}

static tarei_expr expr_minmax_max(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return expr_minmax_combine(pool, TAREI_ATOM_MAX, a, b);
}

static tarei_expr expr_minmax_broadcast(tarei_exprs *const pool, const tarei_expr a,
                                        const tarei_expr b) {
  return expr_minmax_combine(pool, TAREI_ATOM_BROADCAST, a, b);
}

tarei_expr tarei_expr_min(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return tarei_exprs_build(pool, expr_minmax_min, a, b);
}

tarei_expr tarei_expr_max(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return tarei_exprs_build(pool, expr_minmax_max, a, b);
}

tarei_expr tarei_expr_broadcast(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return tarei_exprs_build(pool, expr_minmax_broadcast, a, b);
}
