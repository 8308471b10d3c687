#include "engine/lower/conv/conv_rows.h"

#include "base/mem.h"
#include "engine/lower/conv/conv_slab.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

#define BLOCK_BYTES ((size_t)512 * 1024) /* gathered at a time: stays in L2 beside some weights */
#define LEAST_ROWS 64 /* at a time: the weights come from further away for each block */
#define MOST_ROWS 512
#define NEAR_WEIGHTS \
  ((size_t)512 * 1024)                 /* bytes: they stay in L2 when each line meets them anew */
#define LEAST_LINE 6                   /* outputs, below which a product for each is not worth it */
#define LEAST_SHARED ((size_t)1 << 15) /* multiply-adds that are worth another thread */

/* Windows that take nothing beside the one element of the second axis. */
static bool has_column(const tarei_step *const step, const tarei_conv *const c) {
  const tarei_graph *const g = step->graph;
  int64_t in, out;
  return c->space == 2 && c->window.kernel[1] == 1 &&
         tarei_expr_is_const(g->exprs, g->values[step->node->in[0]].dims[2], &in) && in == 1 &&
         tarei_expr_is_const(g->exprs, g->values[step->node->out[0]].dims[2], &out) && out == 1 &&
         tarei_window_padding(&c->window, 1, in, out).before == 0;
}

tare_status tarei_conv_read(const tarei_step *const step, tarei_conv *const c,
                            tare_error *const err) {
  const tarei_node *const node = step->node;
  const tarei_value *const w = &step->graph->values[node->in[1]];
  *c = (tarei_conv){.space = w->rank - 2};
  TAREI_TRY(tarei_want_weights(step, err));
  if (c->space < 1 || c->space > 2) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "convolution over %d axes, 1 or 2 are supported",
                      c->space);
  }
  TAREI_TRY(tarei_ops_window(step->graph, node, c->space, w->dims + 1, &c->window, err));
  tarei_window_widen(&c->window, 2);
  c->column = has_column(step, c);
  c->group = tarei_attr_int(node, "group", 1);
  const tare_tensor t = tarei_value_tensor(step->graph, node->in[1]);
  c->outputs = t.dims[0];
  const int64_t per_group = t.dims[c->space + 1];
  c->channels = per_group * c->group;
  c->k = (size_t)(tarei_conv_taps(c) * per_group);
  return TARE_OK;
}

bool tarei_conv_is_depthwise(const tarei_conv *const c) {
  return c->group > 1 && c->group == c->channels && c->group == c->outputs;
}

bool tarei_conv_has_planes(const tarei_conv *const c) {
  return c->space == 2 && !c->column;
}

int64_t tarei_conv_taps(const tarei_conv *const c) {
  return c->window.kernel[0] * c->window.kernel[1];
}

int64_t tarei_conv_tap(const tarei_conv *const c, const int64_t j) {
  return j % c->window.kernel[0] * c->window.kernel[1] + j / c->window.kernel[0];
}

/* Are the taps of each line side by side? */
static bool taps_are_joined(const tarei_window *const w) {
  return w->dilations[1] == 1 || w->kernel[1] == 1;
}

int64_t tarei_conv_stretches(const tarei_conv *const c) {
  return c->window.kernel[0] * (taps_are_joined(&c->window) ? 1 : c->window.kernel[1]);
}

int64_t tarei_conv_threads(const tarei_conv *const c, const tarei_run *const run,
                           const tare_tensor *const out) {
  return tarei_times(tare_tensor_count(out), c->k) < LEAST_SHARED ? 1 : run->threads;
}

static size_t conv_rows_row_bytes(const tarei_conv *const c, const size_t element) {
  return tarei_round_up(c->k * element, TAREI_ALIGN);
}

