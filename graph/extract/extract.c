#include "graph/extract/extract.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "graph/qdq/edit_uses.h"

/* --- the order of nodes ----------------------------------------------------------------------- */

/* A search through the nodes from what they read; `path` are those on the way to the current one.
 */
typedef struct extract_search {
  tarei_extract_node *nodes; /* in the order of the file */
  const tarei_names *makers; /* numbers in that order */
  enum { EXTRACT_NEW, EXTRACT_OPEN, EXTRACT_DONE } * states;
  int *path, *next_read; /* per node of the path: what is looked at next */
  int depth;
  int *order, n_order;
} extract_search;

static void search_enter(extract_search *const s, const int node) {
  s->states[node] = EXTRACT_OPEN;
  s->path[s->depth] = node;
  s->next_read[s->depth++] = 0;
}

/* Enters a node that the current one reads, or ends the current one. */
static tare_status search_step(extract_search *const s, tare_error *const err) {
  const int node = s->path[s->depth - 1];
  const int r = s->next_read[s->depth - 1]++;
  if (r == s->nodes[node].n_read) {
    s->states[node] = EXTRACT_DONE;
    s->order[s->n_order++] = node;
    s->depth--;
    return TARE_OK;
  }
  const int maker = tarei_names_find(s->makers, s->nodes[node].read[r]);
  if (maker >= 0 && s->states[maker] == EXTRACT_OPEN) {
    return tarei_fail(err, TARE_E_MODEL, "nodes form a cycle: '%s' depends on its own output",
                      s->nodes[node].name);
  }
  if (maker >= 0 && s->states[maker] == EXTRACT_NEW) {
    search_enter(s, maker);
  }
  return TARE_OK;
}

static tare_status search_all(extract_search *const s, const int n, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    if (s->states[i] == EXTRACT_NEW) {
      search_enter(s, i);
    }
    while (s->depth) {
      TAREI_TRY(search_step(s, err));
    }
  }
  return TARE_OK;
}

