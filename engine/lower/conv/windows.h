/*
 * Windows that slide over any number of axes of [batch, channels, space...]: what convolutions and
 * pools share where no kernel of their own serves. Offsets of the elements under a window are
 * counted within one plane (all of space of one channel).
 */
#ifndef TAREI_ENGINE_LOWER_CONV_WINDOWS_H
#define TAREI_ENGINE_LOWER_CONV_WINDOWS_H

#include "engine/step.h"
#include "graph/ops/ops_common.h"

#define TAREI_MAX_SPACE (TARE_MAX_RANK - 2)

/* The sizes of one run. */
typedef struct tarei_windows {
  const tarei_window *window;
  int64_t in[TAREI_MAX_SPACE], out[TAREI_MAX_SPACE];
  int64_t before[TAREI_MAX_SPACE], after[TAREI_MAX_SPACE]; /* padding */
  int64_t taps; /* elements or padding under one window */
  int64_t in_plane, out_plane;
} tarei_windows;

/* Reads the attributes when a step is prepared; weights as tarei_ops_window has them. TARE_E_LIMIT
 * where a number is above INT32_MAX: sums of products of two stay in 64 bits. */
tare_status tarei_windows_read(const tarei_step *step, int n, const tarei_expr *weights,
                               tarei_window *out, tare_error *err);
/* The same for those that list the taps of a window: there is a limit on their number. */
tare_status tarei_windows_prepare(const tarei_step *step, int n, const tarei_expr *weights,
                                  tarei_window *out, tare_error *err);

/* in, out: dims of the space of a run. */
tarei_windows tarei_windows_of(const tarei_window *window, const int64_t *in, const int64_t *out);

/* Offsets of all taps of window `position` (within the output's plane), -1 in the padding. */
void tarei_windows_offsets(const tarei_windows *w, int64_t position, int64_t *offsets);

/* Taps of a window on elements or padding; others lie beyond both. */
int64_t tarei_windows_padded(const tarei_windows *w, int64_t position);

/* An offset within a plane, with the first axis of space as the one whose neighbours lie side by
 * side. */
int64_t tarei_windows_column_major(const tarei_windows *w, int64_t offset);

#endif
