/* Values and bounds. Both walk what is written out between names, which the pool keeps small. */
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "shapes/expr/expr_names.h"

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

static int64_t expr_eval_smaller(const int64_t a, const int64_t b) {
  return a < b ? a : b;
}

static int64_t expr_eval_larger(const int64_t a, const int64_t b) {
  return a > b ? a : b;
}

/* Where an expression is evaluated: values of symbols and of names. */
typedef struct expr_eval_place {
  const tarei_exprs *pool;
  const int64_t *symbols, *names;
} expr_eval_place;

static bool eval_expr(const expr_eval_place *at, tarei_expr e, int64_t *value);

static int64_t broadcast_i64(const int64_t a, const int64_t b) {
  return a == 1 ? b : b == 1 ? a : a == 0 || b == 0 ? 0 : expr_eval_larger(a, b);
}

static bool eval_atom(const expr_eval_place *const at, const tarei_atom *const atom,
                      int64_t *const value) {
  if (atom->kind == TAREI_ATOM_SYMBOL || atom->kind == TAREI_ATOM_NAME) {
    *value = atom->kind == TAREI_ATOM_SYMBOL ? at->symbols[atom->a] : at->names[atom->a];
    return true;
  }
  int64_t a, b, quotient, rest;
  if (!eval_expr(at, atom->a, &a) || !eval_expr(at, atom->b, &b)) {
    return false;
  }
  if (atom->kind == TAREI_ATOM_MIN || atom->kind == TAREI_ATOM_MAX) {
    *value = (a < b) == (atom->kind == TAREI_ATOM_MIN) ? a : b;
    return true;
  }
  if (atom->kind == TAREI_ATOM_BROADCAST) {
    *value = broadcast_i64(a, b);
    return true;
  }
  if (!eval_floor(a, b, &quotient, &rest)) {
    return false;
  }
  *value = atom->kind == TAREI_ATOM_MOD ? rest : quotient;
  return true;
}

