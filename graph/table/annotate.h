/* Writes the scales of a table onto the values of a graph. */
#ifndef TAREI_GRAPH_TABLE_ANNOTATE_H
#define TAREI_GRAPH_TABLE_ANNOTATE_H

#include <tare/table.h>

#include "graph/table/table.h"
#include "graph/ir/ir.h"

/* Sets value->quant (static, per tensor) of every float value that is no constant and has a
 * threshold in every profile. One scale where all profiles agree, else one per profile.
 * @return TARE_OK, TARE_E_USAGE when the table names no value of the graph but outputs, or has a
 *         column per profile and was made for other profiles; TARE_E_MEMORY */
tare_status tarei_table_annotate(const tare_table *table, tarei_graph *graph,
                                 const tare_profiles *profiles, tare_error *err);

/* Gives a value that is annotated the scales that it has once it is smoothed. */
tare_status tarei_table_annotate_smoothed(const tare_table *table, const tarei_smoothing *smoothing,
                                          tarei_value *value, tare_error *err);

#endif
