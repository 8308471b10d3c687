/* The member "rounding" of the native form: how the weights of layers are rounded. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_JSON_ROUNDING_H
#define TAREI_GRAPH_TABLE_FORMATS_JSON_ROUNDING_H

#include "graph/table/formats/json_members.h"

/* The minor version of a table's file, which is at least that of its members. */
int tarei_json_minor(const tare_table *table);

/* Reads the roundings, if there are any. */
tare_status tarei_json_read_roundings(tarei_json_place *p, const cJSON *root, tare_table *table,
                                      tare_error *err);

/* Writes them, one line a layer; nothing for a table without. */
void tarei_json_put_roundings(tarei_str *json, const tare_table *table);

#endif
