#include "engine/sizes.h"

#include <assert.h>

#include "base/mem.h"

bool tarei_sizes_bytes(const tare_tensor *const t, size_t *const bytes) {
  size_t most = tare_dtype_size(t->dtype);
  bool empty = false;
  for (int d = 0; d < t->rank; d++) {
    if (t->dims[d] < 0) {
      return false;
    }
    empty |= t->dims[d] == 0;
    most = tarei_times(most, t->dims[d] ? (size_t)t->dims[d] : 1);
  }
  *bytes = empty ? 0 : most;
  return most <= (size_t)1 << 46;
}

/* Whether dims are known only when the step of the value has run. In bodies all memory is that of
 * the pool. */
static bool sizes_is_late(const tarei_part *const part, const int v) {
  const tarei_value *const value = &part->graph->values[v];
  bool late = part->slots[v].storage == TAREI_STORE_POOL && !part->graph->is_body;
  for (int d = 0; part->graph->is_body && d < value->rank; d++) {
    late |= tarei_expr_uses_measured(part->graph->exprs, value->dims[d]);
  }
  return late;
}

static bool is_empty_at(const tarei_part *const part, const int v, const int64_t *const symbols) {
  const tarei_value *const value = &part->graph->values[v];
  for (int d = 0; d < value->rank; d++) {
    int64_t size;
    if (tarei_expr_eval(part->graph->exprs, value->dims[d], symbols, &size) && size == 0) {
      return true;
    }
  }
  return false;
}

/* What is given nothing gives nothing, or what an operator makes of nothing. Where windows slide
 * over elements, though, none that fits means that there are too few. */
static bool may_be_empty(const tarei_part *const part, const int v, const int64_t *const symbols) {
  const tarei_graph *const g = part->graph;
  const int producer = g->values[v].producer;
  return producer < 0 || !g->nodes[producer].op->slides ||
         is_empty_at(part, g->nodes[producer].in[0], symbols);
}

static bool is_size(const tarei_part *const part, const int v, const int64_t size,
                    const int64_t *const symbols) {
  return size > 0 || (size == 0 && may_be_empty(part, v, symbols));
}

/* Elements of a value at these symbols, or -1 with the axis and size that are at fault. */
static int64_t count_at(const tarei_part *const part, const int v, const int64_t *const symbols,
                        int *const axis, int64_t *const size) {
  const tarei_value *const value = &part->graph->values[v];
  int64_t count = 1;
  for (*axis = 0; *axis < value->rank; ++*axis) {
    *size = -1;
    if (!tarei_expr_eval(part->graph->exprs, value->dims[*axis], symbols, size) ||
        !is_size(part, v, *size, symbols) || !tarei_mul_i64(count, *size, &count)) {
      return -1;
    }
  }
  return count;
}

static tare_status check_node_at(const tarei_part *const part, const tarei_node *const node,
                                 const int64_t *const symbols, tare_error *const err) {
  const tarei_graph *const g = part->graph;
  for (int o = 0; o < node->n_out; o++) {
    const int v = node->out[o];
    int axis;
    int64_t size;
    if (v < 0 || part->slots[v].storage == TAREI_STORE_NONE || sizes_is_late(part, v)) {
      continue;
    }
    const int64_t count = count_at(part, v, symbols, &axis, &size);
    const bool moves = count >= 0 && node->op->movement && !sizes_is_late(part, node->in[0]);
    const int64_t had = moves ? count_at(part, node->in[0], symbols, &axis, &size) : count;
    if (had < 0) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "node '%s' cannot run at this length: axis %d of '%s' would be %lld",
                        node->name, axis, g->values[moves ? node->in[0] : v].name, (long long)size);
    }
    if (had != count) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "node '%s' cannot run at this length: '%s' would have %lld elements, but "
                        "its input has %lld",
                        node->name, g->values[v].name, (long long)count, (long long)had);
    }
  }
  return TARE_OK;
}

