/* Which names an expression needs. */
#include "base/mem.h"
#include "shapes/expr/expr_names.h"

int tarei_exprs_n_names(const tarei_exprs *const pool) {
  return (int)pool->n_names;
}

tarei_expr tarei_exprs_definition(const tarei_exprs *const pool, const int name) {
  return pool->names[name].expr;
}

bool tarei_expr_has_names(const tarei_exprs *const pool, const tarei_expr e) {
  return e != TAREI_EXPR_NONE && pool->nodes[e].names;
}

static void mark_direct(const tarei_exprs *const pool, const tarei_expr e, bool *const marks) {
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < terms[i].degree; k++) {
      const tarei_atom *const atom = &pool->atoms[terms[i].atoms[k]];
      if (atom->kind == TAREI_ATOM_NAME) {
        marks[atom->a] = true;
      } else if (atom->names) {
        mark_direct(pool, atom->a, marks);
        mark_direct(pool, atom->b, marks);
      }
    }
  }
}

void tarei_expr_mark_names(const tarei_exprs *const pool, const tarei_expr e, bool *const marks) {
  if (tarei_expr_has_names(pool, e)) {
    mark_direct(pool, e, marks);
    for (int k = tarei_exprs_n_names(pool) - 1; k >= 0; k--) { /* definitions have earlier ones */
      if (marks[k]) {
        mark_direct(pool, pool->names[k].expr, marks);
      }
    }
  }
}

bool *tarei_expr_names(const tarei_exprs *const pool, const tarei_expr e) {
  bool *const marks = tarei_calloc(pool->n_names + 1, sizeof *marks);
  if (marks) {
    tarei_expr_mark_names(pool, e, marks);
  }
  return marks;
}
