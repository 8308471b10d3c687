#include "tools/compare/resume/kept_difference.h"

#include <string.h>

#include "tools/cli.h"

static const char *setting_of(const cJSON *const settings, const char *const name) {
  const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(settings, name));
  return text ? text : "not given";
}

/* Those of `from`; of each in both only once. */
static char *append_differences(char *text, const cJSON *const from, const cJSON *const before,
                                const cJSON *const now) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, from) {
    const char *const name = item->string ? item->string : "";
    const char *const a = setting_of(before, name), *const b = setting_of(now, name);
    const bool again = from == now && cJSON_GetObjectItemCaseSensitive(before, name);
    if (!again && strcmp(a, b) != 0) {
      text = cli_append(text, "%s%s was '%s' and is '%s'", text ? "; " : "", name, a, b);
    }
  }
  return text;
}

char *kept_settings_difference(const cJSON *const before, const cJSON *const now) {
  return append_differences(append_differences(NULL, before, before, now), now, before, now);
}
