#include "graph/short_floats.h"

#include <stdlib.h>

#include "base/mem.h"
#include "graph/op.h"

/* --- which ------------------------------------------------------------------------------------ */

static tare_dtype short_type_of(const tarei_graph *const g, const int value) {
  return value >= 0 && g->values[value].dtype == TARE_F32 ? g->values[value].model_dtype
                                                          : TARE_DTYPE_NONE;
}

/* That of its inputs, or of what its bodies give. A Cast has the type that it says: float32, or a
 * mark that it got when it was read. */
static tare_dtype type_of_results(const tarei_graph *const g, const tarei_node *const node) {
  tare_dtype type = TARE_DTYPE_NONE;
  for (int i = 0; node->op != &tarei_op_cast && i < node->n_in && !type; i++) {
    type = short_type_of(g, node->in[i]);
  }
  return type;
}

static void hand_into(const tarei_graph *const g, const tarei_node *const node,
                      tarei_graph *const body) {
  for (int i = 0; i < body->n_inputs; i++) {
    const int place = i < body->n_formal ? i : body->captures[i - body->n_formal];
    const tare_dtype type =
        place < node->n_in ? short_type_of(g, node->in[place]) : TARE_DTYPE_NONE;
    tarei_value *const input = &body->values[body->inputs[i]];
    input->model_dtype = type ? type : input->model_dtype;
  }
}

static bool computes(const tarei_graph *const g, const tarei_node *const node) {
  const bool picks = node->op->movement || node->op->selects || node->op == &tarei_op_cast;
  return !picks && !tarei_node_body(node, 0) && node->n_in > 0 && node->n_out > 0 &&
         short_type_of(g, node->out[0]);
}

static tare_status keep(tarei_short_floats *const out, const tarei_node *const node,
                        const tare_dtype type, tare_error *const err) {
  if (tarei_names_find(&out->names, node->name) >= 0) {
    return TARE_OK;
  }
  char *const name = tarei_strdup(node->name);
  if (!name || !tarei_names_grow(&out->names) || !TAREI_GROW(out->nodes, out->n, out->capacity)) {
    free(name);
    return tarei_fail_memory(err, node->name, sizeof *out->nodes);
  }
  tarei_names_add(&out->names, name, out->n);
  out->nodes[out->n++] = (struct tarei_short_float){name, type};
  return TARE_OK;
}

static tare_status find_in(tarei_graph *const g, tarei_short_floats *const out,
                           tare_error *const err) {
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(node, i)) != NULL; i++) {
      hand_into(g, node, body);
      TAREI_TRY(find_in(body, out, err));
    }
    const tare_dtype type = type_of_results(g, node);
    for (int o = 0; type && o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        g->values[node->out[o]].model_dtype = type;
      }
    }
    TAREI_TRY(computes(g, node) ? keep(out, node, short_type_of(g, node->out[0]), err) : TARE_OK);
  }
  return TARE_OK;
}

tare_status tarei_short_floats_find(tarei_graph *const graph, tarei_short_floats *const out,
                                    tare_error *const err) {
  *out = (tarei_short_floats){0};
  return find_in(graph, out, err);
}

void tarei_short_floats_fini(tarei_short_floats *const found) {
  for (int i = 0; i < found->n; i++) {
    free(found->nodes[i].name);
  }
  free(found->nodes);
  tarei_names_fini(&found->names);
  *found = (tarei_short_floats){0};
}

/* --- what became of them ---------------------------------------------------------------------- */

/* The type of each origin, whose names are cut out of a copy; returns whether there is one. */
static bool types_of_origins(const tarei_short_floats *const found, char *const name,
                             int64_t *const types) {
  bool any = false;
  const char *part;
  size_t length;
  int n = 0;
  for (const char *at = name; (part = tarei_next_origin(&at, &length)) != NULL; n++) {
    name[(size_t)(part - name) + length] = '\0';
    const int node = tarei_names_find(&found->names, part);
    types[n] = node < 0 ? TARE_DTYPE_NONE : found->nodes[node].type;
    any |= node >= 0;
  }
  return any;
}

static int count_origins_of(const tarei_node *const node) {
  int n = 0;
  size_t length;
  for (const char *at = node->name; tarei_next_origin(&at, &length);) {
    n++;
  }
  return n;
}

static tare_status note_on(const tarei_short_floats *const found, tarei_node *const node,
                           tare_error *const err) {
  const int n = count_origins_of(node);
  char *const name = tarei_strdup(node->name);
  int64_t *const types = tarei_calloc((size_t)n, sizeof *types);
  const bool ok = name && types &&
                  (!types_of_origins(found, name, types) ||
                   tarei_attr_set_ints(node, TAREI_ATTR_MODEL_TYPES, types, n));
  free(name);
  free(types);
  return ok ? TARE_OK : tarei_fail_memory(err, node->name, (size_t)n * sizeof *types);
}

tare_status tarei_short_floats_note(const tarei_short_floats *const found, tarei_graph *const graph,
                                    tare_error *const err) {
  for (int n = 0; found->n > 0 && n < graph->n_nodes; n++) {
    tarei_graph *body;
    if (graph->nodes[n].op) {
      TAREI_TRY(note_on(found, &graph->nodes[n], err));
    }
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      TAREI_TRY(tarei_short_floats_note(found, body, err));
    }
  }
  return TARE_OK;
}

tare_dtype tarei_short_float_of(const tarei_node *const node, const int i) {
  const tarei_attr *const a = tarei_attr_find(node, TAREI_ATTR_MODEL_TYPES);
  const int64_t type = a && a->kind == TAREI_ATTR_INTS && i < a->n ? a->ints[i] : TARE_DTYPE_NONE;
  return type == TARE_F16 || type == TARE_BF16 ? (tare_dtype)type : TARE_DTYPE_NONE;
}
