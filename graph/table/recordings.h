/* How many samples and recordings the columns of a table were made of. */
#ifndef TAREI_GRAPH_TABLE_RECORDINGS_H
#define TAREI_GRAPH_TABLE_RECORDINGS_H

#include "graph/ir/ir.h"
#include "graph/table/table.h"

/* Samples that a column was made of. */
int64_t tarei_column_samples(const tare_table *table, int column);

/* Whether each column was made of fewer recordings than are enough (tarei_quant_is_exceeded). A
 * sample has as many of them as its batch has at least by the profiles of the table. */
bool tarei_recordings_are_few(const tare_table *table, const tarei_graph *graph);

#endif