tare_status tarei_part_check_dims(const tarei_part *const part, const int64_t *const symbols,
                                  tare_error *const err) {
  for (int n = 0; n < part->graph->n_nodes; n++) {
    if (part->runs[n]) {
      TAREI_TRY(check_node_at(part, &part->graph->nodes[n], symbols, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_plan_check_dims(const tare_plan *const plan, const int64_t *const symbols,
                                  tare_error *const err) {
  return tarei_part_check_dims(&plan->root, symbols, err);
}

/* The size of an axis of a value, or -1 where only a run tells. */
static int64_t size_at(const tare_plan *const plan, const int v, const int axis,
                       const int64_t *const symbols) {
  const tarei_graph *const g = plan->root.graph;
  int64_t size = -1;
  return !tarei_expr_uses_measured(g->exprs, g->values[v].dims[axis]) &&
                 tarei_expr_eval(g->exprs, g->values[v].dims[axis], symbols, &size)
             ? size
             : -1;
}

/* The axis of operand v that does not match that of another operand, counted from the end; or 0. */
static int operand_mismatch(const tare_plan *const plan, const tarei_node *const node, const int v,
                            const int64_t *const symbols, int64_t *const size,
                            int64_t *const expected) {
  const tarei_graph *const g = plan->root.graph;
  const tarei_value *const out = &g->values[node->out[0]], *const value = &g->values[v];
  const int axis = node->op->joins ? (int)tarei_attr_int(node, "axis", 0) : -1;
  const int joined = node->op->joins ? (axis < 0 ? -axis : out->rank - axis) : 0;
  for (int k = 1; k <= value->rank && k <= out->rank; k++) {
    int64_t most = -1;
    *size = size_at(plan, v, value->rank - k, symbols);
    for (int i = 0; i < node->n_in; i++) {
      const int other = node->in[i];
      const int64_t own = other >= 0 && g->values[other].rank >= k
                              ? size_at(plan, other, g->values[other].rank - k, symbols)
                              : -1;
      most = own > most ? own : most;
    }
    const bool matches = *size == most || (node->op->elementwise && *size == 1);
    if (k != joined && *size >= 0 && most >= 0 && !matches) {
      *expected = most;
      return k;
    }
  }
  return 0;
}

tare_status tarei_plan_check_operands(const tare_plan *const plan, const int64_t *const symbols,
                                      tare_error *const err) {
  const tarei_graph *const g = plan->root.graph;
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    const bool together = node->op->elementwise || node->op->joins;
    if (!plan->root.runs[n] || !together || node->n_in < 2 || node->out[0] < 0) {
      continue;
    }
    for (int i = 0; i < node->n_in; i++) {
      int64_t size, expected;
      const int v = node->in[i];
      const int k = v < 0 ? 0 : operand_mismatch(plan, node, v, symbols, &size, &expected);
      if (k > 0) {
        return tarei_fail(err, TARE_E_SHAPE,
                          "node '%s' cannot run at this length: axis %d of '%s' would be %lld, and "
                          "that of another operand %lld",
                          node->name, g->values[v].rank - k, g->values[v].name, (long long)size,
                          (long long)expected);
      }
    }
  }
  return TARE_OK;
}

typedef struct builder {
  const tare_plan *plan;
  tarei_sizes *sizes;
  int *numbers; /* per expression of the graph: 1 + its number in the table, or 0 */
} builder;

/* The number of an expression in the table, or -1 when out of memory. */
static int sizes_number_of(const builder *const b, const tarei_expr e) {
  tarei_sizes *const s = b->sizes;
  if (b->numbers[e]) {
    return b->numbers[e] - 1;
  }
  if (!TAREI_GROW(s->exprs, s->n_exprs, s->cap_exprs)) {
    return -1;
  }
  s->exprs[s->n_exprs] = e;
  b->numbers[e] = ++s->n_exprs;
  return s->n_exprs - 1;
}

static bool add_place(tarei_size_place **const places, int *const n, size_t *const capacity,
                      const int value, const int at, const int expr) {
  if (expr < 0 || !TAREI_GROW(*places, *n, *capacity)) {
    return false;
  }
  (*places)[(*n)++] = (tarei_size_place){value, at, expr};
  return true;
}

static bool sizes_add_value(const builder *const b, const int v) {
  const tare_plan *const plan = b->plan;
  tarei_sizes *const s = b->sizes;
  const tarei_value *const value = &plan->root.graph->values[v];
  const bool dynamic = plan->root.slots[v].dynamic && !sizes_is_late(&plan->root, v);
  for (int d = 0; dynamic && d < value->rank; d++) {
    if (!add_place(&s->dims, &s->n_dims, &s->cap_dims, v, d, sizes_number_of(b, value->dims[d]))) {
      return false;
    }
  }
  for (int i = 0; plan->root.slots[v].from_shape && i < value->n_contents; i++) {
    if (!add_place(&s->contents, &s->n_contents, &s->cap_contents, v, i,
                   sizes_number_of(b, value->contents[i]))) {
      return false;
    }
  }
  return true;
}

static tarei_expr sizes_count_of(const tarei_graph *const g, const int v) {
  tarei_expr count = tarei_expr_const(g->exprs, 1);
  for (int d = 0; d < g->values[v].rank; d++) {
    count = tarei_expr_mul(g->exprs, count, g->values[v].dims[d]);
  }
  return count;
}

/* A node that only moves elements has as many after as before. Where both counts are the same
 * expression that needs no look at numbers. */
static bool add_moves(const tare_plan *const plan, tarei_sizes *const s) {
  const tarei_graph *const g = plan->root.graph;
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    for (int o = 0; plan->root.runs[n] && node->op->movement && o < node->n_out; o++) {
      const int v = node->out[o];
      if (v < 0 || plan->root.slots[v].storage == TAREI_STORE_NONE ||
          sizes_is_late(&plan->root, v) || sizes_is_late(&plan->root, node->in[0])) {
        continue;
      }
      const tarei_expr from = sizes_count_of(g, node->in[0]);
      if ((from == TAREI_EXPR_NONE || from != sizes_count_of(g, v)) &&
          !add_place(&s->moves, &s->n_moves, &s->cap_moves, v, 0, node->in[0])) {
        return false;
      }
    }
  }
  return true;
}

/* Lists the names that the expressions of the table need. */
static bool sizes_add_names(const tare_plan *const plan, tarei_sizes *const s) {
  const tarei_exprs *const exprs = plan->root.graph->exprs;
  const int n = tarei_exprs_n_names(exprs);
  bool *const marks = tarei_calloc((size_t)n + 1, sizeof *marks);
  s->names = tarei_calloc((size_t)n + 1, sizeof *s->names);
  for (int i = 0; marks && i < s->n_exprs; i++) {
    tarei_expr_mark_names(exprs, s->exprs[i], marks);
  }
  for (int k = 0; marks && s->names && k < n; k++) {
    if (marks[k]) {
      s->names[s->n_names++] = k;
    }
  }
  s->n_results = s->n_exprs + (s->n_names ? n : 0);
  free(marks);
  return marks && s->names;
}

static tarei_expr last_expr(const tarei_graph *const g) {
  tarei_expr last = 0;
  for (int v = 0; v < g->n_values; v++) {
    const tarei_value *const value = &g->values[v];
    for (int d = 0; d < value->rank; d++) {
      last = value->dims[d] > last ? value->dims[d] : last;
    }
    for (int i = 0; value->contents && i < value->n_contents; i++) {
      last = value->contents[i] > last ? value->contents[i] : last;
    }
  }
  return last;
}

tare_status tarei_sizes_compile(tare_plan *const plan, tare_error *const err) {
  const size_t n = (size_t)last_expr(plan->root.graph) + 1;
  const builder b = {plan, &plan->sizes, tarei_calloc(n, sizeof *b.numbers)};
  bool ok = b.numbers != NULL;
  for (int v = 0; ok && v < plan->root.graph->n_values; v++) {
    ok = plan->root.slots[v].storage == TAREI_STORE_NONE || sizes_add_value(&b, v);
  }
  ok = ok && add_moves(plan, &plan->sizes) && sizes_add_names(plan, &plan->sizes);
  free(b.numbers);
  return ok ? TARE_OK : tarei_fail_memory(err, "sizes", n * sizeof *b.numbers);
}

void tarei_sizes_fini(tarei_sizes *const s) {
  free(s->exprs);
  free(s->names);
  free(s->dims);
  free(s->contents);
  free(s->moves);
  *s = (tarei_sizes){0};
}

static void fill_contents(const tare_plan *const plan, const int64_t *const results,
                          const tare_tensor *const tensors) {
  for (int i = 0; i < plan->sizes.n_contents; i++) {
    const tarei_size_place *const c = &plan->sizes.contents[i];
    const tare_tensor *const t = &tensors[c->value];
    if (t->dtype == TARE_I64) {
      ((int64_t *)t->data)[c->at] = results[c->other];
    } else {
      ((int32_t *)t->data)[c->at] = (int32_t)results[c->other];
    }
  }
}

/* Says in one sentence what is wrong; the table knows only that something is. */
static tare_status explain(const tare_plan *const plan, const int64_t *const symbols,
                           const int expr, tare_error *const err) {
  TAREI_TRY(tarei_plan_check_dims(plan, symbols, err));
  for (int i = 0; i < plan->sizes.n_contents; i++) {
    const tarei_size_place *const c = &plan->sizes.contents[i];
    if (c->other == expr) {
      return tarei_fail(err, TARE_E_SHAPE, "'%s': element %d exceeds 64 bits at this length",
                        plan->root.graph->values[c->value].name, c->at);
    }
  }
  return tarei_fail(err, TARE_E_SHAPE, "a size exceeds 64 bits at this length");
}

tare_status tarei_sizes_fill(const tare_plan *const plan, const int64_t *const symbols,
                             int64_t *const results, tare_tensor *const tensors,
                             tare_error *const err) {
  const tarei_sizes *const s = &plan->sizes;
  const tarei_exprs *const exprs = plan->root.graph->exprs;
  int64_t *const names = results + s->n_exprs;
  for (int i = 0; i < s->n_names; i++) {
    const int k = s->names[i];
    if (!tarei_expr_eval_named(exprs, tarei_exprs_definition(exprs, k), symbols, names,
                               &names[k])) {
      return explain(plan, symbols, -1, err);
    }
  }
  for (int i = 0; i < s->n_exprs; i++) {
    if (s->exprs[i] == TAREI_EXPR_NONE ||
        !tarei_expr_eval_named(exprs, s->exprs[i], symbols, names, &results[i])) {
      return explain(plan, symbols, i, err);
    }
  }
  for (int i = 0; i < s->n_dims; i++) {
    const tarei_size_place *const d = &s->dims[i];
    if (!is_size(&plan->root, d->value, results[d->other], symbols)) {
      return explain(plan, symbols, -1, err);
    }
    assert(results[d->other] <= plan->root.bounds[d->value].dims[d->at]);
    tensors[d->value].dims[d->at] = results[d->other];
  }
  for (int i = 0; i < s->n_moves; i++) {
    const tarei_size_place *const m = &s->moves[i];
    if (tare_tensor_count(&tensors[m->value]) != tare_tensor_count(&tensors[m->other])) {
      return explain(plan, symbols, -1, err);
    }
  }
  fill_contents(plan, results, tensors);
  return TARE_OK;
}
