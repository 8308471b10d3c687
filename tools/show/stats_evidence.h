/* What statistics rest on, as text and JSON. */
#ifndef TAREI_TOOLS_SHOW_STATS_EVIDENCE_H
#define TAREI_TOOLS_SHOW_STATS_EVIDENCE_H

#include <tare/evidence.h>

#include "tools/json_out.h"

/* Whether the samples were enough, in one line; nothing if there are too few to say so. */
void convergence_print_line(const tare_stats *stats);
/* How ranges grew with the samples. */
void convergence_print(const tare_stats *stats);
void convergence_json(cJSON *object, const tare_stats *stats);

/* How many kinds of warnings there are, where to see them; nothing without any but usual ones. */
tare_status stats_warnings_count(const tare_stats *stats, const char *path, tare_error *err);
tare_status stats_warnings_print(const tare_stats *stats, tare_error *err);
tare_status stats_warnings_json(cJSON *object, const tare_stats *stats, tare_error *err);

#endif
