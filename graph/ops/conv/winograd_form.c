#include "graph/ops/conv/winograd_form.h"

#define TAPS 3
#define LEAST_CHANNELS 24 /* by squares */
#define LEAST_AXIS_CHANNELS 48
#define MOST_WEIGHTS (1024 * 1024) /* bytes, transformed */
#define PANEL 32                   /* columns, of which packed weights have whole ones */
#define SQUARE_ELEMENTS 16         /* products of a tile */
#define AXIS_ELEMENTS 4

bool tarei_winograd_saves(const tarei_window *const window, const int64_t group,
                          const int64_t channels, const int64_t outputs) {
  const bool square = window->kernel[0] == window->kernel[1];
  const int64_t least = square ? LEAST_CHANNELS : LEAST_AXIS_CHANNELS;
  const int64_t elements = square ? SQUARE_ELEMENTS : AXIS_ELEMENTS;
  const int64_t most = MOST_WEIGHTS / (elements * (int64_t)sizeof(float));
  bool plain = group == 1, wide = false;
  for (int a = 0; a < 2; a++) {
    plain = plain && window->strides[a] == 1 &&
            (window->kernel[a] == 1 || (window->kernel[a] == TAPS && window->dilations[a] == 1));
    wide = wide || window->kernel[a] == TAPS;
  }
  return plain && wide && channels >= least && outputs >= least && channels <= most &&
         outputs <= most && channels * ((outputs + PANEL - 1) / PANEL * PANEL) <= most;
}
