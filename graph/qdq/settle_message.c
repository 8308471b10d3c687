#include "graph/qdq/settle_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "shapes/number.h"

void tarei_settle_rest_free(tarei_settle_rest *const left) {
  for (size_t i = 0; i < left->n; i++) {
    protobuf_c_message_free_unpacked(left->items[i], NULL);
  }
  free(left->items);
  *left = (tarei_settle_rest){0};
}

static bool settle_leave_out(tarei_settle_rest *const left, ProtobufCMessage *const message) {
  if (!TAREI_GROW(left->items, left->n, left->cap)) {
    return false;
  }
  left->items[left->n++] = message;
  return true;
}

/* Appends n pointers to a list of the message. */
static bool append_list(void ***const list, size_t *const length, void *const *const more,
                        const size_t n) {
  if (n == 0) {
    return true;
  }
  void **const grown = tarei_realloc(*list, (*length + n) * sizeof *grown);
  if (!grown) {
    return false;
  }
  memcpy(grown + *length, more, n * sizeof *grown);
  *list = grown;
  *length += n;
  return true;
}

/* --- inputs ---------------------------------------------------------------------------------- */

static Onnx__TensorShapeProto *shape_of(const Onnx__ValueInfoProto *const info) {
  return info->type && info->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE &&
                 info->type->tensor_type
             ? info->type->tensor_type->shape
             : NULL;
}

static const char *symbol_of_dim(const Onnx__TensorShapeProto__Dimension *const dim) {
  return dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
             ? tarei_onnx_text(dim->dim_param)
             : "";
}

/* The input but `own` that has a symbol, and on which axis; NULL: none. */
static const Onnx__ValueInfoProto *find_symbol(const Onnx__GraphProto *const graph,
                                               const Onnx__ValueInfoProto *const own,
                                               const char *const symbol, int64_t *const axis) {
  for (size_t i = 0; i < graph->n_input && *symbol; i++) {
    const Onnx__TensorShapeProto *const shape = shape_of(graph->input[i]);
    for (size_t d = 0; shape && graph->input[i] != own && d < shape->n_dim; d++) {
      if (strcmp(symbol_of_dim(shape->dim[d]), symbol) == 0) {
        *axis = (int64_t)d;
        return graph->input[i];
      }
    }
  }
  return NULL;
}

static void fix_symbol(const Onnx__GraphProto *const graph, const char *const symbol,
                       const int64_t length) {
  for (size_t i = 0; i < graph->n_input && *symbol; i++) {
    const Onnx__TensorShapeProto *const shape = shape_of(graph->input[i]);
    for (size_t d = 0; shape && d < shape->n_dim; d++) {
      Onnx__TensorShapeProto__Dimension *const dim = shape->dim[d];
      if (strcmp(symbol_of_dim(dim), symbol) == 0 && dim->dim_param != symbol) {
        free(dim->dim_param);
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dim->dim_value = length;
      }
    }
  }
}

/* A constant of these dims; of a single value, filled with it. */
static bool add_constant(Onnx__GraphProto *const graph, const char *const name,
                         const tare_dtype type, const int64_t *const dims, const size_t rank,
                         const double *const values, const int n_values) {
  Onnx__TensorProto *const tensor = tarei_calloc(1, sizeof *tensor);
  if (!tensor) {
    return false;
  }
  onnx__tensor_proto__init(tensor);
  size_t count = 1;
  bool good = true;
  for (size_t d = 0; d < rank; d++) {
    good = good && tarei_mul_size(count, (size_t)dims[d], &count);
  }
  const size_t size = tare_dtype_size(type);
  tensor->name = tarei_strdup(name);
  tensor->dims = good && rank ? tarei_memdup(dims, rank * sizeof *dims) : NULL;
  tensor->n_dims = tensor->dims ? rank : 0;
  tensor->has_data_type = tensor->has_raw_data = true;
  tensor->data_type = (int32_t)type;
  tensor->raw_data.data = good ? tarei_calloc(count, size) : NULL;
  tensor->raw_data.len = tensor->raw_data.data ? count * size : 0;
  good = tensor->name && tensor->raw_data.data && (tensor->dims || rank == 0);
  for (size_t i = 0; good && i < count; i++) {
    tarei_fill_number(type, values[n_values > 1 ? i : 0], tensor->raw_data.data + i * size, 1);
  }
  void *const one = tensor;
  if (!good || !append_list((void ***)&graph->initializer, &graph->n_initializer, &one, 1)) {
    onnx__tensor_proto__free_unpacked(tensor, NULL);
    return false;
  }
  return true;
}

