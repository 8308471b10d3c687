#include "graph/qdq/edit_uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- names ----------------------------------------------------------------------------------- */

static size_t count_uses(const Onnx__GraphProto *const graph) {
  size_t n = graph->n_output;
  for (size_t i = 0; i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    n += node->n_input;
    for (size_t a = 0; a < node->n_attribute; a++) {
      n += node->attribute[a]->g ? count_uses(node->attribute[a]->g) : 0;
    }
  }
  return n;
}

typedef void use_fn(void *context, const char *name);

static void visit_uses(const Onnx__GraphProto *graph, use_fn *use, void *context);

static void visit_node_uses(const Onnx__NodeProto *const node, use_fn *const use,
                            void *const context) {
  for (size_t k = 0; k < node->n_input; k++) {
    use(context, tarei_onnx_text(node->input[k]));
  }
  for (size_t a = 0; a < node->n_attribute; a++) {
    if (node->attribute[a]->g) {
      visit_uses(node->attribute[a]->g, use, context);
    }
  }
}

static void visit_uses(const Onnx__GraphProto *const graph, use_fn *const use,
                       void *const context) {
  for (size_t i = 0; i < graph->n_output; i++) {
    use(context, tarei_onnx_text(graph->output[i]->name));
  }
  for (size_t i = 0; i < graph->n_node; i++) {
    visit_node_uses(graph->node[i], use, context);
  }
}

static void add_use(void *const uses, const char *const name) {
  if (*name && tarei_names_find(uses, name) < 0) {
    tarei_names_add(uses, name, (int)((tarei_names *)uses)->n);
  }
}

bool tarei_uses_collect(const Onnx__GraphProto *const graph, tarei_names *const out) {
  if (!tarei_names_init(out, count_uses(graph))) {
    return false;
  }
  visit_uses(graph, add_use, out);
  return true;
}

tare_status tarei_uses_name_makers(const Onnx__GraphProto *const graph, tarei_names *const out,
                                   tare_error *const err) {
  size_t n_outputs = 0;
  for (size_t n = 0; n < graph->n_node; n++) {
    n_outputs += graph->node[n]->n_output;
  }
  if (!tarei_names_init(out, n_outputs)) {
    return tarei_fail_memory(err, "values of the model", n_outputs);
  }
  for (size_t n = 0; n < graph->n_node; n++) {
    for (size_t o = 0; o < graph->node[n]->n_output; o++) {
      const char *const name = tarei_onnx_text(graph->node[n]->output[o]);
      if (*name && tarei_names_find(out, name) < 0) {
        tarei_names_add(out, name, (int)n);
      }
    }
  }
  return TARE_OK;
}

/* --- what is used no more -------------------------------------------------------------------- */

/* A name counts its uses; a node goes when the last use of its outputs does, and takes its own uses
 * with it. */
typedef struct use_counts {
  const tarei_names *before;
  tarei_names now, makers;
  int *counts;             /* by the number that `now` gives a name */
  bool *lost;              /* per node */
  int *waiting, n_waiting; /* nodes that may be lost */
} use_counts;

static int *count_of(const use_counts *const c, const char *const name) {
  const int i = tarei_names_find(&c->now, name);
  return i < 0 ? NULL : &c->counts[i];
}

static void add_count(void *const counts, const char *const name) {
  int *const n = count_of(counts, name);
  if (n) {
    ++*n;
  }
}

static bool is_lost(const use_counts *const c, const char *const name) {
  const int *const n = count_of(c, name);
  return tarei_names_find(c->before, name) >= 0 && (!n || *n == 0);
}

/* All outputs that were read are read no more. */
static bool node_is_lost(const use_counts *const c, const Onnx__NodeProto *const node) {
  bool lost = false;
  for (size_t i = 0; i < node->n_output; i++) {
    const char *const name = tarei_onnx_text(node->output[i]);
    const int *const n = count_of(c, name);
    if (n && *n) {
      return false;
    }
    lost = lost || is_lost(c, name);
  }
  return lost;
}

