/* Members of JSON objects, with messages that name them. TARE_E_INPUT: a member is missing or of
 * another kind. */
#ifndef TAREI_DATASETS_TOKENIZER_JSON_FIELD_H
#define TAREI_DATASETS_TOKENIZER_JSON_FIELD_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The member; NULL if it is missing or null. */
const cJSON *tarei_field(const cJSON *object, const char *key);

/* A string; *out is left alone where it is missing or null. */
tare_status tarei_field_text(const cJSON *object, const char *key, const char **out,
                             tare_error *err);
/* A string that must be there. */
tare_status tarei_field_name(const cJSON *object, const char *key, const char **out,
                             tare_error *err);
/* True or false; *out is left alone where it is missing or null. */
tare_status tarei_field_bool(const cJSON *object, const char *key, bool *out, tare_error *err);
/* A whole number from `least` to INT32_MAX; *out is left alone where it is missing or null. */
tare_status tarei_field_int(const cJSON *object, const char *key, int32_t least, int32_t *out,
                            tare_error *err);
/* The same of a value; `what` is for the message. */
tare_status tarei_json_int(const cJSON *value, const char *what, int32_t least, int32_t *out,
                           tare_error *err);

/* TARE_E_INPUT: `noun` 'type' is not supported, with the names of those that are. */
tare_status tarei_fail_type(const char *noun, const char *type, const char *const *names, size_t n,
                            tare_error *err);

#endif