static bool add_node_first(Onnx__GraphProto *const graph, const char *const op,
                           const char *const *const in, const int n_in, const char *const out) {
  void *const node = tarei_onnx_new_node(op, "", out, in, n_in, &out, 1);
  if (!node || !append_list((void ***)&graph->node, &graph->n_node, &node, 1)) {
    return false;
  }
  memmove(graph->node + 1, graph->node, (graph->n_node - 1) * sizeof *graph->node);
  graph->node[0] = node;
  return true;
}

/* A vector that is as long as an axis of another input: Expand of one value. */
static bool add_expand(Onnx__GraphProto *const graph, const char *const name, const tare_dtype type,
                       const double value, const char *const other, const int64_t axis) {
  char names[3][512];
  const int64_t one = 1;
  const double at = (double)axis;
  static const char *const ENDS[] = {"value", "axis", "length"};
  for (int i = 0; i < 3; i++) {
    snprintf(names[i], sizeof names[i], "%.400s/set/%s", name, ENDS[i]);
  }
  char dims[520];
  snprintf(dims, sizeof dims, "%.400s/set/dims", name);
  return add_constant(graph, names[0], type, &one, 1, &value, 1) &&
         add_constant(graph, names[1], TARE_I64, &one, 1, &at, 1) &&
         add_node_first(graph, "Expand", (const char *[]){names[0], names[2]}, 2, name) &&
         add_node_first(graph, "Gather", (const char *[]){dims, names[1]}, 2, names[2]) &&
         add_node_first(graph, "Shape", &other, 1, dims);
}

static bool set_input(Onnx__GraphProto *const graph, Onnx__ValueInfoProto *const input,
                      const tare_export_set *const set) {
  const Onnx__TensorShapeProto *const shape = shape_of(input);
  const tare_dtype type = (tare_dtype)input->type->tensor_type->elem_type;
  int64_t dims[TARE_MAX_RANK] = {0};
  int64_t axis = 0;
  for (size_t d = 0; d < shape->n_dim && d < TARE_MAX_RANK; d++) {
    const char *const symbol = symbol_of_dim(shape->dim[d]);
    const bool fixed =
        shape->dim[d]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    const Onnx__ValueInfoProto *const other = find_symbol(graph, input, symbol, &axis);
    if (!fixed && other && set->n_values == 1) {
      return add_expand(graph, input->name, type, set->values[0], other->name, axis);
    }
    dims[d] = fixed ? shape->dim[d]->dim_value : set->n_values;
    if (!fixed) {
      fix_symbol(graph, symbol, dims[d]);
    }
  }
  return add_constant(graph, input->name, type, dims, shape->n_dim, set->values, set->n_values);
}

bool tarei_message_set(Onnx__GraphProto *const graph, const tare_export_set *const set,
                       tarei_settle_rest *const left) {
  for (size_t i = 0; i < graph->n_input; i++) {
    Onnx__ValueInfoProto *const input = graph->input[i];
    if (strcmp(tarei_onnx_text(input->name), set->input) == 0 && shape_of(input)) {
      memmove(&graph->input[i], &graph->input[i + 1],
              (graph->n_input - i - 1) * sizeof *graph->input);
      graph->n_input--;
      return settle_leave_out(left, &input->base) && set_input(graph, input, set);
    }
  }
  return true;
}

/* --- names ----------------------------------------------------------------------------------- */

static bool settle_note(tarei_names *const out, const char *const name) {
  const bool known = !*name || tarei_names_find(out, name) >= 0;
  const bool good = known || tarei_names_grow(out);
  if (!known && good) {
    tarei_names_add(out, name, 0);
  }
  return good;
}

/* An If that is decided is going to lose its bodies. */
static bool is_going(const Onnx__NodeProto *const node, const tarei_names *const decided) {
  bool going = false;
  for (size_t o = 0; !going && o < node->n_output; o++) {
    going = tarei_names_find(decided, tarei_onnx_text(node->output[o])) >= 0;
  }
  return going;
}

