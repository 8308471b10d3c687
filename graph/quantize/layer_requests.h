/* Requests by layer name or operator: "GLOB:fp32,@Conv:int8,GLOB:int8-rows". */
#ifndef TAREI_GRAPH_QUANTIZE_LAYER_REQUESTS_H
#define TAREI_GRAPH_QUANTIZE_LAYER_REQUESTS_H

#include <tare/plan.h>

#include "graph/ir/ir.h"

/* What a list asks for. */
typedef struct tarei_request_kind {
  const char *what, *form;       /* for messages: what one is called, and how one is written */
  const char *layers;            /* nodes that one can name */
  const tare_precision *choices; /* what may be asked for; ANY ends them */
} tarei_request_kind;

/* tarei_requested_form: the precisions that a Q/DQ model can have. */
extern const tarei_request_kind tarei_requested_precision, tarei_requested_form,
    tarei_requested_output_type, tarei_requested_weight_type;

typedef struct tarei_request {
  char *glob;
  tare_precision precision; /* never ANY */
  int matches;
} tarei_request;

typedef struct tarei_requests {
  const tarei_request_kind *kind;
  tarei_request *items;
  int n;
  size_t capacity;
} tarei_requests;

/* Splits at commas that have no backslash before them, each item at its last colon. NULL or ""
 * gives none. */
tare_status tarei_requests_parse(const tarei_request_kind *kind, const char *text,
                                 tarei_requests *out, tare_error *err);
/* Cuts the next item off, as strsep does, at a comma without a backslash before it. */
char *tarei_requests_next(char **rest);

/* A fused node is called "a + b": the glob may fit the whole or one part. */
bool tarei_requests_glob_fits(const char *glob, const char *name);

void tarei_requests_fini(tarei_requests *requests);

/* The last request whose glob matches the node's name, one of the names it was fused from, the name
 * of an output, or behind a '@' its operator; NULL when there is none. Counts the match on every
 * glob that fits. */
const tarei_request *tarei_requests_match(tarei_requests *requests, const tarei_graph *graph,
                                          const tarei_node *node);

/* The precision of the last request that matches; ANY without one. Counts nothing. */
tare_precision tarei_requests_find(const tarei_requests *requests, const tarei_graph *graph,
                                   const tarei_node *node);

/* The name of a product that a matched node contains and whose own request, the last one for it or
 * for the whole node, is not of this precision; NULL if there is none. To be freed. */
char *tarei_requests_left_out(const tarei_requests *requests, const tarei_graph *graph,
                              const tarei_node *node, tare_precision precision);

/* TARE_E_USAGE naming every glob that matched no layer of the graph and its bodies. One that asks
 * for fp32 may match nodes that compute in float anyway. */
tare_status tarei_requests_check_used(const tarei_requests *requests, const tarei_graph *graph,
                                      tare_error *err);

#endif
