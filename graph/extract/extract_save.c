/* A part as a message that borrows everything from the message of the file. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "graph/extract/extract.h"

/* An entry of a list of tensors that the file does not have. */
typedef struct made_info {
  Onnx__ValueInfoProto info;
  Onnx__TypeProto type;
  Onnx__TypeProto__Tensor tensor;
  Onnx__TensorShapeProto shape;
  Onnx__TensorShapeProto__Dimension dims[TARE_MAX_RANK], *list[TARE_MAX_RANK];
} made_info;

typedef struct part_writer {
  tare_extract *extract;
  const tare_extract_part *part;
  tarei_names inputs, outputs; /* of the part, by number */
  bool *needed;                /* per node */
  int *waiting, n_waiting;     /* needed nodes whose inputs were not looked at */
  tarei_names used;            /* what needed nodes read, and the outputs */
  Onnx__ModelProto model;
  Onnx__GraphProto graph;
  Onnx__NodeProto *copies; /* of nodes with another name */
  made_info *made;         /* of inputs, then of outputs */
} part_writer;

/* --- what is needed --------------------------------------------------------------------------- */

static void need_maker(part_writer *const w, const char *const tensor) {
  const int maker = tare_extract_maker(w->extract, tensor);
  if (maker >= 0 && tarei_names_find(&w->inputs, tensor) < 0 && !w->needed[maker]) {
    w->needed[maker] = true;
    w->waiting[w->n_waiting++] = maker;
  }
}

static void note_used(part_writer *const w, const char *const name) {
  if (tarei_names_find(&w->used, name) < 0 && tarei_names_grow(&w->used)) {
    tarei_names_add(&w->used, name, 0);
  }
}

static void find_needed(part_writer *const w) {
  for (int i = 0; i < w->part->n_outputs; i++) {
    need_maker(w, w->part->outputs[i].name);
    note_used(w, w->part->outputs[i].name);
  }
  while (w->n_waiting) {
    const tarei_extract_node *const node = &w->extract->nodes[w->waiting[--w->n_waiting]];
    for (int r = 0; r < node->n_read; r++) {
      need_maker(w, node->read[r]);
    }
    for (int u = 0; u < node->n_uses; u++) {
      note_used(w, node->uses[u]);
    }
  }
}

static bool is_used(const part_writer *const w, const char *const name) {
  return tarei_names_find(&w->used, tarei_onnx_text(name)) >= 0;
}

/* --- the message ------------------------------------------------------------------------------ */

static void fill_dim(Onnx__TensorShapeProto__Dimension *const to, const tare_dim *const dim,
                     const bool symbols) {
  onnx__tensor_shape_proto__dimension__init(to);
  if (dim->value >= 0) {
    to->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    to->dim_value = dim->value;
  } else if (symbols && dim->symbol) {
    to->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
    to->dim_param = (char *)dim->symbol;
  }
}

static tare_dtype type_in_file(const tare_extract *const e, const tare_port *const port) {
  const tare_dtype found = tarei_file_type(&e->types, port->name);
  return port->dtype == TARE_F32 && (found == TARE_F16 || found == TARE_BF16) ? found : port->dtype;
}

static Onnx__ValueInfoProto *fill_info(made_info *const to, const tare_extract *const e,
                                       const tare_port *const port, const bool symbols) {
  onnx__value_info_proto__init(&to->info);
  onnx__type_proto__init(&to->type);
  onnx__type_proto__tensor__init(&to->tensor);
  onnx__tensor_shape_proto__init(&to->shape);
  to->info.name = (char *)port->name;
  if (port->dtype == TARE_DTYPE_NONE) {
    return &to->info;
  }
  to->info.type = &to->type;
  to->type.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
  to->type.tensor_type = &to->tensor;
  to->tensor.has_elem_type = true;
  to->tensor.elem_type = (int32_t)type_in_file(e, port);
  to->tensor.shape = &to->shape;
  to->shape.n_dim = (size_t)port->rank;
  to->shape.dim = to->list;
  for (int i = 0; i < port->rank; i++) {
    fill_dim(&to->dims[i], &port->dims[i], symbols);
    to->list[i] = &to->dims[i];
  }
  return &to->info;
}

