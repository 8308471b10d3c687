#include "graph/onnx/onnx_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/onnx/importer.h"

/* --- names ----------------------------------------------------------------------------------- */

static bool calls_take_name(tarei_names *const taken, const char *const name) {
  if (!*name || tarei_names_find(taken, name) >= 0) {
    return true;
  }
  if (!tarei_names_grow(taken)) {
    return false;
  }
  tarei_names_add(taken, name, 0);
  return true;
}

static bool calls_take_names_of(tarei_onnx_calls *const calls,
                                const Onnx__GraphProto *const graph) {
  bool ok = true;
  for (size_t i = 0; i < graph->n_input && ok; i++) {
    ok = calls_take_name(&calls->tensors, tarei_onnx_text(graph->input[i]->name));
  }
  for (size_t i = 0; i < graph->n_initializer && ok; i++) {
    ok = calls_take_name(&calls->tensors, tarei_onnx_text(graph->initializer[i]->name));
  }
  for (size_t i = 0; i < graph->n_node && ok; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    ok = calls_take_name(&calls->nodes, tarei_onnx_text(node->name));
    for (size_t o = 0; o < node->n_output && ok; o++) {
      ok = calls_take_name(&calls->tensors, tarei_onnx_text(node->output[o]));
    }
    for (size_t a = 0; a < node->n_attribute && ok; a++) {
      ok = !node->attribute[a]->g || calls_take_names_of(calls, node->attribute[a]->g);
    }
  }
  return ok;
}

bool tarei_onnx_calls_begin(tarei_onnx_calls *const calls, const Onnx__GraphProto *const graph) {
  *calls = (tarei_onnx_calls){0};
  return calls_take_names_of(calls, graph);
}

void tarei_onnx_calls_end(tarei_onnx_calls *const calls) {
  for (size_t i = 0; i < calls->n_texts; i++) {
    free(calls->texts[i]);
  }
  free(calls->texts);
  tarei_names_fini(&calls->tensors);
  tarei_names_fini(&calls->nodes);
}

/* What nodes and tensors of a call are named after. */
static const char *caller_name(const tarei_onnx_call *const call) {
  const char *const name = tarei_onnx_text(call->node->name);
  return *name ? name : tarei_onnx_text(call->node->op_type);
}

/* Takes a text over, which may be NULL; NULL: out of memory. */
static const char *keep_made(tarei_onnx_calls *const calls, char *const text) {
  if (!text || !TAREI_GROW(calls->texts, calls->n_texts, calls->cap_texts)) {
    free(text);
    return NULL;
  }
  return calls->texts[calls->n_texts++] = text;
}

/* "<call>/<name>", with a number behind it if that is taken; NULL: out of memory. */
static const char *call_new_name(const tarei_onnx_call *const call, tarei_names *const taken,
                                 const char *const name) {
  tarei_str text = {0};
  tarei_str_add(&text, "%s/%s", caller_name(call), name);
  for (int n = 1; !text.failed && tarei_names_find(taken, text.text) >= 0; n++) {
    tarei_str_free(&text);
    tarei_str_add(&text, "%s/%s_%d", caller_name(call), name, n);
  }
  if (text.failed) {
    tarei_str_free(&text);
  }
  const char *const made = keep_made(call->calls, text.text);
  return made && calls_take_name(taken, made) ? made : NULL;
}

static bool call_bind(tarei_onnx_call *const call, const char *const inner,
                      const char *const outer) {
  if (!outer || !tarei_names_grow(&call->inner) ||
      !TAREI_GROW(call->outer, call->n_outer, call->cap_outer)) {
    return false;
  }
  tarei_names_add(&call->inner, inner, (int)call->n_outer);
  call->outer[call->n_outer++] = outer;
  return true;
}

/* NULL: out of memory. */
static const char *outer_name(tarei_onnx_call *const call, const char *const inner) {
  if (!*inner) {
    return inner;
  }
  if (tarei_names_find(&call->inner, inner) < 0) {
    const char *const kept = keep_made(call->calls, tarei_strdup(inner));
    if (!kept || !call_bind(call, kept, call_new_name(call, &call->calls->tensors, kept))) {
      return NULL;
    }
  }
  return call->outer[tarei_names_find(&call->inner, inner)];
}

