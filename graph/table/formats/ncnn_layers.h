/* The layers of a model that ncnn2table gives scales, by the names that ncnn's converter gives
 * them.
 */
#ifndef TAREI_GRAPH_TABLE_FORMATS_NCNN_LAYERS_H
#define TAREI_GRAPH_TABLE_FORMATS_NCNN_LAYERS_H

#include <tare/table_model.h>

#include "base/str.h"
#include "graph/table/table.h"

#define TAREI_NCNN_LEVELS 127.0 /* a scale is 127 / threshold */

/* Adds a scale, with six decimals as ncnn does if they read back as the same float. */
void tarei_ncnn_put_scale(tarei_str *lines, double scale);

/* Adds the lines that ncnn2table would write: scales of weights, then those of inputs. Layers whose
 * input has no live threshold have none. TARE_E_UNSUPPORTED if there is no layer, or a name that
 * the file cannot hold; TARE_E_MEMORY. */
tare_status tarei_ncnn_put(const tare_table *table, int column, const tare_model *model,
                           tarei_str *lines, tare_table_layers *counts, tare_error *err);

#endif
