/*
 * The settings of a calibration that its statistics depend on, beside those that tare_stats has as
 * members: names as in the options of the command, and values as texts. A setting that was left at
 * its default is missing.
 */
#ifndef TAREI_CALIB_PARTS_SETTINGS_H
#define TAREI_CALIB_PARTS_SETTINGS_H

#include <stdbool.h>

#include "base/error.h"

typedef struct tarei_setting {
  char *name, *value;
} tarei_setting;

typedef struct tarei_settings {
  tarei_setting *items; /* sorted by name */
  int n;
  size_t cap;
} tarei_settings;

void tarei_settings_fini(tarei_settings *settings);

/* Adds a copy behind all names that sort before; nothing if value is "". */
tare_status tarei_settings_add(tarei_settings *settings, const char *name, const char *value,
                               tare_error *err);

/* The value of a name; "" if it is missing. */
const char *tarei_settings_find(const tarei_settings *settings, const char *name);

#endif
