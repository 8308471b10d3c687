/*
 * Opsets before 7: many operators had their form of opset 7 by then, and models of such operators
 * alone are read. Attributes that mean nothing for results (consumed_inputs) may stand.
 */
#include <string.h>

#include "graph/onnx/importer.h"

enum { FIRST_OPSET = 7 };

/* Since which opset an operator has the form of opset 7. Where `equal_shapes` is set, that is so as
 * long as nothing is broadcast. */
static const struct old_form {
  const char *name;
  int since;
  bool equal_shapes;
} forms[] = {
    {"Abs", 1, false},
    {"Add", 1, true},
    {"And", 1, true},
    {"ArgMax", 1, false},
    {"ArgMin", 1, false},
    {"AveragePool", 1, false},
    {"Cast", 6, false},
    {"Ceil", 1, false},
    {"Clip", 6, false},
    {"Concat", 4, false},
    {"Constant", 1, false},
    {"Conv", 1, false},
    {"ConvTranspose", 1, false},
    {"DepthToSpace", 1, false},
    {"Div", 1, true},
    {"Elu", 1, false},
    {"Equal", 1, true},
    {"Exp", 1, false},
    {"Flatten", 1, false},
    {"Floor", 1, false},
    {"Gather", 1, false},
    {"GlobalAveragePool", 1, false},
    {"GlobalLpPool", 2, false},
    {"GlobalMaxPool", 1, false},
    {"Greater", 1, true},
    {"HardSigmoid", 6, false},
    {"Hardmax", 1, false},
    {"Identity", 1, false},
    {"InstanceNormalization", 1, false},
    {"LRN", 1, false},
    {"LeakyRelu", 6, false},
    {"Less", 1, true},
    {"Log", 1, false},
    {"LogSoftmax", 1, false},
    {"LpNormalization", 1, false},
    {"LpPool", 2, false},
    {"MatMul", 1, false},
    {"Max", 1, false},
    {"MaxPool", 1, false},
    {"Mean", 1, false},
    {"Min", 1, false},
    {"Mul", 1, true},
    {"Neg", 1, false},
    {"Not", 1, false},
    {"Or", 1, true},
    {"Pad", 2, false},
    {"Pow", 1, true},
    {"Reciprocal", 1, false},
    {"ReduceL1", 1, false},
    {"ReduceL2", 1, false},
    {"ReduceLogSum", 1, false},
    {"ReduceLogSumExp", 1, false},
    {"ReduceMax", 1, false},
    {"ReduceMean", 1, false},
    {"ReduceMin", 1, false},
    {"ReduceProd", 1, false},
    {"ReduceSum", 1, false},
    {"ReduceSumSquare", 1, false},
    {"Relu", 1, false},
    {"Reshape", 5, false},
    {"Selu", 6, false},
    {"Shape", 1, false},
    {"Sigmoid", 1, false},
    {"Size", 1, false},
    {"Slice", 1, false},
    {"Softmax", 1, false},
    {"Softplus", 1, false},
    {"Softsign", 1, false},
    {"SpaceToDepth", 1, false},
    {"Split", 2, false},
    {"Sqrt", 1, false},
    {"Squeeze", 1, false},
    {"Sub", 1, true},
    {"Sum", 1, false},
    {"Tanh", 1, false},
    {"Tile", 6, false},
    {"TopK", 1, false},
    {"Transpose", 1, false},
    {"Unsqueeze", 1, false},
    {"Xor", 1, true},
};

static const struct old_form *find_form(const char *const name) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (strcmp(forms[i].name, name) == 0) {
      return &forms[i];
    }
  }
  return NULL;
}

tare_status tarei_onnx_check_old(const Onnx__GraphProto *const proto, const int opset,
                                 tare_error *const err) {
  for (size_t i = 0; i < proto->n_node && opset < FIRST_OPSET; i++) {
    const Onnx__NodeProto *const node = proto->node[i];
    const struct old_form *const form = find_form(tarei_onnx_text(node->op_type));
    if (*tarei_onnx_text(node->domain) == 0 &&
        (!form || form->since > opset ||
         (form->equal_shapes && tarei_onnx_attr_int(node, "broadcast", 0) != 0))) {
      return tarei_fail(err, TARE_E_UNSUPPORTED,
                        "opset %d is not supported: before opset %d, '%s' has another form", opset,
                        FIRST_OPSET, node->op_type);
    }
  }
  return TARE_OK;
}
