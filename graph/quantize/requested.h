/*
 * What a build was asked for by name, and what of it cannot be had. The lists name layers of the
 * graph and of its bodies; both are known only when all of them have been quantized.
 */
#ifndef TAREI_GRAPH_QUANTIZE_REQUESTED_H
#define TAREI_GRAPH_QUANTIZE_REQUESTED_H

#include "base/str.h"
#include "graph/quantize/layer_requests.h"

typedef struct tarei_requested {
  tare_constraints constraints;
  tarei_requests precisions, output_types, weight_types; /* empty where names do not count */
  tarei_requests raised;  /* those of the table: for layers that the others say nothing about */
  tarei_str contradicted; /* layers that the model itself quantizes in another way */
  tarei_str refused;      /* what cannot be had, with the reasons */
} tarei_requested;

/* TARE_E_USAGE (malformed); ended also after a failure. */
tare_status tarei_requested_init(const tare_build_options *build, tarei_requested *out,
                                 tare_error *err);
void tarei_requested_fini(tarei_requested *requested);

/* Whether a node is one of those that a list of requests is about. */
typedef bool tarei_may_request_fn(const tarei_graph *graph, const tarei_node *node);

/* Notes the requests of a list on the nodes that they name, as an integer attribute: the
 * tare_precision. */
tare_status tarei_requested_mark(tarei_graph *graph, tarei_requests *requests,
                                 tarei_may_request_fn *may, const char *attribute, tare_error *err);

/* What was asked for the output of a node; ANY: nothing. */
static inline tare_precision tarei_output_asked(const tarei_node *const node) {
  return (tare_precision)tarei_attr_int(node, TAREI_ATTR_OUTPUT_ASKED, TARE_PRECISION_ANY);
}

/* Notes that a node does not get what was asked for, with the reason. */
void tarei_requested_refuse(tarei_requested *requested, const tarei_node *node, const char *what,
                            const tarei_reason *why);
void tarei_requested_contradict(tarei_requested *requested, const tarei_node *node,
                                tare_precision asked);

/* TARE_E_USAGE (a request that names no layer, or that contradicts a quantized model),
 * TARE_E_UNSUPPORTED (something that must be obeyed cannot be had). */
tare_status tarei_requested_check(const tarei_requested *requested, const tarei_graph *graph,
                                  tare_error *err);

#endif
