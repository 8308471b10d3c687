#include "engine/lower/conv/conv_gather.h"

#include <string.h>

tarei_conv_geometry tarei_conv_geometry_of(const tarei_conv *const c, const tare_tensor *const x,
                                           const tare_tensor *const out, const size_t element,
                                           const uint8_t pad_byte) {
  tarei_conv_geometry g = {
      .conv = c, .x = x->data, .element = element, .pad_byte = pad_byte, .batch = x->dims[0]};
  g.in[0] = c->space == 2 ? x->dims[1] : 1;
  g.in[1] = x->dims[c->space];
  g.out[0] = c->space == 2 ? out->dims[1] : 1;
  g.out[1] = out->dims[c->space];
  for (int a = 0; a < 2; a++) {
    g.pad[a] = tarei_window_padding(&c->window, a, g.in[a], g.out[a]).before;
  }
  return g;
}

static int64_t conv_gather_clamp(const int64_t value, const int64_t least, const int64_t most) {
  return value < least ? least : value > most ? most : value;
}

void tarei_conv_interior(const tarei_conv_geometry *const g, int64_t *const begin,
                         int64_t *const end) {
  const tarei_window *const w = &g->conv->window;
  const int64_t stride = w->strides[1];
  const int64_t last_start = g->in[1] - 1 - (w->kernel[1] - 1) * w->dilations[1] + g->pad[1];
  *end = last_start < 0 ? 0 : conv_gather_clamp(last_start / stride + 1, 0, g->out[1]);
  *begin = conv_gather_clamp((g->pad[1] + stride - 1) / stride, 0, *end);
}

/* Bytes of the channels of one group, and of a pixel. */
static size_t group_bytes(const tarei_conv_geometry *const g) {
  return (size_t)(g->conv->channels / g->conv->group) * g->element;
}

static size_t pixel_bytes(const tarei_conv_geometry *const g) {
  return (size_t)g->conv->channels * g->element;
}

/* A row of the input, or NULL in the padding. */
static const char *conv_gather_input(const tarei_conv_geometry *const g, const int64_t batch,
                                     const int64_t y) {
  const size_t row = (size_t)g->in[1] * pixel_bytes(g);
  return y < 0 || y >= g->in[0] ? NULL : g->x + (size_t)(batch * g->in[0] + y) * row;
}

/* --- at the ends of the input ----------------------------------------------------------------- */

/* Copies `n` taps that lie `step` bytes apart. */
static void copy_taps(const char *const from, const size_t step, const size_t n, const size_t run,
                      char *const to) {
  if (step == run) {
    memcpy(to, from, n * run);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    memcpy(to + i * run, from + i * step, run);
  }
}

/* Gathers `taps` of one row of the input, or of padding; the first lies at position x. */
static void gather_taps(const tarei_conv_geometry *const g, const char *const row,
                        const int64_t group, const int64_t x, const int64_t taps, char *const to) {
  const size_t run = group_bytes(g), pixel = pixel_bytes(g);
  const int64_t d = g->conv->window.dilations[1];
  const int64_t first = row ? conv_gather_clamp((d - 1 - x) / d, 0, taps) : taps;
  const int64_t last =
      g->in[1] > x ? conv_gather_clamp((g->in[1] - 1 - x) / d + 1, first, taps) : first;
  memset(to, g->pad_byte, (size_t)first * run);
  if (first < last) {
    copy_taps(row + (size_t)(x + first * d) * pixel + (size_t)group * run, (size_t)d * pixel,
              (size_t)(last - first), run, to + (size_t)first * run);
  }
  memset(to + (size_t)last * run, g->pad_byte, (size_t)(taps - last) * run);
}

void tarei_conv_gather_line(const tarei_conv_geometry *const g, const int64_t group,
                            const int64_t batch, const int64_t x, const int64_t taps,
                            char *const to) {
  gather_taps(g, conv_gather_input(g, batch, 0), group, x, taps, to);
}

/* --- inside of it ----------------------------------------------------------------------------- */

/* Rows of so many bytes each, or so many times one byte. */
typedef struct strided_rows {
  char *to;
  const char *from; /* NULL: the byte */
  size_t to_step, from_step, bytes;
  int64_t n;
  uint8_t byte;
} strided_rows;

