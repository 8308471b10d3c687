/*
 * Depthwise convolutions over two axes, by the kernels for one: the rows that an output row meets
 * are interleaved column by column, so that the taps of a window lie side by side, and the next
 * window begins (stride x rows of the kernel) further. Where rows are short or taps lie apart, the
 * taps of every output are copied instead, and outputs of many rows go through one call.
 */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/conv/conv_rows.h"
#include "engine/threads.h"

enum {
  NARROW = 16,             /* outputs of a row, below which it is not worth a call */
  BLOCK_BYTES = 64 * 1024, /* of copied taps */
  LEAST_BLOCK = 4,         /* outputs */
  MOST_BLOCK = 64,
};

typedef struct plane_job {
  const tarei_conv *conv;
  const tarei_run *run;
  const char *x;
  size_t pixel; /* bytes of all channels */
  uint8_t pad_byte;
  int64_t in[2], out[2], pad[2], block;
  size_t total, thread_bytes;
  tarei_conv_span_fn span;
  const void *user;
} plane_job;

static size_t pixel_of(const tarei_conv *const c, const size_t element) {
  return (size_t)c->channels * element;
}

static int64_t block_of(const tarei_conv *const c, const size_t element) {
  const int64_t fit = BLOCK_BYTES / (int64_t)((size_t)tarei_conv_taps(c) * pixel_of(c, element));
  return fit < LEAST_BLOCK ? LEAST_BLOCK : fit > MOST_BLOCK ? MOST_BLOCK : fit;
}

static size_t conv_planes_thread_bytes(const tarei_conv *const c, const size_t element,
                                       const int64_t width) {
  const size_t pixel = pixel_of(c, element);
  const size_t line = tarei_times(tarei_times((size_t)width, (size_t)c->window.kernel[0]), pixel);
  const size_t taps = tarei_times((size_t)(block_of(c, element) * tarei_conv_taps(c)), pixel);
  return tarei_plus(tarei_round_up(line > taps ? line : taps, TAREI_ALIGN), TAREI_ALIGN);
}

size_t tarei_conv_spans_scratch(const tarei_conv *const c, const tare_tensor *const x,
                                const size_t element, const int threads) {
  return c->space == 2
             ? tarei_times(conv_planes_thread_bytes(c, element, x->dims[2]), (size_t)threads)
             : 0;
}

static void conv_planes_put(const plane_job *const j, const char *const row, const int64_t x,
                            char *const to) {
  if (row && x >= 0 && x < j->in[1]) {
    memcpy(to, row + (size_t)x * j->pixel, j->pixel);
  } else {
    memset(to, j->pad_byte, j->pixel);
  }
}

/* Row of the input that tap ky of output row oy meets; NULL in the padding. */
static const char *conv_planes_row_at(const plane_job *const j, const int64_t batch,
                                      const int64_t oy, const int64_t ky) {
  const tarei_conv *const c = j->conv;
  const int64_t y = oy * c->window.strides[0] + ky * c->window.dilations[0] - j->pad[0];
  return y < 0 || y >= j->in[0] ? NULL
                                : j->x + (size_t)((batch * j->in[0] + y) * j->in[1]) * j->pixel;
}

static tarei_dw_conv call_of(const plane_job *const j, const void *const x) {
  return (tarei_dw_conv){.x = x,
                         .ldx = (size_t)j->conv->channels,
                         .kernel = tarei_conv_taps(j->conv),
                         .dilation = 1,
                         .channels = (size_t)j->conv->channels};
}

/* One output row. */
static void conv_planes_line_item(const void *const user, const size_t i, const int thread) {
  const plane_job *const j = user;
  const tarei_conv *const c = j->conv;
  const int64_t batch = (int64_t)i / j->out[0], oy = (int64_t)i % j->out[0],
                rows = c->window.kernel[0];
  char *const line = tarei_thread_scratch(j->run, thread, j->thread_bytes);
  for (int64_t ky = 0; ky < rows; ky++) {
    const char *const from = conv_planes_row_at(j, batch, oy, ky);
    char *to = line + (size_t)ky * j->pixel;
    for (int64_t x = 0; x < j->in[1]; x++) {
      conv_planes_put(j, from, x, to);
      to += (size_t)rows * j->pixel;
    }
  }
  tarei_dw_conv call = call_of(j, line);
  call.in_length = j->in[1] * rows;
  call.t1 = j->out[1];
  call.stride = c->window.strides[1] * rows;
  call.pad = j->pad[1] * rows;
  j->span(j->user, &call, i * (size_t)j->out[1]);
}

/* All taps of an output, column by column. */
static void conv_planes_copy_taps(const plane_job *const j, const size_t position, char *to) {
  const tarei_conv *const c = j->conv;
  const int64_t row = (int64_t)position / j->out[1], ox = (int64_t)position % j->out[1];
  for (int64_t kx = 0; kx < c->window.kernel[1]; kx++) {
    const int64_t x = ox * c->window.strides[1] + kx * c->window.dilations[1] - j->pad[1];
    for (int64_t ky = 0; ky < c->window.kernel[0]; ky++) {
      conv_planes_put(j, conv_planes_row_at(j, row / j->out[0], row % j->out[0], ky), x, to);
      to += j->pixel;
    }
  }
}

static void taps_item(const void *const user, const size_t i, const int thread) {
  const plane_job *const j = user;
  const size_t first = i * (size_t)j->block, left = j->total - first;
  const size_t n = left < (size_t)j->block ? left : (size_t)j->block;
  const int64_t taps = tarei_conv_taps(j->conv);
  char *const block = tarei_thread_scratch(j->run, thread, j->thread_bytes);
  for (size_t p = 0; p < n; p++) {
    conv_planes_copy_taps(j, first + p, block + p * (size_t)taps * j->pixel);
  }
  tarei_dw_conv call = call_of(j, block);
  call.in_length = (int64_t)n * taps;
  call.t1 = (int64_t)n;
  call.stride = taps;
  j->span(j->user, &call, first);
}

void tarei_conv_planes(const tarei_conv *const c, const tarei_run *const run,
                       const tare_tensor *const x, const tare_tensor *const out,
                       const size_t element, const uint8_t pad_byte, const tarei_conv_span_fn span,
                       const void *const user) {
  plane_job j = {.conv = c,
                 .run = run,
                 .x = x->data,
                 .pixel = pixel_of(c, element),
                 .pad_byte = pad_byte,
                 .block = block_of(c, element),
                 .total = (size_t)(x->dims[0] * out->dims[1] * out->dims[2]),
                 .thread_bytes = conv_planes_thread_bytes(c, element, x->dims[2]),
                 .span = span,
                 .user = user};
  for (int a = 0; a < 2; a++) {
    j.in[a] = x->dims[1 + a];
    j.out[a] = out->dims[1 + a];
    j.pad[a] = tarei_window_padding(&c->window, a, j.in[a], j.out[a]).before;
  }
  if (j.total == 0) {
    return;
  }
  if (c->window.dilations[1] == 1 && j.out[1] >= NARROW) {
    tarei_team_run(run->team, (size_t)(x->dims[0] * j.out[0]), conv_planes_line_item, &j);
  } else {
    tarei_team_run(run->team, (j.total + (size_t)j.block - 1) / (size_t)j.block, taps_item, &j);
  }
}
