/* Resize: its tarei_resize_settings, where its elements come from, and the modes that compute sums. */
#ifndef TAREI_ENGINE_LOWER_RESIZE_RESIZE_H
#define TAREI_ENGINE_LOWER_RESIZE_RESIZE_H

#include "engine/step.h"

typedef enum tarei_resize_mode { TAREI_RESIZE_NEAREST, TAREI_RESIZE_LINEAR, TAREI_RESIZE_CUBIC } tarei_resize_mode;

typedef enum tarei_resize_rounding {
  TAREI_RESIZE_PREFER_FLOOR,
  TAREI_RESIZE_PREFER_CEIL,
  TAREI_RESIZE_FLOOR,
  TAREI_RESIZE_CEIL,
  TAREI_RESIZE_SIMPLE, /* of opset 10: up where an axis shrinks, else down */
} tarei_resize_rounding;

typedef enum tarei_resize_coordinates {
  TAREI_RESIZE_HALF_PIXEL,
  TAREI_RESIZE_SYMMETRIC,
  TAREI_RESIZE_PYTORCH,
  TAREI_RESIZE_CORNERS,
  TAREI_RESIZE_ASYMMETRIC,
  TAREI_RESIZE_CROP,
  TAREI_RESIZE_HALF_PIXEL_NEAREST,
} tarei_resize_coordinates;

typedef struct tarei_resize_settings {
  tarei_resize_mode mode;
  tarei_resize_rounding rounding;
  tarei_resize_coordinates coordinates;
  bool antialias, exclude_outside;
  float a, extrapolation; /* a: of the cubic kernel */
} tarei_resize_settings;

typedef struct tarei_resize_axis {
  int64_t in, out;
  float scale, width; /* width: the output's length before it is rounded */
  float begin, end;   /* of the region, in lengths of the tarei_resize_axis */
} tarei_resize_axis;

tarei_resize_settings tarei_resize_settings_of(const tarei_node *node);
/* How each axis is resized, from scales, sizes and region. */
tare_status tarei_resize_axes(const tarei_step *step, const tarei_run *run, tarei_resize_axis *axes,
                              tare_error *err);
/* Where element i of the output stands on the input's axis. */
float tarei_resize_place(const tarei_resize_settings *s, const tarei_resize_axis *a, int64_t i);
/* Whether that is outside of what may be looked at, so that it is extrapolated. */
bool tarei_resize_is_outside(const tarei_resize_settings *s, const tarei_resize_axis *a, float place);
/* An axis that stays as it is. */
bool tarei_resize_keeps(const tarei_resize_settings *s, const tarei_resize_axis *a);

/* Linear and cubic. */
size_t tarei_resize_sums_scratch(const tare_tensor *x, const tare_tensor *out);
tare_status tarei_resize_sums(const tarei_resize_settings *s, const tarei_resize_axis *axes, const tarei_run *run,
                              tare_error *err);

#endif
