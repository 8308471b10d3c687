#include "engine/lower/conv_rows.h"

#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

#define GATHERED_ROWS 64 /* rows gathered at a time: their block stays in L2 */
#define DIRECT_ROWS 256  /* rows read in place at a time: a thread's share of work */

static void read_pair(const tarei_node *const node, const char *const name, const int space,
                      const int64_t fallback, int64_t *const out) {
  const tarei_attr *const a = tarei_attr_find(node, name);
  out[0] = out[1] = fallback;
  for (int i = 0; a && a->n >= space && i < space; i++) {
    out[2 - space + i] = a->ints[i];
  }
}

tare_status tarei_conv_read(const tarei_step *const step, tarei_conv *const c,
                            tare_error *const err) {
  const tarei_node *const node = step->node;
  const tarei_value *const w = &step->graph->values[node->in[1]];
  *c = (tarei_conv){.space = w->rank - 2};
  TARE_TRY(tarei_want_weights(step, err));
  if (c->space < 1 || c->space > 2) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "convolution over %d axes, 1 or 2 are supported",
                      c->space);
  }
  read_pair(node, "strides", c->space, 1, c->stride);
  read_pair(node, "dilations", c->space, 1, c->dilation);
  read_pair(node, "pads", c->space, 0, c->pad);
  if (c->space == 1) {
    c->stride[0] = c->dilation[0] = 1;
    c->pad[0] = 0;
  }
  const char *const auto_pad = tarei_attr_string(node, "auto_pad", "NOTSET");
  c->auto_pad = strcmp(auto_pad, "SAME_UPPER") == 0   ? 1
                : strcmp(auto_pad, "SAME_LOWER") == 0 ? 2
                                                      : 0;
  if (strcmp(auto_pad, "VALID") == 0) {
    c->pad[0] = c->pad[1] = 0;
  }
  c->group = tarei_attr_int(node, "group", 1);
  const tare_tensor t = tarei_value_tensor(step->graph, node->in[1]);
  c->outputs = t.dims[0];
  c->kernel[0] = c->space == 2 ? t.dims[1] : 1;
  c->kernel[1] = t.dims[c->space];
  const int64_t per_group = t.dims[c->space + 1];
  c->channels = per_group * c->group;
  c->k = (size_t)(c->kernel[0] * c->kernel[1] * per_group);
  return TARE_OK;
}

bool tarei_conv_is_depthwise(const tarei_conv *const c) {
  return c->space == 1 && c->group > 1 && c->group == c->channels && c->group == c->outputs;
}

static int64_t pad_before(const tarei_conv *const c, const int axis, const int64_t in_length,
                       const int64_t out_length) {
  if (!c->auto_pad) {
    return c->pad[axis];
  }
  const int64_t span = (c->kernel[axis] - 1) * c->dilation[axis] + 1;
  const int64_t total = (out_length - 1) * c->stride[axis] + span - in_length;
  const int64_t both = total > 0 ? total : 0;
  return c->auto_pad == 1 ? both / 2 : both - both / 2;
}

/* The sizes of one run. */
typedef struct geometry {
  const tarei_conv *conv;
  const char *x;
  size_t element;
  uint8_t pad_byte;
  int64_t in[2], out[2], pad[2], batch;
} geometry;

/* Gathers the taps of one output position and group. */
static void gather_row(const geometry *const g, const int64_t group, const size_t row,
                       char *const to) {
  const tarei_conv *const c = g->conv;
  const int64_t per_batch = g->out[0] * g->out[1];
  const int64_t b = (int64_t)row / per_batch, position = (int64_t)row % per_batch;
  const int64_t oy = position / g->out[1], ox = position % g->out[1];
  const size_t run = (size_t)(c->channels / c->group) * g->element;
  const size_t pixel = (size_t)c->channels * g->element;
  char *at = to;
  for (int64_t ky = 0; ky < c->kernel[0]; ky++) {
    const int64_t y = oy * c->stride[0] + ky * c->dilation[0] - g->pad[0];
    for (int64_t kx = 0; kx < c->kernel[1]; kx++, at += run) {
      const int64_t x = ox * c->stride[1] + kx * c->dilation[1] - g->pad[1];
      if (y < 0 || y >= g->in[0] || x < 0 || x >= g->in[1]) {
        memset(at, g->pad_byte, run);
      } else {
        memcpy(at,
               g->x + ((size_t)((b * g->in[0] + y) * g->in[1] + x)) * pixel + (size_t)group * run,
               run);
      }
    }
  }
}

static size_t row_bytes(const tarei_conv *const c, const size_t element) {
  return tarei_round_up(c->k * element, TAREI_ALIGN);
}

size_t tarei_conv_scratch(const tarei_conv *const c, const size_t element, const int threads) {
  return (row_bytes(c, element) * GATHERED_ROWS + TAREI_ALIGN) * (size_t)threads;
}

static void gathered(const geometry *const g, const size_t first, const size_t last,
                     char *const block, const tarei_conv_rows_fn rows, const void *const user) {
  const size_t lda = row_bytes(g->conv, g->element);
  for (size_t r = first; r < last; r += GATHERED_ROWS) {
    const size_t m = last - r < GATHERED_ROWS ? last - r : GATHERED_ROWS;
    for (int64_t group = 0; group < g->conv->group; group++) {
      for (size_t i = 0; i < m; i++) {
        gather_row(g, group, r + i, block + i * lda);
      }
      rows(user, block, lda, m, group, r);
    }
  }
}

