#include "engine/lower/resize/resize.h"

#include <math.h>
#include <string.h>

#include "engine/lower/numbers.h"
#include "graph/ops/resize/ops_resize.h"

static int choice(const char *const text, const char *const *const names) {
  int i = 0;
  while (names[i + 1] && strcmp(text, names[i]) != 0) {
    i++;
  }
  return i;
}

tarei_resize_settings tarei_resize_settings_of(const tarei_node *const node) {
  static const char *const modes[] = {"nearest", "linear", "cubic", NULL};
  static const char *const roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                          "ceil", NULL};
  static const char *const places[] = {
      "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",   "align_corners",
      "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn", NULL};
  tarei_resize_settings s = {
      .mode = (tarei_resize_mode)choice(tarei_attr_string(node, "mode", "nearest"), modes),
      .rounding = (tarei_resize_rounding)choice(
          tarei_attr_string(node, "nearest_mode", "round_prefer_floor"), roundings),
      .coordinates = (tarei_resize_coordinates)choice(
          tarei_attr_string(node, "coordinate_transformation_mode", "half_pixel"), places),
      .antialias = tarei_attr_int(node, "antialias", 0) != 0,
      .exclude_outside = tarei_attr_int(node, "exclude_outside", 0) != 0,
      .a = tarei_attr_float(node, "cubic_coeff_a", -0.75f),
      .extrapolation = tarei_attr_float(node, "extrapolation_value", 0),
  };
  if (node->opset < 11) {
    s.rounding = TAREI_RESIZE_SIMPLE;
    s.coordinates = TAREI_RESIZE_ASYMMETRIC;
  }
  return s;
}

/* Input i where it is there and holds something, else NULL. */
static const tare_tensor *given(const tarei_step *const step, const tarei_run *const r,
                                const int i) {
  const tare_tensor *const t = i < 0 ? NULL : tarei_operand(step, r, i);
  return t && tare_tensor_count(t) > 0 ? t : NULL;
}

/* The axes that are resized, not negative; their number. */
static int resize_axes_read(const tarei_step *const step, const int rank, int *const at) {
  int n;
  const int64_t *const axes = tarei_attr_ints(step->node, "axes", &n);
  n = axes ? n : rank;
  for (int i = 0; i < n; i++) {
    at[i] = axes ? (int)(axes[i] < 0 ? axes[i] + rank : axes[i]) : i;
  }
  return n;
}

static tare_status read_scales(const tarei_step *const step, const tare_tensor *const scales,
                               const int *const at, const int n, tarei_resize_axis *const axes,
                               tare_error *const err) {
  if (scales->dtype != TARE_F32) {
    return tarei_fail(err, TARE_E_INPUT, "scales are %s, expected float32",
                      tare_dtype_name(scales->dtype));
  }
  for (int i = 0; i < n; i++) {
    tarei_resize_axis *const a = &axes[at[i]];
    a->scale = ((const float *)scales->data)[i];
    a->width = a->scale * (float)a->in;
    a->out = tarei_resize_length(a->in, a->scale);
    if (a->out < 0 || !isfinite(a->scale)) {
      return tarei_fail(
          err, TARE_E_INPUT, "scale %g in '%s' must be positive and finite", (double)a->scale,
          step->graph->values[step->node->in[tarei_resize_inputs_of(step->node).scales]].name);
    }
  }
  return TARE_OK;
}

static tare_status resize_axes_read_sizes(const tarei_step *const step, const tarei_run *const r,
                                          const int *const at, const int n,
                                          tarei_resize_axis *const axes, tare_error *const err) {
  const tarei_resize_policy policy = tarei_resize_policy_of(step->node);
  int64_t from[TARE_MAX_RANK], to[TARE_MAX_RANK];
  tarei_ints sizes;
  TAREI_TRY(tarei_read_ints(step, r, tarei_resize_inputs_of(step->node).sizes, NULL, &sizes, err));
  for (int i = 0; i < n; i++) {
    from[i] = axes[at[i]].in;
    to[i] = sizes.at[i];
    if (to[i] < 0 || (to[i] > 0 && from[i] == 0)) {
      return tarei_fail(err, TARE_E_INPUT, "cannot resize axis %d of length %lld to %lld", at[i],
                        (long long)from[i], (long long)to[i]);
    }
  }
  bool empty = false;
  for (int i = 0; i < n; i++) {
    empty |= from[i] == 0;
  }
  const bool stretch = policy == TAREI_RESIZE_STRETCH || empty;
  const float common = stretch ? 0 : tarei_resize_keep_ratio(policy, from, to, n);
  for (int i = 0; i < n; i++) {
    tarei_resize_axis *const a = &axes[at[i]];
    a->out = to[i];
    a->scale = !stretch ? common : a->in ? (float)to[i] / (float)a->in : 1;
    a->width = stretch ? (float)to[i] : common * (float)a->in;
  }
  return TARE_OK;
}