/* Names that a graph and its bodies define. */
static bool note_defined(const Onnx__GraphProto *const graph, const tarei_names *const decided,
                         tarei_names *const out) {
  bool good = true;
  for (size_t i = 0; good && i < graph->n_initializer; i++) {
    good = settle_note(out, tarei_onnx_text(graph->initializer[i]->name));
  }
  for (size_t i = 0; good && i < graph->n_input; i++) {
    good = settle_note(out, tarei_onnx_text(graph->input[i]->name));
  }
  for (size_t i = 0; good && i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    for (size_t o = 0; good && o < node->n_output; o++) {
      good = settle_note(out, tarei_onnx_text(node->output[o]));
    }
    for (size_t a = 0; good && a < node->n_attribute && !is_going(node, decided); a++) {
      const Onnx__GraphProto *const body = node->attribute[a]->g;
      good = !body || note_defined(body, decided, out);
    }
  }
  return good;
}

typedef struct renaming {
  tarei_names from; /* names that are taken elsewhere */
  char **to;
  size_t n, cap;
  char **old; /* texts that `from` may hold */
  size_t n_old, cap_old;
} renaming;

static void renaming_fini(renaming *const r) {
  for (size_t i = 0; i < r->n; i++) {
    free(r->to[i]);
  }
  for (size_t i = 0; i < r->n_old; i++) {
    free(r->old[i]);
  }
  free(r->to);
  free(r->old);
  tarei_names_fini(&r->from);
}

static bool rename_taken(renaming *const r, const tarei_names *const taken,
                         const char *const name) {
  if (!*name || tarei_names_find(taken, name) < 0 || tarei_names_find(&r->from, name) >= 0) {
    return true;
  }
  tarei_str text = {0};
  int number = 1;
  do {
    tarei_str_free(&text);
    tarei_str_add(&text, "%s_%d", name, number++);
  } while (!text.failed && tarei_names_find(taken, text.text) >= 0);
  if (text.failed || !tarei_names_grow(&r->from) || !TAREI_GROW(r->to, r->n, r->cap)) {
    tarei_str_free(&text);
    return false;
  }
  tarei_names_add(&r->from, name, (int)r->n);
  r->to[r->n++] = text.text;
  return true;
}

static bool settle_rename(renaming *const r, char **const text) {
  const int i = tarei_names_find(&r->from, tarei_onnx_text(*text));
  if (i < 0) {
    return true;
  }
  char *const made = tarei_strdup(r->to[i]);
  if (!made || !TAREI_GROW(r->old, r->n_old, r->cap_old)) {
    free(made);
    return false;
  }
  r->old[r->n_old++] = *text;
  *text = made;
  return true;
}

static bool rename_graph(renaming *const r, Onnx__GraphProto *const graph) {
  bool good = true;
  for (size_t i = 0; good && i < graph->n_initializer; i++) {
    good = settle_rename(r, &graph->initializer[i]->name);
  }
  for (size_t i = 0; good && i < graph->n_output; i++) {
    good = settle_rename(r, &graph->output[i]->name);
  }
  for (size_t i = 0; good && i < graph->n_node; i++) {
    Onnx__NodeProto *const node = graph->node[i];
    for (size_t k = 0; good && k < node->n_input; k++) {
      good = settle_rename(r, &node->input[k]);
    }
    for (size_t k = 0; good && k < node->n_output; k++) {
      good = settle_rename(r, &node->output[k]);
    }
    for (size_t a = 0; good && a < node->n_attribute; a++) {
      good = !node->attribute[a]->g || rename_graph(r, node->attribute[a]->g);
    }
  }
  return good;
}

/* What the branch defines gets names that nothing else has. */
static bool make_unique(const Onnx__GraphProto *const graph, Onnx__GraphProto *const branch,
                        const tarei_names *const decided) {
  tarei_names taken = {0};
  renaming r = {0};
  bool good = tarei_names_init(&taken, 64) && tarei_names_init(&r.from, 16) &&
              note_defined(graph, decided, &taken);
  for (size_t i = 0; good && i < branch->n_initializer; i++) {
    good = rename_taken(&r, &taken, tarei_onnx_text(branch->initializer[i]->name));
  }
  for (size_t i = 0; good && i < branch->n_node; i++) {
    for (size_t o = 0; good && o < branch->node[i]->n_output; o++) {
      good = rename_taken(&r, &taken, tarei_onnx_text(branch->node[i]->output[o]));
    }
  }
  good = good && (r.n == 0 || rename_graph(&r, branch));
  renaming_fini(&r);
  tarei_names_fini(&taken);
  return good;
}

