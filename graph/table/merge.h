/* One column out of many. */
#ifndef TAREI_GRAPH_TABLE_MERGE_H
#define TAREI_GRAPH_TABLE_MERGE_H

#include "graph/table/table.h"

/* A table of one column: that of a profile, or (-1) the largest threshold and range of all. A table
 * that has one column is copied. TARE_E_USAGE where there is no such profile. */
tare_status tarei_table_merge(const tare_table *table, int profile, tare_table **out,
                              tare_error *err);

#endif
