/* What a convolution multiplies, without the sizes of a run. */
#ifndef TAREI_ENGINE_LOWER_CONV_CONV_TYPES_H
#define TAREI_ENGINE_LOWER_CONV_CONV_TYPES_H

#include "engine/step.h"
#include "graph/ops/ops_common.h"

typedef struct tarei_conv {
  int space;           /* 1 or 2 axes */
  bool column;         /* the second of them has but one element: windows go along the first */
  tarei_window window; /* of 2 axes: one axis is kept as the second */
  int64_t group, channels, outputs; /* all groups together */
  size_t k;                         /* taps x channels of one group */
} tarei_conv;

#endif
