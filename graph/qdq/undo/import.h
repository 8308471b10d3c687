/* An import, from inside. */
#ifndef TAREI_GRAPH_QDQ_UNDO_IMPORT_H
#define TAREI_GRAPH_QDQ_UNDO_IMPORT_H

#include <tare/import.h>

#include "graph/pass.h"

/* As tare_import_new and tare_import_save; `passes` says how constants are computed. */
tare_status tarei_import_new(const char *path, const tare_load_options *load,
                             const tarei_pass_options *passes, tare_import **out, tare_error *err);
tare_status tarei_import_save(tare_import *out, const char *path, int64_t most,
                              const tarei_pass_options *passes, bool *external, tare_error *err);

#endif
