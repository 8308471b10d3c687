#include "engine/lower/elementwise/pointwise.h"

#include <math.h>
#include <string.h>

/* A parameter is the attribute of this name, or a fixed number where there is none. */
typedef struct parameter {
  const char *attr;
  float fallback;
} parameter;

#define UNARY(id) .op = TAREI_UNARY_##id
#define ACT(id) .activates = true, .op = TAREI_ACT_##id
#define ATTR(name, otherwise) \
  { name, otherwise }
#define NONE \
  { NULL, 0 }
static const struct {
  const char *name;
  bool activates;
  int op;
  parameter a, b;
} rows[] = {
#define TAREI_POINTWISE(id, onnx_name, inputs, infer, activation, growth, kernel, first, second, \
                        ...)                                                                     \
  {.name = onnx_name, kernel, .a = first, .b = second},
#include "graph/pointwise.inc"
#undef TAREI_POINTWISE
};
#undef UNARY
#undef ACT
#undef ATTR
#undef NONE

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
  if (out->activates && out->op == TAREI_ACT_gelu && strcmp(form, "tanh") == 0) {
    out->op = TAREI_ACT_gelu_tanh;
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
