/* From which length on a size is 1 or more. */
#include <stdlib.h>

#include "base/mem.h"
#include "shapes/expr.h"
#include "shapes/expr/expr_pool.h"

#define MOST_LENGTH (INT64_C(1) << 40) /* beyond all data */

/* Whether e has no symbol but *symbol (-1: none yet) and does not fall when that grows. */
static bool rises(const tarei_exprs *const pool, const tarei_expr e, int *const symbol) {
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  for (int i = 0; i < n; i++) {
    if (terms[i].degree > 1 || (terms[i].degree == 1 && terms[i].coefficient < 0)) {
      return false;
    }
    const tarei_atom *const atom = terms[i].degree ? &pool->atoms[terms[i].atoms[0]] : NULL;
    int64_t divisor;
    if (!atom) {
      continue;
    }
    if (atom->kind == TAREI_ATOM_SYMBOL) {
      if (pool->symbols[atom->a].owner || (*symbol >= 0 && *symbol != atom->a)) {
        return false;
      }
      *symbol = atom->a;
    } else if (atom->kind == TAREI_ATOM_FLOORDIV) {
      if (!tarei_expr_is_const(pool, atom->b, &divisor) || divisor < 1 ||
          !rises(pool, atom->a, symbol)) {
        return false;
      }
    } else {
      return false;
    }
  }
  return true;
}

/* Whether e is 1 or more where its only symbol is n; `values` has room for all symbols. */
static bool is_one_at(const tarei_exprs *const pool, const tarei_expr e, const int symbol,
                      const int64_t n, int64_t *const values) {
  int64_t value;
  values[symbol] = n;
  return tarei_expr_eval(pool, e, values, &value) && value >= 1;
}

bool tarei_expr_least(const tarei_exprs *const pool, const tarei_expr e, int *const symbol,
                      int64_t *const least) {
  *symbol = -1;
  if (e == TAREI_EXPR_NONE || !rises(pool, e, symbol) || *symbol < 0) {
    return false;
  }
  int64_t *const values = tarei_calloc(pool->n_symbols, sizeof *values);
  const bool found = values && is_one_at(pool, e, *symbol, MOST_LENGTH, values);
  int64_t below = 0, enough = MOST_LENGTH;
  while (found && enough - below > 1) {
    const int64_t middle = below + (enough - below) / 2;
    *(is_one_at(pool, e, *symbol, middle, values) ? &enough : &below) = middle;
  }
  free(values);
  *least = enough;
  return found;
}