static bool eval_expr(const expr_eval_place *const at, const tarei_expr e, int64_t *const value) {
  int n;
  const tarei_term *const terms = tarei_exprs_terms(at->pool, e, &n);
  int64_t sum = 0;
  for (int i = 0; i < n; i++) {
    int64_t product = terms[i].coefficient;
    for (int k = 0; k < terms[i].degree; k++) {
      int64_t factor;
      if (!eval_atom(at, &at->pool->atoms[terms[i].atoms[k]], &factor) ||
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

bool tarei_expr_eval_named(const tarei_exprs *const pool, const tarei_expr e,
                           const int64_t *const symbols, const int64_t *const names,
                           int64_t *const value) {
  return eval_expr(&(expr_eval_place){pool, symbols, names}, e, value);
}

bool tarei_expr_eval(const tarei_exprs *const pool, const tarei_expr e,
                     const int64_t *const symbols, int64_t *const value) {
  if (e == TAREI_EXPR_NONE || !pool->nodes[e].names) {
    return e != TAREI_EXPR_NONE && tarei_expr_eval_named(pool, e, symbols, NULL, value);
  }
  bool *const needed = tarei_expr_names(pool, e);
  int64_t *const names = tarei_calloc(pool->n_names, sizeof *names);
  bool ok = needed && names;
  for (size_t k = 0; ok && k < pool->n_names; k++) {
    ok = !needed[k] || tarei_expr_eval_named(pool, pool->names[k].expr, symbols, names, &names[k]);
  }
  ok = ok && tarei_expr_eval_named(pool, e, symbols, names, value);
  free(names);
  free(needed);
  return ok;
}

enum { ANY_MEASURED = -1, ANY_EXPECTED = -2 };

static bool symbol_counts(const tarei_exprs *const pool, const int symbol, const int wanted) {
  return symbol == wanted || (wanted == ANY_MEASURED && tarei_exprs_is_measured(pool, symbol)) ||
         (wanted == ANY_EXPECTED && pool->symbols[symbol].expected);
}

/* Leaves out what names stand for. */
static bool uses_directly(const tarei_exprs *const pool, const tarei_expr e, const int symbol) {
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < terms[i].degree; k++) {
      const tarei_atom *const atom = &pool->atoms[terms[i].atoms[k]];
      const bool leaf = atom->kind == TAREI_ATOM_SYMBOL || atom->kind == TAREI_ATOM_NAME;
      if (leaf ? atom->kind == TAREI_ATOM_SYMBOL && symbol_counts(pool, atom->a, symbol)
               : uses_directly(pool, atom->a, symbol) || uses_directly(pool, atom->b, symbol)) {
        return true;
      }
    }
  }
  return false;
}

static bool uses(const tarei_exprs *const pool, const tarei_expr e, const int symbol) {
  if (e == TAREI_EXPR_NONE || !pool->nodes[e].names) {
    return e != TAREI_EXPR_NONE && uses_directly(pool, e, symbol);
  }
  bool *const needed = tarei_expr_names(pool, e);
  bool found = uses_directly(pool, e, symbol);
  for (size_t k = 0; needed && !found && k < pool->n_names; k++) {
    found = needed[k] && uses_directly(pool, pool->names[k].expr, symbol);
  }
  free(needed);
  return found;
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

/* A box, or none, and the ranges of names in it. */
typedef struct expr_eval_box {
  const tarei_exprs *pool;
  const int64_t *lo, *hi;
  const tarei_interval *names;
} expr_eval_box;

static tarei_interval expr_interval_in(const expr_eval_box *box, tarei_expr e);

static tarei_interval symbol_interval(const expr_eval_box *const box, const int symbol) {
  if (box->lo) {
    return expr_eval_make(box->lo[symbol], box->hi[symbol]);
  }
  const tarei_symbol *const s = &box->pool->symbols[symbol];
  const bool may_be_zero = s->owner || s->empty || box->pool->reads;
  return (tarei_interval){may_be_zero ? 0 : expr_eval_larger(1, s->least), INT64_MAX};
}

static tarei_interval broadcast_interval(const tarei_interval a, const tarei_interval b) {
  const int64_t lo = a.lo >= 1 && b.lo >= 1 ? expr_eval_larger(a.lo, b.lo)
                                            : expr_eval_smaller(0, expr_eval_smaller(a.lo, b.lo));
  return (tarei_interval){lo, expr_eval_larger(a.hi, b.hi)};
}

static tarei_interval atom_interval(const expr_eval_box *const box, const tarei_atom *const atom) {
  if (atom->kind == TAREI_ATOM_SYMBOL) {
    return symbol_interval(box, atom->a);
  }
  if (atom->kind == TAREI_ATOM_NAME) {
    return box->names ? box->names[atom->a] : box->pool->names[atom->a].range;
  }
  const tarei_interval a = expr_interval_in(box, atom->a), b = expr_interval_in(box, atom->b);
  switch (atom->kind) {
    case TAREI_ATOM_MIN:
      return (tarei_interval){expr_eval_smaller(a.lo, b.lo), expr_eval_smaller(a.hi, b.hi)};
    case TAREI_ATOM_MAX:
      return (tarei_interval){expr_eval_larger(a.lo, b.lo), expr_eval_larger(a.hi, b.hi)};
    case TAREI_ATOM_BROADCAST:
      return broadcast_interval(a, b);
    default:
      return atom->kind == TAREI_ATOM_MOD ? mod_interval(a, b) : tarei_interval_floordiv(a, b);
  }
}

static tarei_interval expr_interval_in(const expr_eval_box *const box, const tarei_expr e) {
  int n;
  const tarei_term *const terms = tarei_exprs_terms(box->pool, e, &n);
  tarei_interval sum = {0, 0};
  for (int i = 0; i < n; i++) {
    tarei_interval product = expr_eval_make(terms[i].coefficient, terms[i].coefficient);
    for (int k = 0; k < terms[i].degree; k++) {
      product = mul_interval(product, atom_interval(box, &box->pool->atoms[terms[i].atoms[k]]));
    }
    sum = expr_eval_make(add_bound(sum.lo, product.lo, INT64_MIN),
                         add_bound(sum.hi, product.hi, INT64_MAX));
  }
  return sum;
}

tarei_interval tarei_expr_interval(const tarei_exprs *const pool, const tarei_expr e) {
  return expr_interval_in(&(expr_eval_box){.pool = pool}, e);
}

/* In a box; without bounds if memory runs out. */
static tarei_interval interval_named(const tarei_exprs *const pool, const tarei_expr e,
                                     const int64_t *const lo, const int64_t *const hi) {
  tarei_interval range = {INT64_MIN, INT64_MAX};
  bool *const needed = tarei_expr_names(pool, e);
  tarei_interval *const names = tarei_calloc(pool->n_names + 1, sizeof *names);
  if (needed && names) {
    const expr_eval_box box = {pool, lo, hi, names};
    for (size_t k = 0; k < pool->n_names; k++) {
      names[k] = needed[k] ? expr_interval_in(&box, pool->names[k].expr) : names[k];
    }
    range = expr_interval_in(&box, e);
  }
  free(names);
  free(needed);
  return range;
}

bool tarei_expr_bounds(const tarei_exprs *const pool, const tarei_expr e, const int64_t *const lo,
                       const int64_t *const hi, int64_t *const min, int64_t *const max) {
  if (e == TAREI_EXPR_NONE) {
    return false;
  }
  assert(lo && hi);
  const tarei_interval range = pool->nodes[e].names
                                   ? interval_named(pool, e, lo, hi)
                                   : expr_interval_in(&(expr_eval_box){pool, lo, hi, NULL}, e);
  if (endless(range.lo) || endless(range.hi)) {
    return false;
  }
  *min = range.lo;
  *max = range.hi;
  return true;
}
