/* Sequences themselves, written with tensors: lists that loops grow, and pieces of a tensor. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/internal_attrs.h"
#include "graph/onnx/onnx_sequences.h"
#include "graph/op.h"

enum { ITERATION, CONDITION, CARRIED }; /* inputs of a Loop and of its body */

/* --- lists that a Loop grows ----------------------------------------------------------------- */

static Onnx__GraphProto *turned_body(const Onnx__NodeProto *const node) {
  const Onnx__AttributeProto *const attr = tarei_onnx_find_attr(node, "body");
  return attr ? attr->g : NULL;
}

static Onnx__NodeProto **find_output(const Onnx__GraphProto *const graph, const char *const name) {
  for (size_t i = 0; i < graph->n_node; i++) {
    if (graph->node[i]->n_output == 1 &&
        strcmp(tarei_onnx_text(graph->node[i]->output[0]), name) == 0) {
      return &graph->node[i];
    }
  }
  return NULL;
}

/* The node of a body that inserts a tensor at the end of carried value k in each turn, where
 * nothing else reads the value; NULL: there is none. */
static Onnx__NodeProto **inserts(const tarei_sequences *const s, const Onnx__NodeProto *const loop,
                                 const Onnx__GraphProto *const body, const size_t k) {
  const char *const formal = tarei_onnx_text(body->input[CARRIED + k]->name);
  const char *const given = tarei_onnx_text(body->output[1 + k]->name);
  const tarei_reads *const of_formal = tarei_sequence_reads(s, formal), *const of_given =
                                                                            tarei_sequence_reads(
                                                                                s, given);
  const char *const grown = k < loop->n_output ? tarei_onnx_text(loop->output[k]) : "";
  const tarei_reads *const r = *grown ? tarei_sequence_reads(s, grown) : NULL;
  const bool stacks = r && r->taken && r->joined && (r->axis != 0 || r->new_axis == 0);
  if (!of_formal || of_formal->all != 1 || !of_given || of_given->all != 1 ||
      (r && (r->all != r->joined + r->taken || r->differ || stacks))) {
    return NULL;
  }
  Onnx__NodeProto **const node = find_output(body, given);
  return node && tarei_onnx_is(*node, "SequenceInsert") && (*node)->n_input == 2 &&
                 strcmp(tarei_onnx_text((*node)->input[0]), formal) == 0
             ? node
             : NULL;
}

static void to_end(void **const array, const size_t at, const size_t n) {
  void *const moved = array[at];
  memmove(&array[at], &array[at + 1], (n - at - 1) * sizeof *array);
  array[n - 1] = moved;
}

/* Whether a Loop can have its carried value moved: it has all of its inputs and outputs. */
static bool is_complete(const Onnx__NodeProto *const loop, const Onnx__GraphProto *const body) {
  return body && body->n_input >= CARRIED && loop->n_input == body->n_input &&
         body->n_output >= body->n_input - 1 && loop->n_output == body->n_output - 1;
}

/* Carried value k of a Loop becomes its last list. */
static void make_list(tarei_sequences *const s, Onnx__NodeProto *const loop,
                      Onnx__GraphProto *const body, const size_t k,
                      Onnx__NodeProto **const insert) {
  const char *const element = (*insert)->input[1], *const out = (*insert)->output[0];
  Onnx__NodeProto *const keep =
      tarei_onnx_new_node("Identity", "", tarei_onnx_text((*insert)->name), &element, 1, &out, 1);
  tarei_sequence *const list =
      keep ? tarei_sequence_new(s, tarei_onnx_text(loop->output[k])) : NULL;
  if (!list) {
    s->failed = true;
    if (keep) {
      onnx__node_proto__free_unpacked(keep, NULL);
    }
    return;
  }
  tarei_sequence_drop(s, &(*insert)->base);
  *insert = keep;
  to_end((void **)loop->input, CARRIED + k, loop->n_input);
  list->initial = loop->input[--loop->n_input];
  to_end((void **)body->input, CARRIED + k, body->n_input);
  tarei_sequence_drop(s, &body->input[--body->n_input]->base);
  to_end((void **)body->output, 1 + k, body->n_output);
  to_end((void **)loop->output, k, loop->n_output);
}

static void name_joins(tarei_sequences *const s, Onnx__NodeProto *const loop,
                       const size_t n_carried) {
  const size_t n = loop->n_output - n_carried;
  int64_t *const pairs = tarei_calloc(n, 2 * sizeof *pairs);
  for (size_t i = 0; pairs && i < n; i++) {
    const char *const name = tarei_onnx_text(loop->output[n_carried + i]);
    const tarei_reads *const r =
        tarei_sequence_find(s, name) ? tarei_sequence_reads(s, name) : NULL;
    const bool joined = r && r->joined;
    pairs[2 * i] = joined ? r->axis : 0;
    pairs[2 * i + 1] = joined ? r->new_axis != 0 : 1;
  }
  char *const op = tarei_strdup(tarei_op_joining_loop.name);
  char *const domain = tarei_strdup(tarei_op_joining_loop.domain);
  s->failed |=
      !pairs || !op || !domain ||
      !tarei_onnx_add_ints(loop, TAREI_ATTR_LISTS, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
                           pairs, (int)(2 * n));
  free(pairs);
  if (s->failed) {
    free(op);
    free(domain);
    return;
  }
  free(loop->op_type);
  loop->op_type = op;
  if (loop->domain && *loop->domain) {
    free(loop->domain);
  }
  loop->domain = domain;
}

