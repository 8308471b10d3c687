/* Places in the data of samples that the model refused. */
#ifndef TAREI_CALIB_REFUSED_H
#define TAREI_CALIB_REFUSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_refused {
  int64_t *indices; /* ascending */
  size_t n, capacity;
} tarei_refused;

bool tarei_refused_has(const tarei_refused *refused, int64_t index);
/* Adds one that it does not have. */
tare_status tarei_refused_add(tarei_refused *refused, int64_t index, tare_error *err);
void tarei_refused_fini(tarei_refused *refused);

#endif
