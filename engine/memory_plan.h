/* The memory planner: a pure function from usage records to offsets in one arena. */
#ifndef TAREI_ENGINE_MEMORY_PLAN_H
#define TAREI_ENGINE_MEMORY_PLAN_H

#include <stddef.h>

#include "base/error.h"

/* A buffer that is alive from step `first` to step `last`, both counted in. */
typedef struct tarei_usage {
  size_t bytes;  /* 0: needs no memory */
  int first, last;
  size_t offset; /* receives the place; a multiple of 64 */
} tarei_usage;

/* Places all records so that no two that are alive together overlap; the largest first, each in the
 * lowest gap that holds it. *total receives the arena's size. */
tare_status tarei_memory_plan(tarei_usage *usages, int n, size_t *total, tare_error *err);

#endif
