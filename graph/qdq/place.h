/*
 * Which layers of a model are quantized for a target, in which form, and which values get Q/DQ.
 *
 * Decisions are made on two views of one model: the message, which is what will be written, and the
 * graph that was imported from it and carries the scales of a table. Values have the same names in
 * both.
 */
#ifndef TAREI_GRAPH_QDQ_PLACE_H
#define TAREI_GRAPH_QDQ_PLACE_H

#include "base/names.h"
#include "graph/ir/ir.h"
#include "graph/qdq/file_types.h"
#include "graph/qdq/onnx_file.h"
#include "graph/qdq/targets/target.h"
#include "graph/quantize/layer_requests.h"
#include "graph/quantize/weights/round_weights.h"
#include "graph/table/table.h"

typedef enum tarei_layer_form {
  TAREI_FORM_FLOAT,
  TAREI_FORM_INT8,
  TAREI_FORM_INT16,
  TAREI_FORM_DYNAMIC,
  TAREI_FORM_COUNT
} tarei_layer_form;

/* A convolution or product of the model. Its values are those of the graph. */
typedef struct tarei_placed_layer {
  Onnx__NodeProto *node;
  tarei_layer_form form;
  tare_dtype real;            /* type that the model computes it in */
  tarei_str reason;           /* why it is not int8 */
  tare_precision raised;      /* what the table asks for; ANY: nothing, or the user does */
  int x, w, bias;             /* what is multiplied, by what; the bias of a Conv or Gemm, or -1 */
  int sum;                    /* what an Add behind a MatMul makes that adds `bias`, or -1 */
  int channel_axis;           /* of constant weights: that of the outputs; -1: one scale for all */
  tarei_weight_choice choice; /* what the table says of these weights */
  tarei_weight_view view;     /* of them, where there is one */
  bool corrected;             /* its bias is that of the choice */
  int source; /* value that is quantized where it is made, for the target's sake, or -1 */
} tarei_placed_layer;

typedef struct tarei_placement {
  tarei_onnx_file *file;
  const tarei_graph *graph;
  const tarei_target *target;
  tare_export_options options;
  tarei_names values; /* of the graph */
  tarei_file_types types;
  tarei_placed_layer *layers;
  int n_layers;
  size_t cap_layers;
  bool *symmetric; /* per value: one that is multiplied as weights are, around zero */
  bool *is_factor; /* per value: an int8 layer reads it */
  int *residual; /* per value: what the Add that makes it adds to a convolution, quantized; or -1 */
  const bool *smoothed; /* per value: a constant that is not that of the file any more, but that of
                           the graph */
  bool *at_source;      /* per value: all that read it read what Q/DQ made of it */
} tarei_placement;

/* Decides for all layers. The graph is inferred where it can be, its constants are folded, and it
 * carries scales, one for each value. On failure too the placement is to be ended. */
tare_status tarei_place(tarei_onnx_file *file, const tarei_graph *graph, const bool *smoothed,
                        const tare_export_options *options, tarei_placement *out, tare_error *err);
void tarei_placement_fini(tarei_placement *placement);

/* Value of an input or output of a node of the message, -1 where it is absent or unknown. */
int tarei_placed_input(const tarei_placement *placement, const Onnx__NodeProto *node, size_t i);
int tarei_placed_output(const tarei_placement *placement, const Onnx__NodeProto *node, size_t i);

/* Whether nodes of this operator are layers. */
bool tarei_placed_is_layer(const Onnx__NodeProto *node);

/* The value whose Q/DQ makes the operator that computes `out` run on bytes: `out`, or what a Relu
 * or Clip behind it makes, whose bound the zero point is; -1 where it has no scale. */
int tarei_placed_source(const tarei_placement *placement, int out);

/* Quantizes values between operators of the target's byte_ops and layers where they are made. */
void tarei_place_bytes(tarei_placement *placement);

/* Quantizes what the target's fused convolutions add. */
tare_status tarei_place_residuals(tarei_placement *placement, tare_error *err);

/* Decides which layers have weights that the table rounds. */
tare_status tarei_place_roundings(tarei_placement *placement, tare_error *err);

/* Decides for one layer, whose node is set. `requests` are those of the user, `raised` those of the
 * table. */
tare_status tarei_place_layer(const tarei_placement *placement, tarei_requests *requests,
                              tarei_requests *raised, tarei_placed_layer *layer, tare_error *err);

#endif
