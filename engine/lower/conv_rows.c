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

static size_t thread_bytes(const tarei_conv *const c, const size_t element) {
  return row_bytes(c, element) * GATHERED_ROWS + TAREI_ALIGN;
}

size_t tarei_conv_scratch(const tarei_conv *const c, const size_t element, const int threads) {
  return thread_bytes(c, element) * (size_t)threads;
}

/* What the threads of one run share. */
typedef struct job {
  geometry g;
  const tarei_run *run;
  tarei_conv_rows_fn rows;
  const void *user;
  size_t total;       /* output positions */
  int64_t begin, end; /* outputs along the axis whose taps all lie inside the input */
  int64_t size;       /* outputs of a block */
} job;

static void gathered(const job *const j, const size_t first, const size_t last, const int thread) {
  const geometry *const g = &j->g;
  char *const block = tarei_thread_scratch(j->run, thread, thread_bytes(g->conv, g->element));
  const size_t lda = row_bytes(g->conv, g->element);
  for (size_t r = first; r < last; r += GATHERED_ROWS) {
    const size_t m = last - r < GATHERED_ROWS ? last - r : GATHERED_ROWS;
    for (int64_t group = 0; group < g->conv->group; group++) {
      for (size_t i = 0; i < m; i++) {
        gather_row(g, group, r + i, block + i * lda);
      }
      j->rows(j->user, block, lda, m, group, r, thread);
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

static void one_block(const job *const j, const int64_t b, const int64_t t0, const int64_t t1,
                      const int thread) {
  const geometry *const g = &j->g;
  const size_t base = (size_t)(b * g->out[1]);
  const int64_t in0 = t0 > j->begin ? t0 : j->begin, in1 = t1 < j->end ? t1 : j->end;
  if (in0 >= in1) {
    gathered(j, base + (size_t)t0, base + (size_t)t1, thread);
    return;
  }
  gathered(j, base + (size_t)t0, base + (size_t)in0, thread);
  const tarei_conv *const c = g->conv;
  const size_t pixel = (size_t)c->channels * g->element;
  const int64_t start = in0 * c->stride[1] - g->pad[1];
  j->rows(j->user, g->x + (size_t)(b * g->in[1] + start) * pixel, (size_t)c->stride[1] * pixel,
          (size_t)(in1 - in0), 0, base + (size_t)in0, thread);
  gathered(j, base + (size_t)in1, base + (size_t)t1, thread);
}

static int64_t blocks_of(const job *const j) {
  return (j->g.out[1] + j->size - 1) / j->size;
}

static void direct_item(const void *const user, const size_t i, const int thread) {
  const job *const j = user;
  const int64_t per_batch = blocks_of(j), t0 = (int64_t)i % per_batch * j->size;
  const int64_t t1 = t0 + j->size < j->g.out[1] ? t0 + j->size : j->g.out[1];
  one_block(j, (int64_t)i / per_batch, t0, t1, thread);
}

static void gathered_item(const void *const user, const size_t i, const int thread) {
  const job *const j = user;
  const size_t first = i * GATHERED_ROWS, last = first + GATHERED_ROWS;
  gathered(j, first, last < j->total ? last : j->total, thread);
}

/* Even shares, but none so large that its rows leave L2. */
static int64_t span_size(const int64_t length, const tarei_run *const run) {
  const int64_t size = (length + run->threads - 1) / run->threads;
  return size > DIRECT_ROWS ? DIRECT_ROWS : size < 1 ? 1 : size;
}

void tarei_conv_rows(const tarei_conv *const c, const tarei_run *const run,
                     const tare_tensor *const x, const tare_tensor *const out,
                     const size_t element, const uint8_t pad_byte, const tarei_conv_rows_fn rows,
                     const void *const user) {
  job j = {.run = run, .rows = rows, .user = user};
  geometry *const g = &j.g;
  *g = (geometry){
      .conv = c, .x = x->data, .element = element, .pad_byte = pad_byte, .batch = x->dims[0]};
  g->in[0] = c->space == 2 ? x->dims[1] : 1;
  g->in[1] = x->dims[c->space];
  g->out[0] = c->space == 2 ? out->dims[1] : 1;
  g->out[1] = out->dims[c->space];
  for (int a = 0; a < 2; a++) {
    g->pad[a] = pad_before(c, a, g->in[a], g->out[a]);
  }
  j.total = (size_t)(g->batch * g->out[0] * g->out[1]);
  if (j.total == 0) {
    return;
  }
  if (c->space == 1 && c->group == 1 && (c->dilation[1] == 1 || c->kernel[1] == 1)) {
    interior(g, &j.begin, &j.end);
    j.size = span_size(g->out[1], run);
    tarei_team_run(run->team, (size_t)(g->batch * blocks_of(&j)), direct_item, &j);
  } else {
    tarei_team_run(run->team, (j.total + GATHERED_ROWS - 1) / GATHERED_ROWS, gathered_item, &j);
  }
}

typedef struct span_job {
  const tarei_conv *conv;
  const tare_tensor *x;
  size_t element;
  int64_t length, size, per_batch, pad;
  tarei_conv_span_fn span;
  const void *user;
} span_job;

static void span_item(const void *const user, const size_t i, const int thread) {
  (void)thread;
  const span_job *const j = user;
  const tarei_conv *const c = j->conv;
  const int64_t batch = (int64_t)i / j->per_batch, t0 = (int64_t)i % j->per_batch * j->size;
  tarei_dw_conv call = {
      .x = (const char *)j->x->data + (size_t)(batch * j->x->dims[1] * c->channels) * j->element,
      .ldx = (size_t)c->channels,
      .in_length = j->x->dims[1],
      .t0 = t0,
      .t1 = t0 + j->size < j->length ? t0 + j->size : j->length,
      .kernel = c->kernel[1],
      .stride = c->stride[1],
      .dilation = c->dilation[1],
      .pad = j->pad,
      .channels = (size_t)c->channels};
  j->span(j->user, &call, (size_t)(batch * j->length + t0));
}

void tarei_conv_spans(const tarei_conv *const c, const tarei_run *const run,
                      const tare_tensor *const x, const tare_tensor *const out,
                      const size_t element, const tarei_conv_span_fn span,
                      const void *const user) {
  const int64_t length = out->dims[1], size = span_size(length, run);
  const span_job j = {.conv = c,
                      .x = x,
                      .element = element,
                      .length = length,
                      .size = size,
                      .per_batch = (length + size - 1) / size,
                      .pad = pad_before(c, 1, x->dims[1], length),
                      .span = span,
                      .user = user};
  tarei_team_run(run->team, (size_t)(x->dims[0] * j.per_batch), span_item, &j);
}
