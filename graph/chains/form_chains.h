/* Elementwise operators of a final graph become chains (graph/chains/chain.h). */
#ifndef TAREI_GRAPH_CHAINS_FORM_CHAINS_H
#define TAREI_GRAPH_CHAINS_FORM_CHAINS_H

#include "graph/pass.h"

/* What it is called in the log. */
extern const tarei_pass tarei_pass_form_chains;

/* Joins operators on floats whose values nobody else reads, in the graph and in its bodies. Run it
 * last: no other pass looks into a chain. What follows from lengths alone stays apart: it runs once
 * for each length (engine/lengths.h). The graphs are compact and inferred afterwards. */
tare_status tarei_graph_form_chains(tarei_graph *graph, tarei_pass_log *log, tare_error *err);

#endif