static tare_status sort_nodes(tare_extract *const e, const tarei_names *const makers,
                              tare_error *const err) {
  const size_t n = (size_t)e->n_nodes;
  tarei_extract_node *const sorted = tarei_calloc(n, sizeof *sorted);
  extract_search s = {.nodes = e->nodes,
                      .makers = makers,
                      .states = tarei_calloc(n, sizeof *s.states),
                      .path = tarei_calloc(n, sizeof *s.path),
                      .next_read = tarei_calloc(n, sizeof *s.next_read),
                      .order = tarei_calloc(n, sizeof *s.order)};
  const bool good = sorted && s.states && s.path && s.next_read && s.order;
  const tare_status status =
      good ? search_all(&s, e->n_nodes, err) : tarei_fail_memory(err, "nodes", n * sizeof *sorted);
  for (int i = 0; status == TARE_OK && i < e->n_nodes; i++) {
    sorted[i] = e->nodes[s.order[i]];
  }
  free(s.states);
  free(s.path);
  free(s.next_read);
  free(s.order);
  if (status != TARE_OK) {
    free(sorted);
    return status;
  }
  free(e->nodes);
  e->nodes = sorted;
  return TARE_OK;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void know(tarei_names *const known, const char *const name) {
  if (*name && tarei_names_find(known, name) < 0) {
    tarei_names_add(known, name, 0);
  }
}

static size_t count_tensors(const Onnx__GraphProto *const graph) {
  size_t n = graph->n_input;
  for (size_t i = 0; i < graph->n_node; i++) {
    n += graph->node[i]->n_output;
  }
  return n;
}

/* Inputs of the model and outputs of nodes; old models list constants as inputs too. */
static tare_status find_known(const Onnx__GraphProto *const graph, tarei_names *const out,
                              tare_error *const err) {
  tarei_names constants = {0};
  const size_t n = count_tensors(graph);
  if (!tarei_names_init(out, n) || !tarei_names_init(&constants, graph->n_initializer)) {
    tarei_names_fini(&constants);
    return tarei_fail_memory(err, "tensors of the model", n);
  }
  for (size_t i = 0; i < graph->n_initializer; i++) {
    know(&constants, tarei_onnx_text(graph->initializer[i]->name));
  }
  for (size_t i = 0; i < graph->n_input; i++) {
    const char *const name = tarei_onnx_text(graph->input[i]->name);
    if (tarei_names_find(&constants, name) < 0) {
      know(out, name);
    }
  }
  for (size_t i = 0; i < graph->n_node; i++) {
    for (size_t o = 0; o < graph->node[i]->n_output; o++) {
      know(out, tarei_onnx_text(graph->node[i]->output[o]));
    }
  }
  tarei_names_fini(&constants);
  return TARE_OK;
}

/* Nodes without a name, or with that of another, have the number in the file in theirs: the part
 * keeps it. */
static bool name_node(tarei_extract_node *const node, const size_t index,
                      tarei_names *const taken) {
  node->name = tarei_onnx_node_name(taken, "", node->proto, index);
  if (node->name) {
    tarei_names_add(taken, node->name, 0);
  }
  return node->name != NULL;
}

static tare_status list_nodes(tare_extract *const e, const tarei_names *const known,
                              tare_error *const err) {
  const Onnx__GraphProto *const graph = e->file.model->graph;
  tarei_names taken = {0};
  e->nodes = tarei_calloc(graph->n_node, sizeof *e->nodes);
  bool good = e->nodes && tarei_names_init(&taken, graph->n_node);
  for (size_t i = 0; good && i < graph->n_node; i++) {
    tarei_extract_node *const node = &e->nodes[e->n_nodes++];
    node->proto = graph->node[i];
    good = tarei_extract_note_reads(node, known) && name_node(node, i, &taken);
  }
  tarei_names_fini(&taken);
  return good ? TARE_OK : tarei_fail_memory(err, "nodes", graph->n_node * sizeof *e->nodes);
}

/* The makers by number in the new order. */
static tare_status find_makers(tare_extract *const e, tare_error *const err) {
  if (!tarei_names_init(&e->makers, count_tensors(e->file.model->graph))) {
    return tarei_fail_memory(err, "tensors of the model", (size_t)e->n_nodes);
  }
  for (int i = 0; i < e->n_nodes; i++) {
    const Onnx__NodeProto *const proto = e->nodes[i].proto;
    for (size_t o = 0; o < proto->n_output; o++) {
      const char *const name = tarei_onnx_text(proto->output[o]);
      if (*name && tarei_names_find(&e->makers, name) < 0) {
        tarei_names_add(&e->makers, name, i);
      }
    }
  }
  return TARE_OK;
}

static tare_status extract_open(tare_extract *const e, const char *const path,
                                const tare_load_options *const load, tare_error *const err) {
  tarei_names known = {0}, makers = {0};
  TAREI_TRY(tarei_onnx_file_open(path, load, &e->file, err));
  tare_status status = TARE_OK;
  TAREI_TRY_GOTO(find_known(e->file.model->graph, &known, err), done);
  TAREI_TRY_GOTO(list_nodes(e, &known, err), done);
  TAREI_TRY_GOTO(tarei_uses_name_makers(e->file.model->graph, &makers, err), done);
  TAREI_TRY_GOTO(sort_nodes(e, &makers, err), done);
  TAREI_TRY_GOTO(find_makers(e, err), done);
  status = tarei_file_types_init(&e->file, &e->types, err);
done:
  tarei_names_fini(&known);
  tarei_names_fini(&makers);
  return status == TARE_OK ? status : tarei_fail_in(err, status, "%s", path);
}

tare_status tare_extract_new(const char *const path, const tare_load_options *const load,
                             tare_extract **const out, tare_error *const err) {
  *out = NULL;
  tare_extract *made = tarei_calloc(1, sizeof *made);
  if (!made) {
    return tarei_fail_memory(err, path, sizeof *made);
  }
  const unsigned refusals = tarei_refusals();
  const tare_status status = tarei_settle(refusals, extract_open(made, path, load, err), path, err);
  if (status != TARE_OK) {
    tare_extract_free(&made);
    return status;
  }
  *out = made;
  return TARE_OK;
}

void tare_extract_free(tare_extract **const extract) {
  tare_extract *const e = *extract;
  if (!e) {
    return;
  }
  for (int i = 0; i < e->n_nodes; i++) {
    free(e->nodes[i].name);
    free(e->nodes[i].uses);
    free(e->nodes[i].read);
  }
  free(e->nodes);
  tarei_names_fini(&e->makers);
  tarei_file_types_fini(&e->types);
  tarei_onnx_file_close(&e->file);
  free(e);
  *extract = NULL;
}

/* --- what there is ---------------------------------------------------------------------------- */

int tare_extract_n_nodes(const tare_extract *const e) {
  return e->n_nodes;
}

tare_extract_node tare_extract_node_at(const tare_extract *const e, const int i) {
  if (!tarei_has_number(i, e->n_nodes)) {
    return (tare_extract_node){0};
  }
  const tarei_extract_node *const node = &e->nodes[i];
  return (tare_extract_node){.name = node->name,
                             .op = tarei_onnx_text(node->proto->op_type),
                             .inputs = node->read,
                             .n_inputs = node->n_read,
                             .outputs = (const char *const *)node->proto->output,
                             .n_outputs = (int)node->proto->n_output};
}

int tare_extract_n_outputs(const tare_extract *const e) {
  return (int)e->file.model->graph->n_output;
}

const char *tare_extract_output(const tare_extract *const e, const int i) {
  if (!tarei_has_number(i, tare_extract_n_outputs(e))) {
    return NULL;
  }
  return tarei_onnx_text(e->file.model->graph->output[i]->name);
}

int tare_extract_maker(const tare_extract *const e, const char *const tensor) {
  return tarei_names_find(&e->makers, tensor);
}
