/* BatchNormalization for inference with constant parameters: a gain and a shift for each channel.
 */
#ifndef TAREI_GRAPH_PASSES_NORM_BATCHNORM_H
#define TAREI_GRAPH_PASSES_NORM_BATCHNORM_H

#include "graph/pass.h"

typedef struct tarei_batchnorm {
  int64_t channels;
  const float *scale, *shift, *mean, *variance;
  float epsilon;
} tarei_batchnorm;

/* False where the node is no such BatchNormalization of so many channels, or has further outputs.
 */
bool tarei_batchnorm_read(const tarei_graph *graph, const tarei_node *node, int64_t channels,
                          tarei_batchnorm *out);
double tarei_batchnorm_gain(const tarei_batchnorm *norm, int64_t channel);
/* What a channel of x + bias becomes beyond x times the gain. */
float tarei_batchnorm_bias(const tarei_batchnorm *norm, int64_t channel, double bias);

#endif
