#include "engine/lower/conv/plane_conv.h"

#include <string.h>

#include "base/mem.h"
#include "base/team.h"
#include "engine/threads.h"

#define LEAST ((size_t)1 << 13)       /* elements that are worth a range */
#define PIECE 512                     /* outputs of a line */
#define BLOCK_BYTES ((size_t)1 << 18) /* of the input under a block of pieces: stays in L2 */
#define BAND_BYTES ((size_t)1 << 16)  /* of the copy, for each thread */
#define SHARES 4                      /* of a thread, so that none waits long for another */
#define WAY 1024         /* elements: what lies so far apart shares the sets of a cache */
#define MANY_CHANNELS 16 /* more than a set holds */
#define SPACING 16       /* elements between planes that would collide */

/* The planes that are read: of the input, or copied. */
typedef struct plane_layout {
  bool copied;
  int last;                     /* axis */
  size_t dims[TAREI_MAX_SPACE]; /* elements along each axis that windows reach, with padding */
  size_t ld[TAREI_MAX_SPACE];   /* of a step along each axis */
  size_t phase;                 /* elements of each of the lines that a stride makes of one */
  size_t line, lines, plane;    /* elements of a line, lines of a plane, elements between planes */
} plane_layout;

typedef struct plane_conv_job {
  const tarei_plane_convolution *c;
  const tarei_run *run;
  tarei_windows w;
  plane_layout layout;
  size_t channels, outputs, group_channels, group_outputs, k; /* k: elements of a window */
  size_t n_pieces, line_pieces, block;                        /* pieces of a block */
  size_t *offsets;                                            /* [k] */
  tarei_conv_piece *pieces;
  float *copy;
  size_t sample, first_group; /* that are being done */
} plane_conv_job;

/* Whatever the sizes of a run, so that scratch memory grows with them. */
static bool needs_copy(const tarei_window *const k) {
  bool needed = k->strides[k->n - 1] > 1 || k->auto_pad == TAREI_PAD_SAME_UPPER ||
                k->auto_pad == TAREI_PAD_SAME_LOWER;
  for (int i = 0; i < 2 * k->n; i++) {
    needed |= k->pads[i] > 0;
  }
  return needed;
}

/* Planes whose elements at one place push each other out of the caches. */
static bool planes_collide(const size_t plane) {
  return plane % WAY == 0;
}

static bool has_many_channels(const tarei_plane_convolution *const c) {
  return c->x->dims[1] / c->group >= MANY_CHANNELS;
}

static plane_layout plane_layout_of(const tarei_plane_convolution *const c,
                                    const tarei_windows *const w) {
  const tarei_window *const k = w->window;
  const bool collide = has_many_channels(c) && planes_collide((size_t)w->in_plane);
  plane_layout l = {.copied = needs_copy(k) || collide, .last = k->n - 1};
  for (int a = 0; a < k->n; a++) {
    const int64_t last = (w->out[a] - 1) * k->strides[a] + (k->kernel[a] - 1) * k->dilations[a];
    l.dims[a] = last < 0 ? 0 : (size_t)last + 1;
  }
  const size_t stride = (size_t)k->strides[l.last];
  l.phase = (l.dims[l.last] + stride - 1) / stride;
  l.line = l.copied ? tarei_times(l.phase, stride) : (size_t)w->in[l.last];
  l.ld[l.last] = 1;
  l.lines = 1;
  for (int a = l.last - 1; a >= 0; a--) {
    l.ld[a] = tarei_times(l.line, l.lines);
    l.lines = tarei_times(l.lines, l.copied ? l.dims[a] : (size_t)w->in[a]);
  }
  l.plane = tarei_times(l.line, l.lines);
  l.plane += l.copied && planes_collide(l.plane) ? SPACING : 0;
  return l;
}

static size_t count_lines(const tarei_windows *const w) {
  size_t lines = 1;
  for (int a = 0; a + 1 < w->window->n; a++) {
    lines *= (size_t)w->out[a];
  }
  return lines;
}

static plane_conv_job plane_conv_job_of(const tarei_plane_convolution *const c) {
  plane_conv_job j = {.c = c, .w = tarei_windows_of(c->window, c->x->dims + 2, c->out->dims + 2)};
  j.layout = plane_layout_of(c, &j.w);
  j.channels = (size_t)c->x->dims[1];
  j.outputs = (size_t)c->out->dims[1];
  j.group_channels = j.channels / (size_t)c->group;
  j.group_outputs = j.outputs / (size_t)c->group;
  j.k = j.group_channels * (size_t)j.w.taps;
  j.line_pieces = ((size_t)j.w.out[j.layout.last] + PIECE - 1) / PIECE;
  j.n_pieces = count_lines(&j.w) * j.line_pieces;
  return j;
}