static Onnx__ValueInfoProto *find_info(Onnx__ValueInfoProto *const *const infos, const size_t n,
                                       const char *const name) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(tarei_onnx_text(infos[i]->name), name) == 0) {
      return infos[i];
    }
  }
  return NULL;
}

static void put_nodes(part_writer *const w) {
  for (int i = 0; i < w->extract->n_nodes; i++) {
    const tarei_extract_node *const node = &w->extract->nodes[i];
    if (w->needed[i]) {
      w->copies[i] = *node->proto;
      w->copies[i].name = node->name;
      w->graph.node[w->graph.n_node++] = &w->copies[i];
    }
  }
}

/* Inputs of the model in their order, then those that the cut made. */
static void put_inputs(part_writer *const w, const Onnx__GraphProto *const whole) {
  for (size_t i = 0; i < whole->n_input; i++) {
    if (w->part->all_inputs || is_used(w, whole->input[i]->name)) {
      w->graph.input[w->graph.n_input++] = whole->input[i];
    }
  }
  for (int i = 0; i < w->part->n_inputs; i++) {
    if (is_used(w, w->part->inputs[i].name)) {
      w->graph.input[w->graph.n_input++] =
          fill_info(&w->made[i], w->extract, &w->part->inputs[i], true /* symbols */);
    }
  }
}

static void put_outputs(part_writer *const w, const Onnx__GraphProto *const whole) {
  for (int i = 0; i < w->part->n_outputs; i++) {
    const tare_port *const port = &w->part->outputs[i];
    Onnx__ValueInfoProto *info = find_info(whole->output, whole->n_output, port->name);
    info = info ? info : find_info(whole->value_info, whole->n_value_info, port->name);
    w->graph.output[w->graph.n_output++] =
        info ? info
             : fill_info(&w->made[w->part->n_inputs + i], w->extract, port, false /* symbols */);
  }
}

static void put_constants(part_writer *const w, const Onnx__GraphProto *const whole) {
  for (size_t i = 0; i < whole->n_initializer; i++) {
    const bool is_input =
        w->part->all_inputs && find_info(whole->input, whole->n_input, whole->initializer[i]->name);
    if (is_input || is_used(w, whole->initializer[i]->name)) {
      w->graph.initializer[w->graph.n_initializer++] = whole->initializer[i];
    }
  }
  for (size_t i = 0; i < whole->n_sparse_initializer; i++) {
    const Onnx__TensorProto *const values = whole->sparse_initializer[i]->values;
    if (values && is_used(w, values->name)) {
      w->graph.sparse_initializer[w->graph.n_sparse_initializer++] = whole->sparse_initializer[i];
    }
  }
}

/* What the file says about tensors between inputs and outputs. */
static void put_notes(part_writer *const w, const Onnx__GraphProto *const whole) {
  for (size_t i = 0; i < whole->n_value_info; i++) {
    const char *const name = tarei_onnx_text(whole->value_info[i]->name);
    const int maker = tare_extract_maker(w->extract, name);
    const bool inner = maker >= 0 && w->needed[maker] && tarei_names_find(&w->inputs, name) < 0 &&
                       tarei_names_find(&w->outputs, name) < 0;
    if (inner) {
      w->graph.value_info[w->graph.n_value_info++] = whole->value_info[i];
    }
  }
  for (size_t i = 0; i < whole->n_quantization_annotation; i++) {
    if (is_used(w, whole->quantization_annotation[i]->tensor_name)) {
      w->graph.quantization_annotation[w->graph.n_quantization_annotation++] =
          whole->quantization_annotation[i];
    }
  }
}

/* --- begin and end ---------------------------------------------------------------------------- */

static bool writer_name_ports(const tare_port *const ports, const int n, tarei_names *const out) {
  if (!tarei_names_init(out, (size_t)n)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (tarei_names_find(out, ports[i].name) < 0) {
      tarei_names_add(out, ports[i].name, i);
    }
  }
  return true;
}

