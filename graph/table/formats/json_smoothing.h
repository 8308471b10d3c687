/* The member "smoothing" of the native form: tensors whose channels have other scales. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_JSON_SMOOTHING_H
#define TAREI_GRAPH_TABLE_FORMATS_JSON_SMOOTHING_H

#include "graph/table/formats/json_members.h"

/* Reads the smoothings, if there are any. */
tare_status tarei_json_read_smoothings(tarei_json_place *p, const cJSON *root, tare_table *table,
                                       tare_error *err);

/* Writes them, one line a tensor; nothing for a table without. */
void tarei_json_put_smoothings(tarei_str *json, const tare_table *table);

#endif
