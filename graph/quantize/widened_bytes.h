/* What int8 gains where kernels multiply bytes as words: AVX2 without VNNI. */
#ifndef TAREI_GRAPH_QUANTIZE_WIDENED_BYTES_H
#define TAREI_GRAPH_QUANTIZE_WIDENED_BYTES_H

#include <tare/plan.h>

#include "graph/op.h"

/* Whether a layer is slower in an integer precision than in float. */
bool tarei_widened_bytes_lose(const tarei_graph *graph, const tare_profiles *profiles,
                              const tarei_node *node, const tarei_int8_form *form,
                              tare_precision precision);

#endif
