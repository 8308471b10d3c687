#include "tools/show/layer_profile.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/json_out.h"

#define MOST_BYTES ((size_t)64 << 20)

/* The whole file, with a zero behind it; to be freed. */
static tare_status profile_load(const char *const path, char **const text, tare_error *const err) {
  FILE *const file = fopen(path, "re");
  size_t n = 0, capacity = 1 << 16;
  *text = NULL;
  if (!file) {
    return cli_fail(err, TARE_E_INPUT, "%s: cannot open: %s", path, strerror(errno));
  }
  do {
    capacity *= 2;
    *text = cli_realloc(*text, capacity, 1);
    n += fread(*text + n, 1, capacity - 1 - n, file);
  } while (n == capacity - 1 && capacity <= MOST_BYTES);
  (*text)[n] = '\0';
  const bool failed = ferror(file) != 0;
  fclose(file);
  if (failed) {
    return cli_fail(err, TARE_E_IO, "%s: cannot read", path);
  }
  return n <= MOST_BYTES
             ? TARE_OK
             : cli_fail(err, TARE_E_LIMIT, "%s: larger than %zu bytes", path, (size_t)MOST_BYTES);
}

static tare_status profile_take(const cJSON *const list, const tare_plan *const plan,
                                double *const ms, tare_error *const err) {
  const int n = tare_plan_n_layers(plan);
  const cJSON *item = cJSON_IsArray(list) ? list->child : NULL;
  if (!cJSON_IsNumber(cJSON_GetObjectItem(item, "count"))) {
    return cli_fail(err, TARE_E_INPUT,
                    "not a profile of layers: expected the array that tare bench --exportProfile "
                    "writes");
  }
  if (cJSON_GetArraySize(list) != n + 1) {
    return cli_fail(err, TARE_E_INPUT,
                    "a profile of %d layers, the plan has %d (tare bench PLAN --exportProfile "
                    "makes one of it)",
                    cJSON_GetArraySize(list) - 1, n);
  }
  for (int i = 0; i < n; i++) {
    item = item->next;
    const char *const name = cJSON_GetStringValue(cJSON_GetObjectItem(item, "name"));
    const cJSON *const average = cJSON_GetObjectItem(item, "averageMs");
    const char *const expected = tare_plan_layer(plan, i).name;
    if (!name || strcmp(name, expected) != 0 || !cJSON_IsNumber(average)) {
      return cli_fail(err, TARE_E_INPUT,
                      "layer %d is '%s', that of the plan '%s' (tare bench PLAN --exportProfile "
                      "makes a profile of it)",
                      i, name ? name : "", expected);
    }
    ms[i] = average->valuedouble;
  }
  return TARE_OK;
}

/* A layer with subgraphs has the times of the layers inside in its own. */
static void profile_take_apart(const tare_plan *const plan, double *const ms) {
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const int parent = tare_plan_layer(plan, i).parent;
    if (parent >= 0) { /* which comes before, and is taken from its own parent as a whole */
      ms[parent] = fmax(0, ms[parent] - ms[i]);
    }
  }
}

tare_status layer_profile_read(const char *const path, const tare_plan *const plan,
                               double **const ms, tare_error *const err) {
  char *text = NULL;
  cJSON *list = NULL;
  *ms = cli_realloc(NULL, (size_t)tare_plan_n_layers(plan), sizeof **ms);
  tare_status status = profile_load(path, &text, err);
  if (status == TARE_OK) {
    list = json_parse(text);
    status = profile_take(list, plan, *ms, err);
    status = status == TARE_OK ? status : cli_fail_in(err, status, path);
  }
  if (status == TARE_OK) {
    profile_take_apart(plan, *ms);
  }
  cJSON_Delete(list);
  free(text);
  return status;
}
