#include "engine/lower/elementwise/pointwise.h"

#include <math.h>
#include <string.h>

/* A parameter is the attribute of this name, or a fixed number where there is none. */
typedef struct parameter {
  const char *attr;
  float fallback;
} parameter;

static const struct {
  const char *name;
  bool activates;
  int op;
  parameter a, b;
} rows[] = {
    {"Abs", false, TAREI_UNARY_ABS, {NULL, 0}, {NULL, 0}},
    {"Acos", false, TAREI_UNARY_ACOS, {NULL, 0}, {NULL, 0}},
    {"Acosh", false, TAREI_UNARY_ACOSH, {NULL, 0}, {NULL, 0}},
    {"Asin", false, TAREI_UNARY_ASIN, {NULL, 0}, {NULL, 0}},
    {"Asinh", false, TAREI_UNARY_ASINH, {NULL, 0}, {NULL, 0}},
    {"Atan", false, TAREI_UNARY_ATAN, {NULL, 0}, {NULL, 0}},
    {"Atanh", false, TAREI_UNARY_ATANH, {NULL, 0}, {NULL, 0}},
    {"Ceil", false, TAREI_UNARY_CEIL, {NULL, 0}, {NULL, 0}},
    {"Celu", false, TAREI_UNARY_CELU, {"alpha", 1}, {NULL, 0}},
    {"Clip", true, TAREI_ACT_CLIP, {"min", -INFINITY}, {"max", INFINITY}},
    {"Cos", false, TAREI_UNARY_COS, {NULL, 0}, {NULL, 0}},
    {"Cosh", false, TAREI_UNARY_COSH, {NULL, 0}, {NULL, 0}},
    {"Elu", false, TAREI_UNARY_ELU, {"alpha", 1}, {NULL, 0}},
    {"Erf", false, TAREI_UNARY_ERF, {NULL, 0}, {NULL, 0}},
    {"Exp", false, TAREI_UNARY_EXP, {NULL, 0}, {NULL, 0}},
    {"Floor", false, TAREI_UNARY_FLOOR, {NULL, 0}, {NULL, 0}},
    {"Gelu", true, TAREI_ACT_GELU, {NULL, 0}, {NULL, 0}},
    {"HardSigmoid", false, TAREI_UNARY_HARD_SIGMOID, {"alpha", 0.2f}, {"beta", 0.5f}},
    {"HardSwish", false, TAREI_UNARY_HARD_SWISH, {NULL, 0}, {NULL, 0}},
    {"LeakyRelu", true, TAREI_ACT_LEAKY_RELU, {"alpha", 0.01f}, {NULL, 0}},
    {"Log", false, TAREI_UNARY_LOG, {NULL, 0}, {NULL, 0}},
    {"Mish", false, TAREI_UNARY_MISH, {NULL, 0}, {NULL, 0}},
    {"Neg", false, TAREI_UNARY_NEG, {NULL, 0}, {NULL, 0}},
    {"Reciprocal", false, TAREI_UNARY_RECIPROCAL, {NULL, 0}, {NULL, 0}},
    {"Relu", true, TAREI_ACT_RELU, {NULL, 0}, {NULL, 0}},
    {"Round", false, TAREI_UNARY_ROUND, {NULL, 0}, {NULL, 0}},
    {"Selu", false, TAREI_UNARY_SELU, {"alpha", 1.67326324f}, {"gamma", 1.05070102f}},
    {"Shrink", false, TAREI_UNARY_SHRINK, {"lambd", 0.5f}, {"bias", 0}},
    {"Sigmoid", true, TAREI_ACT_SIGMOID, {NULL, 0}, {NULL, 0}},
    {"Sign", false, TAREI_UNARY_SIGN, {NULL, 0}, {NULL, 0}},
    {"Sin", false, TAREI_UNARY_SIN, {NULL, 0}, {NULL, 0}},
    {"Sinh", false, TAREI_UNARY_SINH, {NULL, 0}, {NULL, 0}},
    {"Softplus", false, TAREI_UNARY_SOFTPLUS, {NULL, 0}, {NULL, 0}},
    {"Softsign", false, TAREI_UNARY_SOFTSIGN, {NULL, 0}, {NULL, 0}},
    {"Sqrt", false, TAREI_UNARY_SQRT, {NULL, 0}, {NULL, 0}},
    {"Swish", false, TAREI_UNARY_SWISH, {"alpha", 1}, {NULL, 0}},
    {"Tan", false, TAREI_UNARY_TAN, {NULL, 0}, {NULL, 0}},
    {"Tanh", true, TAREI_ACT_TANH, {NULL, 0}, {NULL, 0}},
    {"ThresholdedRelu", false, TAREI_UNARY_THRESHOLDED_RELU, {"alpha", 1}, {NULL, 0}},
};

static float read_parameter(const tarei_node *const node, const parameter *const p) {
  return p->attr ? tarei_attr_float(node, p->attr, p->fallback) : p->fallback;
}

/* The row of this name, or -1. */
static int pointwise_find(const char *const name) {
  for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

bool tarei_pointwise_has(const char *const name) {
  return pointwise_find(name) >= 0;
}

tare_status tarei_pointwise_read(const tarei_node *const node, const char *const name,
                                 tarei_pointwise *const out, tare_error *const err) {
  const int i = pointwise_find(name);
  if (i < 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "'%s' is no function of one number", name);
  }
  *out = (tarei_pointwise){.activates = rows[i].activates,
                           .op = rows[i].op,
                           .a = read_parameter(node, &rows[i].a),
                           .b = read_parameter(node, &rows[i].b)};
  const char *const form = tarei_attr_string(node, "approximate", "none");
  if (out->activates && out->op == TAREI_ACT_GELU && strcmp(form, "tanh") == 0) {
    out->op = TAREI_ACT_GELU_TANH;
  }
  return TARE_OK;
}

void tarei_pointwise_run(const tarei_pointwise *const f, const tarei_kernels *const kernels,
                         const float *const x, const size_t n, float *const out) {
  if (f->activates) {
    kernels->act((tarei_act)f->op, f->a, f->b, x, n, out);
  } else {
    kernels->unary((tarei_unary)f->op, f->a, f->b, x, n, out);
  }
}

const char *tarei_pointwise_kernel(const tarei_pointwise *const f,
                                   const tarei_kernels *const kernels) {
  return f->activates ? kernels->act_name : kernels->unary_name;
}
