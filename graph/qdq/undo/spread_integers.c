/* One node after another. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/qdq/edit_uses.h"
#include "graph/qdq/undo/spread.h"
#include "graph/qdq/undo/undo.h"

/* --- indexes --------------------------------------------------------------------------------- */

static size_t count_reads(const Onnx__GraphProto *const graph) {
  size_t n = graph->n_output;
  for (size_t i = 0; i < graph->n_node; i++) {
    n += graph->node[i]->n_input;
    for (size_t a = 0; a < graph->node[i]->n_attribute; a++) {
      const Onnx__GraphProto *const body = graph->node[i]->attribute[a]->g;
      n += body ? count_reads(body) : 0;
    }
  }
  return n;
}

static void add_read(tarei_spread *const s, const char *const name, const int node) {
  const int known = tarei_names_find(&s->read, name);
  if (known >= 0) {
    s->uses[known].n++;
  } else if (*name) {
    s->uses[s->read.n] = (tarei_spread_use){.n = 1, .node = node};
    tarei_names_add(&s->read, name, (int)s->read.n);
  }
}

static void add_reads(tarei_spread *const s, const Onnx__GraphProto *const graph,
                      const bool inside) {
  for (size_t i = 0; i < graph->n_output; i++) {
    add_read(s, tarei_onnx_text(graph->output[i]->name), -1);
  }
  for (size_t n = 0; n < graph->n_node; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    for (size_t i = 0; i < node->n_input; i++) {
      add_read(s, node->input[i], inside ? -1 : (int)n);
    }
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        add_reads(s, node->attribute[a]->g, true);
      }
    }
  }
}

static void index_names(tarei_spread *const s) {
  for (size_t i = 0; i < s->graph->n_initializer; i++) {
    const char *const name = tarei_onnx_text(s->graph->initializer[i]->name);
    if (tarei_names_find(&s->initializers, name) < 0) {
      tarei_names_add(&s->initializers, name, (int)i);
    }
  }
  add_reads(s, s->graph, false);
}

static tare_status spread_begin(tarei_spread *const s, tarei_onnx_file *const file,
                                tare_error *const err) {
  const Onnx__GraphProto *const graph = file->model->graph;
  const size_t n_reads = count_reads(graph);
  s->graph = graph;
  s->goes = tarei_calloc(graph->n_node, sizeof *s->goes);
  s->uses = tarei_calloc(n_reads, sizeof *s->uses);
  if (!s->goes || !s->uses || !tarei_names_init(&s->initializers, graph->n_initializer) ||
      !tarei_names_init(&s->read, n_reads) || !tarei_names_init(&s->quantized, 0)) {
    return tarei_fail_memory(err, "names of the model", n_reads);
  }
  TAREI_TRY(tarei_uses_name_makers(graph, &s->makers, err));
  index_names(s);
  return tarei_edit_begin(file, &s->edit, err);
}

static void spread_fini(tarei_spread *const s) {
  tarei_names_fini(&s->initializers);
  tarei_names_fini(&s->makers);
  tarei_names_fini(&s->read);
  tarei_names_fini(&s->quantized);
  free(s->forms);
  free(s->goes);
  free(s->uses);
  tarei_edit_fini(&s->edit);
}

/* --- all of it ------------------------------------------------------------------------------- */

static void keep_as_is(tarei_spread *const s, Onnx__NodeProto *const node) {
  tarei_spread_result *const r = s->result;
  tarei_edit_lay(&s->edit, node);
  if (tarei_undo_is_quantize(node)) {
    tarei_spread_note_form(s, node->output[0], node->input[1], tarei_spread_input(node, 2));
  } else if (s->why && TAREI_GROW(r->kept, r->n_kept, r->cap_kept)) {
    r->kept[r->n_kept++] = (tarei_spread_kept){node, s->why};
  } else {
    s->edit.failed |= s->why != NULL;
  }
}

static void spread_node(tarei_spread *const s, const size_t i) {
  Onnx__NodeProto *const node = s->graph->node[i];
  s->why = NULL;
  s->at = i;
  if (s->goes[i]) {
    tarei_edit_leave(&s->edit, node);
  } else if (!tarei_spread_qlinear(s, i) && !tarei_spread_dynamic(s, i) &&
             !tarei_spread_move(s, i)) {
    keep_as_is(s, node);
  }
}

static bool has_domain(const Onnx__GraphProto *const graph, const char *const domain) {
  for (size_t n = 0; n < graph->n_node; n++) {
    if (strcmp(tarei_onnx_text(graph->node[n]->domain), domain) == 0) {
      return true;
    }
  }
  return false;
}

tare_status tarei_spread_integers(tarei_onnx_file *const file, tarei_spread_result *const out,
                                  tare_error *const err) {
  tarei_spread s = {.result = out};
  const size_t n = file->model->graph->n_node;
  *out = (tarei_spread_result){.contrib = has_domain(file->model->graph, "com.microsoft")};
  tare_status status = spread_begin(&s, file, err);
  for (size_t i = 0; i < n && status == TARE_OK && !s.edit.failed; i++) {
    spread_node(&s, i);
  }
  if (status == TARE_OK) {
    status = tarei_edit_finish(&s.edit, err);
  }
  spread_fini(&s);
  return status;
}

void tarei_spread_result_fini(tarei_spread_result *const result) {
  free(result->dynamic);
  free(result->kept);
  *result = (tarei_spread_result){0};
}
