/* The two halves of the native form. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_FORMAT_JSON_H
#define TAREI_GRAPH_TABLE_FORMATS_FORMAT_JSON_H

#include "graph/table/formats/format.h"

tare_status tarei_format_json_read(const tarei_source *source, tare_table **out, tare_error *err);

#endif
