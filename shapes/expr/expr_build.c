/* Names: one atom for an expression that is long when it is written out. Sizes of deep models are
 * made of sizes, several times over, so that only with names do they stay small. */
#include "shapes/expr/expr_build.h"

#include "base/mem.h"

static tarei_expr add_name(tarei_exprs *const pool, const tarei_expr e) {
  const tarei_expr_definition definition = {e, tarei_expr_interval(pool, e)};
  if (pool->n_names >= TAREI_EXPR_MAX_NAMES ||
      !TAREI_GROW(pool->names, pool->n_names, pool->cap_names)) {
    return TAREI_EXPR_NONE;
  }
  pool->names[pool->n_names] = definition;
  return tarei_exprs_atom(pool, TAREI_ATOM_NAME, (int32_t)pool->n_names++, 0);
}

tarei_expr tarei_expr_name(tarei_exprs *const pool, const tarei_expr e) {
  int64_t value;
  if (e == TAREI_EXPR_NONE || tarei_expr_is_const(pool, e, &value)) {
    return e;
  }
  const tarei_atom *const atom = tarei_exprs_bare_atom(pool, e);
  if (atom && (atom->kind == TAREI_ATOM_SYMBOL || atom->kind == TAREI_ATOM_NAME)) {
    return e;
  }
  if (pool->nodes[e].name == TAREI_EXPR_NONE) {
    const tarei_expr name = add_name(pool, e); /* may move the nodes */
    pool->nodes[e].name = name;
  }
  return pool->nodes[e].name;
}

/* A text has names where they were when it was written. */
static bool is_long(const tarei_exprs *const pool, const tarei_expr_node *const node) {
  return !pool->reads && (node->weight > TAREI_EXPR_LONG_WEIGHT ||
                          node->depth > TAREI_EXPR_LONG_DEPTH || node->n > TAREI_EXPR_LONG_TERMS);
}

/* Whether any size that symbols can have fits 64 bits. */
static bool may_fit(const tarei_exprs *const pool, const tarei_expr e) {
  const tarei_interval range = tarei_expr_interval(pool, e);
  return range.lo < INT64_MAX - 1 && range.hi > INT64_MIN + 1;
}

tarei_expr tarei_exprs_build(tarei_exprs *const pool, const tarei_expr_builder build,
                             const tarei_expr a, const tarei_expr b) {
  if (a == TAREI_EXPR_NONE || b == TAREI_EXPR_NONE) {
    return TAREI_EXPR_NONE;
  }
  const tarei_expr e = build(pool, a, b);
  if (e != TAREI_EXPR_NONE) {
    return is_long(pool, &pool->nodes[e]) ? tarei_expr_name(pool, e) : e;
  }
  const tarei_expr x = tarei_expr_name(pool, a), y = tarei_expr_name(pool, b);
  const tarei_expr named = (x == a && y == b) || x == TAREI_EXPR_NONE || y == TAREI_EXPR_NONE
                               ? TAREI_EXPR_NONE
                               : build(pool, x, y);
  return named != TAREI_EXPR_NONE && may_fit(pool, named) ? named : TAREI_EXPR_NONE;
}
