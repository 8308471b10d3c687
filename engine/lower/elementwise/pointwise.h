/* Functions of one float at a time, as the operators of one input name them. */
#ifndef TAREI_ENGINE_LOWER_ELEMENTWISE_POINTWISE_H
#define TAREI_ENGINE_LOWER_ELEMENTWISE_POINTWISE_H

#include "engine/step.h"

typedef struct tarei_pointwise {
  bool activates; /* a kernel of the family act, else of unary */
  int op;         /* a tarei_act or a tarei_unary */
  float a, b;
} tarei_pointwise;

/* Whether the operator with this ONNX name is a function of this kind. */
bool tarei_pointwise_has(const char *name);
/* The function of the operator with this ONNX name and with the attributes of a node. Bounds of
 * Clip that are inputs are left to the caller. TARE_E_UNSUPPORTED when it is no function of this
 * kind. */
tare_status tarei_pointwise_read(const tarei_node *node, const char *name, tarei_pointwise *out,
                                 tare_error *err);

/* The same for parameters that stand elsewhere; by_tanh: of Gelu. False if it is no such function.
 */
bool tarei_pointwise_of(const char *name, float a, float b, bool by_tanh, tarei_pointwise *out);

void tarei_pointwise_run(const tarei_pointwise *f, const tarei_kernels *kernels, const float *x,
                         size_t n, float *out);
const char *tarei_pointwise_kernel(const tarei_pointwise *f, const tarei_kernels *kernels);

#endif
