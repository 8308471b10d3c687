/* Files that hold one JSON object, and JSON text as Python's json module writes it. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_JSON_SOURCE_H
#define TAREI_GRAPH_TABLE_FORMATS_JSON_SOURCE_H

#include <cjson/cJSON.h>

#include "base/source.h"
#include "base/str.h"

/* Where the object begins, behind white space and the byte order mark of UTF-8; n if these bytes do
 * not begin with an object. */
size_t tarei_json_start(const uint8_t *data, size_t n);

/* Parses a file. TARE_E_INPUT, with the line, if it is not JSON, truncated, or has text behind the
 * object; TARE_E_MEMORY. Free *out with cJSON_Delete. */
tare_status tarei_json_parse(const tarei_source *source, cJSON **out, tare_error *err);

/* Adds a number as Python prints a float: the fewest digits that read back, "1.0", "1e-05". */
void tarei_python_number(tarei_str *json, double value);

/* Adds a quoted text in ASCII, other characters as \uXXXX. False: it is not UTF-8. */
bool tarei_python_string(tarei_str *json, const char *text);

/* Adds a value as json.dumps does, with ", " and ": ". Numbers are integers if they are whole,
 * except in an object whose "dtype" is a float. False: a text is not UTF-8. */
bool tarei_python_value(tarei_str *json, const cJSON *value);

#endif
