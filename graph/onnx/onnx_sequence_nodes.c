/* Names, nodes and tables with which sequences are written. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/onnx/onnx_sequences.h"
#include "graph/op.h"

bool tarei_onnx_is(const Onnx__NodeProto *const node, const char *const op) {
  return strcmp(tarei_onnx_text(node->op_type), op) == 0 &&
         tarei_is_default_domain(tarei_onnx_text(node->domain));
}

tarei_reads *tarei_sequence_reads(const tarei_sequences *const s, const char *const name) {
  const int at = tarei_names_find(&s->names, name);
  return at < 0 ? NULL : &s->reads[at];
}

const Onnx__NodeProto *tarei_sequence_maker(const tarei_sequence_scope *const scope,
                                            const char *const name) {
  for (const tarei_sequence_scope *s = scope; s; s = s->around) {
    const int at = tarei_names_find(&s->makers, name);
    if (at >= 0) {
      return s->graph->node[at];
    }
  }
  return NULL;
}

const tarei_sequence *tarei_sequence_find(const tarei_sequences *const s, const char *const name) {
  const int at = tarei_names_find(&s->known, name);
  return at < 0 ? NULL : &s->list[at];
}

char *tarei_sequence_name(tarei_sequences *const s, const char *const base,
                          const char *const what) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s__%s_%d", base, what, s->n_new++);
  s->failed |= name.failed;
  if (!name.failed) {
    return name.text;
  }
  tarei_str_free(&name);
  return NULL;
}

void tarei_sequence_lay(tarei_sequence_nodes *const nodes, Onnx__NodeProto *const node,
                        const bool fresh) {
  if (!node || !TAREI_GROW(nodes->list, nodes->n, nodes->cap)) {
    nodes->sequences->failed = true;
    if (node && fresh) {
      onnx__node_proto__free_unpacked(node, NULL);
    }
    return;
  }
  nodes->list[nodes->n].node = node;
  nodes->list[nodes->n++].fresh = fresh;
}

void tarei_sequence_drop(tarei_sequences *const s, ProtobufCMessage *const part) {
  if (!TAREI_GROW(s->dropped, s->n_dropped, s->cap_dropped)) {
    s->failed = true;
    return; /* rather lost than freed */
  }
  s->dropped[s->n_dropped++] = part;
}

Onnx__NodeProto *tarei_sequence_add(tarei_sequence_nodes *const nodes, const char *const op,
                                    const char *const out, const char *const a, const char *const b,
                                    const char *const c) {
  const char *const in[] = {a, b, c};
  const int n_in = !a ? 0 : !b ? 1 : !c ? 2 : 3;
  if (!out) {
    return NULL; /* out of memory already */
  }
  Onnx__NodeProto *const node = tarei_onnx_new_node(
      op, "", tarei_onnx_text(nodes->instead_of->name), in, n_in, &out, 1 /* output */);
  tarei_sequence_lay(nodes, node, true);
  return nodes->sequences->failed ? NULL : node;
}

void tarei_sequence_int(tarei_sequences *const s, Onnx__NodeProto *const node,
                        const char *const name, const int64_t value) {
  s->failed |= !node || !tarei_onnx_add_ints(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
                                             &value, 1);
}

void tarei_sequence_number(tarei_sequence_nodes *const nodes, const char *const out,
                           const bool scalar, const int64_t value) {
  Onnx__NodeProto *const node = tarei_sequence_add(nodes, "Constant", out, NULL, NULL, NULL);
  if (scalar) {
    tarei_sequence_int(nodes->sequences, node, "value_int", value);
  } else {
    nodes->sequences->failed |=
        !node || !tarei_onnx_add_ints(node, "value_ints",
                                      ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, &value, 1);
  }
}

tarei_sequence *tarei_sequence_new(tarei_sequences *const s, const char *const name) {
  char *const copy = tarei_strdup(name);
  if (!copy || !tarei_names_grow(&s->known) || !TAREI_GROW(s->list, s->n, s->cap)) {
    free(copy);
    s->failed = true;
    return NULL;
  }
  s->list[s->n] = (tarei_sequence){.name = copy};
  tarei_names_add(&s->known, copy, (int)s->n);
  return &s->list[s->n++];
}

bool tarei_sequence_number_of(const Onnx__TensorProto *const t, int64_t *const out) {
  int32_t narrow;
  if (t->n_int64_data == 1) {
    *out = t->int64_data[0];
  } else if (t->n_int32_data == 1) {
    *out = t->int32_data[0];
  } else if (t->has_raw_data && t->data_type == TARE_I64 && t->raw_data.len == sizeof *out) {
    memcpy(out, t->raw_data.data, sizeof *out);
  } else if (t->has_raw_data && t->data_type == TARE_I32 && t->raw_data.len == sizeof narrow) {
    memcpy(&narrow, t->raw_data.data, sizeof narrow);
    *out = narrow;
  } else {
    return false;
  }
  return true;
}
