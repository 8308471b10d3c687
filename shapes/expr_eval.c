/* Values and bounds. Both walk the written-out expression, which the pool's limits keep small. */
#include <assert.h>

#include "base/mem.h"
#include "shapes/expr.h"
#include "shapes/expr_pool.h"

/* b > 0 */
static int64_t floordiv_i64(const int64_t a, const int64_t b) {
  return a / b - (a % b < 0);
}

static bool eval_floor(const int64_t a, const int64_t b, int64_t *const quotient,
                       int64_t *const rest) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    return false;
  }
  *rest = a % b;
  const bool down = *rest != 0 && (*rest < 0) != (b < 0);
  *quotient = a / b - down;
  *rest += down ? b : 0;
  return true;
}

static bool eval_atom(const tarei_exprs *const pool, const tarei_atom *const atom,
                      const int64_t *const symbols, int64_t *const value) {
  if (atom->kind == TAREI_ATOM_SYMBOL) {
    *value = symbols[atom->a];
    return true;
  }
  int64_t a, b, quotient, rest;
  if (!tarei_expr_eval(pool, atom->a, symbols, &a) ||
      !tarei_expr_eval(pool, atom->b, symbols, &b)) {
    return false;
  }
  if (atom->kind == TAREI_ATOM_MIN || atom->kind == TAREI_ATOM_MAX) {
    *value = (a < b) == (atom->kind == TAREI_ATOM_MIN) ? a : b;
    return true;
  }
  if (!eval_floor(a, b, &quotient, &rest)) {
    return false;
  }
  *value = atom->kind == TAREI_ATOM_MOD ? rest : quotient;
  return true;
}

bool tarei_expr_eval(const tarei_exprs *const pool, const tarei_expr e,
                     const int64_t *const symbols, int64_t *const value) {
  if (e == TAREI_EXPR_NONE) {
    return false;
  }
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  int64_t sum = 0;
  for (int i = 0; i < n; i++) {
    int64_t product = terms[i].coefficient;
    for (int k = 0; k < terms[i].degree; k++) {
      int64_t factor;
      if (!eval_atom(pool, &pool->atoms[terms[i].atoms[k]], symbols, &factor) ||
          !tarei_mul_i64(product, factor, &product)) {
        return false;
      }
    }
    if (!tarei_add_i64(sum, product, &sum)) {
      return false;
    }
  }
  *value = sum;
  return true;
}

enum { ANY_MEASURED = -1, ANY_EXPECTED = -2 };

static bool uses(const tarei_exprs *const pool, const tarei_expr e, const int symbol) {
  if (e == TAREI_EXPR_NONE) {
    return false;
  }
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < terms[i].degree; k++) {
      const tarei_atom *const atom = &pool->atoms[terms[i].atoms[k]];
      if (atom->kind != TAREI_ATOM_SYMBOL
              ? uses(pool, atom->a, symbol) || uses(pool, atom->b, symbol)
              : atom->a == symbol ||
                    (symbol == ANY_MEASURED && tarei_exprs_is_measured(pool, atom->a)) ||
                    (symbol == ANY_EXPECTED && pool->symbols[atom->a].expected)) {
        return true;
      }
    }
  }
  return false;
}

bool tarei_expr_uses(const tarei_exprs *const pool, const tarei_expr e, const int symbol) {
  return symbol >= 0 && uses(pool, e, symbol);
}

bool tarei_expr_uses_measured(const tarei_exprs *const pool, const tarei_expr e) {
  return uses(pool, e, ANY_MEASURED);
}

bool tarei_expr_uses_expected(const tarei_exprs *const pool, const tarei_expr e) {
  return uses(pool, e, ANY_EXPECTED);
}

static int64_t expr_eval_smaller(const int64_t a, const int64_t b) {
  return a < b ? a : b;
}
static int64_t expr_eval_larger(const int64_t a, const int64_t b) {
  return a > b ? a : b;
}

/* A bound beyond the range of int64 is none; the other side stays a number. */
static tarei_interval expr_eval_make(const int64_t lo, const int64_t hi) {
  return (tarei_interval){lo == INT64_MAX ? INT64_MAX - 1 : lo,
                          hi == INT64_MIN ? INT64_MIN + 1 : hi};
}

static bool endless(const int64_t v) {
  return v == INT64_MIN || v == INT64_MAX;
}

static int64_t mul_bound(const int64_t a, const int64_t b) {
  if (a == 0 || b == 0) {
    return 0;
  }
  int64_t product;
  if (endless(a) || endless(b) || !tarei_mul_i64(a, b, &product)) {
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  }
  return product;
}

