#include "shapes/expr_linear.h"

#include "shapes/expr/expr_pool.h"

static bool add_linear(const tarei_exprs *const pool, const tarei_term *const term,
                       tarei_linear_sum *const out) {
  if (term->degree == 0) {
    out->constant = term->coefficient;
    return true;
  }
  const tarei_atom *const atom = &pool->atoms[term->atoms[0]];
  if (term->degree != 1 || atom->kind != TAREI_ATOM_SYMBOL || out->n == TAREI_LINEAR_TERMS) {
    return false;
  }
  out->terms[out->n].symbol = atom->a;
  out->terms[out->n++].factor = term->coefficient;
  return true;
}

bool tarei_expr_linear(const tarei_exprs *const pool, const tarei_expr e,
                       tarei_linear_sum *const out) {
  *out = (tarei_linear_sum){0};
  if (e == TAREI_EXPR_NONE) {
    return false;
  }
  int n = 0;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  bool linear = true;
  for (int i = 0; i < n && linear; i++) {
    linear = add_linear(pool, &terms[i], out);
  }
  return linear;
}