static size_t fitting(const size_t bytes) {
  const size_t rows = BLOCK_BYTES / (bytes ? bytes : 1);
  return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

/* Along one axis the channels of a group, side by side, hold all rows: they overlap. */
static bool has_lines(const tarei_conv *const c) {
  return c->space == 1 && c->group > 1 && c->window.dilations[1] == 1;
}

static size_t line_step(const tarei_conv *const c, const size_t element) {
  return (size_t)(c->window.strides[1] * (c->channels / c->group)) * element;
}

/* Along one axis without groups, rows are gathered at the ends of the input only. */
static bool is_direct(const tarei_conv *const c) {
  return c->space == 1 && c->group == 1 &&
         (c->window.dilations[1] == 1 || c->window.kernel[1] == 1);
}

/* The same, but their taps lie apart: rows of as many parts. */
bool tarei_conv_is_dilated_line(const tarei_conv *const c) {
  return c->space == 1 && c->group == 1 && !is_direct(c);
}

/* Rows of a gathered block, out of `total`. */
static size_t conv_rows_in_block(const tarei_conv *const c, const size_t element,
                                 const size_t total) {
  const size_t rows = is_direct(c)   ? LEAST_ROWS
                      : has_lines(c) ? fitting(line_step(c, element))
                                     : fitting(conv_rows_row_bytes(c, element));
  return rows < total ? rows : total ? total : 1;
}

/* Of the gathered rows. */
static size_t block_bytes(const tarei_conv *const c, const size_t element, const size_t total) {
  const size_t rows = conv_rows_in_block(c, element, total);
  const size_t bytes =
      has_lines(c) ? tarei_plus(tarei_times(rows - 1, line_step(c, element)), c->k * element)
                   : tarei_times(rows, conv_rows_row_bytes(c, element));
  return tarei_plus(tarei_round_up(bytes, TAREI_ALIGN), TAREI_ALIGN);
}

static size_t positions_of(const tarei_conv *const c, const tare_tensor *const out) {
  return (size_t)tare_tensor_count(out) / (size_t)c->outputs;
}

/* Rows, and the lines that they are gathered from. */
static size_t conv_rows_thread_bytes(const tarei_conv *const c, const tare_tensor *const out,
                                     const size_t element) {
  const size_t total = positions_of(c, out);
  return tarei_plus(block_bytes(c, element, total),
                    tarei_conv_slab_bytes(c, out, element, conv_rows_in_block(c, element, total)));
}

size_t tarei_conv_scratch(const tarei_conv *const c, const tare_tensor *const out,
                          const size_t element, const int threads) {
  return tarei_times(conv_rows_thread_bytes(c, out, element), (size_t)threads);
}

/* What the threads of one run share. */
typedef struct conv_rows_job {
  tarei_conv_geometry g;
  const tarei_run *run;
  tarei_conv_rows_fn rows;
  const void *user;
  size_t total;    /* output positions */
  int64_t threads; /* to be used */
  size_t thread_bytes;
  bool slabs;         /* see conv_slab.h */
  bool lines;         /* rows in parts, where the input lies */
  bool apart;         /* the same along one axis */
  bool blocks;        /* `apart`, in blocks */
  int64_t begin, end; /* outputs along the axis whose taps all lie inside the input */
  int64_t size;       /* outputs of a block */
} conv_rows_job;

static char *scratch_of(const conv_rows_job *const j, const int thread) {
  return tarei_thread_scratch(j->run, thread, j->thread_bytes);
}

/* Rows of a line of outputs, whose windows lie inside the input. */
static tarei_conv_row_set line_rows(const tarei_conv_geometry *const g, const size_t first,
                                    const size_t most) {
  const tarei_window *const w = &g->conv->window;
  const size_t pixel = (size_t)g->conv->channels * g->element;
  const int64_t line = (int64_t)first / g->out[1], ox = (int64_t)first % g->out[1];
  const int64_t y = line / g->out[0] * g->in[0] + line % g->out[0] * w->strides[0];
  const size_t left = (size_t)(g->out[1] - ox);
  return (tarei_conv_row_set){.a = g->x + (size_t)(y * g->in[1] + ox * w->strides[1]) * pixel,
                              .lda = (size_t)w->strides[1] * pixel,
                              .m = left < most ? left : most,
                              .parts = (size_t)w->kernel[0],
                              .part_step = (size_t)(w->dilations[0] * g->in[1]) * pixel,
                              .pieces = taps_are_joined(w) ? 1 : (size_t)w->kernel[1],
                              .piece_step = (size_t)w->dilations[1] * pixel};
}

size_t tarei_conv_block_rows(const tarei_conv *const c, const size_t element) {
  return fitting(conv_rows_row_bytes(c, element));
}

static void each_line(const conv_rows_job *const j, const tarei_conv_geometry *const g,
                      const size_t first, const size_t m, const size_t at, const int thread) {
  for (size_t i = 0; i < m;) {
    tarei_conv_row_set rows = line_rows(g, first + i, m - i);
    rows.first = at + i;
    rows.before = i;
    rows.block = m;
    j->rows(j->user, &rows, thread);
    i += rows.m;
  }
}

/* Rows [first, first + m) of a geometry, which are rows [at, at + m) of the outputs. */
static void gather_groups(const conv_rows_job *const j, const tarei_conv_geometry *const g,
                          const size_t first, const size_t m, const size_t at, const int thread) {
  if (j->lines) {
    each_line(j, g, first, m, at, thread);
    return;
  }
  char *const block = scratch_of(j, thread);
  const size_t lda = conv_rows_row_bytes(g->conv, g->element);
  for (int64_t group = 0; group < g->conv->group; group++) {
    tarei_conv_gather(g, group, first, m, block, lda);
    const tarei_conv_row_set rows = {
        .a = block, .lda = lda, .m = m, .parts = 1, .pieces = 1, .group = group, .first = at};
    j->rows(j->user, &rows, thread);
  }
}

/* Rows from r on whose slab is not much larger than they are: of one sample, and, where they are
 * less than a line, of one line. */
static size_t slab_rows(const conv_rows_job *const j, const size_t r, const size_t most) {
  const size_t line = (size_t)j->g.out[1], sample = (size_t)j->g.out[0] * line;
  const size_t of = most < line ? line : sample, left = of - r % of;
  return most < left ? most : left;
}

/* The same from a copy of the lines with their padding. */
static size_t gather_slab(const conv_rows_job *const j, const size_t r, const size_t most,
                          const int thread) {
  const size_t sample = (size_t)(j->g.out[0] * j->g.out[1]), m = slab_rows(j, r, most);
  const tarei_conv_block block = {
      .batch = (int64_t)(r / sample), .position = (int64_t)(r % sample), .count = (int64_t)m};
  char *const slab = scratch_of(j, thread) + block_bytes(j->g.conv, j->g.element, j->total);
  size_t first;
  const tarei_conv_geometry g = tarei_conv_slab_fill(&j->g, block, slab, &first);
  gather_groups(j, &g, first, m, r, thread);
  return m;
}

static void gathered(const conv_rows_job *const j, const size_t first, const size_t last,
                     const int thread) {
  const size_t most = conv_rows_in_block(j->g.conv, j->g.element, j->total);
  for (size_t r = first; r < last;) {
    const size_t m = last - r < most ? last - r : most;
    if (j->slabs) {
      r += gather_slab(j, r, m, thread);
    } else {
      gather_groups(j, &j->g, r, m, r, thread);
      r += m;
    }
  }
}

/* Outputs [t0, t1) of a sample, whose windows along one axis lie inside the input. */
static void conv_rows_direct(const conv_rows_job *const j, const int64_t b, const int64_t t0,
                             const int64_t t1, const int thread) {
  const tarei_conv_geometry *const g = &j->g;
  const tarei_conv *const c = g->conv;
  const size_t pixel = (size_t)c->channels * g->element;
  const int64_t most = j->blocks ? (int64_t)tarei_conv_block_rows(c, g->element) : t1 - t0;
  for (int64_t t = t0; t < t1; t += most) {
    const int64_t start = t * c->window.strides[1] - g->pad[1], m = t1 - t < most ? t1 - t : most;
    const tarei_conv_row_set rows = {.a = g->x + (size_t)(b * g->in[1] + start) * pixel,
                                     .lda = (size_t)c->window.strides[1] * pixel,
                                     .m = (size_t)m,
                                     .parts = j->apart ? (size_t)c->window.kernel[1] : 1,
                                     .part_step = (size_t)c->window.dilations[1] * pixel,
                                     .pieces = 1,
                                     .first = (size_t)(b * g->out[1] + t),
                                     .block = j->blocks ? (size_t)m : 0};
    j->rows(j->user, &rows, thread);
  }
}

static void conv_rows_one_block(const conv_rows_job *const j, const int64_t b, const int64_t t0,
                                const int64_t t1, const int thread) {
  const tarei_conv_geometry *const g = &j->g;
  const size_t base = (size_t)(b * g->out[1]);
  const int64_t in0 = t0 > j->begin ? t0 : j->begin, in1 = t1 < j->end ? t1 : j->end;
  if (in0 >= in1) {
    gathered(j, base + (size_t)t0, base + (size_t)t1, thread);
    return;
  }
  gathered(j, base + (size_t)t0, base + (size_t)in0, thread);
  conv_rows_direct(j, b, in0, in1, thread);
  gathered(j, base + (size_t)in1, base + (size_t)t1, thread);
}

static int64_t blocks_of(const conv_rows_job *const j) {
  return (j->g.out[1] + j->size - 1) / j->size;
}

static int64_t block_end(const conv_rows_job *const j, const int64_t t0) {
  return t0 + j->size < j->g.out[1] ? t0 + j->size : j->g.out[1];
}

static void direct_item(const void *const user, const size_t i, const int thread) {
  const conv_rows_job *const j = user;
  const int64_t per_batch = blocks_of(j), t0 = (int64_t)i % per_batch * j->size;
  conv_rows_one_block(j, (int64_t)i / per_batch, t0, block_end(j, t0), thread);
}

static void gathered_item(const void *const user, const size_t i, const int thread) {
  const conv_rows_job *const j = user;
  const size_t first = i * (size_t)j->size, last = first + (size_t)j->size;
  gathered(j, first, last < j->total ? last : j->total, thread);
}

/* Groups come last: a thread goes through the weights of its own. */
static void conv_rows_line_item(const void *const user, const size_t i, const int thread) {
  const conv_rows_job *const j = user;
  const tarei_conv_geometry *const g = &j->g;
  const tarei_conv *const c = g->conv;
  const int64_t per_batch = blocks_of(j), per_group = per_batch * g->batch;
  const int64_t group = (int64_t)i / per_group, rest = (int64_t)i % per_group;
  const int64_t batch = rest / per_batch, t0 = rest % per_batch * j->size;
  const int64_t m = block_end(j, t0) - t0;
  char *const line = scratch_of(j, thread);
  tarei_conv_gather_line(g, group, batch, t0 * c->window.strides[1] - g->pad[1],
                         (m - 1) * c->window.strides[1] + c->window.kernel[1], line);
  const tarei_conv_row_set rows = {.a = line,
                                   .lda = line_step(c, g->element),
                                   .m = (size_t)m,
                                   .parts = 1,
                                   .pieces = 1,
                                   .group = group,
                                   .first = (size_t)(batch * g->out[1] + t0)};
  j->rows(j->user, &rows, thread);
}

/* Even shares of at most `most`, one for each thread at least. */
static int64_t conv_rows_share(const int64_t n, const int64_t parts, const int64_t most) {
  const int64_t even = (n + parts - 1) / parts;
  const int64_t pieces = (even + most - 1) / most;
  return pieces ? (even + pieces - 1) / pieces : 1;
}

static bool is_pointwise(const tarei_conv_geometry *const g) {
  const tarei_conv *const c = g->conv;
  bool plain = c->group == 1;
  for (int a = 0; a < 2; a++) {
    plain = plain && c->window.kernel[a] == 1 && c->window.strides[a] == 1 && g->pad[a] == 0 &&
            g->in[a] == g->out[a];
  }
  return plain;
}

/* Whatever its axes, a pointwise convolution is one product of all positions. */
static void flatten(tarei_conv_geometry *const g) {
  g->in[1] = g->out[1] = g->batch * g->out[0] * g->out[1];
  g->in[0] = g->out[0] = g->batch = 1;
}

static void conv_rows_run_job(conv_rows_job *const j) {
  tarei_conv_geometry *const g = &j->g;
  const tarei_conv *const c = g->conv;
  const int64_t threads = j->threads;
  tarei_team *const team = threads > 1 ? j->run->team : NULL;
  const bool pointwise = is_pointwise(g);
  if (pointwise) {
    flatten(g);
  }
  if (pointwise || is_direct(c) || j->apart) {
    tarei_conv_interior(g, &j->begin, &j->end);
    j->size = conv_rows_share(g->out[1], threads, (int64_t)fitting(line_step(c, g->element)) * 4);
    tarei_team_run(team, (size_t)(g->batch * blocks_of(j)), direct_item, j);
  } else if (has_lines(c)) {
    const int64_t items = g->batch * c->group;
    j->size = conv_rows_share(g->out[1], items >= threads ? 1 : threads,
                              (int64_t)conv_rows_in_block(c, g->element, j->total));
    tarei_team_run(team, (size_t)(items * blocks_of(j)), conv_rows_line_item, j);
  } else {
    j->size = conv_rows_share((int64_t)j->total, threads,
                              (int64_t)conv_rows_in_block(c, g->element, j->total));
    tarei_team_run(team, (j->total + (size_t)j->size - 1) / (size_t)j->size, gathered_item, j);
  }
}

/* Are all windows inside what is read, and lines long enough? */
static bool has_parts(const tarei_conv_geometry *const g, const tarei_conv_parts parts,
                      const bool padded) {
  const tarei_conv *const c = g->conv;
  const bool blocks = parts == TAREI_CONV_PARTS_BY_BLOCKS;
  const size_t weights = tarei_times(c->k, (size_t)c->outputs * g->element);
  return parts != TAREI_CONV_NO_PARTS && c->space == 2 && c->group == 1 &&
         g->out[1] >= LEAST_LINE &&
         (blocks || (taps_are_joined(&c->window) && weights <= NEAR_WEIGHTS)) &&
         (padded || tarei_conv_is_inside(g));
}

void tarei_conv_row(const tarei_conv *const c, const tare_tensor *const x,
                    const tare_tensor *const out, const size_t element, const uint8_t pad_byte,
                    const size_t position, void *const row) {
  const tarei_conv_geometry g = tarei_conv_geometry_of(c, x, out, element, pad_byte);
  tarei_conv_gather(&g, 0 /* group */, position, 1, row, c->k * element);
}

void tarei_conv_rows(const tarei_conv *const c, const tarei_run *const run,
                     const tare_tensor *const x, const tare_tensor *const out, const size_t element,
                     const uint8_t pad_byte, const tarei_conv_parts parts,
                     const tarei_conv_rows_fn rows, const void *const user) {
  conv_rows_job j = {.g = tarei_conv_geometry_of(c, x, out, element, pad_byte),
                     .run = run,
                     .rows = rows,
                     .user = user};
  j.total = positions_of(c, out);
  j.threads = tarei_conv_threads(c, run, out);
  j.thread_bytes = conv_rows_thread_bytes(c, out, element);
  j.slabs = tarei_conv_needs_slab(&j.g);
  j.lines = has_parts(&j.g, parts, j.slabs);
  j.apart = parts != TAREI_CONV_NO_PARTS && tarei_conv_is_dilated_line(c);
  j.blocks = j.apart && parts == TAREI_CONV_PARTS_BY_BLOCKS;
  if (j.total > 0) {
    conv_rows_run_job(&j);
  }
}