static tare_status read_region(const tarei_step *const step, const tarei_run *const r,
                               const int *const at, const int n, tarei_resize_axis *const axes,
                               tare_error *const err) {
  const int input = tarei_resize_inputs_of(step->node).region;
  const tare_tensor *const region = given(step, r, input);
  if (!region || tare_tensor_count(region) != 2 * n ||
      (region->dtype != TARE_F32 && region->dtype != TARE_F64)) {
    return tarei_fail(err, TARE_E_INPUT, "tf_crop_and_resize needs a region of %d floats", 2 * n);
  }
  for (int i = 0; i < n; i++) {
    const bool wide = region->dtype == TARE_F64;
    const double *const f64 = region->data;
    const float *const f32 = region->data;
    axes[at[i]].begin = wide ? (float)f64[i] : f32[i];
    axes[at[i]].end = wide ? (float)f64[n + i] : f32[n + i];
  }
  return TARE_OK;
}

tare_status tarei_resize_axes(const tarei_step *const step, const tarei_run *const r,
                              tarei_resize_axis *const axes, tare_error *const err) {
  const tarei_resize_inputs in = tarei_resize_inputs_of(step->node);
  const tare_tensor *const x = r->in[0];
  int at[TARE_MAX_RANK];
  const int n = resize_axes_read(step, x->rank, at);
  for (int d = 0; d < x->rank; d++) {
    axes[d] = (tarei_resize_axis){x->dims[d], x->dims[d], 1, (float)x->dims[d], 0, 1};
  }
  const tare_tensor *const sizes = given(step, r, in.sizes);
  const tare_tensor *const list = sizes ? sizes : given(step, r, in.scales);
  const int64_t n_list = list ? tare_tensor_count(list) : 0;
  if (n_list != n) {
    return tarei_fail(err, TARE_E_INPUT, "has %lld %s for %d axes", (long long)n_list,
                      sizes ? "sizes" : "scales", n);
  }
  if (n > 0) {
    TAREI_TRY(sizes ? resize_axes_read_sizes(step, r, at, n, axes, err)
                    : read_scales(step, list, at, n, axes, err));
  }
  return tarei_resize_settings_of(step->node).coordinates == TAREI_RESIZE_CROP
             ? read_region(step, r, at, n, axes, err)
             : TARE_OK;
}

float tarei_resize_place(const tarei_resize_settings *const s, const tarei_resize_axis *const a,
                         const int64_t i) {
  const float x = (float)i, last = (float)(a->in - 1);
  switch (s->coordinates) {
    case TAREI_RESIZE_CORNERS:
      return a->out == 1 ? 0 : x * last / (a->width - 1);
    case TAREI_RESIZE_ASYMMETRIC:
      return x / a->scale;
    case TAREI_RESIZE_HALF_PIXEL_NEAREST:
      return (x + 0.5f) / a->scale;
    case TAREI_RESIZE_CROP:
      return a->out == 1 ? 0.5f * (a->begin + a->end) * last
                         : a->begin * last + x * (a->end - a->begin) * last / (a->width - 1);
    case TAREI_RESIZE_PYTORCH:
      return a->out == 1 ? 0 : (x + 0.5f) / a->scale - 0.5f;
    case TAREI_RESIZE_SYMMETRIC:
      return (float)a->in / 2 * (1 - (float)a->out / a->width) + (x + 0.5f) / a->scale - 0.5f;
    case TAREI_RESIZE_HALF_PIXEL:
      break;
  }
  return a->scale == 1 ? x : (x + 0.5f) / a->scale - 0.5f;
}

bool tarei_resize_is_outside(const tarei_resize_settings *const s, const tarei_resize_axis *const a,
                             const float place) {
  return s->coordinates == TAREI_RESIZE_CROP && !(place >= 0 && place <= (float)(a->in - 1));
}

bool tarei_resize_keeps(const tarei_resize_settings *const s, const tarei_resize_axis *const a) {
  return a->in == a->out && a->scale == 1 && s->coordinates != TAREI_RESIZE_CROP &&
         s->coordinates != TAREI_RESIZE_HALF_PIXEL_NEAREST;
}
