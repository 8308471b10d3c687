/*
 * From annotations to an int8 graph: which layers run in int8, where values are quantized, and
 * which layers write u8 themselves.
 */
#ifndef TAREI_GRAPH_QUANTIZE_QUANTIZE_H
#define TAREI_GRAPH_QUANTIZE_QUANTIZE_H

#include <tare/plan.h>

#include "graph/pass.h"
#include "graph/quantize/requested.h"

typedef struct tarei_quantize_options {
  tare_build_options build;   /* what the caller of the build asked for; the table and the lists of
                                 requests are not read here */
  tarei_requested *requested; /* these lists, and what becomes of them; NULL: none */
  const tare_profiles *profiles; /* say how long sums get; NULL: as long as constants make them */
  bool stated_only;              /* scales are the model's own: other layers stay float */
  bool int8;                     /* layers run in int8 unless a request says otherwise */
  bool widens_bytes;             /* kernels multiply bytes as words, hardly faster than floats */
  tarei_pass_log *log;           /* as in tarei_pass_options */
} tarei_quantize_options;

/* What tarei_graph_quantize and tarei_graph_fuse_quantize are called in the log. */
extern const tarei_pass tarei_pass_quantize, tarei_pass_fuse_quantize;

/* Takes the scales that the model itself states (graph/passes/adopt_scales.c) as annotations of the
 * values that have them. *n is how many layers and values have some. */
tare_status tarei_graph_take_stated(tarei_graph *graph, int *n, tare_error *err);

/* Gives values on both sides of movement operators the annotation that one side has, and the inputs
 * of a Concat that of its output. */
tare_status tarei_graph_share_scales(tarei_graph *graph, tare_error *err);

/* Decides for every convolution, linear layer and product, replaces those that run in int8, and
 * inserts Quantize nodes. Call tarei_graph_compact and tarei_graph_infer afterwards. */
tare_status tarei_graph_quantize(tarei_graph *graph, const tarei_quantize_options *options,
                                 tare_error *err);

/* Moves Quantize up through operators that move data and into the nodes that can write u8; an
 * activation that Quantize follows becomes a Lookup of bytes where its input has a scale. The graph
 * is compact and inferred afterwards. */
tare_status tarei_graph_fuse_quantize(tarei_graph *graph, tare_error *err);

bool tarei_quant_equal(const tarei_quant *a, const tarei_quant *b);
/* Copies an annotation; false when out of memory. */
bool tarei_quant_copy(tarei_quant *to, const tarei_quant *from);

#endif