/* Sum of two bounds on one side; `none` is what no bound looks like there. */
static int64_t add_bound(const int64_t a, const int64_t b, const int64_t none) {
  int64_t sum;
  if (a == none || b == none) {
    return none;
  }
  return tarei_add_i64(a, b, &sum) ? sum : a > 0 ? INT64_MAX : INT64_MIN;
}

static tarei_interval mul_interval(const tarei_interval a, const tarei_interval b) {
  const int64_t p = mul_bound(a.lo, b.lo), q = mul_bound(a.lo, b.hi);
  const int64_t r = mul_bound(a.hi, b.lo), s = mul_bound(a.hi, b.hi);
  return expr_eval_make(expr_eval_smaller(expr_eval_smaller(p, q), expr_eval_smaller(r, s)),
                        expr_eval_larger(expr_eval_larger(p, q), expr_eval_larger(r, s)));
}

/* The greatest distance from zero. */
static int64_t expr_eval_reach(const tarei_interval a) {
  return a.lo == INT64_MIN ? INT64_MAX : expr_eval_larger(a.hi, -a.lo);
}

tarei_interval tarei_interval_floordiv(const tarei_interval a, const tarei_interval b) {
  if (b.lo < 1) { /* |floor(a / b)| <= |a| for every divisor but 0 */
    const int64_t far = expr_eval_reach(a);
    return expr_eval_make(far == INT64_MAX ? INT64_MIN : -far, far);
  }
  const int64_t lo = a.lo == INT64_MIN ? INT64_MIN : floordiv_i64(a.lo, a.lo < 0 ? b.lo : b.hi);
  const int64_t hi = a.hi == INT64_MAX ? INT64_MAX : floordiv_i64(a.hi, a.hi < 0 ? b.hi : b.lo);
  return expr_eval_make(lo, hi);
}

static tarei_interval mod_interval(const tarei_interval a, const tarei_interval b) {
  if (b.lo < 1) {
    const int64_t far = expr_eval_reach(b);
    return expr_eval_make(far == INT64_MAX ? INT64_MIN : -far, far);
  }
  if (a.lo >= 0 && a.hi < b.lo) {
    return a;
  }
  const int64_t most = b.hi == INT64_MAX ? INT64_MAX : b.hi - 1;
  return expr_eval_make(0, a.lo >= 0 ? expr_eval_smaller(most, a.hi) : most);
}

static tarei_interval atom_interval(const tarei_exprs *const pool, const tarei_atom *const atom,
                                    const int64_t *const lo, const int64_t *const hi) {
  if (atom->kind == TAREI_ATOM_SYMBOL) {
    const tarei_symbol *const symbol = &pool->symbols[atom->a];
    return lo ? expr_eval_make(lo[atom->a], hi[atom->a])
              : (tarei_interval){symbol->owner || symbol->empty || pool->reads ? 0 : 1, INT64_MAX};
  }
  const tarei_interval a = tarei_expr_interval(pool, atom->a, lo, hi);
  const tarei_interval b = tarei_expr_interval(pool, atom->b, lo, hi);
  if (atom->kind == TAREI_ATOM_MIN) {
    return (tarei_interval){expr_eval_smaller(a.lo, b.lo), expr_eval_smaller(a.hi, b.hi)};
  }
  if (atom->kind == TAREI_ATOM_MAX) {
    return (tarei_interval){expr_eval_larger(a.lo, b.lo), expr_eval_larger(a.hi, b.hi)};
  }
  return atom->kind == TAREI_ATOM_MOD ? mod_interval(a, b) : tarei_interval_floordiv(a, b);
}

tarei_interval tarei_expr_interval(const tarei_exprs *const pool, const tarei_expr e,
                                   const int64_t *const lo, const int64_t *const hi) {
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  tarei_interval sum = {0, 0};
  for (int i = 0; i < n; i++) {
    tarei_interval product = expr_eval_make(terms[i].coefficient, terms[i].coefficient);
    for (int k = 0; k < terms[i].degree; k++) {
      product = mul_interval(product, atom_interval(pool, &pool->atoms[terms[i].atoms[k]], lo, hi));
    }
    sum = expr_eval_make(add_bound(sum.lo, product.lo, INT64_MIN),
                         add_bound(sum.hi, product.hi, INT64_MAX));
  }
  return sum;
}

bool tarei_expr_bounds(const tarei_exprs *const pool, const tarei_expr e, const int64_t *const lo,
                       const int64_t *const hi, int64_t *const min, int64_t *const max) {
  if (e == TAREI_EXPR_NONE) {
    return false;
  }
  assert(lo && hi);
  const tarei_interval range = tarei_expr_interval(pool, e, lo, hi);
  if (endless(range.lo) || endless(range.hi)) {
    return false;
  }
  *min = range.lo;
  *max = range.hi;
  return true;
}
