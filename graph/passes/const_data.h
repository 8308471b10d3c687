/* Reading and making the constants that rewrites deal with. */
#ifndef TAREI_GRAPH_PASSES_CONST_DATA_H
#define TAREI_GRAPH_PASSES_CONST_DATA_H

#include "graph/pass.h"

/* A float32 constant with one element. */
bool tarei_const_scalar(const tarei_graph *graph, int value, float *out);
/* Whether x is within 1e-4 of `expected`, relative to its size (absolute for 0). */
bool tarei_is_near(float x, float expected);

/* Whether a value is a constant scalar near `expected`. */
bool tarei_const_near(const tarei_graph *graph, int value, float expected);

/* A bound of Clip: an input, or an attribute before opset 11. *bound is left alone where there is
 * none; false where it is not constant. */
bool tarei_const_clip_bound(const tarei_graph *graph, const tarei_node *clip, int input,
                            const char *name, float *bound);

/* A float32 constant that gives each channel one number when it is broadcast to `rank` axes:
 * `channels` elements along `axis`, or one element. Channel i stands at data[i * *step]. NULL when
 * it is none. */
const float *tarei_const_channels(const tarei_graph *graph, int value, int rank, int axis,
                                  int64_t channels, int *step);

/* A new zeroed float32 constant named after `like`; *data is valid until the next add. */
tare_status tarei_const_new(tarei_graph *graph, int like, const char *suffix, int rank,
                            const int64_t *dims, int *out, float **data, tare_error *err);

/* A new constant: `value` broadcast to `rank` axes by leading ones, then transposed so that axis i
 * is axis perm[i] of before. */
tare_status tarei_const_permute(tarei_graph *graph, int value, int rank, const int64_t *perm,
                                const char *suffix, int *out, tare_error *err);

/* A view of a constant without its leading axes of one element, down to min_rank axes. */
tare_status tarei_const_strip(tarei_graph *graph, int value, int min_rank, int *out,
                              tare_error *err);

#endif
