/*
 * json_check PATH OP VALUE...: reads one JSON text from the standard input and checks members of
 * it. PATH is like "profiles.0.samples" ("." is the whole); OP is == != < <= > >= (numbers, or
 * texts for == and !=), "is" (number, text, bool, null, array, object, missing, true, false) or
 * "length" (of an array). Prints what does not hold; exit 1 then.
 */
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(void) {
  size_t n = 0, capacity = 1 << 16;
  char *text = malloc(capacity);
  while (text) {
    n += fread(text + n, 1, capacity - n - 1, stdin);
    if (n + 1 < capacity) {
      text[n] = '\0';
      return text;
    }
    capacity *= 2;
    char *const larger = realloc(text, capacity);
    if (!larger) {
      break;
    }
    text = larger;
  }
  free(text);
  return NULL;
}

/* Keys with dots in them cannot be named; none are here. */
static const cJSON *find(const cJSON *item, const char *const path) {
  char *const copy = strdup(path);
  char *place = NULL;
  for (char *key = strtok_r(copy, ".", &place); key && item; key = strtok_r(NULL, ".", &place)) {
    item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(key))
                               : cJSON_GetObjectItemCaseSensitive(item, key);
  }
  free(copy);
  return item;
}

static bool is_kind(const cJSON *const item, const char *const kind) {
  const struct {
    const char *kind;
    bool holds;
  } KINDS[] = {{"missing", !item},
               {"number", cJSON_IsNumber(item)},
               {"text", cJSON_IsString(item)},
               {"bool", cJSON_IsBool(item)},
               {"true", cJSON_IsTrue(item)},
               {"false", cJSON_IsFalse(item)},
               {"null", cJSON_IsNull(item)},
               {"array", cJSON_IsArray(item)},
               {"object", cJSON_IsObject(item)}};
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    if (strcmp(KINDS[i].kind, kind) == 0) {
      return KINDS[i].holds;
    }
  }
  return false;
}

static bool compare(const double order, const char *const op) {
  return strcmp(op, "==") == 0   ? order == 0
         : strcmp(op, "!=") == 0 ? order != 0
         : strcmp(op, "<") == 0  ? order < 0
         : strcmp(op, "<=") == 0 ? order <= 0
         : strcmp(op, ">") == 0  ? order > 0
         : strcmp(op, ">=") == 0 ? order >= 0
                                 : false;
}

static bool holds(const cJSON *const item, const char *const op, const char *const value) {
  if (strcmp(op, "is") == 0) {
    return is_kind(item, value);
  }
  if (strcmp(op, "length") == 0) {
    return cJSON_IsArray(item) && cJSON_GetArraySize(item) == atoi(value);
  }
  if (cJSON_IsNumber(item)) {
    return compare(item->valuedouble - strtod(value, NULL), op);
  }
  return cJSON_IsString(item) && compare(strcmp(item->valuestring, value), op);
}

int main(const int argc, char **const argv) {
  char *const text = read_all();
  const char *end = NULL;
  cJSON *const root = text ? cJSON_ParseWithOpts(text, &end, true /* nothing behind it */) : NULL;
  if (!root || argc % 3 != 1) {
    printf("not one JSON text:\n%s\n", text ? text : "");
    free(text);
    return 1;
  }
  int failures = 0;
  for (int i = 1; i < argc; i += 3) {
    const cJSON *const item = find(root, argv[i]);
    if (!holds(item, argv[i + 1], argv[i + 2])) {
      char *const seen = item ? cJSON_PrintUnformatted(item) : NULL;
      printf("does not hold: %s %s %s; it is %.200s\n", argv[i], argv[i + 1], argv[i + 2],
             seen ? seen : "missing");
      free(seen);
      failures++;
    }
  }
  cJSON_Delete(root);
  free(text);
  return failures > 0;
}
