#include "graph/pointwise.h"

#include <math.h>
#include <string.h>

/* A parameter is the attribute of this name, or a fixed number where there is none. */
typedef struct pointwise_parameter {
  const char *attr;
  float fallback;
} pointwise_parameter;

#define ATTR(name, otherwise) \
  { name, otherwise }
#define NONE \
  { NULL, 0 }
static const struct {
  const char *name;
  pointwise_parameter a, b;
} rows[] = {
#define TAREI_POINTWISE(id, onnx_name, inputs, infer, activation, growth, sign, kernel, first, \
                        second, ...)                                                           \
  {.name = onnx_name, .a = first, .b = second},
#include "graph/pointwise.inc"
#undef TAREI_POINTWISE
};
#undef ATTR
#undef NONE

static float pointwise_parameter_of(const tarei_node *const node,
                                    const pointwise_parameter *const p) {
  return p->attr ? tarei_attr_float(node, p->attr, p->fallback) : p->fallback;
}

bool tarei_pointwise_parameters(const tarei_node *const node, const char *const name,
                                float *const a, float *const b) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      *a = pointwise_parameter_of(node, &rows[i].a);
      *b = pointwise_parameter_of(node, &rows[i].b);
      return true;
    }
  }
  return false;
}

bool tarei_gelu_by_tanh(const tarei_node *const node) {
  return strcmp(tarei_attr_string(node, "approximate", "none"), "tanh") == 0;
}
