/* Mixtures of experts: what MoE and QMoE of com.microsoft have in common. */
#ifndef TAREI_GRAPH_EXPAND_CONTRIB_CONTRIB_MOE_H
#define TAREI_GRAPH_EXPAND_CONTRIB_CONTRIB_MOE_H

#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

/* A product of all experts, weights [experts, rows, columns]: inputs of the node, or -1. */
typedef struct tarei_moe_product {
  int weights, bias, scales, zeros;
  int64_t rows, columns;
} tarei_moe_product;

/* Rows `first`, first + step, ... of the weights; as many as there are. */
typedef struct tarei_moe_rows {
  int64_t first, step, end;
} tarei_moe_rows;

typedef struct tarei_moe_form {
  tare_dtype dtype;
  int rank;
  int64_t experts, chosen; /* chosen: experts of a token */
  int64_t hidden, inner;
  tarei_moe_product first, second, third; /* third: what the first is multiplied by, or none */
  const char *activation;
  int64_t fusion; /* of SwiGLU: 0 separate, 1 interleaved, 2 side by side */
  float alpha, beta, limit;
  bool normalizes;
  int mixing;          /* input with other weights for the sum, or -1 */
  int64_t bits, block; /* of quantized weights; 0: floats, one scale for a row */
} tarei_moe_form;

/* Checks the weights of a product. */
tare_status tarei_moe_check_product(const tarei_graph *graph, const tarei_node *node,
                                    const tarei_moe_form *f, const tarei_moe_product *p,
                                    tare_error *err);
/* x . weights^T + bias of one expert. */
int tarei_moe_multiply(tarei_build *b, const tarei_moe_form *f, const tarei_moe_product *p,
                       int64_t expert, const tarei_moe_rows *rows, int x);

#endif