/* First and last + 1 output along the axis whose taps all lie inside the input. */
static void interior(const geometry *const g, int64_t *const begin, int64_t *const end) {
  const tarei_conv *const c = g->conv;
  const int64_t stride = c->stride[1];
  const int64_t last_start = g->in[1] - c->kernel[1] + g->pad[1];
  *begin = (g->pad[1] + stride - 1) / stride;
  *end = last_start < 0 ? 0 : last_start / stride + 1;
  *end = *end > g->out[1] ? g->out[1] : *end;
  *begin = *begin > *end ? *end : *begin;
}

static void one_block(const geometry *const g, const int64_t b, const int64_t t0, const int64_t t1,
                      const int64_t begin, const int64_t end, char *const block,
                      const tarei_conv_rows_fn rows, const void *const user) {
  const size_t base = (size_t)(b * g->out[1]);
  const int64_t in0 = t0 > begin ? t0 : begin, in1 = t1 < end ? t1 : end;
  if (in0 >= in1) {
    gathered(g, base + (size_t)t0, base + (size_t)t1, block, rows, user);
    return;
  }
  gathered(g, base + (size_t)t0, base + (size_t)in0, block, rows, user);
  const tarei_conv *const c = g->conv;
  const size_t pixel = (size_t)c->channels * g->element;
  const int64_t start = in0 * c->stride[1] - g->pad[1];
  rows(user, g->x + (size_t)(b * g->in[1] + start) * pixel, (size_t)c->stride[1] * pixel,
       (size_t)(in1 - in0), 0, base + (size_t)in0);
  gathered(g, base + (size_t)in1, base + (size_t)t1, block, rows, user);
}

static void direct(const geometry *const g, char *const scratch, const int threads,
                   const tarei_conv_rows_fn rows, const void *const user) {
  int64_t begin, end;
  interior(g, &begin, &end);
  const size_t per_thread = row_bytes(g->conv, g->element) * GATHERED_ROWS + TAREI_ALIGN;
  int64_t size = (g->out[1] + threads - 1) / threads;
  size = size > DIRECT_ROWS ? DIRECT_ROWS : size;
  const int64_t per_batch = (g->out[1] + size - 1) / size;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int64_t i = 0; i < g->batch * per_batch; i++) {
    const int64_t t0 = i % per_batch * size;
    const int64_t t1 = t0 + size < g->out[1] ? t0 + size : g->out[1];
    one_block(g, i / per_batch, t0, t1, begin, end,
              scratch + (size_t)tarei_thread_number() * per_thread, rows, user);
  }
}

void tarei_conv_rows(const tarei_conv *const c, const tare_tensor *const x,
                     const tare_tensor *const out, const size_t element, const uint8_t pad_byte,
                     void *const scratch, const int threads, const tarei_conv_rows_fn rows,
                     const void *const user) {
  geometry g = {
      .conv = c, .x = x->data, .element = element, .pad_byte = pad_byte, .batch = x->dims[0]};
  g.in[0] = c->space == 2 ? x->dims[1] : 1;
  g.in[1] = x->dims[c->space];
  g.out[0] = c->space == 2 ? out->dims[1] : 1;
  g.out[1] = out->dims[c->space];
  for (int a = 0; a < 2; a++) {
    g.pad[a] = pad_before(c, a, g.in[a], g.out[a]);
  }
  const size_t total = (size_t)(g.batch * g.out[0] * g.out[1]);
  if (total == 0) {
    return;
  }
  if (c->space == 1 && c->group == 1 && (c->dilation[1] == 1 || c->kernel[1] == 1)) {
    direct(&g, scratch, threads, rows, user);
    return;
  }
  const size_t per_thread = row_bytes(c, element) * GATHERED_ROWS + TAREI_ALIGN;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (size_t r = 0; r < total; r += GATHERED_ROWS) {
    const size_t last = r + GATHERED_ROWS < total ? r + GATHERED_ROWS : total;
    gathered(&g, r, last, (char *)scratch + (size_t)tarei_thread_number() * per_thread, rows, user);
  }
}

void tarei_conv_spans(const tarei_conv *const c, const tare_tensor *const x,
                      const tare_tensor *const out, const size_t element, const int threads,
                      const tarei_conv_span_fn span, const void *const user) {
  const int64_t length = out->dims[1];
  int64_t size = (length + threads - 1) / threads;
  size = size > DIRECT_ROWS ? DIRECT_ROWS : size < 1 ? 1 : size;
  const int64_t per_batch = (length + size - 1) / size;
  const int64_t pad = pad_before(c, 1, x->dims[1], length);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int64_t i = 0; i < x->dims[0] * per_batch; i++) {
    const int64_t batch = i / per_batch, t0 = i % per_batch * size;
    tarei_dw_conv call = {
        .x = (const char *)x->data + (size_t)(batch * x->dims[1] * c->channels) * element,
        .ldx = (size_t)c->channels,
        .in_length = x->dims[1],
        .t0 = t0,
        .t1 = t0 + size < length ? t0 + size : length,
        .kernel = c->kernel[1],
        .stride = c->stride[1],
        .dilation = c->dilation[1],
        .pad = pad,
        .channels = (size_t)c->channels};
    span(user, &call, (size_t)(batch * length + t0));
  }
}
