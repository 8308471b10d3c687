#include "engine/lower/conv/conv_winograd.h"

#include <string.h>

#include "base/mem.h"
#include "engine/lower/conv/conv_gather.h"
#include "engine/threads.h"
#include "graph/ops/conv/winograd_form.h"

#define TAPS 3
#define BLOCK_BYTES ((size_t)256 * 1024) /* of transformed inputs and sums: they stay in L2 */
#define LEAST_TILES 24                   /* of a block: each reads all weights */
#define MOST_TILES 128

/* Inputs and outputs of a tile, by lines and columns. */
typedef struct winograd_tile {
  size_t elements;
  int64_t in[2], out[2];
} winograd_tile;

static winograd_tile winograd_tile_of(const tarei_conv *const c) {
  const int64_t *const k = c->window.kernel;
  return k[0] == k[1]   ? (winograd_tile){TAREI_WINOGRAD_SQUARE, {4, 4}, {2, 2}}
         : k[0] == TAPS ? (winograd_tile){TAREI_WINOGRAD_AXIS, {4, 1}, {2, 1}}
                        : (winograd_tile){TAREI_WINOGRAD_AXIS, {1, 4}, {1, 2}};
}

bool tarei_winograd_serves(const tarei_conv *const c) {
  return c->space == 2 && tarei_winograd_saves(&c->window, c->group, c->channels, c->outputs);
}

/* --- weights ---------------------------------------------------------------------------------- */

static size_t winograd_matrix_size(const tarei_conv *const c) {
  return tarei_f32_packed_size((size_t)c->channels, (size_t)c->outputs);
}

size_t tarei_winograd_packed_size(const tarei_conv *const c) {
  return tarei_times(winograd_tile_of(c).elements, winograd_matrix_size(c));
}

/* Row i of Gg. */
static double winograd_weight(const double *const g, const size_t i) {
  return i == 0   ? g[0]
         : i == 1 ? (g[0] + g[1] + g[2]) / 2
         : i == 2 ? (g[0] - g[1] + g[2]) / 2
                  : g[2];
}

/* The same, where the taps are `step` apart. */
static double winograd_axis_weight(const float *const w, const size_t step, const size_t e) {
  const double g[TAPS] = {(double)w[0], (double)w[step], (double)w[2 * step]};
  return winograd_weight(g, e);
}

/* Element e of GgG' of one window. */
static double winograd_square_weight(const float *const w, const size_t step, const size_t e) {
  double columns[TAPS];
  for (size_t x = 0; x < TAPS; x++) {
    columns[x] = winograd_axis_weight(w + x * step, TAPS * step, e / 4);
  }
  return winograd_weight(columns, e % 4);
}

tare_status tarei_winograd_pack(const tarei_conv *const c, const float *const w,
                                const tarei_kernels *const kernels, float *const packed,
                                tare_error *const err) {
  const size_t k = (size_t)c->channels, n = (size_t)c->outputs;
  const size_t elements = winograd_tile_of(c).elements;
  double (*const weight)(const float *, size_t, size_t) =
      elements == TAREI_WINOGRAD_SQUARE ? winograd_square_weight : winograd_axis_weight;
  float *const matrix = tarei_alloc_aligned(k * n, sizeof *matrix);
  if (!matrix) {
    return tarei_fail(err, TARE_E_MEMORY, "out of memory");
  }
  for (size_t e = 0; e < elements; e++) {
    for (size_t i = 0; i < n * k; i++) {
      matrix[i] = (float)weight(w + i / k * c->k + i % k, k, e);
    }
    kernels->f32_pack(matrix, k, true /* [n][k] */, k, n,
                      packed + e * winograd_matrix_size(c) / sizeof *packed);
  }
  free(matrix);
  return TARE_OK;
}

/* --- blocks of tiles -------------------------------------------------------------------------- */

