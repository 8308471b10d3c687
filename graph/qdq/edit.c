#include "graph/qdq/edit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "graph/qdq/edit_uses.h"

/* --- names ----------------------------------------------------------------------------------- */

static size_t count_names(const Onnx__GraphProto *const graph) {
  size_t n = graph->n_input + graph->n_initializer;
  for (size_t i = 0; i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    n += node->n_output + 1;
    for (size_t a = 0; a < node->n_attribute; a++) {
      n += node->attribute[a]->g ? count_names(node->attribute[a]->g) : 0;
    }
  }
  return n;
}

static void edit_take_name(tarei_names *const taken, const char *const name) {
  if (name && *name && tarei_names_find(taken, name) < 0) {
    tarei_names_add(taken, name, 0);
  }
}

static void take_names(tarei_names *const taken, const Onnx__GraphProto *const graph) {
  for (size_t i = 0; i < graph->n_input; i++) {
    edit_take_name(taken, graph->input[i]->name);
  }
  for (size_t i = 0; i < graph->n_initializer; i++) {
    edit_take_name(taken, graph->initializer[i]->name);
  }
  for (size_t i = 0; i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    edit_take_name(taken, node->name);
    for (size_t o = 0; o < node->n_output; o++) {
      edit_take_name(taken, node->output[o]);
    }
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        take_names(taken, node->attribute[a]->g);
      }
    }
  }
}

/* A text that lives as long as the edit. */
static bool keep_text(tarei_edit *const e, char *const text) {
  if (!text || !TAREI_GROW(e->replaced, e->n_replaced, e->cap_replaced)) {
    e->failed = true;
    return false;
  }
  e->replaced[e->n_replaced++] = text;
  return true;
}

/* The number to try next behind a name that is taken; NULL after a failure. */
static int *number_of(tarei_edit *const e, const char *const name) {
  const int known = tarei_names_find(&e->numbered, name);
  if (known >= 0) {
    return &e->next[known];
  }
  char *const copy = tarei_strdup(name);
  if (!keep_text(e, copy)) {
    free(copy);
    return NULL;
  }
  if (!tarei_names_grow(&e->numbered) || !TAREI_GROW(e->next, e->n_next, e->cap_next)) {
    e->failed = true;
    return NULL;
  }
  tarei_names_add(&e->numbered, copy, (int)e->n_next);
  e->next[e->n_next] = 2;
  return &e->next[e->n_next++];
}

const char *tarei_edit_name(tarei_edit *const e, const char *const base, const char *const suffix) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s%s", base, suffix);
  const bool taken = !name.failed && tarei_names_find(&e->taken, name.text) >= 0;
  int *const number = taken ? number_of(e, name.text) : NULL;
  while (number && !name.failed && tarei_names_find(&e->taken, tarei_str_get(&name)) >= 0) {
    tarei_str_free(&name);
    name = (tarei_str){0};
    tarei_str_add(&name, "%s%s_%d", base, suffix, (*number)++);
  }
  if (name.failed || (taken && !number) || !tarei_names_grow(&e->taken) ||
      !keep_text(e, name.text)) {
    tarei_str_free(&name);
    e->failed = true;
    return "";
  }
  tarei_names_add(&e->taken, name.text, 0);
  return name.text;
}

void tarei_edit_replace(tarei_edit *const e, char **const text, const char *const by) {
  char *const copy = tarei_strdup(by);
  if (!copy || (*text && !keep_text(e, *text))) {
    free(copy);
    e->failed = true;
    return;
  }
  *text = copy;
}

/* --- nodes and constants --------------------------------------------------------------------- */

void tarei_edit_lay(tarei_edit *const e, Onnx__NodeProto *const node) {
  if (!TAREI_GROW(e->order, e->n_order, e->cap_order)) {
    e->failed = true;
    return;
  }
  e->order[e->n_order++] = node;
}

void tarei_edit_leave(tarei_edit *const e, Onnx__NodeProto *const node) {
  if (!TAREI_GROW(e->left, e->n_left, e->cap_left)) {
    e->failed = true;
    return;
  }
  e->left[e->n_left++] = node;
}

