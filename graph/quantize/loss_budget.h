/*
 * What the convolutions of a graph may lose together.
 *
 * The other limit on the loss by one scale is for one layer. The noise of layers adds up, so that
 * twenty convolutions, of which each keeps that limit, may leave little of the output. Only those
 * with windows along one axis count, whose row scales take next to no time.
 */
#ifndef TAREI_GRAPH_QUANTIZE_LOSS_BUDGET_H
#define TAREI_GRAPH_QUANTIZE_LOSS_BUDGET_H

#include "graph/ir/ir.h"

/* Sets `over_budget` in the annotations of what convolutions read: of those that lose least, as
 * many keep one scale as the budget allows. */
tare_status tarei_graph_budget_losses(tarei_graph *graph, tare_error *err);

#endif
