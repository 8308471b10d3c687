#include "datasets/tokenizer/json_field.h"

#include <math.h>

#include "base/str.h"

const cJSON *tarei_field(const cJSON *const object, const char *const key) {
  const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNull(value) ? NULL : value;
}

tare_status tarei_field_text(const cJSON *const object, const char *const key,
                             const char **const out, tare_error *const err) {
  const cJSON *const value = tarei_field(object, key);
  if (value && !cJSON_IsString(value)) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' is not a string", key);
  }
  *out = value ? value->valuestring : *out;
  return TARE_OK;
}

tare_status tarei_field_name(const cJSON *const object, const char *const key,
                             const char **const out, tare_error *const err) {
  *out = NULL;
  TAREI_TRY(tarei_field_text(object, key, out, err));
  return *out ? TARE_OK : tarei_fail(err, TARE_E_INPUT, "'%s' is missing", key);
}

tare_status tarei_field_bool(const cJSON *const object, const char *const key, bool *const out,
                             tare_error *const err) {
  const cJSON *const value = tarei_field(object, key);
  if (value && !cJSON_IsBool(value)) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' is neither true nor false", key);
  }
  *out = value ? cJSON_IsTrue(value) : *out;
  return TARE_OK;
}

tare_status tarei_json_int(const cJSON *const value, const char *const what, const int32_t least,
                           int32_t *const out, tare_error *const err) {
  if (!cJSON_IsNumber(value)) {
    return tarei_fail(err, TARE_E_INPUT, "%s is not a number", what);
  }
  const double number = value->valuedouble;
  if (!(number >= least && number <= INT32_MAX) || floor(number) != number) {
    return tarei_fail(err, TARE_E_INPUT, "%s is %.17g: expected a whole number from %d to %d", what,
                      number, least, INT32_MAX);
  }
  *out = (int32_t)number;
  return TARE_OK;
}

tare_status tarei_field_int(const cJSON *const object, const char *const key, const int32_t least,
                            int32_t *const out, tare_error *const err) {
  const cJSON *const value = tarei_field(object, key);
  return value ? tarei_json_int(value, key, least, out, err) : TARE_OK;
}

tare_status tarei_fail_type(const char *const noun, const char *const type,
                            const char *const *const names, const size_t n, tare_error *const err) {
  tarei_str list = {0};
  for (size_t i = 0; i < n; i++) {
    tarei_str_add(&list, "%s%s", i ? ", " : "", names[i]);
  }
  const tare_status status =
      tarei_fail(err, TARE_E_INPUT, "%s '%s' is not supported: expected one of %s", noun, type,
                 tarei_str_get(&list));
  tarei_str_free(&list);
  return status;
}
