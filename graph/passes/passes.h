/* The passes by name; for the driver and for tests of one pass. */
#ifndef TAREI_GRAPH_PASSES_PASSES_H
#define TAREI_GRAPH_PASSES_PASSES_H

#include "graph/pass.h"

#define TAREI_PASS(name) extern const tarei_pass tarei_pass_##name;
#include "graph/passes/passes.inc"
#undef TAREI_PASS

/* Runs one pass; when it changed something, dead parts are dropped and shapes inferred anew. */
tare_status tarei_pass_run(tarei_graph *graph, const tarei_pass *pass,
                           const tarei_pass_options *options, bool *changed, tare_error *err);

#endif
