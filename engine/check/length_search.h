/* The nearest lengths at which something works, by asking at few of them. */
#ifndef TAREI_ENGINE_CHECK_LENGTH_SEARCH_H
#define TAREI_ENGINE_CHECK_LENGTH_SEARCH_H

#include <tare/length_check.h>

#include "base/str.h"

typedef struct tarei_length_search {
  bool (*works)(void *user, const int64_t *values);
  void *user;
  const tare_profiles *profiles; /* whose symbols the values are of */
} tarei_length_search;

/* Searches along each symbol from values that do not work. Of several symbols that help, the one
 * that has to change least is taken, by its factor. */
tare_length_near tarei_length_search_near(const tarei_length_search *search, const int64_t *values);

/* Appends what was found: "the least S that works is 400"; nothing where nothing was. */
void tarei_length_near_print(const tare_length_near *near, const tare_profiles *profiles,
                             tarei_str *out);

#endif
