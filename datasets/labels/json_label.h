/* Labels in JSON objects, as text. */
#ifndef TAREI_DATASETS_LABELS_JSON_LABEL_H
#define TAREI_DATASETS_LABELS_JSON_LABEL_H

#include <cjson/cJSON.h>

#include "base/error.h"

/* Copies the value named `key` of an object: a string, a number or a truth value; free() it.
 * TARE_E_INPUT: there is no such value, or it is of another kind; TARE_E_MEMORY. */
tare_status tarei_json_label(const cJSON *object, const char *key, char **out, tare_error *err);

#endif