Onnx__NodeProto *tarei_edit_node(tarei_edit *const e, const char *const op,
                                 const char *const domain, const char *const name,
                                 const char *const *const in, const int n_in,
                                 const char *const *const out, const int n_out) {
  Onnx__NodeProto *const node = TAREI_GROW(e->graph->node, e->graph->n_node, e->cap_nodes)
                                    ? tarei_onnx_new_node(op, domain, name, in, n_in, out, n_out)
                                    : NULL;
  if (!node) {
    e->failed = true;
    return NULL;
  }
  e->graph->node[e->graph->n_node++] = node;
  tarei_edit_lay(e, node);
  return node;
}

void tarei_edit_attr(tarei_edit *const e, Onnx__NodeProto *const node, const char *const name,
                     const int64_t value) {
  if (node &&
      !tarei_onnx_add_ints(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, &value, 1)) {
    e->failed = true;
  }
}

void tarei_edit_text_attr(tarei_edit *const e, Onnx__NodeProto *const node, const char *const name,
                          const char *const text) {
  if (node && !tarei_onnx_add_text(node, name, text)) {
    e->failed = true;
  }
}

void tarei_edit_drop_attr(tarei_edit *const e, Onnx__NodeProto *const node,
                          const char *const name) {
  size_t n = 0;
  for (size_t i = 0; i < node->n_attribute; i++) {
    Onnx__AttributeProto *const attr = node->attribute[i];
    const bool named = strcmp(tarei_onnx_text(attr->name), name) == 0;
    const bool dropped = named && tarei_onnx_file_drop(e->file, &attr->base);
    e->failed |= named && !dropped;
    if (!dropped) {
      node->attribute[n++] = attr;
    }
  }
  node->n_attribute = n;
}

static bool fill_tensor(Onnx__TensorProto *const tensor, const char *const name,
                        const tare_dtype type, const int64_t *const dims, const int rank) {
  size_t bytes = tare_dtype_size(type);
  for (int i = 0; i < rank; i++) {
    bytes = tarei_times(bytes, (size_t)dims[i]);
  }
  tensor->has_data_type = tensor->has_raw_data = true;
  tensor->data_type = (int32_t)type;
  tensor->name = tarei_strdup(name);
  tensor->dims = rank ? tarei_memdup(dims, (size_t)rank * sizeof *dims) : NULL;
  tensor->n_dims = tensor->dims ? (size_t)rank : 0;
  tensor->raw_data.data = tarei_calloc(bytes, 1);
  tensor->raw_data.len = tensor->raw_data.data ? bytes : 0;
  return tensor->name && (tensor->dims || !rank) && tensor->raw_data.data;
}

void *tarei_edit_constant(tarei_edit *const e, const char *const name, const tare_dtype type,
                          const int64_t *const dims, const int rank) {
  Onnx__TensorProto *const tensor = tarei_calloc(1, sizeof *tensor);
  if (!tensor || !TAREI_GROW(e->graph->initializer, e->graph->n_initializer, e->cap_initializers)) {
    free(tensor);
    e->failed = true;
    return NULL;
  }
  onnx__tensor_proto__init(tensor);
  e->graph->initializer[e->graph->n_initializer++] = tensor;
  if (!fill_tensor(tensor, name, type, dims, rank)) {
    e->failed = true;
    return NULL;
  }
  return tensor->raw_data.data;
}

void tarei_edit_store_real(void *const to, const int64_t i, const tare_dtype real,
                           const float value) {
  if (real == TARE_F32) {
    ((float *)to)[i] = value;
  } else {
    ((uint16_t *)to)[i] = real == TARE_F16 ? tarei_float_to_f16(value) : tarei_float_to_bf16(value);
  }
}

void tarei_edit_reals(tarei_edit *const e, const char *const name, const tare_dtype real,
                      const float *const values, const int64_t n) {
  void *const to = tarei_edit_constant(e, name, real, &n, n > 0);
  for (int64_t i = 0; to && i < (n ? n : 1); i++) {
    tarei_edit_store_real(to, i, real, values[i]);
  }
}