/* --- calls ----------------------------------------------------------------------------------- */

bool tarei_onnx_call_begin(tarei_onnx_calls *const calls, const Onnx__NodeProto *const node,
                           const Onnx__FunctionProto *const function, tarei_onnx_call *const call) {
  *call = (tarei_onnx_call){.calls = calls, .node = node, .function = function};
  for (size_t i = 0; i < function->n_input; i++) {
    const char *const inner = tarei_onnx_text(function->input[i]);
    const char *const outer = i < node->n_input ? tarei_onnx_text(node->input[i]) : "";
    if (tarei_names_find(&call->inner, inner) < 0 && !call_bind(call, inner, outer)) {
      return false;
    }
  }
  for (size_t i = 0; i < function->n_output && i < node->n_output; i++) {
    const char *const inner = tarei_onnx_text(function->output[i]);
    const char *const outer = tarei_onnx_text(node->output[i]);
    if (*outer && tarei_names_find(&call->inner, inner) < 0 && !call_bind(call, inner, outer)) {
      return false;
    }
  }
  return true;
}

void tarei_onnx_call_end(tarei_onnx_call *const call) {
  tarei_names_fini(&call->inner);
  free(call->outer);
}

/* Replaces a text of the message; takes the new one over. False: that is NULL, and nothing changed.
 */
static bool replace_text(char **const text, char *const by) {
  if (!by) {
    return false;
  }
  if (*text != (char *)protobuf_c_empty_string) {
    free(*text);
  }
  *text = by;
  return true;
}

/* A copy of a part of the message; NULL: out of memory. */
static void *copy_message(const ProtobufCMessage *const from) {
  const size_t bytes = protobuf_c_message_get_packed_size(from);
  uint8_t *const packed = tarei_realloc(NULL, bytes + 1); /* not 0 bytes */
  void *copy = NULL;
  if (packed) {
    (void)protobuf_c_message_pack(from, packed);
    copy = protobuf_c_message_unpack(from->descriptor, NULL, bytes, packed);
  }
  free(packed);
  return copy;
}

static bool call_rename(tarei_onnx_call *const call, char **const text) {
  const char *const outer = outer_name(call, tarei_onnx_text(*text));
  return replace_text(text, tarei_strdup(outer));
}

static bool call_rename_ports(tarei_onnx_call *const call, Onnx__ValueInfoProto *const *const list,
                              const size_t n) {
  bool ok = true;
  for (size_t i = 0; i < n && ok; i++) {
    ok = call_rename(call, &list[i]->name);
  }
  return ok;
}

static bool call_fit_node(tarei_onnx_call *call, Onnx__NodeProto *node);

static bool call_fit_graph(tarei_onnx_call *const call, Onnx__GraphProto *const graph) {
  bool ok = call_rename_ports(call, graph->input, graph->n_input) &&
            call_rename_ports(call, graph->output, graph->n_output) &&
            call_rename_ports(call, graph->value_info, graph->n_value_info);
  for (size_t i = 0; i < graph->n_initializer && ok; i++) {
    ok = call_rename(call, &graph->initializer[i]->name);
  }
  for (size_t i = 0; i < graph->n_node && ok; i++) {
    ok = call_fit_node(call, graph->node[i]);
  }
  return ok;
}

/* --- attributes ------------------------------------------------------------------------------ */

/* A default of the function, which the message has as a field that came later (11). */
static Onnx__AttributeProto *default_attribute(const Onnx__FunctionProto *const function,
                                               const char *const name) {
  enum { FIELD_OF_DEFAULTS = 11 };
  for (unsigned i = 0; i < function->base.n_unknown_fields; i++) {
    const ProtobufCMessageUnknownField *const field = &function->base.unknown_fields[i];
    size_t at = 0;
    while (field->tag == FIELD_OF_DEFAULTS && at < field->len && field->data[at] & 0x80) {
      at++; /* of the length before the message */
    }
    if (field->tag != FIELD_OF_DEFAULTS || at >= field->len) {
      continue;
    }
    Onnx__AttributeProto *const attr =
        onnx__attribute_proto__unpack(NULL, field->len - at - 1, field->data + at + 1);
    if (attr && strcmp(tarei_onnx_text(attr->name), name) == 0) {
      return attr;
    }
    onnx__attribute_proto__free_unpacked(attr, NULL);
  }
  return NULL;
}

