/*
 * Where the channels of a tensor can get other scales at no cost: all that read it are layers whose
 * weights take the factors, and what makes it has constants for each channel that take their
 * inverse: a layer, a normalization, a Mul. Between them may be functions f with f(s x) = s f(x)
 * for s > 0, such as Relu.
 *
 * Factors are powers of two, so that a float model gives the same bits with them.
 */
#ifndef TAREI_GRAPH_QUANTIZE_SMOOTHING_SITE_H
#define TAREI_GRAPH_QUANTIZE_SMOOTHING_SITE_H

#include "graph/quantize/weights/weight_view.h"

enum { TAREI_SITE_MOST = 16 };

/* A constant that nothing else reads. */
typedef struct tarei_site_constant {
  int value;
  bool of_reader;         /* weights that are multiplied by the factors; else divided */
  int64_t inner, dim;     /* element e belongs to channel e / inner % dim, */
  int64_t outer, n, part; /* in group e / outer % n / part of a grouped convolution */
} tarei_site_constant;

/* A layer that reads the tensor. */
typedef struct tarei_site_reader {
  int node;
  tarei_weight_view weights;
  int64_t groups;
} tarei_site_reader;

typedef struct tarei_smoothing_site {
  int64_t channels;
  int axis; /* of the channels in the tensor */
  int n_constants, n_readers, n_same, n_before;
  tarei_site_constant constants[2 * TAREI_SITE_MOST];
  tarei_site_reader readers[TAREI_SITE_MOST];
  int same[TAREI_SITE_MOST];   /* the tensor, and values that are moved copies of it */
  int before[TAREI_SITE_MOST]; /* values between the constants and the tensor */
} tarei_smoothing_site;

/* False where a tensor is no such place. */
bool tarei_smoothing_site_find(const tarei_graph *graph, int value, tarei_smoothing_site *out);

static inline int64_t tarei_site_channel(const tarei_site_constant *const c, const int64_t e) {
  return e / c->inner % c->dim + e / c->outer % c->n / c->part * c->dim;
}

/* The channel of input i (tarei_weight_view_at) of output channel j of a reader. */
static inline int64_t tarei_site_input(const tarei_site_reader *const r, const int64_t j,
                                       const int64_t i) {
  return i / r->weights.taps + j / (r->weights.n / r->groups) * (r->weights.k / r->weights.taps);
}

#endif
