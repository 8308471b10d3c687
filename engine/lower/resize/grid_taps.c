#include "engine/lower/resize/grid_taps.h"

/* The coordinate of an element, of -1 to 1. Computed in the type of the grid, so that places
 * between two elements fall as they do elsewhere. */
static double grid_coordinate(const tarei_grid_taps *const t, const int64_t at,
                              const int64_t length) {
  if (t->grid->dtype == TARE_F32) {
    const float x = ((const float *)t->grid->data)[at], n = (float)length;
    return (double)(t->form.align_corners ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2);
  }
  const double x = ((const double *)t->grid->data)[at], n = (double)length;
  return t->form.align_corners ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
}

/* Far outside is as good as any place there; a NaN is far outside, too. */
static double grid_bounded(const double x) {
  const double far = 0x1p29;
  return x >= -far && x <= far ? x : x > far ? far : -far;
}

/* To whole numbers, without calls of libm. */
static int32_t grid_floor(const double x) {
  const int32_t part = (int32_t)x;
  return part - (part > x);
}

static int32_t grid_nearest(const double x) {
  const double whole = 0x1.8p52; /* sums with it have no fraction, and ties become even */
  return (int32_t)((x + whole) - whole);
}

static int64_t grid_reflected(const int64_t i, const int64_t n, const bool align_corners) {
  const int64_t period = align_corners ? 2 * (n - 1) : 2 * n;
  if (period <= 0) {
    return 0;
  }
  const int64_t rest = i % period, at = rest < 0 ? rest + period : rest;
  return at < n ? at : align_corners ? period - at : period - 1 - at;
}

/* Where element i of an axis is found; -1 for zero. */
static int64_t grid_placed(const tarei_grid_taps *const t, const int64_t i, const int64_t n) {
  if (i >= 0 && i < n) {
    return i;
  }
  switch (t->form.padding) {
    case TAREI_GRID_BORDER:
      return i < 0 ? 0 : n - 1;
    case TAREI_GRID_REFLECTION:
      return grid_reflected(i, n, t->form.align_corners);
    default:
      return -1;
  }
}

/* Weights of the elements before a place, on either side of it and behind, by cubic convolution. */
static void grid_cubic(const double x, double *const w) {
  const double a = -0.75, y = 1 - x;
  w[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
  w[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
  w[2] = ((a + 2) * y - (a + 3)) * y * y + 1;
  w[3] = ((a * (y + 1) - 5 * a) * (y + 1) + 8 * a) * (y + 1) - 4 * a;
}

/* Taps along one axis. */
static void grid_axis_taps(const tarei_grid_taps *const t, const double at, const int64_t n,
                           int64_t *const places, double *const weights) {
  const double x = grid_bounded(at);
  int64_t first = grid_floor(x);
  const double part = x - (double)first;
  weights[0] = 1;
  if (t->form.mode == TAREI_GRID_NEAREST) {
    first = grid_nearest(x);
  } else if (t->form.mode == TAREI_GRID_LINEAR) {
    weights[0] = 1 - part;
    weights[1] = part;
  } else {
    grid_cubic(part, weights);
    first--;
  }
  for (int k = 0; k < t->per_axis; k++) {
    places[k] = grid_placed(t, first + k, n);
  }
}

int tarei_grid_taps_count(const tarei_grid_taps *const t) {
  int count = 1;
  for (int d = 0; d < t->axes; d++) {
    count *= t->per_axis;
  }
  return count;
}

/* The usual case: four elements of a plane, all of them inside. False for others. */
static bool grid_inner_taps(const tarei_grid_taps *const t, const int64_t at,
                            int32_t *const offsets, double *const weights) {
  const int64_t height = t->length[0], width = t->length[1];
  const double x = grid_bounded(grid_coordinate(t, 2 * at, width));
  const double y = grid_bounded(grid_coordinate(t, 2 * at + 1, height));
  const int32_t left = grid_floor(x), top = grid_floor(y);
  if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) {
    return false;
  }
  const double right = x - left, down = y - top;
  offsets[0] = (int32_t)(top * width + left);
  offsets[1] = offsets[0] + 1;
  offsets[2] = (int32_t)(offsets[0] + width);
  offsets[3] = offsets[2] + 1;
  weights[0] = (1 - down) * (1 - right);
  weights[1] = (1 - down) * right;
  weights[2] = down * (1 - right);
  weights[3] = down * right;
  return true;
}

bool tarei_grid_taps_find(const tarei_grid_taps *const t, const int64_t at, int32_t *const offsets,
                          double *const weights) {
  bool outside = false;
  int n = 1;
  if (t->axes == 2 && t->form.mode == TAREI_GRID_LINEAR &&
      grid_inner_taps(t, at, offsets, weights)) {
    return false;
  }
  offsets[0] = 0;
  weights[0] = 1;
  for (int d = 0; d < t->axes; d++) { /* the grid has the last axis first */
    int64_t places[4];
    double axis[4];
    const int64_t coordinate = at * t->axes + (t->axes - 1 - d);
    grid_axis_taps(t, grid_coordinate(t, coordinate, t->length[d]), t->length[d], places, axis);
    for (int i = n - 1; i >= 0; i--) {
      const int32_t from = offsets[i];
      const double weight = weights[i];
      for (int k = t->per_axis - 1; k >= 0; k--) {
        const bool inside = from >= 0 && places[k] >= 0;
        offsets[i * t->per_axis + k] = inside ? (int32_t)(from * t->length[d] + places[k]) : -1;
        weights[i * t->per_axis + k] = weight * axis[k];
        outside |= !inside;
      }
    }
    n *= t->per_axis;
  }
  return outside;
}
