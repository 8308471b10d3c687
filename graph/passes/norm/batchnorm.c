#include "graph/passes/norm/batchnorm.h"

#include <math.h>

#include "graph/op.h"
#include "graph/passes/const_data.h"
#include "graph/passes/rewrite.h"

bool tarei_batchnorm_read(const tarei_graph *const graph, const tarei_node *const node,
                          const int64_t channels, tarei_batchnorm *const out) {
  const float **const parts[] = {&out->scale, &out->shift, &out->mean, &out->variance};
  if (node->op != &tarei_op_batch_normalization || node->n_in != 5 || node->n_out != 1 ||
      tarei_attr_int(node, "training_mode", 0) != 0) {
    return false;
  }
  for (int i = 0; i < 4; i++) {
    int step;
    *parts[i] = tarei_const_channels(graph, tarei_node_in(node, i + 1), 1, 0, channels, &step);
    if (!*parts[i] || (channels != 1 && step == 0)) {
      return false;
    }
  }
  out->channels = channels;
  out->epsilon = tarei_attr_float(node, "epsilon", 1e-5f);
  return true;
}

double tarei_batchnorm_gain(const tarei_batchnorm *const n, const int64_t c) {
  return n->scale[c] / sqrt((double)n->variance[c] + (double)n->epsilon);
}

float tarei_batchnorm_bias(const tarei_batchnorm *const n, const int64_t c, const double bias) {
  return (float)((bias - n->mean[c]) * tarei_batchnorm_gain(n, c) + n->shift[c]);
}