static size_t tap_offsets_bytes(const plane_conv_job *const j) {
  return tarei_round_up(tarei_times(j->k, sizeof *j->offsets), TAREI_ALIGN);
}

static size_t conv_pieces_bytes(const plane_conv_job *const j) {
  return tarei_round_up(tarei_times(j->n_pieces, sizeof *j->pieces), TAREI_ALIGN);
}

/* Bytes of the copy of a group's planes; more for larger ones, whether they collide or not. */
static size_t group_copy_bytes(const plane_conv_job *const j) {
  const size_t plane = tarei_plus(tarei_times(j->layout.line, j->layout.lines), SPACING);
  return tarei_times(tarei_times(plane, j->group_channels), sizeof *j->copy);
}

size_t tarei_plane_conv_scratch(const tarei_plane_convolution *const c, const int threads) {
  const plane_conv_job j = plane_conv_job_of(c);
  const size_t group = group_copy_bytes(&j), all = tarei_times(group, (size_t)c->group);
  const size_t band = (size_t)threads * BAND_BYTES, most = group > band ? group : band;
  const bool may_copy = needs_copy(c->window) || has_many_channels(c); /* at other dims */
  const size_t copy = !may_copy ? 0 : all < most ? all : most;
  return tarei_plus(tarei_plus(tap_offsets_bytes(&j), conv_pieces_bytes(&j)), copy);
}

/* --- where elements lie ----------------------------------------------------------------------- */

/* Element i of a line, in the copy. */
static size_t place_in_line(const plane_conv_job *const j, const size_t i) {
  const size_t stride = (size_t)j->w.window->strides[j->layout.last];
  return j->layout.copied ? i % stride * j->layout.phase + i / stride : i;
}

static size_t tap_offset(const plane_conv_job *const j, size_t tap) {
  const tarei_window *const w = j->w.window;
  size_t offset = 0;
  for (int a = j->layout.last; a >= 0; a--) {
    const size_t at = tap % (size_t)w->kernel[a] * (size_t)w->dilations[a];
    offset += a == j->layout.last ? place_in_line(j, at) : at * j->layout.ld[a];
    tap /= (size_t)w->kernel[a];
  }
  return offset;
}

/* Where the windows of a line of outputs begin. */
static size_t line_offset(const plane_conv_job *const j, size_t line) {
  size_t offset = 0;
  for (int a = j->layout.last - 1; a >= 0; a--) {
    const size_t out = (size_t)j->w.out[a];
    offset += line % out * (size_t)j->w.window->strides[a] * j->layout.ld[a];
    line /= out;
  }
  return offset;
}

static void fill_tables(const plane_conv_job *const j) {
  const size_t taps = (size_t)j->w.taps, width = (size_t)j->w.out[j->layout.last];
  for (size_t k = 0; k < j->k; k++) {
    j->offsets[k] = k / taps * j->layout.plane + tap_offset(j, k % taps);
  }
  for (size_t p = 0; p < j->n_pieces; p++) {
    const size_t line = p / j->line_pieces, first = p % j->line_pieces * PIECE;
    const size_t left = width - first;
    j->pieces[p] = (tarei_conv_piece){.x = line_offset(j, line) + first,
                                      .out = line * width + first,
                                      .n = left < PIECE ? left : PIECE};
  }
}

/* --- the copy --------------------------------------------------------------------------------- */

/* A line of the input, or of padding, with what is beside it. */
static void copy_line(const plane_conv_job *const j, const float *const from, float *const to) {
  const int last = j->layout.last;
  const size_t stride = (size_t)j->w.window->strides[last], before = (size_t)j->w.before[last];
  const size_t width = j->layout.line, room = width > before ? width - before : 0;
  const size_t n = (size_t)j->w.in[last] < room ? (size_t)j->w.in[last] : room;
  if (!from || stride > 1) {
    memset(to, 0, width * sizeof *to);
  }
  if (!from) {
    return;
  }
  if (stride == 1) {
    memset(to, 0, (width - room) * sizeof *to);
    memcpy(to + before, from, n * sizeof *to);
    memset(to + before + n, 0, (room - n) * sizeof *to);
    return;
  }
  for (size_t i = 0; i < stride && i < n; i++) {
    float *const phase = to + place_in_line(j, before + i);
    for (size_t k = 0; i + k * stride < n; k++) {
      phase[k] = from[i + k * stride];
    }
  }
}

