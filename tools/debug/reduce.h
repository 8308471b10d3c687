/* The search for the smallest part of a model that fails as the whole does. */
#ifndef TAREI_TOOLS_DEBUG_REDUCE_H
#define TAREI_TOOLS_DEBUG_REDUCE_H

#include "tools/debug/trial.h"

typedef struct reduction {
  trials all;
  failure goal;    /* of the whole */
  model_part part; /* the smallest so far */
  failure found;   /* of it */
  bool stopped;    /* there were more trials to make than a search may have */
} reduction;

/* Reduces `part`, which fails as the goal says: bisects its end, then its beginning, then takes
 * single nodes away until none can go. */
tare_status reduce_part(reduction *r, tare_error *err);

void reduction_fini(reduction *r);

#endif