static void grow_lists(tarei_sequences *const s, Onnx__NodeProto *const loop) {
  Onnx__GraphProto *const body = turned_body(loop);
  if (!is_complete(loop, body)) {
    return;
  }
  const size_t n_before = s->n;
  for (size_t k = 0; CARRIED + k < body->n_input && !s->failed;) {
    Onnx__NodeProto **const insert = inserts(s, loop, body, k);
    if (insert) {
      make_list(s, loop, body, k, insert);
    } else {
      k++;
    }
  }
  if (s->n > n_before && !s->failed) {
    name_joins(s, loop, body->n_input - CARRIED);
  }
}

/* --- pieces of a tensor ---------------------------------------------------------------------- */

/* An integer that is a scalar constant of a graph. */
static bool is_scalar(const tarei_sequence_scope *const scope, const char *const name) {
  const Onnx__NodeProto *const maker = tarei_sequence_maker(scope, name);
  if (maker && tarei_onnx_is(maker, "Constant")) {
    const Onnx__AttributeProto *const value = tarei_onnx_find_attr(maker, "value");
    return value ? value->t && value->t->n_dims == 0
                 : tarei_onnx_find_attr(maker, "value_int") != NULL;
  }
  for (const tarei_sequence_scope *s = scope; s && !maker; s = s->around) {
    for (size_t i = 0; i < s->graph->n_initializer; i++) {
      if (strcmp(tarei_onnx_text(s->graph->initializer[i]->name), name) == 0) {
        return s->graph->initializer[i]->n_dims == 0;
      }
    }
  }
  return false;
}

/* Sizes that are all 1, as PyTorch writes them for repeat_interleave. */
static bool are_ones(const tarei_sequence_scope *const scope, const char *const sizes) {
  const Onnx__NodeProto *const maker = tarei_sequence_maker(scope, sizes);
  const Onnx__AttributeProto *const value = maker && tarei_onnx_is(maker, "ConstantOfShape")
                                                ? tarei_onnx_find_attr(maker, "value")
                                                : NULL;
  int64_t size;
  return value && value->t && tarei_sequence_number_of(value->t, &size) && size == 1;
}

/* Where pieces start: at the sums of the sizes before them, or at the multiples of one size. */
static void write_starts(tarei_sequence_nodes *const nodes, const tarei_sequence_scope *const scope,
                         tarei_sequence *const q, const char *const split) {
  tarei_sequences *const s = nodes->sequences;
  enum { ZERO, SHAPE, LENGTH, AXIS, N_NAMES };
  char *names[N_NAMES];
  for (int i = 0; i < N_NAMES; i++) {
    names[i] = tarei_sequence_name(s, q->name, "split");
  }
  q->sizes = tarei_sequence_name(s, q->name, "sizes");
  q->starts = tarei_sequence_name(s, q->name, "starts");
  q->one_size = is_scalar(scope, split);
  tarei_sequence_int(s, tarei_sequence_add(nodes, "Cast", q->sizes, split, NULL, NULL), "to",
                     TARE_I64);
  tarei_sequence_number(nodes, names[ZERO], true, 0);
  if (q->one_size) {
    tarei_sequence_number(nodes, names[AXIS], true, q->axis);
    (void)tarei_sequence_add(nodes, "Shape", names[SHAPE], q->tensor, NULL, NULL);
    (void)tarei_sequence_add(nodes, "Gather", names[LENGTH], names[SHAPE], names[AXIS], NULL);
    (void)tarei_sequence_add(nodes, "Range", q->starts, names[ZERO], names[LENGTH], q->sizes);
  } else {
    Onnx__NodeProto *const sums =
        tarei_sequence_add(nodes, "CumSum", q->starts, q->sizes, names[ZERO], NULL);
    tarei_sequence_int(s, sums, "exclusive", 1);
  }
  for (int i = 0; i < N_NAMES; i++) {
    free(names[i]);
  }
}

static bool sequence_split(tarei_sequence_nodes *const nodes,
                           const tarei_sequence_scope *const scope,
                           const Onnx__NodeProto *const node) {
  tarei_sequences *const s = nodes->sequences;
  if (!tarei_onnx_is(node, "SplitToSequence") || node->n_output != 1 || node->n_input < 1) {
    return false;
  }
  const char *const name = tarei_onnx_text(node->output[0]);
  const tarei_reads *const r = tarei_sequence_reads(s, name);
  if (!r || r->all != r->taken) {
    return false;
  }
  tarei_sequence *const q = tarei_sequence_new(s, name);
  const char *const sizes = node->n_input > 1 ? tarei_onnx_text(node->input[1]) : "";
  if (!q || !(q->tensor = tarei_strdup(tarei_onnx_text(node->input[0])))) {
    s->failed = true;
    return true;
  }
  q->axis = tarei_onnx_attr_int(node, "axis", 0);
  q->keeps = *sizes || tarei_onnx_attr_int(node, "keepdims", 1) != 0;
  if (*sizes && !are_ones(scope, sizes)) {
    write_starts(nodes, scope, q, sizes);
  }
  return true;
}

bool tarei_sequence_make(tarei_sequence_nodes *const nodes, const tarei_sequence_scope *const scope,
                         Onnx__NodeProto *const node) {
  if (tarei_onnx_is(node, "Loop")) {
    grow_lists(nodes->sequences, node);
  }
  return sequence_split(nodes, scope, node);
}
