/* Members of the objects of the native form. */
#ifndef TAREI_GRAPH_TABLE_FORMATS_JSON_MEMBERS_H
#define TAREI_GRAPH_TABLE_FORMATS_JSON_MEMBERS_H

#include <cjson/cJSON.h>

#include "graph/table/table.h"

/* Where the reader is, for messages: "file: tensor 'x'". */
typedef struct tarei_json_place {
  const char *file;
  char where[160]; /* "" at the top */
} tarei_json_place;

/* TARE_E_INPUT "FILE: WHERE: 'key' RULE" */
tare_status tarei_json_fail_at(const tarei_json_place *p, const char *key, const char *rule,
                               tare_error *err);

const cJSON *tarei_json_find(const cJSON *object, const char *key); /* NULL if missing */

/* A member that an object must have, once, of this type. A count is an integer from 0 to 2^53. */
tare_status tarei_json_get(const tarei_json_place *p, const cJSON *object, const char *key,
                           const cJSON **out, tare_error *err);
tare_status tarei_json_get_object(const tarei_json_place *p, const cJSON *object, const char *key,
                                  const cJSON **out, tare_error *err);
tare_status tarei_json_get_array(const tarei_json_place *p, const cJSON *object, const char *key,
                                 const cJSON **out, tare_error *err);
tare_status tarei_json_get_text(const tarei_json_place *p, const cJSON *object, const char *key,
                                const char **out, tare_error *err);
tare_status tarei_json_get_count(const tarei_json_place *p, const cJSON *object, const char *key,
                                 int64_t *out, tare_error *err);
/* A number in 16 lower-case hexadecimal digits. */
tare_status tarei_json_get_hash(const tarei_json_place *p, const cJSON *object, uint64_t *out,
                                tare_error *err);
bool tarei_json_as_count(const cJSON *item, int64_t *out);

/* Keeps the members that are not among the known ones, which end with NULL. */
tare_status tarei_json_keep_extras(const cJSON *object, const char *const *known,
                                   tarei_extras *extras, tare_error *err);

void tarei_json_put_text(tarei_str *json, const char *text); /* with quotes */
void tarei_json_put_extras(tarei_str *json, const tarei_extras *extras, bool first);

#endif
