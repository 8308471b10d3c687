/* What reads sequences, written with tensors. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/onnx/onnx_sequences.h"

enum { MOST_PARTS = 1024, UNSQUEEZE_BY_INPUT = 13 };

/* What a sequence consists of, the last part first: tensors, and lists that loops grew. */
typedef struct sequence_parts {
  const char *names[MOST_PARTS];
  int n, n_lists;
} sequence_parts;

static bool note_part(sequence_parts *const p, const char *const name) {
  if (p->n == MOST_PARTS) {
    return false;
  }
  p->names[p->n++] = name;
  return true;
}

/* false: a sequence of another kind. */
static bool resolve(const tarei_sequences *const s, const tarei_sequence_scope *const scope,
                    const char *name, sequence_parts *const p) {
  *p = (sequence_parts){0};
  while (true) {
    const tarei_sequence *const known = tarei_sequence_find(s, name);
    const Onnx__NodeProto *const maker = known ? NULL : tarei_sequence_maker(scope, name);
    if (known && known->initial && note_part(p, known->name)) {
      p->n_lists++;
      name = known->initial;
    } else if (maker && tarei_onnx_is(maker, "SequenceInsert") && maker->n_input == 2 &&
               note_part(p, tarei_onnx_text(maker->input[1]))) {
      name = tarei_onnx_text(maker->input[0]);
    } else if (maker && tarei_onnx_is(maker, "SequenceConstruct")) {
      bool room = true;
      for (size_t i = maker->n_input; i-- > 0 && room;) {
        room = note_part(p, tarei_onnx_text(maker->input[i]));
      }
      return room;
    } else {
      return maker && tarei_onnx_is(maker, "SequenceEmpty");
    }
  }
}

/* --- ConcatFromSequence ---------------------------------------------------------------------- */

/* A tensor with a new axis, by its name. */
static char *with_axis(tarei_sequence_nodes *const nodes, const char *const tensor,
                       const int64_t axis) {
  tarei_sequences *const s = nodes->sequences;
  char *const out = tarei_sequence_name(s, tensor, "part");
  if (s->opset < UNSQUEEZE_BY_INPUT) {
    Onnx__NodeProto *const node = tarei_sequence_add(nodes, "Unsqueeze", out, tensor, NULL, NULL);
    s->failed |= !node || !tarei_onnx_add_ints(
                              node, "axes", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, &axis, 1);
    return out;
  }
  char *const axes = tarei_sequence_name(s, tensor, "axis");
  tarei_sequence_number(nodes, axes, false, axis);
  (void)tarei_sequence_add(nodes, "Unsqueeze", out, tensor, axes, NULL);
  free(axes);
  return out;
}

static bool write_concat(tarei_sequence_nodes *const nodes, const tarei_sequence_scope *const scope,
                         const Onnx__NodeProto *const node, sequence_parts *const p) {
  tarei_sequences *const s = nodes->sequences;
  if (!resolve(s, scope, tarei_onnx_text(node->input[0]), p) || p->n == 0) {
    return false;
  }
  const int64_t axis = tarei_onnx_attr_int(node, "axis", 0);
  const bool stacks = tarei_onnx_attr_int(node, "new_axis", 0) != 0;
  Onnx__NodeProto *const concat = tarei_onnx_new_node(
      "Concat", "", tarei_onnx_text(node->name), NULL, 0, (const char *const *)node->output, 1);
  char **const in = tarei_calloc((size_t)p->n, sizeof *in);
  for (int i = 0; in && i < p->n; i++) {
    const char *const part = p->names[p->n - 1 - i];
    in[i] =
        stacks && !tarei_sequence_find(s, part) ? with_axis(nodes, part, axis) : tarei_strdup(part);
    s->failed |= !in[i];
  }
  if (!concat || !in) {
    s->failed = true;
    free(in);
  } else {
    free(concat->input);
    concat->input = in;
    concat->n_input = (size_t)p->n;
    tarei_sequence_int(s, concat, "axis", axis);
  }
  tarei_sequence_lay(nodes, concat, true);
  return true;
}

/* --- SequenceAt and SequenceLength ----------------------------------------------------------- */

/* The value of an integer scalar that a Constant or an initializer has. */
static bool scalar_constant(const tarei_sequence_scope *const scope, const char *const name,
                            int64_t *const out) {
  const Onnx__NodeProto *const maker = tarei_sequence_maker(scope, name);
  if (maker && tarei_onnx_is(maker, "Constant")) {
    const Onnx__AttributeProto *const value = tarei_onnx_find_attr(maker, "value");
    const Onnx__AttributeProto *const number = tarei_onnx_find_attr(maker, "value_int");
    *out = number ? number->i : 0;
    return number || (value && value->t && tarei_sequence_number_of(value->t, out));
  }
  for (const tarei_sequence_scope *s = maker ? NULL : scope; s; s = s->around) {
    for (size_t i = 0; i < s->graph->n_initializer; i++) {
      if (strcmp(tarei_onnx_text(s->graph->initializer[i]->name), name) == 0) {
        return tarei_sequence_number_of(s->graph->initializer[i], out);
      }
    }
  }
  return false;
}