/* --- branches -------------------------------------------------------------------------------- */

static void replace_name(char **const text, char *const by) {
  if (by) {
    if (*text != (char *)protobuf_c_empty_string) {
      free(*text);
    }
    *text = by;
  }
}

/* "<If>/<branch>/<node>", as the nodes of bodies are called. */
static bool settle_name_node(Onnx__NodeProto *const node, const size_t index,
                             const char *const around, const char *const branch) {
  tarei_str name = {0};
  if (*tarei_onnx_text(node->name)) {
    tarei_str_add(&name, "%s/%s/%s", around, branch, node->name);
  } else {
    tarei_str_add(&name, "%s/%s/%s_%zu", around, branch, tarei_onnx_text(node->op_type), index);
  }
  replace_name(&node->name, name.failed ? NULL : name.text);
  return !name.failed;
}

static bool name_nodes(const Onnx__NodeProto *const node, const size_t index,
                       Onnx__GraphProto *const branch, const char *const which) {
  tarei_str around = {0};
  if (*tarei_onnx_text(node->name)) {
    tarei_str_add(&around, "%s", node->name);
  } else {
    tarei_str_add(&around, "%s_%zu", tarei_onnx_text(node->op_type), index);
  }
  bool good = !around.failed;
  for (size_t i = 0; good && i < branch->n_node; i++) {
    good = settle_name_node(branch->node[i], i, tarei_str_get(&around), which);
  }
  tarei_str_free(&around);
  return good;
}

/* The nodes of the branch in the place of the If, then what hands its outputs on. */
static bool take_nodes(Onnx__GraphProto *const graph, const size_t at,
                       Onnx__GraphProto *const branch) {
  const Onnx__NodeProto *const node = graph->node[at];
  const size_t n = branch->n_node + node->n_output;
  Onnx__NodeProto **const list = tarei_calloc(graph->n_node + n, sizeof *list);
  if (!list) {
    return false;
  }
  size_t k = at;
  memcpy(list, graph->node, at * sizeof *list);
  for (size_t i = 0; i < branch->n_node; i++) {
    list[k++] = branch->node[i];
  }
  bool good = true;
  for (size_t o = 0; o < node->n_output && o < branch->n_output; o++) {
    const char *const from = tarei_onnx_text(branch->output[o]->name);
    const char *const to = tarei_onnx_text(node->output[o]);
    Onnx__NodeProto *const made =
        *to ? tarei_onnx_new_node("Identity", "", to, &from, 1, &to, 1) : NULL;
    good = good && (made || !*to);
    if (made) {
      list[k++] = made;
    }
  }
  memcpy(list + k, graph->node + at + 1, (graph->n_node - at - 1) * sizeof *list);
  graph->n_node = k + graph->n_node - at - 1;
  free(graph->node);
  graph->node = list;
  branch->n_node = 0;
  return good;
}

bool tarei_message_take_branch(Onnx__GraphProto *const graph, const size_t i, const bool then,
                               const tarei_names *const decided, tarei_settle_rest *const left) {
  Onnx__NodeProto *const node = graph->node[i];
  const char *const which = then ? "then_branch" : "else_branch";
  const Onnx__AttributeProto *const attribute = tarei_onnx_find_attr(node, which);
  Onnx__GraphProto *const branch = attribute ? attribute->g : NULL;
  if (!branch) {
    return true; /* the graph has said so */
  }
  bool good = settle_leave_out(left, &node->base) && make_unique(graph, branch, decided) &&
              name_nodes(node, i, branch, which) &&
              append_list((void ***)&graph->initializer, &graph->n_initializer,
                          (void *const *)branch->initializer, branch->n_initializer);
  branch->n_initializer = good ? 0 : branch->n_initializer;
  return good && take_nodes(graph, i, branch);
}
