/* Expressions with another expression in the place of a symbol. */
#include <stdlib.h>

#include "base/mem.h"
#include "shapes/expr/expr_names.h"

typedef struct expr_replace_job {
  tarei_exprs *pool;
  int symbol;
  tarei_expr by;
  tarei_expr *names; /* what stands in the place of each name that is needed */
} expr_replace_job;

static tarei_expr replace_in(const expr_replace_job *job, tarei_expr e);

static tarei_expr replace_atom(const expr_replace_job *const job, const int32_t index) {
  const tarei_atom atom = job->pool->atoms[index]; /* a copy: building moves them */
  static tarei_expr (*const builders[])(tarei_exprs *, tarei_expr, tarei_expr) = {
      [TAREI_ATOM_FLOORDIV] = tarei_expr_floordiv,
      [TAREI_ATOM_MOD] = tarei_expr_mod,
      [TAREI_ATOM_MIN] = tarei_expr_min,
      [TAREI_ATOM_MAX] = tarei_expr_max,
      [TAREI_ATOM_BROADCAST] = tarei_expr_broadcast,
  };
  if (atom.kind == TAREI_ATOM_NAME) {
    return job->names[atom.a];
  }
  if (atom.kind == TAREI_ATOM_SYMBOL) {
    return atom.a == job->symbol ? job->by
                                 : tarei_exprs_atom(job->pool, TAREI_ATOM_SYMBOL, atom.a, 0);
  }
  return builders[atom.kind](job->pool, replace_in(job, atom.a), replace_in(job, atom.b));
}

static tarei_expr replace_in(const expr_replace_job *const job, const tarei_expr e) {
  tarei_poly poly;
  tarei_exprs_load(job->pool, e, &poly);
  tarei_expr sum = tarei_expr_const(job->pool, 0);
  for (int i = 0; i < poly.n; i++) {
    tarei_expr product = tarei_expr_const(job->pool, poly.terms[i].coefficient);
    for (int k = 0; k < poly.terms[i].degree; k++) {
      product = tarei_expr_mul(job->pool, product, replace_atom(job, poly.terms[i].atoms[k]));
    }
    sum = tarei_expr_add(job->pool, sum, product);
  }
  return sum;
}

tarei_expr tarei_expr_replace(tarei_exprs *const pool, const tarei_expr e, const int symbol,
                              const tarei_expr by) {
  if (!tarei_expr_uses(pool, e, symbol)) {
    return e;
  }
  const size_t n = pool->n_names;
  expr_replace_job job = {pool, symbol, by, tarei_calloc(n + 1, sizeof *job.names)};
  bool *const needed = tarei_expr_names(pool, e);
  tarei_expr result = TAREI_EXPR_NONE;
  if (needed && job.names) {
    for (size_t k = 0; k < n; k++) {
      job.names[k] = needed[k] ? tarei_expr_name(pool, replace_in(&job, pool->names[k].expr))
                               : TAREI_EXPR_NONE;
    }
    result = replace_in(&job, e);
  }
  free(needed);
  free(job.names);
  return result;
}
