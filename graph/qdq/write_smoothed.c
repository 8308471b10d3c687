/* Constants that smoothing changed, for what still reads those of the file. */
#include <string.h>

#include "base/mem.h"
#include "graph/qdq/write.h"

/* Inputs of the nodes that are laid down so far. */
static bool smoothed_is_read(const tarei_edit *const e, const char *const name) {
  for (size_t n = 0; n < e->n_order; n++) {
    for (size_t i = 0; i < e->order[n]->n_input; i++) {
      if (strcmp(e->order[n]->input[i], name) == 0) {
        return true;
      }
    }
  }
  return false;
}

static void smoothed_replace(tarei_edit *const e, const char *const name, const char *const by) {
  for (size_t n = 0; n < e->n_order; n++) {
    for (size_t i = 0; i < e->order[n]->n_input; i++) {
      if (strcmp(e->order[n]->input[i], name) == 0) {
        tarei_edit_replace(e, &e->order[n]->input[i], by);
      }
    }
  }
}

static void write_smoothed(tarei_edit *const e, const tarei_graph *const g, const int value) {
  char *const name = tarei_strdup(g->values[value].name);
  e->failed |= !name;
  if (name && smoothed_is_read(e, name)) {
    const tare_tensor t = tarei_value_tensor(g, value);
    const char *const by = tarei_edit_name(e, name, "_smoothed");
    void *const to = tarei_edit_constant(e, by, TARE_F32, t.dims, t.rank);
    if (to) {
      memcpy(to, t.data, g->values[value].data->size);
    }
    smoothed_replace(e, name, by);
  }
  free(name);
}

void tarei_write_smoothed(tarei_qdq_writer *const w) {
  const bool *const smoothed = w->place->smoothed;
  for (int v = 0; smoothed && !w->edit.failed && v < w->place->graph->n_values; v++) {
    if (smoothed[v]) {
      write_smoothed(&w->edit, w->place->graph, v);
    }
  }
}
