/* Sums and products of expressions, and of the polynomials that they are. */
#include "base/mem.h"
#include "shapes/expr/expr_build.h"

static bool term_mul(const tarei_term *const a, const tarei_term *const b, tarei_term *const out) {
  if (a->degree + b->degree > TAREI_EXPR_MAX_DEGREE ||
      !tarei_mul_i64(a->coefficient, b->coefficient, &out->coefficient)) {
    return false;
  }
  out->degree = a->degree + b->degree;
  for (int i = 0, j = 0, k = 0; k < out->degree; k++) {
    const bool from_a = j == b->degree || (i < a->degree && a->atoms[i] <= b->atoms[j]);
    out->atoms[k] = from_a ? a->atoms[i++] : b->atoms[j++];
  }
  return true;
}

bool tarei_term_div(const tarei_term *const a, const tarei_term *const b, tarei_term *const out) {
  if (b->coefficient == -1 ? a->coefficient == INT64_MIN : a->coefficient % b->coefficient != 0) {
    return false;
  }
  out->coefficient = a->coefficient / b->coefficient;
  out->degree = 0;
  int j = 0;
  for (int i = 0; i < a->degree; i++) {
    if (j < b->degree && a->atoms[i] == b->atoms[j]) {
      j++;
    } else {
      out->atoms[out->degree++] = a->atoms[i];
    }
  }
  return j == b->degree;
}

/* Multiplying keeps the order of terms. */
static bool scale(const tarei_poly *const p, const tarei_term *const factor,
                  tarei_poly *const out) {
  for (out->n = 0; out->n < p->n; out->n++) {
    if (!term_mul(&p->terms[out->n], factor, &out->terms[out->n])) {
      return false;
    }
  }
  return true;
}

bool tarei_poly_add_scaled(const tarei_poly *const a, const tarei_term *const factor,
                           const tarei_poly *const b, tarei_poly *const out) {
  tarei_poly scaled;
  if (!scale(b, factor, &scaled)) {
    return false;
  }
  out->n = 0;
  for (int i = 0, j = 0; i < a->n || j < scaled.n;) {
    const int order = j == scaled.n ? 1
                      : i == a->n   ? -1
                                    : tarei_term_compare(&a->terms[i], &scaled.terms[j]);
    tarei_term t = order >= 0 ? a->terms[i] : scaled.terms[j];
    if (order == 0 && !tarei_add_i64(t.coefficient, scaled.terms[j].coefficient, &t.coefficient)) {
      return false;
    }
    i += order >= 0;
    j += order <= 0;
    if (t.coefficient == 0) {
      continue;
    }
    if (out->n == TAREI_EXPR_MAX_TERMS) {
      return false;
    }
    out->terms[out->n++] = t;
  }
  return true;
}

bool tarei_poly_is_const(const tarei_poly *const p, int64_t *const value) {
  if (p->n > 1 || (p->n == 1 && p->terms[0].degree > 0)) {
    return false;
  }
  *value = p->n ? p->terms[0].coefficient : 0;
  return true;
}

tarei_expr tarei_expr_const(tarei_exprs *const pool, const int64_t value) {
  tarei_poly poly;
  poly.n = value != 0;
  poly.terms[0] = (tarei_term){.coefficient = value};
  return tarei_exprs_intern(pool, &poly);
}

static tarei_expr add_scaled(tarei_exprs *const pool, const tarei_expr a, const int64_t factor,
                             const tarei_expr b) {
  tarei_poly pa, pb, sum;
  tarei_exprs_load(pool, a, &pa);
  tarei_exprs_load(pool, b, &pb);
  const tarei_term scale = {.coefficient = factor};
  return tarei_poly_add_scaled(&pa, &scale, &pb, &sum) ? tarei_exprs_intern(pool, &sum)
                                                       : TAREI_EXPR_NONE;
}

static tarei_expr expr_sum_add(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return add_scaled(pool, a, 1, b);
}

static tarei_expr expr_sum_sub(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return add_scaled(pool, a, -1, b);
}

static tarei_expr expr_sum_mul(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  tarei_poly pa, pb, sums[2];
  tarei_exprs_load(pool, a, &pa);
  tarei_exprs_load(pool, b, &pb);
  sums[0].n = 0;
  for (int i = 0; i < pa.n; i++) {
    if (!tarei_poly_add_scaled(&sums[i % 2], &pa.terms[i], &pb, &sums[(i + 1) % 2])) {
      return TAREI_EXPR_NONE;
    }
  }
  return tarei_exprs_intern(pool, &sums[pa.n % 2]);
}

tarei_expr tarei_expr_add(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return tarei_exprs_build(pool, expr_sum_add, a, b);
}

tarei_expr tarei_expr_sub(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return tarei_exprs_build(pool, expr_sum_sub, a, b);
}

tarei_expr tarei_expr_mul(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  return tarei_exprs_build(pool, expr_sum_mul, a, b);
}
