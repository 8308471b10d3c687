/* How two plans differ, layer by layer. */
#ifndef TAREI_TOOLS_SHOW_LAYER_DIFF_H
#define TAREI_TOOLS_SHOW_LAYER_DIFF_H

#include "tools/json_out.h"
#include "tools/show/layer_match.h"

/* Milliseconds of the layers of both plans in one run; NULL where they were not measured. */
typedef struct layer_diff_times {
  const double *a, *b;
} layer_diff_times;

typedef struct layer_diff {
  const tare_plan *a, *b;
  const layer_pair *pairs;
  int n_pairs;
  layer_diff_times times;
} layer_diff;

int layer_diff_count(const layer_diff *d);

/* A table of the layers that differ, or, with times, of all; and an array of the former. */
void layer_diff_print(const layer_diff *d);
void layer_diff_json(cJSON *object, const layer_diff *d);

#endif
