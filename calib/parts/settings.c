#include "calib/parts/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void tarei_settings_fini(tarei_settings *const settings) {
  for (int i = 0; i < settings->n; i++) {
    free(settings->items[i].name);
    free(settings->items[i].value);
  }
  free(settings->items);
  *settings = (tarei_settings){0};
}

tare_status tarei_settings_add(tarei_settings *const settings, const char *const name,
                               const char *const value, tare_error *const err) {
  if (!*value) {
    return TARE_OK;
  }
  const tarei_setting made = {.name = tarei_strdup(name), .value = tarei_strdup(value)};
  if (!made.name || !made.value ||
      !TAREI_GROW(settings->items, (size_t)settings->n, settings->cap)) {
    free(made.name);
    free(made.value);
    return tarei_fail_memory(err, "settings", strlen(value));
  }
  int at = settings->n++;
  for (; at > 0 && strcmp(settings->items[at - 1].name, name) > 0; at--) {
    settings->items[at] = settings->items[at - 1];
  }
  settings->items[at] = made;
  return TARE_OK;
}

const char *tarei_settings_find(const tarei_settings *const settings, const char *const name) {
  for (int i = 0; i < settings->n; i++) {
    if (strcmp(settings->items[i].name, name) == 0) {
      return settings->items[i].value;
    }
  }
  return "";
}
