/* What a spread asks of the message, and the nodes that it writes. */
#include "graph/qdq/undo/spread.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* --- questions ------------------------------------------------------------------------------- */

const Onnx__NodeProto *tarei_spread_maker(const tarei_spread *const s, const char *const name) {
  const int node = tarei_names_find(&s->makers, name);
  return node < 0 ? NULL : s->graph->node[node];
}

const Onnx__TensorProto *tarei_spread_constant(const tarei_spread *const s,
                                               const char *const name) {
  const int i = tarei_names_find(&s->initializers, name);
  if (i >= 0) {
    return s->graph->initializer[i];
  }
  const Onnx__NodeProto *const maker = tarei_spread_maker(s, name);
  return maker && tarei_spread_is(maker, "Constant") && maker->n_attribute == 1
             ? maker->attribute[0]->t
             : NULL;
}

int64_t tarei_spread_count(const Onnx__TensorProto *const tensor) {
  int64_t n = 1;
  for (size_t d = 0; d < tensor->n_dims; d++) {
    const int64_t dim = tensor->dims[d];
    n = dim < 0 || (dim > 0 && n > INT64_MAX / dim) ? -1 : n * dim;
    if (n < 0) {
      return -1;
    }
  }
  return n;
}

int tarei_spread_sole_reader(const tarei_spread *const s, const char *const name) {
  const int use = tarei_names_find(&s->read, name);
  const int node = use >= 0 && s->uses[use].n == 1 ? s->uses[use].node : -1;
  return node > (int)s->at && !s->goes[node] ? node : -1;
}

bool tarei_spread_is(const Onnx__NodeProto *const node, const char *const op) {
  const char *const domain = tarei_onnx_text(node->domain);
  return strcmp(tarei_onnx_text(node->op_type), op) == 0 && node->n_output > 0 &&
         (!*domain || strcmp(domain, "ai.onnx") == 0);
}

const char *tarei_spread_input(const Onnx__NodeProto *const node, const size_t i) {
  return i < node->n_input ? node->input[i] : "";
}

/* --- forms ----------------------------------------------------------------------------------- */

void tarei_spread_note_form(tarei_spread *const s, const char *const value, const char *const scale,
                            const char *const zero) {
  if (!TAREI_GROW(s->forms, s->n_forms, s->cap_forms) || !tarei_names_grow(&s->quantized)) {
    s->edit.failed = true;
    return;
  }
  if (tarei_names_find(&s->quantized, value) < 0) {
    s->forms[s->n_forms] = (tarei_spread_form){.scale = scale, .zero = zero};
    tarei_names_add(&s->quantized, value, (int)s->n_forms++);
  }
}

tarei_spread_form *tarei_spread_form_of(const tarei_spread *const s, const char *const value) {
  const int form = tarei_names_find(&s->quantized, value);
  return form < 0 ? NULL : &s->forms[form];
}

/* "Y" for "Y_quantized", to be freed; NULL where a name has no such end, or after a failure. */
static char *unquantized_name(tarei_spread *const s, const char *const value) {
  static const char SUFFIX[] = "_quantized";
  const size_t n = strlen(value), end = sizeof SUFFIX - 1;
  if (n <= end || strcmp(value + n - end, SUFFIX) != 0) {
    return NULL;
  }
  char *const stem = tarei_strndup(value, n - end);
  s->edit.failed |= !stem;
  return stem;
}

/* "Y" for the integers "Y_quantized", where that name is free. */
static const char *restored_name(tarei_spread *const s, const char *const value) {
  char *const stem = unquantized_name(s, value);
  const bool is_free = stem && tarei_names_find(&s->edit.taken, stem) < 0;
  const char *const name = is_free ? tarei_edit_name(&s->edit, stem, "")
                                   : tarei_edit_name(&s->edit, value, "_DequantizeLinear_Output");
  free(stem);
  return name;
}

/* A constant as a vector, by a node that is folded. */
static const char *as_vector(tarei_spread *const s, const char *const name) {
  static const int64_t ONE = 1, FLAT = -1;
  tarei_edit *const e = &s->edit;
  const Onnx__TensorProto *const t = tarei_spread_constant(s, name);
  if (!t || t->n_dims <= 1) {
    return name;
  }
  const char *const in[] = {name, tarei_edit_name(e, name, "_shape")};
  int64_t *const shape = tarei_edit_constant(e, in[1], TARE_I64, &ONE, 1);
  if (shape) {
    *shape = FLAT;
  }
  const char *const out = tarei_edit_name(e, name, "_vector");
  tarei_edit_node(e, "Reshape", "", tarei_edit_name(e, name, "_Reshape"), in, 2, &out, 1);
  return out;
}

