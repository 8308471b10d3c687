/* The scales that QuantizeLinear and DequantizeLinear of a model state. */
#ifndef TAREI_GRAPH_PASSES_ADOPT_SCALES_H
#define TAREI_GRAPH_PASSES_ADOPT_SCALES_H

#include "graph/ir/ir.h"

/* A scale and a zero point of the whole tensor, the zero point as u8 or u16 has it. */
typedef struct tarei_stated {
  float scale;
  int32_t zero_point; /* 0..255; of 16 bits 0..65535 */
} tarei_stated;

/* Reads inputs 1 and 2 of a QuantizeLinear or DequantizeLinear of int8 or uint8; false where they
 * are not constant, not one number, or where the scale is none. */
bool tarei_stated_of(const tarei_graph *graph, const tarei_node *node, tarei_stated *out);
/* The same of int16 or uint16. */
bool tarei_stated_wide(const tarei_graph *graph, const tarei_node *node, tarei_stated *out);

/* The annotation of bytes that are stated so. */
tare_status tarei_stated_annotate(tarei_quant *quant, const tarei_stated *stated, tare_error *err);

#endif
