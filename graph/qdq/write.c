#include "graph/qdq/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"

/* --- scales ---------------------------------------------------------------------------------- */

static tarei_stored_form word_form(const tarei_placement *const p, const int value) {
  return (tarei_stored_form){
      TARE_I16, tarei_written_scale(&p->graph->values[value].quant) * (127.0f / 32767.0f), 0};
}

static const char *write_zero_point(tarei_qdq_writer *const w, const char *const base,
                                    const tarei_stored_form *const form) {
  const char *const name = tarei_edit_name(&w->edit, base, "_zero_point");
  void *const to = tarei_edit_constant(&w->edit, name, form->type, NULL, 0);
  if (to) {
    memcpy(to, &form->zero_point, tare_dtype_size(form->type));
  }
  return name;
}

/* --- pairs ----------------------------------------------------------------------------------- */

/* QuantizeLinear of `in` and DequantizeLinear to `out`, both named after the value. */
static void write_pair(tarei_qdq_writer *const w, const char *const value, const char *const in,
                       const char *const out, const tarei_stored_form *const form) {
  tarei_edit *const e = &w->edit;
  const tare_dtype real = tarei_file_type(&w->place->types, value);
  const tarei_qdq_needs needs = {.real = real, .bits16 = form->type == TARE_I16};
  const char *const domain = tarei_qdq_domain(w->place, needs);
  const float scale = tarei_stored_scale(form->scale, real);
  const char *const bytes = tarei_edit_name(e, value, "_QuantizeLinear_Output");
  const char *const constants[] = {tarei_write_reals(w, value, "_scale", real, &scale, 0),
                                   write_zero_point(w, value, form)};
  const char *const quantize[] = {in, constants[0], constants[1]};
  const char *const restore[] = {bytes, constants[0], constants[1]};
  tarei_edit_node(e, "QuantizeLinear", domain, tarei_edit_name(e, value, "_QuantizeLinear"),
                  quantize, 3, &bytes, 1);
  tarei_edit_node(e, "DequantizeLinear", domain, tarei_edit_name(e, value, "_DequantizeLinear"),
                  restore, 3, &out, 1);
  tarei_edit_import(e, domain, 1);
}

/* The dequantized form of input i of a node, which it reads from now on. */
static void quantize_input(tarei_qdq_writer *const w, Onnx__NodeProto *const node, const int i,
                           const int value, const bool words) {
  tarei_written *const written = &w->written[value];
  const char **const name = words ? &written->words : &written->bytes;
  if (!*name) {
    const tarei_stored_form form =
        words ? word_form(w->place, value) : tarei_byte_form(w->place, value);
    *name = tarei_edit_name(&w->edit, node->input[i], "_DequantizeLinear_Output");
    write_pair(w, node->input[i], node->input[i], *name, &form);
  }
  tarei_edit_replace(&w->edit, &node->input[i], *name);
}

/* The value keeps its name behind the pair, so that all that read it get what the pair makes. */
static void quantize_output(tarei_qdq_writer *const w, Onnx__NodeProto *const node, const size_t i,
                            const int value) {
  const tarei_stored_form form = tarei_byte_form(w->place, value);
  const char *const name = w->place->graph->values[value].name;
  const char *const real = tarei_edit_name(&w->edit, name, "_QuantizeLinear_Input");
  write_pair(w, name, real, name, &form);
  tarei_edit_replace(&w->edit, &node->output[i], real);
  w->written[value].bytes = name;
}

/* --- layers ---------------------------------------------------------------------------------- */

static void write_layer(tarei_qdq_writer *const w, const tarei_placed_layer *const layer) {
  Onnx__NodeProto *const node = layer->node;
  const bool words = layer->form == TAREI_FORM_INT16;
  const bool constant = w->place->graph->values[layer->w].data != NULL;
  const char *const bias = words || !constant ? NULL : tarei_write_bias(w, layer);
  quantize_input(w, node, 0, layer->x, words);
  if (constant) {
    tarei_edit_replace(&w->edit, &node->input[1], tarei_write_weights(w, layer));
  } else {
    quantize_input(w, node, 1, layer->w, words);
  }
  if (bias && layer->sum >= 0) {
    w->written[layer->sum].bias = bias;
  } else if (bias) {
    tarei_edit_replace(&w->edit, &node->input[2], bias);
  }
  tarei_edit_lay(&w->edit, node);
}

/* The bias that an Add gives to the MatMul before it. */
static void write_sum_bias(tarei_qdq_writer *const w, Onnx__NodeProto *const node, const int sum) {
  const char *const bias = sum < 0 ? NULL : w->written[sum].bias;
  for (size_t i = 0; bias && i < node->n_input; i++) {
    const int value = tarei_placed_input(w->place, node, i);
    if (value >= 0 && w->place->graph->values[value].data) {
      tarei_edit_replace(&w->edit, &node->input[i], bias);
    }
  }
}

/* The summand of an Add that a convolution before it takes in. */
static void write_residual(tarei_qdq_writer *const w, Onnx__NodeProto *const node, const int sum) {
  const int residual = sum < 0 ? -1 : w->place->residual[sum];
  for (size_t i = 0; residual >= 0 && i < node->n_input; i++) {
    if (tarei_placed_input(w->place, node, i) == residual) {
      quantize_input(w, node, (int)i, residual, false);
    }
  }
}

static const tarei_placed_layer *layer_of(const tarei_placement *const p,
                                          const Onnx__NodeProto *const node, int *const next) {
  const bool found = *next < p->n_layers && p->layers[*next].node == node;
  return found ? &p->layers[(*next)++] : NULL;
}

static void write_node(tarei_qdq_writer *const w, Onnx__NodeProto *const node,
                       const tarei_placed_layer *const layer) {
  const size_t n_out = node->n_output;
  int *const values = tarei_calloc(n_out, sizeof *values);
  w->edit.failed |= !values;
  for (size_t i = 0; values && i < n_out; i++) {
    values[i] = tarei_placed_output(w->place, node, i);
  }
  if (!layer || layer->form == TAREI_FORM_FLOAT) {
    const int made = values && n_out ? values[0] : -1;
    write_residual(w, node, made);
    write_sum_bias(w, node, made);
    tarei_edit_lay(&w->edit, node);
  } else if (layer->form == TAREI_FORM_DYNAMIC) {
    tarei_write_dynamic(w, layer);
  } else {
    write_layer(w, layer);
  }
  for (size_t i = 0; values && i < n_out; i++) {
    if (values[i] >= 0 && w->place->at_source[values[i]]) {
      quantize_output(w, node, i, values[i]);
    }
  }
  free(values);
}

tare_status tarei_write_qdq(const tarei_placement *const p, tare_error *const err) {
  tarei_qdq_writer w = {.place = p,
                        .written = tarei_calloc((size_t)p->graph->n_values, sizeof *w.written)};
  tare_status status = w.written ? tarei_edit_begin(p->file, &w.edit, err)
                                 : tarei_fail_memory(err, "values", (size_t)p->graph->n_values);
  const size_t n = p->file->model->graph->n_node;
  int next = 0;
  for (size_t i = 0; status == TARE_OK && !w.edit.failed && i < n; i++) {
    Onnx__NodeProto *const node = p->file->model->graph->node[i];
    write_node(&w, node, layer_of(p, node, &next));
  }
  if (status == TARE_OK) {
    tarei_write_smoothed(&w);
    status = tarei_edit_finish(&w.edit, err);
  } else {
    tarei_edit_fini(&w.edit);
  }
  free(w.written);
  return status;
}
