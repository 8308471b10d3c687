/* Which samples are left out for their lengths. */
#ifndef TAREI_DATASETS_LENGTHS_LENGTH_FILTER_H
#define TAREI_DATASETS_LENGTHS_LENGTH_FILTER_H

#include <tare/dataset.h>
#include <tare/profile.h>

#include "base/str.h"
#include "datasets/slot.h"

typedef struct tarei_length_filter {
  tare_profiles *symbols;     /* of the inputs, for binding; NULL: nothing is left out */
  tare_length_bounds *bounds; /* names are those of `symbols` */
  int *numbers;               /* of their symbols; -1: seconds */
  int n;
} tarei_length_filter;

/* Why a sample is left out. */
typedef enum tarei_left_out { TAREI_LEFT_IN, TAREI_SHORTER, TAREI_LONGER } tarei_left_out;

/* Checks and copies bounds. TARE_E_USAGE (no such symbol, several that could be meant, a minimum
 * above the maximum), TARE_E_MEMORY; free it with _fini either way. */
tare_status tarei_length_filter_init(tarei_length_filter *filter, const tare_length_bounds *bounds,
                                     int64_t n, const tare_port *inputs, int n_inputs,
                                     tare_error *err);
void tarei_length_filter_fini(tarei_length_filter *filter);

/* A bound in seconds, or NULL. */
const tare_length_bounds *tarei_length_filter_seconds(const tarei_length_filter *filter);

/* A sample whose tensors contradict each other stays: that is for others to say. TARE_E_USAGE if it
 * has no duration and bounds are in seconds. */
tare_status tarei_length_filter_judge(const tarei_length_filter *filter, const tarei_slot *slot,
                                      tarei_left_out *out, tare_error *err);

/* Appends the minima or maxima: "S=400,T=20" or "0.5s"; nothing where there are none. */
void tarei_length_filter_print(const tarei_length_filter *filter, bool maxima, tarei_str *out);

#endif