/* Tiles of a block; of each of the products. */
static size_t winograd_tiles(const tarei_conv *const c) {
  const size_t row = sizeof(float) * (size_t)(c->channels + c->outputs);
  const size_t fitting = BLOCK_BYTES / (winograd_tile_of(c).elements * row);
  return fitting < LEAST_TILES ? LEAST_TILES : fitting > MOST_TILES ? MOST_TILES : fitting;
}

/* What a thread works in: [elements][tiles][channels] and [elements][tiles][outputs]. */
static size_t winograd_thread_floats(const tarei_conv *const c) {
  return winograd_tile_of(c).elements * winograd_tiles(c) * (size_t)(c->channels + c->outputs);
}

static size_t winograd_thread_bytes(const tarei_conv *const c) {
  return tarei_round_up(winograd_thread_floats(c) * sizeof(float), TAREI_ALIGN);
}

static size_t winograd_zero_bytes(const tarei_conv *const c) {
  return tarei_round_up((size_t)c->channels * sizeof(float), TAREI_ALIGN);
}

size_t tarei_winograd_scratch(const tarei_conv *const c, const int threads) {
  return tarei_plus(tarei_times(winograd_thread_bytes(c), (size_t)threads), winograd_zero_bytes(c));
}

typedef struct winograd_job {
  tarei_conv_geometry g;
  winograd_tile tile;
  const tarei_run *run;
  const float *packed, *zeros;
  tarei_epilogue epilogue;
  size_t columns, lines; /* of tiles, of a sample */
  size_t total, size;    /* tiles of all samples, and of a block */
} winograd_job;

/* Tiles side by side, of one line of tiles; y and x: of the outputs, where it begins. */
typedef struct winograd_run {
  int64_t batch, y, x;
  size_t tiles;
} winograd_run;

static winograd_run winograd_run_at(const winograd_job *const j, const size_t tile,
                                    const size_t most) {
  const size_t line = tile / j->columns, column = tile % j->columns;
  const size_t left = j->columns - column < most ? j->columns - column : most;
  return (winograd_run){
      .batch = (int64_t)(line / j->lines),
      .y = (int64_t)(line % j->lines) * j->tile.out[0],
      .x = (int64_t)column * j->tile.out[1],
      .tiles = left < TAREI_WINOGRAD_TILES ? left : TAREI_WINOGRAD_TILES,
  };
}

/* The channels at a position, which may be padding. */
static const float *winograd_input(const winograd_job *const j, const winograd_run *const r,
                                   const int64_t y, const int64_t x) {
  const tarei_conv_geometry *const g = &j->g;
  const bool known = y >= 0 && y < g->in[0] && x >= 0 && x < g->in[1];
  const float *const first = (const float *)(const void *)g->x;
  const int64_t position = (r->batch * g->in[0] + y) * g->in[1] + x;
  return known ? first + (size_t)(position * g->conv->channels) : j->zeros;
}

static void winograd_inputs(const winograd_job *const j, const winograd_run *const r,
                            const float **to) {
  const int64_t *const in = j->tile.in;
  for (size_t i = 0; i < r->tiles; i++) {
    const int64_t y = r->y - j->g.pad[0], x = r->x + (int64_t)i * j->tile.out[1] - j->g.pad[1];
    for (int64_t e = 0; e < in[0] * in[1]; e++) {
      *to++ = winograd_input(j, r, y + e / in[1], x + e % in[1]);
    }
  }
}

static void winograd_spread_run(const winograd_job *const j, const winograd_run *const r,
                                float *const to, const size_t step) {
  const float *inputs[TAREI_WINOGRAD_TILES * TAREI_WINOGRAD_SQUARE];
  winograd_inputs(j, r, inputs);
  j->run->kernels->winograd_in(&(tarei_winograd_in){.elements = j->tile.elements,
                                                    .inputs = inputs,
                                                    .channels = (size_t)j->g.conv->channels,
                                                    .tiles = r->tiles,
                                                    .out = to,
                                                    .step = step});
}

