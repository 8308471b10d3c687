/* What statistics say about the parts of data that they have counted, for the user. */
#ifndef TAREI_TOOLS_PARTS_STATS_PARTS_H
#define TAREI_TOOLS_PARTS_STATS_PARTS_H

#include <tare/tare.h>

#include "tools/json_out.h"

/* Why statistics are not those of all data, as a sentence without its end, or NULL; the caller
 * frees it. */
char *stats_why_partial(const tare_stats *stats);

/* Adds `counted`, `partial`, `undecided`, and of shards `shards` and `missing_shards`. */
void stats_parts_json(cJSON *object, const tare_stats *stats);

#endif
