/* Pairs of QuantizeLinear and DequantizeLinear. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "graph/op.h"
#include "graph/qdq/place.h"
#include "graph/qdq/undo/undo.h"
#include "graph/quantize/quantize_uses.h"
#include "shapes/number.h"

/* --- forms ----------------------------------------------------------------------------------- */

static bool is_pair_op(const Onnx__NodeProto *const node, const char *const op) {
  const char *const domain = tarei_onnx_text(node->domain);
  return strcmp(tarei_onnx_text(node->op_type), op) == 0 && node->n_output == 1 &&
         node->n_input >= 2 &&
         (tarei_is_default_domain(domain) || strcmp(domain, "com.microsoft") == 0);
}

bool tarei_undo_is_quantize(const Onnx__NodeProto *const node) {
  return is_pair_op(node, "QuantizeLinear");
}

bool tarei_undo_is_dequantize(const Onnx__NodeProto *const node) {
  return is_pair_op(node, "DequantizeLinear");
}

tare_tensor tarei_undo_constant(const tarei_undo *const u, const char *const name) {
  const int value = tarei_names_find(&u->values, name);
  return value >= 0 && u->graph->values[value].data ? tarei_value_tensor(u->graph, value)
                                                    : (tare_tensor){0};
}

/* Type of what is stored, where no zero point says it. */
static tare_dtype type_without_zero(const tarei_undo *const u, const Onnx__NodeProto *const node) {
  const tare_tensor stored = tarei_undo_constant(u, node->input[0]);
  if (tarei_undo_is_dequantize(node)) {
    const int maker = tarei_names_find(&u->makers, node->input[0]);
    tarei_undo_form made;
    const Onnx__NodeProto *const from = maker < 0 ? NULL : u->file->model->graph->node[maker];
    return stored.data ? stored.dtype
           : from && tarei_undo_is_quantize(from) && !tarei_undo_form_of(u, from, &made)
               ? made.type
               : TARE_DTYPE_NONE;
  }
  const int64_t said = tarei_onnx_attr_int(node, "output_dtype", 0);
  return said ? (tare_dtype)said : TARE_U8;
}

static bool scales_are_good(const tare_tensor *const scale) {
  for (int64_t i = 0; i < tare_tensor_count(scale); i++) {
    const float s = ((const float *)scale->data)[i];
    if (!(s > 0) || !isnormal(s)) {
      return false;
    }
  }
  return tare_tensor_count(scale) > 0;
}

const char *tarei_undo_form_of(const tarei_undo *const u, const Onnx__NodeProto *const node,
                               tarei_undo_form *const out) {
  const char *const zero = node->n_input > 2 ? node->input[2] : "";
  *out = (tarei_undo_form){.scale = tarei_undo_constant(u, node->input[1]),
                           .zero = tarei_undo_constant(u, zero),
                           .axis = tarei_onnx_attr_int(node, "axis", 1)};
  if (!out->scale.data || (*zero && !out->zero.data)) {
    return "its scale or zero point is not a constant";
  }
  if (out->scale.dtype != TARE_F32 || !scales_are_good(&out->scale)) {
    return "it has a scale that is not a positive normal number";
  }
  if (tarei_onnx_attr_int(node, "block_size", 0) || out->scale.rank > 1) {
    return "it has a scale for each block";
  }
  if (out->zero.data && tare_tensor_count(&out->zero) != tare_tensor_count(&out->scale)) {
    return "it has another number of zero points than of scales";
  }
  out->type = out->zero.data ? out->zero.dtype : type_without_zero(u, node);
  return NULL;
}

int64_t tarei_undo_zero_point(const tarei_undo_form *const form, const int64_t i) {
  return form->zero.data ? tarei_integer_at(&form->zero, i) : 0;
}

static bool forms_equal(const tarei_undo_form *const a, const tarei_undo_form *const b) {
  const int64_t n = tare_tensor_count(&a->scale);
  bool same = a->type == b->type && tare_tensor_count(&b->scale) == n &&
              (n == 1 || a->axis == b->axis) &&
              memcmp(a->scale.data, b->scale.data, (size_t)n * sizeof(float)) == 0;
  for (int64_t i = 0; same && i < n; i++) {
    same = tarei_undo_zero_point(a, i) == tarei_undo_zero_point(b, i);
  }
  return same;
}

/* --- values without a sign ------------------------------------------------------------------- */

static bool data_is_positive(const tare_tensor *const t) {
  for (int64_t i = 0; i < tare_tensor_count(t); i++) {
    if (!(tarei_real_at(t, i) >= 0)) {
      return false;
    }
  }
  return true;
}