static void gather_at(tarei_sequence_nodes *const nodes, const char *const out,
                      const char *const from, const char *const index, const int64_t axis) {
  Onnx__NodeProto *const node = tarei_sequence_add(nodes, "Gather", out, from, index, NULL);
  tarei_sequence_int(nodes->sequences, node, "axis", axis);
}

/* A piece of a tensor that is split. */
static void gather_piece(tarei_sequence_nodes *const nodes, const tarei_sequence *const q,
                         const char *const index, const char *const out) {
  tarei_sequences *const s = nodes->sequences;
  if (!q->starts && !q->keeps) {
    gather_at(nodes, out, q->tensor, index, q->axis);
    return;
  }
  enum { ONE, INDEX, START, SIZE, END, AXES, N_NAMES };
  char *names[N_NAMES];
  for (int i = 0; i < N_NAMES; i++) {
    names[i] = tarei_sequence_name(s, out, "piece");
  }
  tarei_sequence_number(nodes, names[ONE], false, 1);
  (void)tarei_sequence_add(nodes, "Reshape", names[INDEX], index, names[ONE], NULL);
  if (!q->starts) {
    gather_at(nodes, out, q->tensor, names[INDEX], q->axis);
  } else {
    gather_at(nodes, names[START], q->starts, names[INDEX], 0);
    if (!q->one_size) {
      gather_at(nodes, names[SIZE], q->sizes, names[INDEX], 0);
    }
    (void)tarei_sequence_add(nodes, "Add", names[END], names[START],
                             q->one_size ? q->sizes : names[SIZE], NULL);
    tarei_sequence_number(nodes, names[AXES], false, q->axis);
    Onnx__NodeProto *const slice =
        tarei_sequence_add(nodes, "Slice", out, q->tensor, names[START], names[END]);
    s->failed |= !slice || !tarei_onnx_add_input(slice, tarei_onnx_text(names[AXES]));
  }
  for (int i = 0; i < N_NAMES; i++) {
    free(names[i]);
  }
}

static bool write_at(tarei_sequence_nodes *const nodes, const tarei_sequence_scope *const scope,
                     const Onnx__NodeProto *const node, sequence_parts *const p) {
  const char *const from = tarei_onnx_text(node->input[0]);
  const char *const index = node->n_input > 1 ? tarei_onnx_text(node->input[1]) : "";
  const tarei_sequence *const known = tarei_sequence_find(nodes->sequences, from);
  if (known && known->tensor) {
    gather_piece(nodes, known, index, node->output[0]);
    return true;
  }
  if (!resolve(nodes->sequences, scope, from, p)) {
    return false;
  }
  if (p->n == 1 && p->n_lists == 1) {
    gather_at(nodes, node->output[0], from, index, 0);
    return true;
  }
  int64_t i;
  if (p->n_lists || !scalar_constant(scope, index, &i) || i < -p->n || i >= p->n) {
    return false;
  }
  const int behind = p->n - 1 - (int)(i < 0 ? i + p->n : i);
  (void)tarei_sequence_add(nodes, "Identity", node->output[0], p->names[behind], NULL, NULL);
  return true;
}

/* How many elements there are along an axis of a tensor. */
static void write_size(tarei_sequence_nodes *const nodes, const char *const tensor,
                       const int64_t axis, const char *const out) {
  char *const shape = tarei_sequence_name(nodes->sequences, out, "shape");
  char *const at = tarei_sequence_name(nodes->sequences, out, "axis");
  (void)tarei_sequence_add(nodes, "Shape", shape, tensor, NULL, NULL);
  tarei_sequence_number(nodes, at, true, axis);
  gather_at(nodes, out, shape, at, 0);
  free(shape);
  free(at);
}

static bool write_length(tarei_sequence_nodes *const nodes, const tarei_sequence_scope *const scope,
                         const Onnx__NodeProto *const node, sequence_parts *const p) {
  const char *const from = tarei_onnx_text(node->input[0]);
  const tarei_sequence *const known = tarei_sequence_find(nodes->sequences, from);
  if (known && known->tensor) {
    write_size(nodes, known->starts ? known->starts : known->tensor,
               known->starts ? 0 : known->axis, node->output[0]);
    return true;
  }
  if (!resolve(nodes->sequences, scope, from, p) || p->n_lists > 1 ||
      (p->n_lists == 1 && p->n > 1)) {
    return false;
  }
  if (p->n_lists) {
    write_size(nodes, from, 0, node->output[0]);
  } else {
    tarei_sequence_number(nodes, node->output[0], true, p->n);
  }
  return true;
}

bool tarei_sequence_read(tarei_sequence_nodes *const nodes, const tarei_sequence_scope *const scope,
                         Onnx__NodeProto *const node) {
  static const struct {
    const char *op;
    bool (*write)(tarei_sequence_nodes *, const tarei_sequence_scope *, const Onnx__NodeProto *,
                  sequence_parts *);
  } readers[] = {{"ConcatFromSequence", write_concat},
                 {"SequenceAt", write_at},
                 {"SequenceLength", write_length}};
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
    if (tarei_onnx_is(node, readers[i].op) && node->n_input > 0 && node->n_output == 1) {
      sequence_parts parts;
      return readers[i].write(nodes, scope, node, &parts);
    }
  }
  return false;
}