static bool writer_init(part_writer *const w, const Onnx__GraphProto *const whole) {
  const size_t n = (size_t)w->extract->n_nodes, n_inputs = (size_t)w->part->n_inputs;
  const size_t n_outputs = (size_t)w->part->n_outputs;
  w->model = *w->extract->file.model;
  w->graph = *whole;
  w->model.graph = &w->graph;
  w->model.n_training_info = 0; /* it speaks of the whole graph */
  w->graph.n_node = w->graph.n_input = w->graph.n_output = w->graph.n_initializer = 0;
  w->graph.n_sparse_initializer = w->graph.n_value_info = w->graph.n_quantization_annotation = 0;
  w->graph.node = tarei_calloc(n, sizeof *w->graph.node);
  w->graph.input = tarei_calloc(whole->n_input + n_inputs, sizeof *w->graph.input);
  w->graph.output = tarei_calloc(n_outputs, sizeof *w->graph.output);
  w->graph.initializer = tarei_calloc(whole->n_initializer, sizeof *w->graph.initializer);
  w->graph.sparse_initializer =
      tarei_calloc(whole->n_sparse_initializer, sizeof *w->graph.sparse_initializer);
  w->graph.value_info = tarei_calloc(whole->n_value_info, sizeof *w->graph.value_info);
  w->graph.quantization_annotation =
      tarei_calloc(whole->n_quantization_annotation, sizeof *w->graph.quantization_annotation);
  w->needed = tarei_calloc(n, sizeof *w->needed);
  w->waiting = tarei_calloc(n, sizeof *w->waiting);
  w->copies = tarei_calloc(n, sizeof *w->copies);
  w->made = tarei_calloc(n_inputs + n_outputs, sizeof *w->made);
  return w->graph.node && w->graph.input && w->graph.output && w->graph.initializer &&
         w->graph.sparse_initializer && w->graph.value_info && w->graph.quantization_annotation &&
         w->needed && w->waiting && w->copies && w->made && tarei_names_init(&w->used, n) &&
         writer_name_ports(w->part->inputs, w->part->n_inputs, &w->inputs) &&
         writer_name_ports(w->part->outputs, w->part->n_outputs, &w->outputs);
}

static void writer_fini(part_writer *const w) {
  free(w->graph.node);
  free(w->graph.input);
  free(w->graph.output);
  free(w->graph.initializer);
  free(w->graph.sparse_initializer);
  free(w->graph.value_info);
  free(w->graph.quantization_annotation);
  free(w->needed);
  free(w->waiting);
  free(w->copies);
  free(w->made);
  tarei_names_fini(&w->used);
  tarei_names_fini(&w->inputs);
  tarei_names_fini(&w->outputs);
}

static tare_status check_makers(const tare_extract *const e, const tare_port *const ports,
                                const int n, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    if (tare_extract_maker(e, ports[i].name) < 0) {
      return tarei_fail(err, TARE_E_USAGE, "no node writes a tensor '%s'", ports[i].name);
    }
  }
  return TARE_OK;
}

static tare_status save_part(part_writer *const w, const char *const path, tare_error *const err) {
  const Onnx__GraphProto *const whole = w->extract->file.model->graph;
  if (!writer_init(w, whole)) {
    return tarei_fail_memory(err, path, sizeof *w);
  }
  find_needed(w);
  put_nodes(w);
  put_inputs(w, whole);
  put_outputs(w, whole);
  put_constants(w, whole);
  put_notes(w, whole);
  tarei_onnx_file view = w->extract->file;
  bool external = false;
  view.model = &w->model;
  return tarei_onnx_file_save(&view, path, 0 /* 2 GiB */, &external, err);
}

tare_status tare_extract_save(tare_extract *const extract, const tare_extract_part *const part,
                              const char *const path, tare_error *const err) {
  part_writer w = {.extract = extract, .part = part};
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_extract_part, part, err));
  TAREI_TRY(check_makers(extract, part->inputs, part->n_inputs, err));
  TAREI_TRY(check_makers(extract, part->outputs, part->n_outputs, err));
  const unsigned refusals = tarei_refusals();
  const tare_status status = tarei_settle(refusals, save_part(&w, path, err), path, err);
  writer_fini(&w);
  return status;
}