static bool op_is_one_of(const tarei_op *const op, const char *const *const names) {
  for (int i = 0; names[i]; i++) {
    if (strcmp(op->name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_activation_type(const tare_dtype type) {
  return type == TARE_I8 || type == TARE_U8 || type == TARE_I16 || type == TARE_U16;
}

static int64_t lowest_integer(const tare_dtype type) {
  return type == TARE_I8 ? INT8_MIN : type == TARE_I16 ? INT16_MIN : 0;
}

static bool is_positive(const tarei_graph *g, int value, int depth);

static bool clips_negative(const tarei_graph *const g, const tarei_node *const node) {
  float least = -1;
  return strcmp(node->op->name, "Clip") == 0 &&
         (node->n_in > 1 && node->in[1] >= 0 ? tarei_value_const_float(g, node->in[1], &least)
                                             : (least = tarei_attr_float(node, "min", -1), true)) &&
         least >= 0;
}

/* A DequantizeLinear whose zero point is the lowest integer: a Relu comes in front where one is
 * due. */
static bool has_lowest_zero(const tarei_graph *const g, const tarei_node *const node) {
  const int zero = node->n_in > 2 ? node->in[2] : -1;
  if (strcmp(node->op->name, "DequantizeLinear") != 0 || (zero >= 0 && !g->values[zero].data)) {
    return false;
  }
  const tare_dtype type = g->values[zero >= 0 ? zero : node->in[0]].dtype;
  const tare_tensor t = zero >= 0 ? tarei_value_tensor(g, zero) : (tare_tensor){0};
  return is_activation_type(type) && (zero < 0 || tare_tensor_count(&t) > 0) &&
         lowest_integer(type) == (zero >= 0 ? tarei_integer_at(&t, 0) : 0);
}

static bool inputs_are_positive(const tarei_graph *const g, const tarei_node *const node,
                                const int n, const int depth) {
  for (int i = 0; i < n; i++) {
    if (!is_positive(g, node->in[i], depth)) {
      return false;
    }
  }
  return n > 0;
}

enum { DEEPEST = 24 }; /* what lies further up is not looked at */

static bool is_positive(const tarei_graph *const g, const int value, const int depth) {
  static const char *const ALWAYS[] = {"Relu", "Sigmoid",  "HardSigmoid", "Softmax",  "Abs", "Exp",
                                       "Sqrt", "Softplus", "ReduceL1",    "ReduceL2", NULL};
  static const char *const PAIRS[] = {"Add", "Mul", "Div", "Max", NULL};
  static const char *const PASS[] = {
      "ReduceMean",       "ReduceSum",      "ReduceMax",  "ReduceMin", "MaxPool", "Cast",
      "DequantizeLinear", "QuantizeLinear", "Dequantize", "Quantize",  NULL};
  if (value < 0 || depth > DEEPEST) {
    return false;
  }
  if (g->values[value].data) {
    const tare_tensor t = tarei_value_tensor(g, value);
    return data_is_positive(&t);
  }
  const int maker = g->values[value].producer;
  const tarei_node *const node = maker < 0 ? NULL : &g->nodes[maker];
  if (!node || !node->op) {
    return false;
  }
  if (op_is_one_of(node->op, ALWAYS) || clips_negative(g, node) || has_lowest_zero(g, node)) {
    return true;
  }
  if (strcmp(node->op->name, "Mul") == 0 && node->in[0] == node->in[1]) {
    return true;
  }
  if (op_is_one_of(node->op, PAIRS)) {
    return inputs_are_positive(g, node, node->n_in, depth + 1);
  }
  if (node->op->movement || node->op->averages || tarei_node_selects(node) ||
      op_is_one_of(node->op, PASS)) {
    return inputs_are_positive(g, node, node->op->joins ? node->n_in : 1, depth + 1);
  }
  return false;
}

/* --- names ----------------------------------------------------------------------------------- */

void tarei_undo_move(tarei_undo *const u, const char *const name, const char *const by) {
  if (!tarei_names_grow(&u->moved)) {
    u->edit.failed = true;
    return;
  }
  u->to[u->n_moved] = by;
  tarei_names_add(&u->moved, name, u->n_moved++);
}

bool tarei_undo_has_moved(const tarei_undo *const u, const char *const name) {
  return tarei_names_find(&u->moved, name) >= 0;
}

const char *tarei_undo_resolve(const tarei_undo *const u, const char *name) {
  for (int next; (next = tarei_names_find(&u->moved, name)) >= 0;) {
    name = u->to[next];
  }
  return name;
}

static bool is_listed(Onnx__ValueInfoProto *const *const infos, const size_t n,
                      const char *const name) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(tarei_onnx_text(infos[i]->name), name) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_graph_output(const tarei_undo *const u, const char *const name) {
  const Onnx__GraphProto *const graph = u->file->model->graph;
  return is_listed(graph->output, graph->n_output, name);
}

/* Whether `in` was named after `out`, as exports name what a pair reads whose output keeps the name
 * of the value. */
static bool is_named_after(const char *const in, const char *const out) {
  static const char SUFFIX[] = "_QuantizeLinear_Input";
  const size_t n = strlen(out);
  return strncmp(in, out, n) == 0 && strncmp(in + n, SUFFIX, sizeof SUFFIX - 1) == 0;
}

/* Whether the value in front of a pair can take the name of what is behind it. */
static bool may_rename(const tarei_undo *const u, const char *const in) {
  return tarei_names_find(&u->makers, in) >= 0 && !tarei_undo_has_moved(u, in) &&
         !is_graph_output(u, in);
}

/* --- pairs ----------------------------------------------------------------------------------- */

static void note_scale(tarei_undo *const u, const char *const value,
                       const tarei_undo_form *const form, const bool positive) {
  if (!TAREI_GROW(u->scales, u->n_scales, u->cap_scales)) {
    u->edit.failed = true;
    return;
  }
  u->scales[u->n_scales++] = (tarei_undo_scale){.value = value,
                                                .scale = *(const float *)form->scale.data,
                                                .type = form->type,
                                                .zero_point = tarei_undo_zero_point(form, 0),
                                                .positive = positive};
}

/* A zero point at the lowest integer cuts off negative values, as a Relu does; quantizers take the
 * Relu away for it. */
static bool acts_as_relu(const tarei_undo *const u, const Onnx__NodeProto *const quantize,
                         const tarei_undo_form *const form, const bool positive) {
  return tarei_undo_zero_point(form, 0) == lowest_integer(form->type) && !positive &&
         tarei_names_find(&u->makers, quantize->input[0]) >= 0;
}

/* What was read behind the pair is read in front of it; or the name behind it moves to the front,
 * where it is an output of the model or the name in front was made from it. In a model whose nodes
 * are not sorted, a pair further down may have moved the name behind it already: it gets a node. */
static void join(tarei_undo *const u, const size_t n, const char *const in, const bool relu) {
  const char *const out = u->file->model->graph->node[n]->output[0];
  const bool must_rename = is_graph_output(u, out), may = may_rename(u, in);
  u->goes[n] = true;
  u->counts.relus += relu;
  if (relu || (must_rename && !may) || tarei_undo_has_moved(u, out)) {
    u->becomes[n] = relu ? "Relu" : "Identity";
  } else if (must_rename || (may && is_named_after(in, out))) {
    tarei_undo_move(u, in, out);
  } else {
    tarei_undo_move(u, out, in);
  }
}

const char *tarei_undo_pair(tarei_undo *const u, const size_t n) {
  const Onnx__GraphProto *const graph = u->file->model->graph;
  const Onnx__NodeProto *const node = graph->node[n];
  const int maker = tarei_names_find(&u->makers, node->input[0]);
  const Onnx__NodeProto *const quantize = maker < 0 ? NULL : graph->node[maker];
  tarei_undo_form mine, other;
  if (!quantize || !tarei_undo_is_quantize(quantize)) {
    return "no QuantizeLinear writes what it reads";
  }
  const char *const why = tarei_undo_form_of(u, node, &mine);
  const char *const why_other = why ? why : tarei_undo_form_of(u, quantize, &other);
  if (why_other) {
    return why_other;
  }
  if (!forms_equal(&mine, &other)) {
    return "its QuantizeLinear has another scale, zero point or type";
  }
  const char *const in = quantize->input[0];
  if (tarei_undo_constant(u, in).data || tarei_undo_constant(u, node->input[0]).data) { /* folded */
    u->counts.constants++;
    join(u, n, in, false);
    return NULL;
  }
  if (!is_activation_type(mine.type)) {
    return "its integers are neither of 8 nor of 16 bits";
  }
  if (tare_tensor_count(&mine.scale) != 1) {
    return "an activation has a scale for each channel";
  }
  const bool positive = is_positive(u->graph, tarei_names_find(&u->values, in), 0);
  const bool relu = acts_as_relu(u, quantize, &mine, positive);
  join(u, n, in, relu);
  note_scale(u, relu ? node->output[0] : in, &mine, positive);
  u->counts.activations++;
  return NULL;
}
