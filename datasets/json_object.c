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

static bool json_object_ends(const char *at, const char *const end) {
  while (at < end && memchr(" \t\r\n", *at, 4)) {
    at++;
  }
  return at == end;
}

tare_status tarei_json_object(const char *const text, const size_t length, cJSON **const out,
                              tare_error *const err) {
  *out = NULL;
  if (has_escaped_zero(text, length)) {
    return tarei_fail(err, TARE_E_INPUT, "strings with \\u0000 are not supported");
  }
  errno = 0;
  const char *end = text;
  cJSON *const value =
      cJSON_ParseWithLengthOpts(text, length, &end, false /* need not end with a zero */);
  if (!value && errno == ENOMEM) {
    return tarei_fail_memory(err, "a JSON object", length);
  }
  const char *const wrong = !cJSON_IsObject(value)                  ? "not a JSON object"
                            : !json_object_ends(end, text + length) ? "text behind the JSON object"
                                                                    : NULL;
  if (wrong) {
    cJSON_Delete(value);
    return tarei_fail(err, TARE_E_INPUT, "%s", wrong);
  }
  *out = value;
  return TARE_OK;
}
