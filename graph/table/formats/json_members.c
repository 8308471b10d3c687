#include "graph/table/formats/json_members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COUNT 9007199254740992.0 /* 2^53: beyond it JSON numbers lose integers */

tare_status tarei_json_fail_at(const tarei_json_place *const p, const char *const key,
                               const char *const rule, tare_error *const err) {
  return tarei_fail(err, TARE_E_INPUT, "%s: %s%s'%s' %s", p->file, p->where, *p->where ? ": " : "",
                    key, rule);
}

const cJSON *tarei_json_find(const cJSON *const object, const char *const key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

static tare_status check_once(const tarei_json_place *const p, const cJSON *const object,
                              const char *const key, tare_error *const err) {
  int n = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, object) {
    n += strcmp(item->string, key) == 0;
  }
  return n > 1 ? tarei_json_fail_at(p, key, "is duplicated", err) : TARE_OK;
}

tare_status tarei_json_get(const tarei_json_place *const p, const cJSON *const object,
                           const char *const key, const cJSON **const out, tare_error *const err) {
  *out = tarei_json_find(object, key);
  return *out ? check_once(p, object, key, err) : tarei_json_fail_at(p, key, "is missing", err);
}

tare_status tarei_json_get_object(const tarei_json_place *const p, const cJSON *const object,
                                  const char *const key, const cJSON **const out,
                                  tare_error *const err) {
  TAREI_TRY(tarei_json_get(p, object, key, out, err));
  return cJSON_IsObject(*out) ? TARE_OK : tarei_json_fail_at(p, key, "must be an object", err);
}

tare_status tarei_json_get_array(const tarei_json_place *const p, const cJSON *const object,
                                 const char *const key, const cJSON **const out,
                                 tare_error *const err) {
  TAREI_TRY(tarei_json_get(p, object, key, out, err));
  return cJSON_IsArray(*out) ? TARE_OK : tarei_json_fail_at(p, key, "must be an array", err);
}

tare_status tarei_json_get_text(const tarei_json_place *const p, const cJSON *const object,
                                const char *const key, const char **const out,
                                tare_error *const err) {
  const cJSON *item = NULL;
  TAREI_TRY(tarei_json_get(p, object, key, &item, err));
  *out = cJSON_GetStringValue(item);
  return *out ? TARE_OK : tarei_json_fail_at(p, key, "must be a string", err);
}

bool tarei_json_as_count(const cJSON *const item, int64_t *const out) {
  const double v = item->valuedouble;
  const bool ok = cJSON_IsNumber(item) && v >= 0 && v <= MAX_COUNT && v == floor(v);
  *out = ok ? (int64_t)v : 0;
  return ok;
}

tare_status tarei_json_get_count(const tarei_json_place *const p, const cJSON *const object,
                                 const char *const key, int64_t *const out, tare_error *const err) {
  const cJSON *item = NULL;
  TAREI_TRY(tarei_json_get(p, object, key, &item, err));
  return tarei_json_as_count(item, out)
             ? TARE_OK
             : tarei_json_fail_at(p, key, "must be an integer from 0 to 2^53", err);
}

tare_status tarei_json_get_hash(const tarei_json_place *const p, const cJSON *const object,
                                uint64_t *const out, tare_error *const err) {
  const char *hash = NULL;
  TAREI_TRY(tarei_json_get_text(p, object, "hash", &hash, err));
  if (strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16) {
    return tarei_json_fail_at(p, "hash", "must be 16 lower-case hexadecimal digits", err);
  }
  *out = strtoull(hash, NULL, 16);
  return TARE_OK;
}

tare_status tarei_json_keep_extras(const cJSON *const object, const char *const *const known,
                                   tarei_extras *const extras, tare_error *const err) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, object) {
    int k = 0;
    while (known[k] && strcmp(known[k], item->string) != 0) {
      k++;
    }
    if (known[k]) {
      continue;
    }
    char *const json = cJSON_PrintUnformatted(item);
    if (!json) {
      return tarei_fail_memory(err, "a member of a calibration table", strlen(item->string));
    }
    const tare_status status = tarei_extras_add(extras, item->string, json, err);
    cJSON_free(json);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

/* --- writing -------------------------------------------------------------------------------- */

static bool is_plain_json(const unsigned char c) {
  return c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
}

void tarei_json_put_text(tarei_str *const json, const char *const text) {
  tarei_str_add(json, "\"");
  for (const char *s = text; *s;) {
    int plain = 0;
    while (is_plain_json((unsigned char)s[plain])) {
      plain++; /* the end of the text is not plain */
    }
    tarei_str_add(json, "%.*s", plain, s);
    s += plain;
    if (*s) {
      tarei_str_add(json, *s == '"' || *s == '\\' ? "\\%c" : "\\u%04x", (unsigned char)*s);
      s++;
    }
  }
  tarei_str_add(json, "\"");
}

void tarei_json_put_extras(tarei_str *const json, const tarei_extras *const extras, bool first) {
  for (int i = 0; i < extras->n; i++) {
    tarei_str_add(json, "%s", first ? "" : ", ");
    tarei_json_put_text(json, extras->items[i].key);
    tarei_str_add(json, ": %s", extras->items[i].json);
    first = false;
  }
}
