/* floordiv and mod. What divides is taken out of the numerator, term by term; what is left becomes
 * an atom with a numerator as small as it can be made. */
#include <string.h>

#include "base/mem.h"
#include "shapes/expr/expr_build.h"

#define MAX_DIVISION_STEPS 256

static uint64_t magnitude(const int64_t v) {
  return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static uint64_t gcd(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static bool expr_div_negate(tarei_poly *const p) {
  for (int i = 0; i < p->n; i++) {
    if (!tarei_mul_i64(p->terms[i].coefficient, -1, &p->terms[i].coefficient)) {
      return false;
    }
  }
  return true;
}

static bool has_const(const tarei_poly *const p) {
  return p->n && p->terms[p->n - 1].degree == 0;
}

static int64_t const_part(const tarei_poly *const p) {
  return has_const(p) ? p->terms[p->n - 1].coefficient : 0;
}

static void set_const(tarei_poly *const p, const int64_t value) {
  p->n -= has_const(p);
  if (value) {
    p->terms[p->n++] = (tarei_term){.coefficient = value};
  }
}

static void push(tarei_poly *const p, const tarei_term *const t, const int64_t coefficient) {
  if (coefficient) {
    p->terms[p->n] = *t;
    p->terms[p->n++].coefficient = coefficient;
  }
}

/* a = k * q + r with |coefficients of r| < k and 0 <= constant of r < k. */
static void expr_div_split(const tarei_poly *const a, const int64_t k, tarei_poly *const q,
                           tarei_poly *const r) {
  q->n = r->n = 0;
  for (int i = 0; i < a->n; i++) {
    const tarei_term *const t = &a->terms[i];
    const int64_t rest =
        t->coefficient % k; /* not c - quotient * k, which may be below all int64 */
    const bool floored = !t->degree && rest < 0;
    push(q, t, t->coefficient / k - floored);
    push(r, t, floored ? rest + k : rest);
  }
}

/* Divides the terms of r and k by their common factor; the constant is rounded down, which
 * changes no floor. Returns the factor. */
static int64_t expr_div_reduce(tarei_poly *const r, int64_t *const k) {
  uint64_t g = (uint64_t)*k;
  for (int i = 0; i < r->n && r->terms[i].degree; i++) {
    g = gcd(g, magnitude(r->terms[i].coefficient));
  }
  const int64_t factor = (int64_t)g;
  for (int i = 0; i < r->n && r->terms[i].degree; i++) {
    r->terms[i].coefficient /= factor;
  }
  set_const(r, const_part(r) / factor);
  *k /= factor;
  return factor;
}

static tarei_expr expr_div_floor(tarei_exprs *pool, tarei_expr a, tarei_expr b);

/* floor((floor(x / m) + c) / k) = floor((x + m * c) / (m * k)); NONE when r is not of that form
 * or the numbers grow too large. */
static tarei_expr merge_nested(tarei_exprs *const pool, const tarei_poly *const r,
                               const int64_t k) {
  if (r->n - has_const(r) != 1 || r->terms[0].degree != 1 || r->terms[0].coefficient != 1) {
    return TAREI_EXPR_NONE;
  }
  const tarei_atom inner = pool->atoms[r->terms[0].atoms[0]];
  int64_t m, divisor, offset;
  if (inner.kind != TAREI_ATOM_FLOORDIV || !tarei_expr_is_const(pool, inner.b, &m) ||
      !tarei_mul_i64(m, k, &divisor) || !tarei_mul_i64(m, const_part(r), &offset)) {
    return TAREI_EXPR_NONE;
  }
  const tarei_expr numerator = tarei_expr_add(pool, inner.a, tarei_expr_const(pool, offset));
  return expr_div_floor(pool, numerator, tarei_expr_const(pool, divisor));
}

/* floor(r / k) for r as split leaves it, its first coefficient positive. */
static tarei_expr floordiv_rest(tarei_exprs *const pool, tarei_poly *const r, int64_t k) {
  (void)expr_div_reduce(r, &k);
  const tarei_expr numerator = tarei_exprs_intern(pool, r);
  const tarei_expr divisor = tarei_expr_const(pool, k);
  if (numerator == TAREI_EXPR_NONE || divisor == TAREI_EXPR_NONE) {
    return TAREI_EXPR_NONE;
  }
  const tarei_interval range =
      tarei_interval_floordiv(tarei_expr_interval(pool, numerator), (tarei_interval){k, k});
  if (range.lo == range.hi) {
    return tarei_expr_const(pool, range.lo);
  }
  const tarei_expr merged = merge_nested(pool, r, k);
  return merged != TAREI_EXPR_NONE
             ? merged
             : tarei_exprs_atom(pool, TAREI_ATOM_FLOORDIV, numerator, divisor);
}

static tarei_expr floordiv_const(tarei_exprs *const pool, tarei_poly *const a, const int64_t k) {
  tarei_poly q, r;
  expr_div_split(a, k, &q, &r);
  const tarei_expr whole = tarei_exprs_intern(pool, &q);
  if (r.n - has_const(&r) == 0) {
    return whole;
  }
  if (r.terms[0].coefficient > 0) {
    return tarei_expr_add(pool, whole, floordiv_rest(pool, &r, k));
  }
  /* floor(-x / k) = -floor((x + k - 1) / k) */
  if (!expr_div_negate(&r)) {
    return TAREI_EXPR_NONE;
  }
  set_const(&r, const_part(&r) + k - 1);
  return tarei_expr_sub(pool, whole, floordiv_rest(pool, &r, k));
}

/* The greatest term that divides every term of a and b. */
static tarei_term common_factor(const tarei_poly *const a, const tarei_poly *const b) {
  tarei_term common = b->terms[0];
  uint64_t g = 0;
  for (int i = 0; i < a->n + b->n; i++) {
    const tarei_term *const t = i < a->n ? &a->terms[i] : &b->terms[i - a->n];
    g = gcd(g, magnitude(t->coefficient));
    int kept = 0;
    for (int c = 0, j = 0; c < common.degree; c++) {
      while (j < t->degree && t->atoms[j] < common.atoms[c]) {
        j++;
      }
      if (j < t->degree && t->atoms[j] == common.atoms[c]) {
        common.atoms[kept++] = common.atoms[c];
        j++;
      }
    }
    common.degree = kept;
  }
  common.coefficient = g > INT64_MAX ? 1 : (int64_t)g;
  return common;
}

static void divide_terms(tarei_poly *const p, const tarei_term *const factor) {
  for (int i = 0; i < p->n; i++) {
    tarei_term t;
    if (tarei_term_div(&p->terms[i], factor, &t)) {
      p->terms[i] = t;
    }
  }
}

/* Long division a = q * b + r, where no term of r is a multiple of b's first one. When it does not
 * end soon or overflows: q = 0, r = a. */
static void expr_div_divide(const tarei_poly *const a, const tarei_poly *const b,
                            tarei_poly *const q, tarei_poly *const r) {
  tarei_poly left = *a, next;
  q->n = r->n = 0;
  for (int step = 0; left.n; step++) {
    tarei_term t;
    if (step == MAX_DIVISION_STEPS || q->n == TAREI_EXPR_MAX_TERMS ||
        r->n == TAREI_EXPR_MAX_TERMS) {
      break;
    }
    if (!tarei_term_div(&left.terms[0], &b->terms[0], &t)) {
      r->terms[r->n++] = left.terms[0];
      left.n--;
      memmove(left.terms, left.terms + 1, (size_t)left.n * sizeof *left.terms);
      continue;
    }
    tarei_term factor = t;
    if (!tarei_mul_i64(t.coefficient, -1, &factor.coefficient) ||
        !tarei_poly_add_scaled(&left, &factor, b, &next)) {
      break;
    }
    q->terms[q->n++] = t;
    left = next;
  }
  if (left.n) {
    q->n = 0;
    *r = *a;
  }
}

/* Reads both operands with the divisor's first coefficient positive; *negated tells whether both
 * signs were turned. False for NONE, a zero divisor or overflow. */
static bool load_operands(const tarei_exprs *const pool, const tarei_expr a, const tarei_expr b,
                          tarei_poly *const pa, tarei_poly *const pb, bool *const negated) {
  if (a == TAREI_EXPR_NONE || b == TAREI_EXPR_NONE) {
    return false;
  }
  tarei_exprs_load(pool, a, pa);
  tarei_exprs_load(pool, b, pb);
  if (pb->n == 0) {
    return false;
  }
  *negated = pb->terms[0].coefficient < 0;
  return !*negated || (expr_div_negate(pa) && expr_div_negate(pb));
}

static tarei_expr floordiv_poly(tarei_exprs *const pool, tarei_poly *const a, tarei_poly *const b) {
  const tarei_term common = common_factor(a, b);
  if (common.degree || common.coefficient > 1) {
    divide_terms(a, &common);
    divide_terms(b, &common);
    return expr_div_floor(pool, tarei_exprs_intern(pool, a), tarei_exprs_intern(pool, b));
  }
  tarei_poly q, r;
  expr_div_divide(a, b, &q, &r);
  const tarei_expr whole = tarei_exprs_intern(pool, &q);
  if (r.n == 0) {
    return whole;
  }
  const tarei_expr rest = tarei_exprs_intern(pool, &r), divisor = tarei_exprs_intern(pool, b);
  if (q.n) {
    return tarei_expr_add(pool, whole, expr_div_floor(pool, rest, divisor));
  }
  if (rest == TAREI_EXPR_NONE || divisor == TAREI_EXPR_NONE) {
    return TAREI_EXPR_NONE;
  }
  const tarei_interval range =
      tarei_interval_floordiv(tarei_expr_interval(pool, rest), tarei_expr_interval(pool, divisor));
  return range.lo == range.hi ? tarei_expr_const(pool, range.lo)
                              : tarei_exprs_atom(pool, TAREI_ATOM_FLOORDIV, rest, divisor);
}

static tarei_expr expr_div_floor(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  tarei_poly pa, pb;
  bool negated;
  if (!load_operands(pool, a, b, &pa, &pb, &negated)) {
    return TAREI_EXPR_NONE;
  }
  int64_t k;
  return tarei_poly_is_const(&pb, &k) ? floordiv_const(pool, &pa, k)
                                      : floordiv_poly(pool, &pa, &pb);
}

tarei_expr tarei_expr_floordiv(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return tarei_exprs_build(pool, expr_div_floor, a, b);
}

tarei_expr tarei_expr_ceildiv(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  if (b == TAREI_EXPR_NONE) {
    return TAREI_EXPR_NONE;
  }
  if (tarei_expr_interval(pool, b).lo >= 1) {
    const tarei_expr less = tarei_expr_sub(pool, b, tarei_expr_const(pool, 1));
    return tarei_expr_floordiv(pool, tarei_expr_add(pool, a, less), b);
  }
  const tarei_expr zero = tarei_expr_const(pool, 0);
  const tarei_expr down = tarei_expr_floordiv(pool, tarei_expr_sub(pool, zero, a), b);
  return tarei_expr_sub(pool, zero, down);
}

/* r mod b, where r holds no multiple of b any more. */
static tarei_expr mod_rest(tarei_exprs *const pool, const tarei_poly *const r, const tarei_expr b) {
  const tarei_expr rest = tarei_exprs_intern(pool, r);
  if (rest == TAREI_EXPR_NONE || b == TAREI_EXPR_NONE) {
    return TAREI_EXPR_NONE;
  }
  const tarei_interval range = tarei_expr_interval(pool, rest);
  if (range.lo >= 0 && range.hi < tarei_expr_interval(pool, b).lo) {
    return rest;
  }
  return tarei_exprs_atom(pool, TAREI_ATOM_MOD, rest, b);
}

/* (g * x + c) mod (g * k) = g * ((x + c / g) mod k) + c mod g */
static tarei_expr mod_const(tarei_exprs *const pool, const tarei_poly *const a, const int64_t b) {
  tarei_poly q, r;
  int64_t k = b;
  expr_div_split(a, k, &q, &r);
  for (int i = 0; i < r.n; i++) {
    r.terms[i].coefficient += r.terms[i].coefficient < 0 ? k : 0;
  }
  const int64_t constant = const_part(&r);
  if (r.n - has_const(&r) == 0) {
    return tarei_expr_const(pool, constant);
  }
  const int64_t factor = expr_div_reduce(&r, &k);
  const tarei_expr rest = mod_rest(pool, &r, tarei_expr_const(pool, k));
  return tarei_expr_add(pool, tarei_expr_mul(pool, tarei_expr_const(pool, factor), rest),
                        tarei_expr_const(pool, constant % factor));
}

static tarei_expr expr_div_mod(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  tarei_poly pa, pb, q, r;
  bool negated;
  if (!load_operands(pool, a, b, &pa, &pb, &negated)) {
    return TAREI_EXPR_NONE;
  }
  int64_t k;
  tarei_expr result;
  if (tarei_poly_is_const(&pb, &k)) {
    result = mod_const(pool, &pa, k);
  } else {
    expr_div_divide(&pa, &pb, &q, &r);
    result = r.n ? mod_rest(pool, &r, tarei_exprs_intern(pool, &pb)) : tarei_expr_const(pool, 0);
  }
  return negated ? tarei_expr_sub(pool, tarei_expr_const(pool, 0), result) : result;
}

tarei_expr tarei_expr_mod(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return tarei_exprs_build(pool, expr_div_mod, a, b);
}

/* Toward zero is down for what is not negative and up for what is: a / b = max(floor(a / b), 0) +
 * min(ceil(a / b), 0), and either where b divides a. */
tarei_expr tarei_expr_trunc(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  int64_t rest;
  const tarei_expr zero = tarei_expr_const(pool, 0), floor = tarei_expr_floordiv(pool, a, b);
  if (tarei_expr_is_const(pool, tarei_expr_mod(pool, a, b), &rest) && rest == 0) {
    return floor;
  }
  const tarei_expr ceil = tarei_expr_ceildiv(pool, a, b);
  return tarei_expr_add(pool, tarei_expr_max(pool, floor, zero), tarei_expr_min(pool, ceil, zero));
}
