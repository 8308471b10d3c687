#include "tools/compare/report/members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

const cJSON *member_at(const cJSON *const object, const char *const path) {
  const cJSON *item = object;
  for (const char *part = path; item && part;) {
    const char *const dot = strchr(part, '.');
    char *const name = cli_format("%.*s", dot ? (int)(dot - part) : (int)strlen(part), part);
    item = cJSON_GetObjectItemCaseSensitive(item, name);
    free(name);
    part = dot ? dot + 1 : NULL;
  }
  return cJSON_IsNull(item) ? NULL : item;
}

char *member_text(const cJSON *const object, const char *const path) {
  const cJSON *const item = member_at(object, path);
  if (cJSON_IsString(item)) {
    return cli_format("%s", item->valuestring);
  }
  if (cJSON_IsBool(item)) {
    return cli_format("%s", cJSON_IsTrue(item) ? "true" : "false");
  }
  if (!cJSON_IsNumber(item)) {
    return cli_format("%s", "");
  }
  char text[32]; /* as JSON has it */
  (void)snprintf(text, sizeof text, "%.15g", item->valuedouble);
  if (strtod(text, NULL) != item->valuedouble) {
    (void)snprintf(text, sizeof text, "%.17g", item->valuedouble);
  }
  return cli_format("%s", text);
}

double member_number(const cJSON *const object, const char *const path) {
  const cJSON *const item = member_at(object, path);
  return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

const cJSON *member_ranked(const cJSON *const document, const int rank) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, member_at(document, "strategies")) {
    if (member_number(item, "rank") == rank) {
      return item;
    }
  }
  return NULL;
}