/* A row is one part at its beginning and one at its end, which may overlap. */
#define COPY_ENDS(part)                                             \
  for (int64_t i = 0; i < r->n; i++) {                              \
    char *const to = r->to + (size_t)i * r->to_step;                \
    const char *const from = r->from + (size_t)i * r->from_step;    \
    memcpy(to, from, part);                                         \
    memcpy(to + r->bytes - (part), from + r->bytes - (part), part); \
  }

/* Most rows are short, and a call of memcpy for each costs more than its bytes. */
static void copy_strided(const strided_rows *const r) {
  if (r->bytes > 128 || r->bytes == 0) {
    for (int64_t i = 0; i < r->n; i++) {
      memcpy(r->to + (size_t)i * r->to_step, r->from + (size_t)i * r->from_step, r->bytes);
    }
  } else if (r->bytes > 64) {
    COPY_ENDS(64)
  } else if (r->bytes > 32) {
    COPY_ENDS(32)
  } else if (r->bytes > 16) {
    COPY_ENDS(16)
  } else if (r->bytes > 8) {
    COPY_ENDS(8)
  } else if (r->bytes > 4) {
    COPY_ENDS(4)
  } else if (r->bytes > 2) {
    COPY_ENDS(2)
  } else {
    COPY_ENDS(1)
  }
}
#undef COPY_ENDS

static void fill_strided(const strided_rows *const r) {
  for (int64_t i = 0; i < r->n; i++) {
    memset(r->to + (size_t)i * r->to_step, r->byte, r->bytes);
  }
}

/* One row of taps of n windows, the first at position x, all inside the input; `row` as above. */
static void gather_inside(const tarei_conv_geometry *const g, const char *const row,
                          const int64_t group, const int64_t x, const int64_t n, char *const to,
                          const size_t ld) {
  const tarei_window *const w = &g->conv->window;
  const size_t run = group_bytes(g), pixel = pixel_bytes(g);
  const size_t tap_step = (size_t)w->dilations[1] * pixel;
  const bool joined = tap_step == run;
  strided_rows r = {.to = to,
                    .to_step = ld,
                    .from_step = (size_t)w->strides[1] * pixel,
                    .bytes = row && !joined ? run : (size_t)w->kernel[1] * run,
                    .n = n,
                    .byte = g->pad_byte};
  if (!row) {
    fill_strided(&r);
    return;
  }
  r.from = row + (size_t)x * pixel + (size_t)group * run;
  for (int64_t k = 0; k < (joined ? 1 : w->kernel[1]); k++) {
    copy_strided(&r);
    r.to += run;
    r.from += tap_step;
  }
}

/* --- windows ---------------------------------------------------------------------------------- */

/* n output positions of one line; `inside`: all taps of the last axis lie in the input. */
static void gather_part(const tarei_conv_geometry *const g, const int64_t group, const int64_t line,
                        const int64_t ox, const int64_t n, const bool inside, char *const to,
                        const size_t ld) {
  const tarei_window *const w = &g->conv->window;
  const int64_t batch = line / g->out[0], oy = line % g->out[0];
  const size_t taps = g->conv->k / (size_t)w->kernel[0] * g->element;
  for (int64_t ky = 0; ky < w->kernel[0]; ky++) {
    const char *const row =
        conv_gather_input(g, batch, oy * w->strides[0] + ky * w->dilations[0] - g->pad[0]);
    char *const part = to + (size_t)ky * taps;
    const int64_t x = ox * w->strides[1] - g->pad[1];
    if (inside) {
      gather_inside(g, row, group, x, n, part, ld);
    }
    for (int64_t i = 0; i < n && !inside; i++) {
      gather_taps(g, row, group, x + i * w->strides[1], w->kernel[1], part + (size_t)i * ld);
    }
  }
}

void tarei_conv_gather(const tarei_conv_geometry *const g, const int64_t group, const size_t first,
                       const size_t m, char *const to, const size_t ld) {
  int64_t begin, end;
  tarei_conv_interior(g, &begin, &end);
  for (size_t i = 0; i < m;) {
    const int64_t line = (int64_t)(first + i) / g->out[1], ox = (int64_t)(first + i) % g->out[1];
    const bool inside = ox >= begin && ox < end;
    const int64_t stop = inside ? end : ox < begin ? begin : g->out[1];
    const int64_t n = stop - ox < (int64_t)(m - i) ? stop - ox : (int64_t)(m - i);
    gather_part(g, group, line, ox, n, inside, to + i * ld, ld);
    i += (size_t)n;
  }
}
