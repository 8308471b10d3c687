/* The parts of a table, of which a format may hold some and leave out others. */
#ifndef TAREI_GRAPH_TABLE_PARTS_H
#define TAREI_GRAPH_TABLE_PARTS_H

#include "graph/table/table.h"

typedef enum tarei_table_part {
#define TAREI_TABLE_PART(ID, name, noun) TAREI_TABLE_##ID,
#include "graph/table/parts.inc"
#undef TAREI_TABLE_PART
  TAREI_TABLE_N_PARTS
} tarei_table_part;
_Static_assert((int)TAREI_TABLE_N_PARTS <= TARE_MAX_TABLE_PARTS, "callers have room for all");

/* "counts and clipped energy" */
const char *tarei_table_part_noun(tarei_table_part part);

/* Whether a table has any of it; of parts that belong to thresholds, in this column. */
bool tarei_table_has(const tare_table *table, tarei_table_part part, int column);

/* Number of members of newer versions, in all objects of a table. */
int tarei_table_n_newer(const tare_table *table);

#endif
