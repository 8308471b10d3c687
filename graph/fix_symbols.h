/*
 * Symbols of inputs that become constants.
 *
 * A symbol that has one value in every profile is that number in a plan, so that what depends on it
 * is decided before anything runs: which axes a Squeeze drops, which branch an If takes. Some
 * models are only right so. They are read nevertheless, and wait for their profiles.
 */
#ifndef TAREI_GRAPH_FIX_SYMBOLS_H
#define TAREI_GRAPH_FIX_SYMBOLS_H

#include <tare/profile.h>

#include "graph/ir/ir.h"

/* Replaces symbols in the dims of the inputs by the values that they have in every profile, and
 * counts them. The graph is to be inferred then. TARE_E_MEMORY. */
tare_status tarei_graph_fix_symbols(tarei_graph *graph, const tare_profiles *profiles, int *n_fixed,
                                    tare_error *err);

/* Infers a graph that was read. Where that fails for reasons that values for symbols may take away,
 * the graph is left as it was read, and `waits` gets the error; its status is TARE_OK otherwise.
 * Fails at once without `waits`. */
tare_status tarei_graph_infer_or_wait(tarei_graph **graph, tare_error *waits, tare_error *err);

/* A copy of such a graph, inferred, with the symbols fixed that the profiles fix. Errors name the
 * symbols that they depend on. */
tare_status tarei_graph_decide(const tarei_graph *graph, const tare_error *waits,
                               const tare_profiles *profiles, tarei_graph **out, tare_error *err);

#endif
