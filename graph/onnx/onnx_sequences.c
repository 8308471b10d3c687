#include "graph/onnx/onnx_sequences.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/op.h"

/* --- what a model reads ---------------------------------------------------------------------- */

static tarei_reads *note_read(tarei_sequences *const s, const char *const name) {
  tarei_reads *const known = tarei_sequence_reads(s, name);
  if (known) {
    known->all++;
    return known;
  }
  if (!tarei_names_grow(&s->names) || !TAREI_GROW(s->reads, s->n_reads, s->cap_reads)) {
    s->failed = true;
    return NULL;
  }
  tarei_names_add(&s->names, name, (int)s->n_reads);
  s->reads[s->n_reads] = (tarei_reads){.all = 1};
  return &s->reads[s->n_reads++];
}

static void note_reader(tarei_sequences *const s, const Onnx__NodeProto *const node) {
  const bool joins = tarei_onnx_is(node, "ConcatFromSequence");
  const bool takes = tarei_onnx_is(node, "SequenceAt") || tarei_onnx_is(node, "SequenceLength");
  for (size_t i = 0; i < node->n_input; i++) {
    tarei_reads *const r = note_read(s, tarei_onnx_text(node->input[i]));
    if (r && i == 0 && joins) {
      const int64_t axis = tarei_onnx_attr_int(node, "axis", 0);
      const int64_t new_axis = tarei_onnx_attr_int(node, "new_axis", 0);
      r->differ |= r->joined && (r->axis != axis || r->new_axis != new_axis);
      r->axis = axis;
      r->new_axis = new_axis;
      r->joined++;
    } else if (r && i == 0 && takes) {
      r->taken++;
    }
  }
}

/* *any: whether there is a sequence; *ours: whether there is an operator of domain "tare". */
static void note_graph(tarei_sequences *const s, const Onnx__GraphProto *const graph,
                       bool *const any, bool *const ours) {
  for (size_t i = 0; i < graph->n_output && !s->failed; i++) {
    (void)note_read(s, tarei_onnx_text(graph->output[i]->name));
  }
  for (size_t i = 0; i < graph->n_node && !s->failed; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    *any |= strstr(tarei_onnx_text(node->op_type), "Sequence") != NULL;
    *ours |= strcmp(tarei_onnx_text(node->domain), "tare") == 0;
    note_reader(s, node);
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        note_graph(s, node->attribute[a]->g, any, ours);
      }
    }
  }
}

/* --- graphs ---------------------------------------------------------------------------------- */

static bool scope_begin(tarei_sequence_scope *const scope) {
  const Onnx__GraphProto *const graph = scope->graph;
  size_t n = 0;
  for (size_t i = 0; i < graph->n_node; i++) {
    n += graph->node[i]->n_output;
  }
  if (!tarei_names_init(&scope->makers, n)) {
    return false;
  }
  for (size_t i = 0; i < graph->n_node; i++) {
    for (size_t o = 0; o < graph->node[i]->n_output; o++) {
      const char *const name = tarei_onnx_text(graph->node[i]->output[o]);
      if (*name && tarei_names_find(&scope->makers, name) < 0) {
        tarei_names_add(&scope->makers, name, (int)i);
      }
    }
  }
  return true;
}

typedef bool write_node_fn(tarei_sequence_nodes *nodes, const tarei_sequence_scope *scope,
                           Onnx__NodeProto *node);

/* The graph gets its new nodes; those that are replaced are dropped. After a failure it stays. */
static void install(tarei_sequence_nodes *const nodes, Onnx__GraphProto *const graph,
                    const bool *const replaced) {
  tarei_sequences *const s = nodes->sequences;
  Onnx__NodeProto **const list = s->failed ? NULL : tarei_calloc(nodes->n, sizeof *list);
  s->failed |= !list;
  for (size_t i = 0; i < nodes->n; i++) {
    if (list) {
      list[i] = nodes->list[i].node;
    } else if (nodes->list[i].fresh) {
      onnx__node_proto__free_unpacked(nodes->list[i].node, NULL);
    }
  }
  free(nodes->list);
  if (!list) {
    return;
  }
  for (size_t i = 0; i < graph->n_node; i++) {
    if (replaced[i]) {
      tarei_sequence_drop(s, &graph->node[i]->base);
    }
  }
  free(graph->node);
  graph->node = list;
  graph->n_node = nodes->n;
}

