/* Members of the native form with numbers for the channels of layers (graph/table/layer_numbers.h).
 */
#ifndef TAREI_GRAPH_TABLE_FORMATS_JSON_NUMBERS_H
#define TAREI_GRAPH_TABLE_FORMATS_JSON_NUMBERS_H

#include "graph/table/formats/json_members.h"

/* Reads the lists that there are. */
tare_status tarei_json_read_numbers(tarei_json_place *p, const cJSON *root, tare_table *table,
                                    tare_error *err);

/* Writes them, one line a layer; nothing for an empty list. */
void tarei_json_put_numbers(tarei_str *json, const tare_table *table);

#endif
