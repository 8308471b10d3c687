#include "datasets/json_object.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Strings of cJSON end at a zero, which would cut texts. */
static bool has_escaped_zero(const char *const text, const size_t length) {
  for (size_t i = 0; i + 5 < length; i++) {
    if (text[i] == '\\') {
      if (memcmp(text + i + 1, "u0000", 5) == 0) {
        return true;
      }
      i++;
    }
  }
  return false;
}

tare_status tarei_json_object(const char *const text, const size_t length, cJSON **const out,
                              tare_error *const err) {
  *out = NULL;
  if (has_escaped_zero(text, length)) {
    return tarei_fail(err, TARE_E_INPUT, "strings with \\u0000 are not supported");
  }
  errno = 0;
  cJSON *const value = cJSON_ParseWithLength(text, length);
  if (cJSON_IsObject(value)) {
    *out = value;
    return TARE_OK;
  }
  const bool refused = !value && errno == ENOMEM;
  cJSON_Delete(value);
  return refused ? tarei_fail_memory(err, "a JSON object", length)
                 : tarei_fail(err, TARE_E_INPUT, "not a JSON object");
}
