/*
 * From annotations to an int8 graph: which layers run in int8, where values are quantized, and which
 * layers write u8 themselves.
 */
#ifndef TAREI_GRAPH_QUANTIZE_H
#define TAREI_GRAPH_QUANTIZE_H

#include "graph/ir.h"

typedef struct tarei_quantize_options {
  bool int8;                    /* layers run in int8 unless a request says otherwise */
  bool symmetric;               /* never use the unsigned range */
  const char *layer_precisions; /* "GLOB:fp32,GLOB:int8-rows"; the last match wins; or NULL */
  bool obey;                    /* a request that cannot be met fails, naming the layers */
} tarei_quantize_options;

/* Attribute of an int8 layer whose input stays float: each of its rows is quantized at run time. */
#define TAREI_ATTR_ROW_SCALES "row_scales"

/* Attribute of a node that carries the precision somebody asked for, e.g. "int8". */
#define TAREI_ATTR_ASKED "asked_precision"

/* Gives values on both sides of movement operators the annotation that one side has. */
tare_status tarei_graph_share_scales(tarei_graph *graph, tare_error *err);

/* Decides for every convolution, linear layer and product, replaces those that run in int8, and
 * inserts Quantize nodes. TARE_E_USAGE (a request that no layer matches, unknown precision),
 * TARE_E_UNSUPPORTED (obey). Call tarei_graph_compact and tarei_graph_infer afterwards. */
tare_status tarei_graph_quantize(tarei_graph *graph, const tarei_quantize_options *options,
                                 tare_error *err);

/* Moves Quantize up through movement operators and into the layers that can write u8. The graph is
 * compact and inferred afterwards. */
tare_status tarei_graph_fuse_quantize(tarei_graph *graph, tare_error *err);

/* A node reads input i as bytes when it runs in int8. */
bool tarei_reads_quantized(const tarei_node *node, int i);

/* Copies an annotation; false when out of memory. */
bool tarei_quant_copy(tarei_quant *to, const tarei_quant *from);

#endif
