/* Operators that read and write integers with scales that the model gives. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/qdq/undo/spread.h"

typedef struct qlinear_row {
  const char *op, *becomes;
  int n_in; /* quantized inputs, of value, scale and zero point each; -1: all that there are */
  int in;   /* the first of them */
  int out;  /* scale and zero point of the output */
  int bias; /* in units of the products, or -1 */
} qlinear_row;

enum { GEMM_BIAS = 6 }; /* of the only one whose output may be real */

static const qlinear_row ROWS[] = {
    {"QGemm", "Gemm", 2, 0, 7, GEMM_BIAS},
    {"QLinearAdd", "Add", 2, 0, 6, -1},
    {"QLinearAveragePool", "AveragePool", 1, 0, 3, -1},
    {"QLinearConcat", "Concat", -1, 2, 0, -1},
    {"QLinearConv", "Conv", 2, 0, 6, 8},
    {"QLinearGlobalAveragePool", "GlobalAveragePool", 1, 0, 3, -1},
    {"QLinearLeakyRelu", "LeakyRelu", 1, 0, 3, -1},
    {"QLinearMatMul", "MatMul", 2, 0, 6, -1},
    {"QLinearMul", "Mul", 2, 0, 6, -1},
    {"QLinearSigmoid", "Sigmoid", 1, 0, 3, -1},
    {"QLinearSoftmax", "Softmax", 1, 0, 3, -1},
};

static const qlinear_row *qlinear_row_of(const Onnx__NodeProto *const node) {
  const char *const op = tarei_onnx_text(node->op_type);
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
    if (strcmp(op, ROWS[i].op) == 0 && node->n_output == 1) {
      return &ROWS[i];
    }
  }
  return NULL;
}

/* --- what stays ------------------------------------------------------------------------------ */

static const char *refuse_scale(const tarei_spread *const s, const char *const value,
                                const char *const scale, const char *const zero) {
  const Onnx__TensorProto *const scales = tarei_spread_constant(s, scale);
  if (!*value || !scales || (*zero && !tarei_spread_constant(s, zero))) {
    return "its scale or zero point is not a constant";
  }
  const bool constant = tarei_spread_constant(s, value) != NULL;
  return scales->n_dims > 1 || (!constant && tarei_spread_count(scales) != 1)
             ? "an activation has a scale for each channel"
             : NULL;
}

/* Softmax flattens below opset 13, which the attribute "opset" says for the quantized one. */
static bool means_another_softmax(const tarei_spread *const s, const Onnx__NodeProto *const node) {
  enum { AXIS_ONLY = 13 };
  const int64_t opset = tarei_onnx_file_opset(s->edit.file, "");
  const int64_t said = tarei_onnx_attr_int(node, "opset", opset);
  return strcmp(tarei_onnx_text(node->op_type), "QLinearSoftmax") == 0 &&
         ((said < AXIS_ONLY) != (opset < AXIS_ONLY) ||
          (opset < AXIS_ONLY && !tarei_onnx_find_attr(node, "axis")));
}

static int n_quantized(const qlinear_row *const row, const Onnx__NodeProto *const node) {
  return row->n_in >= 0 ? row->n_in : ((int)node->n_input - row->in) / 3;
}

static const char *qlinear_refuse(const tarei_spread *const s, const qlinear_row *const row,
                                  const Onnx__NodeProto *const node) {
  const size_t out = (size_t)row->out;
  const int n = n_quantized(row, node);
  if (n < 1 || node->n_input < (size_t)(row->in + 3 * n) ||
      (row->n_in < 0 && node->n_input > (size_t)(row->in + 3 * n)) ||
      (row->bias != GEMM_BIAS && !*tarei_spread_input(node, out))) {
    return "it has another number of inputs than it needs";
  }
  for (int i = 0; i < n; i++) {
    const size_t at = (size_t)(row->in + 3 * i);
    const char *const why =
        refuse_scale(s, tarei_spread_input(node, at), tarei_spread_input(node, at + 1),
                     tarei_spread_input(node, at + 2));
    if (why) {
      return why;
    }
  }
  if (*tarei_spread_input(node, out) &&
      !(tarei_spread_constant(s, node->input[out]) &&
        tarei_spread_constant(s, tarei_spread_input(node, out + 1)))) {
    return "the scale or zero point of its output is not a constant";
  }
  if (tarei_onnx_attr_int(node, "channels_last", 0)) {
    return "its channels come last, as only ONNX Runtime writes it for itself";
  }
  if (means_another_softmax(s, node)) {
    return "its opset, below 13 or not, is not that of the model";
  }
  return row->bias == GEMM_BIAS && tarei_onnx_attr_float(node, "alpha", 1) != 1
             ? "its alpha is not 1"
             : NULL;
}

/* --- what it becomes ------------------------------------------------------------------------- */

/* Axis of the scales of the second factor. */
static int64_t factor_axis(const qlinear_row *const row, const Onnx__NodeProto *const node) {
  if (row->bias < 0) {
    return -1;
  }
  const bool conv = strcmp(row->becomes, "Conv") == 0;
  return conv || tarei_onnx_attr_int(node, "transB", 0) ? 0 : 1;
}

/* The scale of a bias is the product of those of the factors. */
static const char *real_bias(tarei_spread *const s, const char *const bias, const char *const x,
                             const char *const w, const int64_t axis) {
  tarei_edit *const e = &s->edit;
  const char *const in[] = {x, w}, *const scale = tarei_edit_name(e, bias, "_scale");
  tarei_edit_node(e, "Mul", "", tarei_edit_name(e, bias, "_MulScales"), in, 2, &scale, 1);
  return tarei_spread_real(s, bias, scale, "", axis);
}

/* The names that the float operator reads; free the list. */
static const char **read_inputs(tarei_spread *const s, const qlinear_row *const row,
                                const Onnx__NodeProto *const node, int *const n_in) {
  const int n = n_quantized(row, node);
  const char **const in = tarei_calloc((size_t)n + 1, sizeof *in);
  for (int i = 0; in && i < n; i++) {
    char **const at = &node->input[row->in + 3 * i];
    in[i] = tarei_spread_real(s, at[0], at[1], at[2], i == 1 ? factor_axis(row, node) : -1);
  }
  const char *const bias = row->bias < 0 ? "" : tarei_spread_input(node, (size_t)row->bias);
  if (in && *bias) {
    in[n] = real_bias(s, bias, node->input[1], node->input[4],
                      strcmp(row->becomes, "Conv") == 0 ? 0 : -1);
  }
  s->edit.failed |= !in;
  *n_in = n + (*bias != 0);
  return in;
}

bool tarei_spread_qlinear(tarei_spread *const s, const size_t i) {
  Onnx__NodeProto *const node = s->graph->node[i];
  const qlinear_row *const row = qlinear_row_of(node);
  if (!row) {
    return false;
  }
  s->why = qlinear_refuse(s, row, node);
  if (s->why) {
    return false;
  }
  int n_in = 0;
  const char **const in = read_inputs(s, row, node, &n_in);
  const char *const scale = tarei_spread_input(node, (size_t)row->out);
  const char *const zero = tarei_spread_input(node, (size_t)row->out + 1);
  if (in) {
    tarei_spread_become(s, node, row->becomes, in, n_in);
    tarei_edit_drop_attr(&s->edit, node, "channels_last");
    tarei_edit_drop_attr(&s->edit, node, "opset");
    tarei_spread_lay(s, node, *scale ? 1 : 0, scale, zero);
  }
  free(in);
  return true;
}
