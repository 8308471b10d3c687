#include "graph/pass_log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

int tarei_pass_log_find(tarei_pass_log *const log, const char *const name) {
  int i = 0;
  while (i < log->n && strcmp(log->passes[i].name, name) != 0) {
    i++;
  }
  if (i == TAREI_MOST_PASSES || strlen(name) >= TAREI_PASS_NAME) {
    return -1;
  }
  if (i == log->n) {
    strcpy(log->passes[log->n++].name, name);
  }
  return i;
}

/* --- notes ------------------------------------------------------------------------------------ */

/* What a pass changes of a node. */
typedef struct pass_note {
  int32_t number;
  const tarei_op *op;
  int n_in, n_attrs;
  uint64_t name;
} pass_note;

/* The passes of a node, by one of the nodes of the model that it computes. */
typedef struct pass_origin {
  uint64_t name;
  uint32_t passes;
} pass_origin;

static uint64_t note_name(const char *const name, const size_t n) {
  return XXH64(name, n, 0);
}

static int note_by_number(const void *const a, const void *const b) {
  const int32_t x = ((const pass_note *)a)->number, y = ((const pass_note *)b)->number;
  return (x > y) - (x < y);
}

static int note_by_origin(const void *const a, const void *const b) {
  const uint64_t x = ((const pass_origin *)a)->name, y = ((const pass_origin *)b)->name;
  return (x > y) - (x < y);
}

static pass_note note_of(const tarei_node *const node) {
  return (pass_note){.number = node->number,
                     .op = node->op,
                     .n_in = node->n_in,
                     .n_attrs = node->n_attrs,
                     .name = note_name(node->name, strlen(node->name))};
}

static int count_origins(const tarei_graph *const graph) {
  int n = 0;
  for (int i = 0; i < graph->n_nodes; i++) {
    size_t length;
    for (const char *at = graph->nodes[i].name; tarei_next_origin(&at, &length);) {
      n++;
    }
  }
  return n;
}

tare_status tarei_pass_notes_take(tarei_pass_notes *const notes, const tarei_graph *const graph,
                                  tare_error *const err) {
  const size_t n_origins = (size_t)count_origins(graph);
  tarei_pass_notes_fini(notes);
  notes->nodes = tarei_calloc((size_t)graph->n_nodes, sizeof *notes->nodes);
  notes->origins = tarei_calloc(n_origins, sizeof *notes->origins);
  if (!notes->nodes || !notes->origins) {
    return tarei_fail_memory(err, "pass log", n_origins * sizeof *notes->origins);
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    const tarei_node *const node = &graph->nodes[i];
    const char *name;
    size_t length;
    notes->nodes[notes->n++] = note_of(node);
    for (const char *at = node->name; (name = tarei_next_origin(&at, &length)) != NULL;) {
      notes->origins[notes->n_origins++] = (pass_origin){note_name(name, length), node->passes};
    }
  }
  qsort(notes->nodes, (size_t)notes->n, sizeof *notes->nodes, note_by_number);
  qsort(notes->origins, n_origins, sizeof *notes->origins, note_by_origin);
  return TARE_OK;
}

void tarei_pass_notes_fini(tarei_pass_notes *const notes) {
  free(notes->nodes);
  free(notes->origins);
  *notes = (tarei_pass_notes){0};
}

/* --- comparison ------------------------------------------------------------------------------- */

/* The passes of all nodes that computed an origin; several can have the same name. */
static uint32_t passes_of_origin(const tarei_pass_notes *const notes, const uint64_t name) {
  const pass_origin key = {.name = name};
  const pass_origin *const found =
      bsearch(&key, notes->origins, (size_t)notes->n_origins, sizeof key, note_by_origin);
  const pass_origin *const end = notes->origins + notes->n_origins;
  uint32_t passes = 0;
  for (const pass_origin *o = found; o && o >= notes->origins && o->name == name; o--) {
    passes |= o->passes;
  }
  for (const pass_origin *o = found; o && o < end && o->name == name; o++) {
    passes |= o->passes;
  }
  return passes;
}

static uint32_t passes_of_origins(const tarei_pass_notes *const notes,
                                  const tarei_node *const node) {
  uint32_t passes = 0;
  const char *name;
  size_t length;
  for (const char *at = node->name; (name = tarei_next_origin(&at, &length)) != NULL;) {
    passes |= passes_of_origin(notes, note_name(name, length));
  }
  return passes;
}

static const pass_note *note_before(const tarei_pass_notes *const notes,
                                    const tarei_node *const node) {
  const pass_note key = {.number = node->number};
  return bsearch(&key, notes->nodes, (size_t)notes->n, sizeof key, note_by_number);
}

static bool is_changed(const pass_note *const before, const tarei_node *const node) {
  const pass_note now = note_of(node);
  return !before || before->op != now.op || before->n_in != now.n_in ||
         before->n_attrs != now.n_attrs || before->name != now.name;
}

tare_status tarei_pass_notes_enter(tarei_pass_notes *const notes, tarei_graph *const graph,
                                   const char *const pass, tarei_pass_log *const log,
                                   tare_error *const err) {
  uint32_t changed = 0, kept = 0;
  for (int i = 0; i < graph->n_nodes; i++) {
    const pass_note *const before = note_before(notes, &graph->nodes[i]);
    kept += before != NULL;
    changed += is_changed(before, &graph->nodes[i]);
  }
  const uint32_t removed = (uint32_t)notes->n - kept;
  if (changed == 0 && removed == 0) {
    return TARE_OK;
  }
  const int number = tarei_pass_log_find(log, pass);
  assert(number >= 0);
  log->passes[number].changed += changed;
  log->passes[number].removed += removed;
  for (int i = 0; i < graph->n_nodes; i++) {
    tarei_node *const node = &graph->nodes[i];
    if (is_changed(note_before(notes, node), node)) {
      node->passes |= passes_of_origins(notes, node) | UINT32_C(1) << number;
    }
  }
  return tarei_pass_notes_take(notes, graph, err);
}