static void remove_count(void *const counts, const char *const name) {
  use_counts *const c = counts;
  int *const n = count_of(c, name);
  const int maker = tarei_names_find(&c->makers, name);
  if (n && --*n == 0 && maker >= 0) {
    c->waiting[c->n_waiting++] = maker;
  }
}

static void find_lost_nodes(use_counts *const c, const Onnx__GraphProto *const graph) {
  for (size_t i = 0; i < graph->n_node; i++) {
    c->waiting[c->n_waiting++] = (int)i;
    while (c->n_waiting) {
      const int n = c->waiting[--c->n_waiting];
      if (!c->lost[n] && node_is_lost(c, graph->node[n])) {
        c->lost[n] = true;
        visit_node_uses(graph->node[n], remove_count, c);
      }
    }
  }
}

static bool begin_counts(use_counts *const c, const Onnx__GraphProto *const graph) {
  if (!tarei_uses_collect(graph, &c->now) ||
      tarei_uses_name_makers(graph, &c->makers, NULL) != TARE_OK) {
    return false;
  }
  c->counts = tarei_calloc(c->now.n, sizeof *c->counts);
  c->lost = tarei_calloc(graph->n_node, sizeof *c->lost);
  /* Each name ends once, and begins once. */
  c->waiting = tarei_calloc(c->now.n + 1, sizeof *c->waiting);
  if (!c->counts || !c->lost || !c->waiting) {
    return false;
  }
  visit_uses(graph, add_count, c);
  return true;
}

static void end_counts(use_counts *const c) {
  tarei_names_fini(&c->now);
  tarei_names_fini(&c->makers);
  free(c->counts);
  free(c->lost);
  free(c->waiting);
}

/* --- dropping -------------------------------------------------------------------------------- */

static bool drop_nodes(tarei_onnx_file *const file, const use_counts *const c) {
  Onnx__GraphProto *const graph = file->model->graph;
  size_t n = 0;
  bool good = true;
  for (size_t i = 0; i < graph->n_node; i++) {
    Onnx__NodeProto *const node = graph->node[i];
    const bool lost = good && c->lost[i];
    good = !lost || tarei_onnx_file_drop(file, &node->base);
    if (!lost || !good) {
      graph->node[n++] = node;
    }
  }
  graph->n_node = n;
  return good;
}

/* Old models list constants as inputs too. */
static bool drop_inputs(tarei_onnx_file *const file, const tarei_names *const constants) {
  Onnx__GraphProto *const graph = file->model->graph;
  size_t n = 0;
  bool good = true;
  for (size_t i = 0; i < graph->n_input; i++) {
    Onnx__ValueInfoProto *const input = graph->input[i];
    const bool lost = good && tarei_names_find(constants, tarei_onnx_text(input->name)) >= 0;
    good = !lost || tarei_onnx_file_drop(file, &input->base);
    if (!lost || !good) {
      graph->input[n++] = input;
    }
  }
  graph->n_input = n;
  return good;
}

static bool drop_constants(tarei_onnx_file *const file, const use_counts *const c) {
  Onnx__GraphProto *const graph = file->model->graph;
  tarei_names dropped = {0};
  size_t n = 0;
  bool good = tarei_names_init(&dropped, graph->n_initializer);
  for (size_t i = 0; i < graph->n_initializer; i++) {
    Onnx__TensorProto *const tensor = graph->initializer[i];
    const bool lost = good && is_lost(c, tarei_onnx_text(tensor->name));
    good = good && (!lost || tarei_onnx_file_drop(file, &tensor->base));
    if (!lost || !good) {
      graph->initializer[n++] = tensor;
    } else {
      add_use(&dropped, tensor->name);
    }
  }
  graph->n_initializer = n;
  good = good && drop_inputs(file, &dropped);
  tarei_names_fini(&dropped);
  return good;
}

bool tarei_uses_drop(tarei_onnx_file *const file, const tarei_names *const before) {
  use_counts c = {.before = before};
  bool good = begin_counts(&c, file->model->graph);
  if (good) {
    find_lost_nodes(&c, file->model->graph);
    good = drop_nodes(file, &c) && drop_constants(file, &c);
  }
  end_counts(&c);
  return good;
}