/* A zero point for each of n scales. */
static const char *spread_zero(tarei_spread *const s, const char *const zero, const int64_t n) {
  static const int64_t ONE = 1;
  tarei_edit *const e = &s->edit;
  const Onnx__TensorProto *const t = *zero ? tarei_spread_constant(s, zero) : NULL;
  if (!t || tarei_spread_count(t) == n) {
    return zero;
  }
  const char *const in[] = {zero, tarei_edit_name(e, zero, "_shape")};
  int64_t *const shape = tarei_edit_constant(e, in[1], TARE_I64, &ONE, 1);
  if (shape) {
    *shape = n;
  }
  const char *const out = tarei_edit_name(e, zero, "_vector");
  tarei_edit_node(e, "Expand", "", tarei_edit_name(e, zero, "_Expand"), in, 2, &out, 1);
  return out;
}

static const char *dequantize(tarei_spread *const s, const char *const value,
                              const char *const scale, const char *const zero, const int64_t axis) {
  tarei_edit *const e = &s->edit;
  const Onnx__TensorProto *const scales = tarei_spread_constant(s, scale);
  const int64_t n = scales ? tarei_spread_count(scales) : 0;
  const char *const in[] = {value, as_vector(s, scale), n ? spread_zero(s, zero, n) : zero};
  const char *const out = restored_name(s, value);
  Onnx__NodeProto *const node =
      tarei_edit_node(e, "DequantizeLinear", "", tarei_edit_name(e, value, "_DequantizeLinear"), in,
                      *zero ? 3 : 2, &out, 1);
  if (n != 1) {
    tarei_edit_attr(e, node, "axis", axis);
  }
  return out;
}

const char *tarei_spread_real(tarei_spread *const s, const char *const value,
                              const char *const scale, const char *const zero, const int64_t axis) {
  if (!tarei_spread_form_of(s, value)) {
    tarei_spread_note_form(s, value, scale, zero);
  }
  tarei_spread_form *const form = tarei_spread_form_of(s, value);
  const bool same = form && strcmp(form->scale, scale) == 0 && strcmp(form->zero, zero) == 0;
  if (same && form->real && form->axis == axis) {
    return form->real;
  }
  const char *const real = dequantize(s, value, scale, zero, axis);
  if (same && !form->real) {
    form->real = real;
    form->axis = axis;
  }
  return real;
}

/* --- nodes ----------------------------------------------------------------------------------- */

void tarei_spread_become(tarei_spread *const s, Onnx__NodeProto *const node, const char *const op,
                         const char *const *const in, const int n_in) {
  tarei_edit_become(&s->edit, node, op, in, n_in, node->output[0]);
  if (*tarei_onnx_text(node->domain)) {
    tarei_edit_replace(&s->edit, &node->domain, "");
  }
}

/* What is quantized into "Y_quantized" is named after "Y", which comes back with it. */
static const char *front_name(tarei_spread *const s, const char *const value) {
  char *const stem = unquantized_name(s, value);
  const char *const name = stem ? tarei_edit_name(&s->edit, stem, "_QuantizeLinear_Input")
                                : tarei_edit_name(&s->edit, value, "_float");
  free(stem);
  return name;
}

void tarei_spread_lay(tarei_spread *const s, Onnx__NodeProto *const node, const size_t n_outputs,
                      const char *const scale, const char *const zero) {
  tarei_edit *const e = &s->edit;
  char **const integers = tarei_calloc(n_outputs, sizeof *integers);
  e->failed |= !integers;
  for (size_t o = 0; integers && o < n_outputs; o++) {
    integers[o] = node->output[o];
    tarei_edit_replace(e, &node->output[o], front_name(s, integers[o]));
  }
  tarei_edit_lay(e, node);
  for (size_t o = 0; integers && o < n_outputs && !e->failed; o++) {
    const char *const in[] = {node->output[o], scale, zero}, *const out = integers[o];
    tarei_edit_node(e, "QuantizeLinear", "", tarei_edit_name(e, out, "_QuantizeLinear"), in, 3,
                    &out, 1);
    tarei_spread_note_form(s, out, scale, zero);
  }
  free(integers);
}
