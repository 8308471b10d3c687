#include "graph/equal_dims.h"

#include "base/mem.h"

enum { MOST_PAIRS = 1 << 20, LOOKED_BACK = 16 }; /* far beyond real models */

static bool is_new_pair(const tarei_equal_dims *const list, const tarei_equal_pair *const pair) {
  bool found = false;
  for (size_t i = list->n; i > 0 && list->n - i < LOOKED_BACK && !found; i--) {
    const tarei_equal_pair *const other = &list->pairs[i - 1];
    found = other->a == pair->a && other->b == pair->b && other->or_one == pair->or_one &&
            other->body == pair->body;
  }
  return !found;
}

void tarei_equal_dims_note(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b,
                           const bool or_one) {
  tarei_equal_dims *const list = graph->equal;
  const bool in_body = graph->is_body;
  const tarei_equal_pair pair = {a, b, or_one || in_body, in_body ? graph : NULL};
  if (!list || a == b || a == TAREI_EXPR_NONE || b == TAREI_EXPR_NONE || list->n == MOST_PAIRS ||
      !is_new_pair(list, &pair)) {
    return;
  }
  if (!TAREI_GROW(list->pairs, list->n, list->cap)) {
    list->failed = true;
    return;
  }
  list->pairs[list->n++] = pair;
}