void tarei_edit_become(tarei_edit *const e, Onnx__NodeProto *const node, const char *const op,
                       const char *const *const in, const int n_in, const char *const out) {
  while (node->n_input > (size_t)n_in && keep_text(e, node->input[node->n_input - 1])) {
    node->n_input--;
  }
  char **const inputs =
      e->failed ? NULL : tarei_realloc(node->input, (size_t)n_in * sizeof *inputs);
  if (!inputs) {
    e->failed = true;
    return;
  }
  node->input = inputs;
  for (; node->n_input < (size_t)n_in; node->n_input++) {
    inputs[node->n_input] = NULL;
  }
  for (int i = 0; i < n_in; i++) {
    tarei_edit_replace(e, &inputs[i], in[i]);
  }
  tarei_edit_replace(e, &node->op_type, op);
  tarei_edit_replace(e, &node->output[0], out);
}

void tarei_edit_import(tarei_edit *const e, const char *const domain, const int64_t version) {
  Onnx__ModelProto *const model = e->file->model;
  if (tarei_onnx_file_opset(e->file, domain) > 0) {
    return;
  }
  Onnx__OperatorSetIdProto **const list =
      tarei_realloc(model->opset_import, (model->n_opset_import + 1) * sizeof *list);
  Onnx__OperatorSetIdProto *const set = tarei_calloc(1, sizeof *set);
  model->opset_import = list ? list : model->opset_import;
  if (!list || !set) {
    free(set);
    e->failed = true;
    return;
  }
  onnx__operator_set_id_proto__init(set);
  set->domain = tarei_strdup(domain);
  set->has_version = true;
  set->version = version;
  list[model->n_opset_import++] = set;
  e->failed |= !set->domain;
}

/* --- begin and end --------------------------------------------------------------------------- */

tare_status tarei_edit_begin(tarei_onnx_file *const file, tarei_edit *const out,
                             tare_error *const err) {
  Onnx__GraphProto *const graph = file->model->graph;
  *out = (tarei_edit){.file = file,
                      .graph = graph,
                      .cap_nodes = graph->n_node,
                      .cap_initializers = graph->n_initializer};
  const size_t n = count_names(graph);
  if (!tarei_names_init(&out->taken, n) || !tarei_names_init(&out->numbered, 0)) {
    return tarei_fail_memory(err, "names of the model", n);
  }
  take_names(&out->taken, graph);
  return tarei_uses_collect(graph, &out->used) ? TARE_OK
                                               : tarei_fail_memory(err, "names of the model", n);
}

/* The graph has the nodes that were laid down; those that were left out live as long as the file.
 */
static bool order_nodes(tarei_edit *const e) {
  bool good = true;
  assert(e->n_order + e->n_left == e->graph->n_node);
  if (e->n_order) { /* else there may be no array */
    memcpy(e->graph->node, e->order, e->n_order * sizeof *e->order);
  }
  e->graph->n_node = e->n_order;
  for (size_t i = 0; i < e->n_left; i++) {
    if (!tarei_onnx_file_drop(e->file, &e->left[i]->base)) {
      onnx__node_proto__free_unpacked(e->left[i], NULL);
      good = false;
    }
  }
  return good;
}

tare_status tarei_edit_finish(tarei_edit *const e, tare_error *const err) {
  const bool good = !e->failed && order_nodes(e) && tarei_uses_drop(e->file, &e->used);
  tarei_edit_fini(e);
  return good ? TARE_OK : tarei_fail_memory(err, "new nodes", sizeof(Onnx__NodeProto));
}

void tarei_edit_fini(tarei_edit *const e) {
  for (size_t i = 0; i < e->n_replaced; i++) {
    free(e->replaced[i]);
  }
  free(e->replaced);
  free(e->order);
  free(e->left);
  free(e->next);
  tarei_names_fini(&e->numbered);
  tarei_names_fini(&e->taken);
  tarei_names_fini(&e->used);
  *e = (tarei_edit){0};
}