/* Line `line` of the copy of a plane in the input, or NULL in the padding. */
static const float *line_of_input(const plane_conv_job *const j, const float *const plane,
                                  size_t line) {
  size_t offset = 0, ld = (size_t)j->w.in[j->layout.last];
  for (int a = j->layout.last - 1; a >= 0; a--) {
    const size_t at = line % j->layout.dims[a] - (size_t)j->w.before[a]; /* wraps in the padding */
    if (at >= (size_t)j->w.in[a]) {
      return NULL;
    }
    offset += at * ld;
    ld *= (size_t)j->w.in[a];
    line /= j->layout.dims[a];
  }
  return plane + offset;
}

static void copy_planes(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const plane_conv_job *const j = user;
  const size_t width = j->layout.line, in = (size_t)j->w.in_plane;
  const size_t channel = j->sample * j->channels + j->first_group * j->group_channels;
  const float *const x = (const float *)j->c->x->data + channel * in;
  for (size_t c = first; c < end; c++) {
    float *const to = j->copy + c * j->layout.plane;
    for (size_t line = 0; line < j->layout.lines; line++) {
      copy_line(j, line_of_input(j, x + c * in, line), to + line * width);
    }
  }
}

/* --- products --------------------------------------------------------------------------------- */

/* Some pieces of a group. */
static void plane_conv_item(const void *const user, const size_t item, const int thread) {
  (void)thread;
  const plane_conv_job *const j = user;
  const size_t blocks = (j->n_pieces + j->block - 1) / j->block, group = item / blocks;
  const size_t first = item % blocks * j->block, left = j->n_pieces - first;
  const size_t o = (j->first_group + group) * j->group_outputs, out_plane = (size_t)j->w.out_plane;
  const size_t channel = j->sample * j->channels + j->first_group * j->group_channels;
  const float *const x =
      j->layout.copied ? j->copy : (const float *)j->c->x->data + channel * j->layout.plane;
  const tarei_plane_conv conv = {
      .x = x + group * j->group_channels * j->layout.plane,
      .offsets = j->offsets,
      .w = j->c->w + o * j->k,
      .bias = j->c->bias ? j->c->bias + o : NULL,
      .m = j->group_outputs,
      .k = j->k,
      .pieces = j->pieces + first,
      .n_pieces = left < j->block ? left : j->block,
      .out = (float *)j->c->out->data + (j->sample * j->outputs + o) * out_plane,
      .ld_out = out_plane};
  j->run->kernels->plane_conv(&conv);
}

/* Blocks whose input stays in the cache, and enough of them for all threads. */
static size_t pieces_of_block(const plane_conv_job *const j) {
  const size_t bytes = j->layout.line * j->group_channels * sizeof(float) / j->line_pieces;
  const size_t fitting = BLOCK_BYTES / (bytes + 1) + 1;
  const size_t shares = j->run->threads > 1 ? (size_t)j->run->threads * SHARES : 1;
  const size_t share = (j->n_pieces + shares - 1) / shares;
  return fitting < share ? fitting : share;
}

/* Groups whose copy stays in the cache until it is read. */
static size_t groups_of_band(const plane_conv_job *const j) {
  const size_t fitting = (size_t)j->run->threads * BAND_BYTES / group_copy_bytes(j);
  const size_t groups = (size_t)j->c->group;
  return !j->layout.copied || fitting > groups ? groups : fitting ? fitting : 1;
}

static void run_sample(plane_conv_job *const j) {
  const size_t groups = (size_t)j->c->group, band = groups_of_band(j);
  const size_t blocks = (j->n_pieces + j->block - 1) / j->block;
  for (j->first_group = 0; j->first_group < groups; j->first_group += band) {
    const size_t left = groups - j->first_group, n = left < band ? left : band;
    if (j->layout.copied) {
      tarei_row_ranges(j->run, n * j->group_channels, j->layout.plane, LEAST, copy_planes, j);
    }
    tarei_team_run(j->run->team, blocks * n, plane_conv_item, j);
  }
}

void tarei_plane_conv_run(const tarei_plane_convolution *const c, const tarei_run *const run) {
  plane_conv_job j = plane_conv_job_of(c);
  char *const scratch = run->scratch;
  j.run = run;
  j.offsets = (size_t *)(void *)scratch;
  j.pieces = (tarei_conv_piece *)(void *)(scratch + tap_offsets_bytes(&j));
  j.copy = (float *)(void *)(scratch + tap_offsets_bytes(&j) + conv_pieces_bytes(&j));
  j.block = pieces_of_block(&j);
  fill_tables(&j);
  for (; j.sample < (size_t)c->x->dims[0]; j.sample++) {
    run_sample(&j);
  }
}
