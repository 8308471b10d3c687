#include "datasets/labels/json_label.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

enum { NUMBER_CAPACITY = 40 };
static const double MOST_WHOLE = 9007199254740992; /* 2^53: beyond, doubles skip integers */

static char *print_number(const double value) {
  char text[NUMBER_CAPACITY];
  const bool whole = floor(value) == value && fabs(value) <= MOST_WHOLE;
  (void)snprintf(text, sizeof text, whole ? "%.0f" : "%.17g", value + 0.0);
  return tarei_strdup(text);
}

tare_status tarei_json_label(const cJSON *const object, const char *const key, char **const out,
                             tare_error *const err) {
  const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!value) {
    return tarei_fail(err, TARE_E_INPUT, "no label: no value '%s'", key);
  }
  if (cJSON_IsString(value)) {
    *out = tarei_strdup(value->valuestring);
  } else if (cJSON_IsNumber(value)) {
    *out = print_number(value->valuedouble);
  } else if (cJSON_IsBool(value)) {
    *out = tarei_strdup(cJSON_IsTrue(value) ? "1" : "0");
  } else {
    return tarei_fail(err, TARE_E_INPUT, "label '%s' is neither a string nor a number", key);
  }
  return *out ? TARE_OK : tarei_fail_memory(err, "a label", NUMBER_CAPACITY);
}
