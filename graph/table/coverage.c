/* Compares the names of a table with those of a model, in bodies too. */
#include <tare/coverage.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/model.h"
#include "graph/op.h"
#include "graph/table/table.h"

typedef struct coverage_list {
  char **names;
  int n;
  size_t cap;
} coverage_list;

struct tare_coverage {
  coverage_list lists[TARE_COVER_COUNT];
};

const char *tare_cover_name(const int kind) {
  static const char *const NAMES[TARE_COVER_COUNT] = {[TARE_COVER_NAMED] = "named",
                                                      [TARE_COVER_MISSING] = "missing",
                                                      [TARE_COVER_UNNAMED] = "unnamed",
                                                      [TARE_COVER_STALE] = "stale",
                                                      [TARE_COVER_OTHER] = "other"};
  return kind >= 0 && kind < TARE_COVER_COUNT ? NAMES[kind] : NULL;
}

static tare_status coverage_add(tare_coverage *const coverage, const tare_cover kind,
                                const char *const name, tare_error *const err) {
  coverage_list *const list = &coverage->lists[kind];
  if (!TAREI_GROW(list->names, list->n, list->cap)) {
    return tarei_fail_memory(err, "a list of tensors", sizeof *list->names);
  }
  list->names[list->n] = tarei_strdup(name);
  if (!list->names[list->n]) {
    return tarei_fail_memory(err, "a tensor name", strlen(name) + 1);
  }
  list->n++;
  return TARE_OK;
}

/* What the entry of a tensor of the table was found to be. */
typedef enum coverage_mark { MARK_NONE, MARK_IN_MODEL, MARK_ACTIVATION } coverage_mark;

typedef struct coverage_work {
  const tare_table *table;
  coverage_mark *entries; /* [n_tensors] of the table */
  tare_coverage *out;
} coverage_work;

enum {
  DEPENDS = 1, /* on inputs of the graph */
  AT_LAYER = 2 /* read by a convolution or product */
};

static void mark_node(const tarei_node *const node, unsigned char *const flags) {
  unsigned char depends = tarei_node_body(node, 0) ? DEPENDS : 0;
  for (int i = 0; i < node->n_in; i++) {
    if (node->in[i] >= 0) {
      depends |= flags[node->in[i]] & DEPENDS;
      flags[node->in[i]] |= node->op->channel_axis ? AT_LAYER : 0;
    }
  }
  for (int i = 0; i < node->n_out; i++) {
    if (node->out[i] >= 0) {
      flags[node->out[i]] |= depends;
    }
  }
}

static tare_status judge_value(const coverage_work *const w, const tarei_value *const value,
                               const unsigned char flags, tare_error *const err) {
  const int entry = tare_table_find(w->table, value->name);
  const bool is_float = value->dtype == TARE_F32 || value->dtype == TARE_DTYPE_NONE;
  const bool activation = !value->data && is_float && flags & DEPENDS;
  if (entry >= 0) {
    const coverage_mark mark = activation ? MARK_ACTIVATION : MARK_IN_MODEL;
    const bool first = w->entries[entry] != MARK_ACTIVATION;
    w->entries[entry] = mark > w->entries[entry] ? mark : w->entries[entry];
    return activation && first ? coverage_add(w->out, TARE_COVER_NAMED, value->name, err) : TARE_OK;
  }
  return !activation || !value->observable
             ? TARE_OK
             : coverage_add(w->out, flags & AT_LAYER ? TARE_COVER_MISSING : TARE_COVER_UNNAMED,
                            value->name, err);
}

static tare_status judge_graph(const coverage_work *w, const tarei_graph *g, tare_error *err);

static tare_status judge_values(const coverage_work *const w, const tarei_graph *const g,
                                unsigned char *const flags, tare_error *const err) {
  for (int i = 0; i < g->n_values; i++) {
    flags[i] = g->values[i].is_input ? DEPENDS : 0;
  }
  for (int n = 0; n < g->n_nodes; n++) {
    mark_node(&g->nodes[n], flags);
  }
  for (int i = 0; i < g->n_values; i++) {
    TAREI_TRY(judge_value(w, &g->values[i], flags[i], err));
  }
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&g->nodes[n], i)) != NULL; i++) {
      TAREI_TRY(judge_graph(w, body, err));
    }
  }
  return TARE_OK;
}

static tare_status judge_graph(const coverage_work *const w, const tarei_graph *const g,
                               tare_error *const err) {
  unsigned char *const flags = tarei_calloc((size_t)g->n_values + 1, sizeof *flags);
  if (!flags) {
    return tarei_fail_memory(err, "flags of values", (size_t)g->n_values);
  }
  const tare_status status = judge_values(w, g, flags, err);
  free(flags);
  return status;
}

/* TensorRT's parser gives such names to what it makes. */
static bool is_made_by_engine(const char *const name) {
  static const char BEGIN[] = "(Unnamed Layer* ";
  return strncmp(name, BEGIN, sizeof BEGIN - 1) == 0;
}

static tare_status judge_entries(const coverage_work *const w, tare_error *const err) {
  for (int i = 0; i < w->table->n_tensors; i++) {
    const char *const name = w->table->tensors[i].name;
    if (w->entries[i] != MARK_ACTIVATION) {
      const bool other = w->entries[i] == MARK_IN_MODEL || is_made_by_engine(name);
      TAREI_TRY(coverage_add(w->out, other ? TARE_COVER_OTHER : TARE_COVER_STALE, name, err));
    }
  }
  return TARE_OK;
}

tare_status tare_coverage_new(const tare_table *const table, const tare_model *const model,
                              tare_coverage **const out, tare_error *const err) {
  const size_t n = (size_t)table->n_tensors + 1;
  coverage_work w = {.table = table};
  w.out = *out = tarei_calloc(1, sizeof **out);
  w.entries = tarei_calloc(n, sizeof *w.entries);
  tare_status status = w.out && w.entries ? judge_graph(&w, model->graph, err)
                                          : tarei_fail_memory(err, "a comparison of names", n);
  if (status == TARE_OK) {
    status = judge_entries(&w, err);
  }
  free(w.entries);
  if (status != TARE_OK) {
    tare_coverage_free(out);
  }
  return status;
}

void tare_coverage_free(tare_coverage **const handle) {
  tare_coverage *const coverage = *handle;
  for (int k = 0; coverage && k < TARE_COVER_COUNT; k++) {
    for (int i = 0; i < coverage->lists[k].n; i++) {
      free(coverage->lists[k].names[i]);
    }
    free(coverage->lists[k].names);
  }
  free(coverage);
  *handle = NULL;
}

int tare_coverage_n(const tare_coverage *const coverage, const int kind) {
  return kind >= 0 && kind < TARE_COVER_COUNT ? coverage->lists[kind].n : 0;
}

const char *tare_coverage_tensor(const tare_coverage *const coverage, const int kind, const int i) {
  return i >= 0 && i < tare_coverage_n(coverage, kind) ? coverage->lists[kind].names[i] : NULL;
}