static void winograd_join_run(const winograd_job *const j, const winograd_run *const r,
                              const float *const sums, const size_t step) {
  const tarei_conv_geometry *const g = &j->g;
  const size_t columns = (size_t)j->tile.out[1], lines = (size_t)j->tile.out[0];
  const size_t width = (size_t)(g->out[1] - r->x), height = (size_t)(g->out[0] - r->y);
  const size_t row = (size_t)((r->batch * g->out[0] + r->y) * g->out[1] + r->x);
  tarei_winograd_out call = {.elements = j->tile.elements,
                             .sums = sums,
                             .step = step,
                             .tiles = r->tiles,
                             .n = (size_t)g->conv->outputs,
                             .columns = columns,
                             .width = width < r->tiles * columns ? width : r->tiles * columns,
                             .lines = height < lines ? height : lines,
                             .epilogue = j->epilogue};
  for (size_t y = 0; y < lines; y++) {
    call.rows[y] = row + y * (size_t)g->out[1];
  }
  j->run->kernels->winograd_out(&call);
}

static void winograd_multiply(const winograd_job *const j, const size_t tiles, const float *const a,
                              float *const sums) {
  const tarei_conv *const c = j->g.conv;
  const size_t k = (size_t)c->channels, n = (size_t)c->outputs;
  for (size_t e = 0; e < j->tile.elements; e++) {
    j->run->kernels->f32_gemm(
        &(tarei_f32_gemm){.a = a + e * tiles * k,
                          .lda = k,
                          .m = tiles,
                          .k = k,
                          .n = n,
                          .b = j->packed + e * winograd_matrix_size(c) / sizeof(float),
                          .epilogue = {.out_f32 = sums + e * tiles * n, .ld_f32 = n}});
  }
}

static void winograd_block(const void *const user, const size_t item, const int thread) {
  const winograd_job *const j = user;
  const size_t k = (size_t)j->g.conv->channels, n = (size_t)j->g.conv->outputs;
  const size_t first = item * j->size, left = j->total - first;
  const size_t tiles = left < j->size ? left : j->size;
  float *const a = tarei_thread_scratch(j->run, thread, winograd_thread_bytes(j->g.conv));
  float *const sums = a + j->tile.elements * tiles * k;
  for (size_t i = 0; i < tiles;) {
    const winograd_run r = winograd_run_at(j, first + i, tiles - i);
    winograd_spread_run(j, &r, a + i * k, tiles * k);
    i += r.tiles;
  }
  winograd_multiply(j, tiles, a, sums);
  for (size_t i = 0; i < tiles;) {
    const winograd_run r = winograd_run_at(j, first + i, tiles - i);
    winograd_join_run(j, &r, sums + i * n, tiles * n);
    i += r.tiles;
  }
}

void tarei_winograd_run(const tarei_conv *const c, const float *const packed,
                        const tarei_run *const run, const tare_tensor *const x,
                        const tare_tensor *const out, const tarei_epilogue *const epilogue) {
  const size_t threads = (size_t)run->threads;
  float *const zeros = tarei_thread_scratch(run, run->threads, winograd_thread_bytes(c));
  winograd_job j = {.g = tarei_conv_geometry_of(c, x, out, sizeof(float), 0),
                    .tile = winograd_tile_of(c),
                    .run = run,
                    .packed = packed,
                    .zeros = zeros,
                    .epilogue = *epilogue};
  j.columns = (size_t)((j.g.out[1] + j.tile.out[1] - 1) / j.tile.out[1]);
  j.lines = (size_t)((j.g.out[0] + j.tile.out[0] - 1) / j.tile.out[0]);
  j.total = (size_t)j.g.batch * j.lines * j.columns;
  if (j.total == 0) {
    return;
  }
  memset(zeros, 0, winograd_zero_bytes(c));
  const size_t most = winograd_tiles(c), share = (j.total + threads - 1) / threads;
  const size_t pieces = (share + most - 1) / most; /* of a thread, of equal size */
  j.size = (share + pieces - 1) / pieces;
  tarei_team_run(run->team, (j.total + j.size - 1) / j.size, winograd_block, &j);
}
