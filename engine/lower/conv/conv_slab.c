#include "engine/lower/conv/conv_slab.h"

#include <string.h>

#include "base/mem.h"

#define LEAST_OUTPUTS 64 /* of a sample: blocks of rows do not cross its end */

/* Inputs from the first to the last tap along an axis. */
static int64_t reach_of(const tarei_conv *const c, const int axis) {
  return (c->window.kernel[axis] - 1) * c->window.dilations[axis] + 1;
}

/* Inputs that n outputs meet along an axis. */
static int64_t span_of(const tarei_conv *const c, const int axis, const int64_t n) {
  return (n - 1) * c->window.strides[axis] + reach_of(c, axis);
}

/* Windows that leave out most of the input are not worth copying it. */
static bool covers_input(const tarei_conv *const c) {
  return c->space == 2 && c->window.strides[0] <= c->window.kernel[0] &&
         c->window.strides[1] <= c->window.kernel[1];
}

bool tarei_conv_is_inside(const tarei_conv_geometry *const g) {
  bool inside = true;
  for (int a = 0; a < 2; a++) {
    inside = inside && g->pad[a] == 0 && span_of(g->conv, a, g->out[a]) <= g->in[a];
  }
  return inside;
}

bool tarei_conv_needs_slab(const tarei_conv_geometry *const g) {
  return covers_input(g->conv) && g->out[0] * g->out[1] >= LEAST_OUTPUTS &&
         !tarei_conv_is_inside(g);
}

static size_t smaller_of(const size_t a, const int64_t b) {
  return b < 0 || a < (size_t)b ? a : (size_t)b;
}

/* With w columns of outputs, count / w + 2 lines at most, or count columns of one line. The product
 * of both spans, term by term with the most of each. */
size_t tarei_conv_slab_bytes(const tarei_conv *const c, const tare_tensor *const out,
                             const size_t element, const size_t count) {
  if (!covers_input(c)) {
    return 0;
  }
  const size_t lines = smaller_of(count, out->dims[1]), columns = smaller_of(count, out->dims[2]);
  const size_t sy = (size_t)c->window.strides[0], sx = (size_t)c->window.strides[1];
  const size_t ry = (size_t)reach_of(c, 0), rx = (size_t)reach_of(c, 1);
  size_t pixels = tarei_times(count, sy * sx);
  pixels = tarei_plus(pixels, tarei_times(columns, tarei_times(sx, tarei_plus(sy, ry))));
  pixels = tarei_plus(pixels, tarei_times(tarei_plus(lines, 1), tarei_times(sy, rx)));
  pixels = tarei_plus(pixels, tarei_times(ry, rx));
  return tarei_round_up(tarei_times(pixels, (size_t)c->channels * element), TAREI_ALIGN);
}

/* Columns [x, x + n) of a line of the input, or of padding. */
static void fill_line(const tarei_conv_geometry *const g, const char *const line, const int64_t x,
                      const int64_t n, char *const to) {
  const size_t pixel = (size_t)g->conv->channels * g->element;
  const int64_t first = x < 0 ? (-x < n ? -x : n) : 0, room = g->in[1] - x;
  const int64_t last = !line || room <= first ? first : room < n ? room : n;
  memset(to, g->pad_byte, (size_t)first * pixel);
  if (first < last) {
    memcpy(to + (size_t)first * pixel, line + (size_t)(x + first) * pixel,
           (size_t)(last - first) * pixel);
  }
  memset(to + (size_t)last * pixel, g->pad_byte, (size_t)(n - last) * pixel);
}

tarei_conv_geometry tarei_conv_slab_fill(const tarei_conv_geometry *const g,
                                         const tarei_conv_block block, char *const to,
                                         size_t *const first) {
  const tarei_conv *const c = g->conv;
  const int64_t line0 = block.position / g->out[1], column0 = block.position % g->out[1];
  const int64_t line1 = (block.position + block.count - 1) / g->out[1];
  const bool one_line = line0 == line1;
  tarei_conv_geometry slab = *g;
  slab.x = to;
  slab.batch = 1;
  slab.pad[0] = slab.pad[1] = 0;
  slab.out[0] = line1 - line0 + 1;
  slab.out[1] = one_line ? block.count : g->out[1];
  slab.in[0] = span_of(c, 0, slab.out[0]);
  slab.in[1] = span_of(c, 1, slab.out[1]);
  *first = one_line ? 0 : (size_t)column0;
  const size_t pixel = (size_t)c->channels * g->element, row = (size_t)g->in[1] * pixel;
  const int64_t y0 = line0 * c->window.strides[0] - g->pad[0];
  const int64_t x0 = (one_line ? column0 * c->window.strides[1] : 0) - g->pad[1];
  for (int64_t i = 0; i < slab.in[0]; i++) {
    const int64_t y = y0 + i;
    const char *const line =
        y < 0 || y >= g->in[0] ? NULL : g->x + (size_t)(block.batch * g->in[0] + y) * row;
    fill_line(g, line, x0, slab.in[1], to + (size_t)(i * slab.in[1]) * pixel);
  }
  return slab;
}
