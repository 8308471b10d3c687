#include "engine/lower/elementwise/pointwise.h"

#include <string.h>

#include "graph/pointwise.h"

#define UNARY(id) .op = TAREI_UNARY_##id
#define ACT(id) .activates = true, .op = TAREI_ACT_##id
static const struct {
  const char *name;
  bool activates;
  int op;
} rows[] = {
#define TAREI_POINTWISE(id, onnx_name, inputs, infer, activation, growth, sign, kernel, ...) \
  {.name = onnx_name, kernel},
#include "graph/pointwise.inc"
#undef TAREI_POINTWISE
};
#undef UNARY
#undef ACT

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

bool tarei_pointwise_of(const char *const name, const float a, const float b, const bool by_tanh,
                        tarei_pointwise *const out) {
  const int i = pointwise_find(name);
  if (i < 0) {
    return false;
  }
  *out = (tarei_pointwise){.activates = rows[i].activates, .op = rows[i].op, .a = a, .b = b};
  if (by_tanh && out->activates && out->op == TAREI_ACT_gelu) {
    out->op = TAREI_ACT_gelu_tanh;
  }
  return true;
}

tare_status tarei_pointwise_read(const tarei_node *const node, const char *const name,
                                 tarei_pointwise *const out, tare_error *const err) {
  float a, b;
  return tarei_pointwise_parameters(node, name, &a, &b) &&
                 tarei_pointwise_of(name, a, b, tarei_gelu_by_tanh(node), out)
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "'%s' is no function of one number", name);
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
