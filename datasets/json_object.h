/* JSON objects whose strings are texts. */
#ifndef TAREI_DATASETS_JSON_OBJECT_H
#define TAREI_DATASETS_JSON_OBJECT_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "base/error.h"

/* Reads an object; cJSON_Delete it. TARE_E_INPUT: it is something else, or malformed, or text is
 * behind it, or it has \u0000 in a string, which would end there; TARE_E_MEMORY. *out is NULL then.
 */
tare_status tarei_json_object(const char *text, size_t length, cJSON **out, tare_error *err);

#endif
