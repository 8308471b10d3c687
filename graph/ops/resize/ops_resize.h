/* Resize: what shape inference and the engine have to compute alike. */
#ifndef TAREI_GRAPH_OPS_RESIZE_OPS_RESIZE_H
#define TAREI_GRAPH_OPS_RESIZE_OPS_RESIZE_H

#include "graph/op.h"

/* Where the operands of a Resize stand: opset 10 has neither region nor sizes (-1). */
typedef struct tarei_resize_inputs {
  int region, scales, sizes;
} tarei_resize_inputs;
tarei_resize_inputs tarei_resize_inputs_of(const tarei_node *node);

/* Elements of an axis of n elements after scaling, computed in float32 like other engines; -1 if
 * the scale is not positive or the length exceeds 2^53. */
int64_t tarei_resize_length(int64_t n, float scale);

typedef enum tarei_resize_policy {
  TAREI_RESIZE_STRETCH,
  TAREI_RESIZE_NOT_LARGER,
  TAREI_RESIZE_NOT_SMALLER,
  TAREI_RESIZE_POLICIES, /* none of them */
} tarei_resize_policy;
tarei_resize_policy tarei_resize_policy_of(const tarei_node *node);

/* The one scale of all axes by which lengths `from` come as near to `sizes` as the policy allows, and
 * the lengths that it makes, written to sizes. Lengths above 0. */
float tarei_resize_keep_ratio(tarei_resize_policy policy, const int64_t *from, int64_t *sizes,
                              int n);

#endif