static void write_graph(tarei_sequences *const s, Onnx__GraphProto *const graph,
                        const tarei_sequence_scope *const around, write_node_fn *const write) {
  tarei_sequence_scope scope = {.graph = graph, .around = around};
  tarei_sequence_nodes nodes = {.sequences = s};
  bool *const replaced = tarei_calloc(graph->n_node, sizeof *replaced);
  s->failed |= !replaced || !scope_begin(&scope);
  for (size_t i = 0; i < graph->n_node && !s->failed; i++) {
    Onnx__NodeProto *const node = graph->node[i];
    for (size_t a = 0; a < node->n_attribute && !s->failed; a++) {
      if (node->attribute[a]->g) {
        write_graph(s, node->attribute[a]->g, &scope, write);
      }
    }
    nodes.instead_of = node;
    replaced[i] = !s->failed && write(&nodes, &scope, node);
    if (!replaced[i] && !s->failed) {
      tarei_sequence_lay(&nodes, node, false);
    }
  }
  install(&nodes, graph, replaced);
  tarei_names_fini(&scope.makers);
  free(replaced);
}

/* Takes away what made sequences that nobody reads any more, readers before makers. */
static void drop_makers(tarei_sequences *const s, Onnx__GraphProto *const graph) {
  size_t at = graph->n_node;
  for (size_t i = graph->n_node; i-- > 0;) {
    Onnx__NodeProto *const node = graph->node[i];
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        drop_makers(s, node->attribute[a]->g);
      }
    }
    const bool makes = tarei_onnx_is(node, "SequenceEmpty") ||
                       tarei_onnx_is(node, "SequenceConstruct") ||
                       tarei_onnx_is(node, "SequenceInsert");
    const tarei_reads *const r = makes && node->n_output == 1
                                     ? tarei_sequence_reads(s, tarei_onnx_text(node->output[0]))
                                     : NULL;
    if (!makes || node->n_output != 1 || (r && r->all > 0)) {
      graph->node[--at] = node;
      continue;
    }
    for (size_t k = 0; k < node->n_input; k++) {
      tarei_sequence_reads(s, tarei_onnx_text(node->input[k]))->all--;
    }
    tarei_sequence_drop(s, &node->base);
  }
  memmove(graph->node, &graph->node[at], (graph->n_node - at) * sizeof *graph->node);
  graph->n_node -= at;
}

static void forget_reads(tarei_sequences *const s) {
  tarei_names_fini(&s->names);
  s->names = (tarei_names){0};
  free(s->reads);
  s->reads = NULL;
  s->n_reads = s->cap_reads = 0;
}

static void sequences_fini(tarei_sequences *const s) {
  forget_reads(s);
  tarei_names_fini(&s->known);
  for (size_t i = 0; i < s->n; i++) {
    tarei_sequence *const q = &s->list[i];
    char *const texts[] = {q->name, q->initial, q->tensor, q->starts, q->sizes};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
      free(texts[t]);
    }
  }
  free(s->list);
  for (size_t i = 0; i < s->n_dropped; i++) {
    protobuf_c_message_free_unpacked(s->dropped[i], NULL);
  }
  free(s->dropped);
}

tare_status tarei_onnx_write_sequences(Onnx__GraphProto *const graph, const int opset,
                                       bool *const changed, tare_error *const err) {
  tarei_sequences s = {.opset = opset};
  bool any = false, ours = false;
  note_graph(&s, graph, &any, &ours);
  *changed = any && !ours && !s.failed;
  if (*changed) {
    write_graph(&s, graph, NULL, tarei_sequence_make);
  }
  if (*changed && !s.failed) {
    write_graph(&s, graph, NULL, tarei_sequence_read);
  }
  forget_reads(&s);
  if (*changed && !s.failed) {
    note_graph(&s, graph, &any, &ours);
  }
  if (*changed && !s.failed) {
    drop_makers(&s, graph);
  }
  const bool failed = s.failed;
  sequences_fini(&s);
  return failed ? tarei_fail_memory(err, "sequences", sizeof s) : TARE_OK;
}
