/*
 * One threshold for tensors of which TensorRT's calibrators give all the same scale
 * (IInt8EntropyCalibrator2 and IInt8MinMaxCalibrator: "for a concat, all inputs along with output
 * share a single scale factor", "pool op output scale = input scale").
 *
 * Tensors are slots: the tensors of the table, and behind them the values of the model, in bodies
 * too, that it does not name. Groups are trees of slots.
 */
#include <tare/table_model.h>

#include <math.h>

#include "base/mem.h"
#include "graph/model.h"
#include "graph/op.h"
#include "graph/table/table.h"

typedef struct unify_slot {
  int parent;   /* in its group; the slot itself at the top */
  bool written; /* by an operator that keeps the scale of its input */
  bool changed;
  int n;       /* tensors of the table in the group; at the top */
  double best; /* threshold of the group; at the top */
  double any;  /* largest threshold of the group; at the top */
} unify_slot;

typedef struct unify_work {
  tare_table *table;
  unify_slot *slots;
  int n_slots, next; /* the first slot that no value has */
  tare_unified result;
} unify_work;

static int unify_count_values(const tarei_graph *const g) {
  int n = g->n_values;
  for (int i = 0; i < g->n_nodes; i++) {
    const tarei_graph *body;
    for (int k = 0; (body = tarei_node_body(&g->nodes[i], k)) != NULL; k++) {
      n += unify_count_values(body);
    }
  }
  return n;
}

static int unify_top(unify_slot *const slots, int slot) {
  while (slots[slot].parent != slot) {
    slots[slot].parent = slots[slots[slot].parent].parent;
    slot = slots[slot].parent;
  }
  return slot;
}

/* Inputs, the first ones, that have the scale of output 0. */
static int unify_shared_inputs(const tarei_node *const node) {
  const bool pools =
      tarei_node_is(node, &tarei_op_max_pool) || tarei_node_is(node, &tarei_op_average_pool);
  return node->op->joins ? node->n_in : node->op->movement || pools;
}

static bool unify_is_activation(const tarei_graph *const g, const int value) {
  const tarei_value *const v = value < 0 ? NULL : &g->values[value];
  return v && !v->data && (v->dtype == TARE_F32 || v->dtype == TARE_DTYPE_NONE);
}

static void unify_node(unify_work *const w, const tarei_graph *const g,
                       const tarei_node *const node, const int *const slot_of) {
  const int n = unify_shared_inputs(node), out = node->n_out > 0 ? node->out[0] : -1;
  if (n == 0 || !unify_is_activation(g, out)) {
    return;
  }
  w->slots[slot_of[out]].written = true;
  for (int i = 0; i < n; i++) {
    if (unify_is_activation(g, node->in[i])) {
      const int top = unify_top(w->slots, slot_of[node->in[i]]);
      w->slots[top].parent = unify_top(w->slots, slot_of[out]);
    }
  }
}

static tare_status unify_graph(unify_work *const w, const tarei_graph *const g,
                               tare_error *const err) {
  int *const slot_of = tarei_calloc((size_t)g->n_values + 1, sizeof *slot_of);
  if (!slot_of) {
    return tarei_fail_memory(err, "groups of tensors", (size_t)g->n_values * sizeof *slot_of);
  }
  for (int i = 0; i < g->n_values; i++) {
    const int tensor = tare_table_find(w->table, g->values[i].name);
    slot_of[i] = tensor < 0 ? w->next++ : tensor;
  }
  tare_status status = TARE_OK;
  for (int i = 0; i < g->n_nodes && status == TARE_OK; i++) {
    const tarei_graph *body;
    unify_node(w, g, &g->nodes[i], slot_of);
    for (int k = 0; status == TARE_OK && (body = tarei_node_body(&g->nodes[i], k)) != NULL; k++) {
      status = unify_graph(w, body, err);
    }
  }
  free(slot_of);
  return status;
}

static void unify_find_thresholds(unify_work *const w, const int column) {
  for (int i = 0; i < w->n_slots; i++) {
    w->slots[i].best = w->slots[i].any = w->slots[i].n = 0;
  }
  for (int i = 0; i < w->table->n_tensors; i++) {
    unify_slot *const top = &w->slots[unify_top(w->slots, i)];
    const double amax = w->table->tensors[i].cells[column].amax;
    top->n++;
    top->any = fmax(top->any, amax);
    top->best = w->slots[i].written ? top->best : fmax(top->best, amax);
  }
}

static void unify_set_threshold(unify_work *const w, const int tensor, const int column) {
  const unify_slot *const top = &w->slots[unify_top(w->slots, tensor)];
  double *const amax = &w->table->tensors[tensor].cells[column].amax;
  const double shared = top->best > 0 ? top->best : top->any;
  if (top->n < 2 || *amax == shared) {
    return;
  }
  w->result.largest = *amax > 0 ? fmax(w->result.largest, shared / *amax) : w->result.largest;
  w->slots[tensor].changed = true;
  *amax = shared;
}

static void unify_table(unify_work *const w) {
  for (int column = 0; column < w->table->n_columns; column++) {
    unify_find_thresholds(w, column);
    for (int i = 0; i < w->table->n_tensors; i++) {
      unify_set_threshold(w, i, column);
    }
  }
  for (int i = 0; i < w->n_slots; i++) {
    w->result.groups += w->slots[i].parent == i && w->slots[i].n > 1;
  }
  for (int i = 0; i < w->table->n_tensors; i++) {
    w->result.tensors += w->slots[unify_top(w->slots, i)].n > 1;
    w->result.changed += w->slots[i].changed;
  }
}

tare_status tare_table_unify(tare_table *const table, const tare_model *const model,
                             tare_unified *const unified, tare_error *const err) {
  unify_work w = {.table = table,
                  .n_slots = table->n_tensors + unify_count_values(model->graph),
                  .next = table->n_tensors,
                  .result = {.largest = 1}};
  w.slots = tarei_calloc((size_t)w.n_slots + 1, sizeof *w.slots);
  if (!w.slots) {
    return tarei_fail_memory(err, "groups of tensors", (size_t)w.n_slots * sizeof *w.slots);
  }
  for (int i = 0; i < w.n_slots; i++) {
    w.slots[i].parent = i;
  }
  const tare_status status = unify_graph(&w, model->graph, err);
  if (status == TARE_OK) {
    unify_table(&w);
  }
  free(w.slots);
  if (unified && status == TARE_OK) {
    *unified = w.result;
  }
  return status;
}
