/* An export, from inside. */
#ifndef TAREI_GRAPH_QDQ_EXPORT_H
#define TAREI_GRAPH_QDQ_EXPORT_H

#include <tare/export.h>

#include "graph/pass.h"

/* As tare_export_new; `passes` says how constants are computed. */
tare_status tarei_export_new(const char *path, const tare_export_options *options,
                             const tarei_pass_options *passes, tare_export **out, tare_error *err);

#endif