/* What an attribute of a body refers to, under its own name. *given NULL: nothing. False: out of
 * memory. */
static bool given_attribute(const tarei_onnx_call *const call,
                            const Onnx__AttributeProto *const refers,
                            Onnx__AttributeProto **const given) {
  const Onnx__AttributeProto *const from = tarei_onnx_find_attr(call->node, refers->ref_attr_name);
  *given =
      from ? copy_message(&from->base) : default_attribute(call->function, refers->ref_attr_name);
  if (!*given) {
    return !from;
  }
  return replace_text(&(*given)->name, tarei_strdup(tarei_onnx_text(refers->name)));
}

static bool call_fit_attributes(tarei_onnx_call *const call, Onnx__NodeProto *const node) {
  size_t n = 0;
  bool ok = true;
  for (size_t i = 0; i < node->n_attribute; i++) {
    Onnx__AttributeProto *attr = node->attribute[i];
    if (ok && *tarei_onnx_text(attr->ref_attr_name)) {
      Onnx__AttributeProto *given;
      ok = given_attribute(call, attr, &given);
      onnx__attribute_proto__free_unpacked(attr, NULL);
      attr = given;
    } else if (ok && attr->g) {
      ok = call_fit_graph(call, attr->g);
    }
    if (attr) {
      node->attribute[n++] = attr;
    }
  }
  node->n_attribute = n;
  return ok;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static bool call_fit_node(tarei_onnx_call *const call, Onnx__NodeProto *const node) {
  bool ok = true;
  for (size_t i = 0; i < node->n_input && ok; i++) {
    ok = call_rename(call, &node->input[i]);
  }
  for (size_t i = 0; i < node->n_output && ok; i++) {
    ok = call_rename(call, &node->output[i]);
  }
  return ok && call_fit_attributes(call, node);
}

static bool call_name_node(const tarei_onnx_call *const call, Onnx__NodeProto *const node,
                           const size_t index) {
  tarei_str own = {0};
  tarei_str_add(&own, "%s", tarei_onnx_text(node->name));
  if (!*tarei_onnx_text(node->name)) {
    tarei_str_add(&own, "%s_%zu", tarei_onnx_text(node->op_type), index);
  }
  const char *const made =
      own.failed ? NULL : call_new_name(call, &call->calls->nodes, tarei_str_get(&own));
  tarei_str_free(&own);
  return replace_text(&node->name, tarei_strdup(made));
}

Onnx__NodeProto *tarei_onnx_call_node(tarei_onnx_call *const call, const size_t i) {
  Onnx__NodeProto *copy = copy_message(&call->function->node[i]->base);
  if (copy && (!call_name_node(call, copy, i) || !call_fit_node(call, copy))) {
    onnx__node_proto__free_unpacked(copy, NULL);
    copy = NULL;
  }
  return copy;
}

bool tarei_onnx_call_hand_through(tarei_onnx_call *const call, const size_t i,
                                  Onnx__NodeProto **const out) {
  const Onnx__FunctionProto *const f = call->function;
  const char *const wanted = i < call->node->n_output ? tarei_onnx_text(call->node->output[i]) : "";
  const char *const given = outer_name(call, tarei_onnx_text(f->output[i]));
  *out = NULL;
  if (!given || !*wanted || strcmp(given, wanted) == 0) {
    return given != NULL;
  }
  const char *const name = call_new_name(call, &call->calls->nodes, "Identity");
  *out = name ? tarei_onnx_new_node("Identity", "", name, &given, 1, &wanted, 1) : NULL;
  return *out != NULL;
}
