/*
 * Turns symbols of inputs into constants.
 *
 * A symbol with the same single value in every profile is replaced by that number in a plan, which
 * decides what depends on it: the axes that a Squeeze removes, the branch of an If. Some models are
 * only valid with such a value. They can be loaded nevertheless, and wait for their profiles.
 */
#ifndef TAREI_GRAPH_FIX_SYMBOLS_H
#define TAREI_GRAPH_FIX_SYMBOLS_H

#include <tare/profile.h>

#include "graph/ir/ir.h"

/* Replaces symbols in the dims of the inputs by the single values that they have in every profile,
 * and counts them. The graph must be inferred afterwards. TARE_E_MEMORY. */
tare_status tarei_graph_fix_symbols(tarei_graph *graph, const tare_profiles *profiles, int *n_fixed,
                                    tare_error *err);

/* Infers a graph that was read, and keeps what was read in it. If this fails for reasons that
 * values for symbols might remove, the graph is left as it was read, and `waits` receives the
 * error; otherwise its status is TARE_OK. If `waits` is NULL, the error is returned. */
tare_status tarei_graph_infer_or_wait(tarei_graph **graph, tare_error *waits, tare_error *err);

/* Marks the symbols that are 0 in a profile; whether there are any. The graph must be inferred from
 * what was read afterwards. */
bool tarei_graph_mark_empty(const tarei_graph *graph, const tare_profiles *profiles);

/* Returns an inferred copy of such a graph, with the symbols that the profiles fix. Errors name the
 * symbols on which they depend. */
tare_status tarei_graph_decide(const tarei_graph *graph, const tare_error *waits,
                               const tare_profiles *profiles, tarei_graph **out, tare_error *err);

#endif
