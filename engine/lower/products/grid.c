#include "engine/lower/products/grid.h"

#include "base/mem.h"

#define ROW_STEP 16                  /* kernels are as fast for fewer rows at a time */
#define WORK_PER_WEIGHT 16           /* done while a byte of the weights comes from far away */
#define WORK_PER_BYTE 32             /* done while one comes that another core has just written */
#define LEAST_WORK ((size_t)1 << 19) /* for a thread: less is done before another one begins */
#define LEAST_TILE_WORK ((size_t)1 << 21) /* the same by tiles */
#define CLAIM_WORK ((size_t)1 << 21) /* worth a claim of its own, so that little is left behind */
#define MOST_CLAIMS 8                /* of a thread */

/* Parts of the rows by parts of the columns, one for each thread; each is `claims` blocks. */
typedef struct grid_cut {
  const tarei_grid *grid;
  bool weights_stay;
  size_t row_parts, column_parts, claims;
  tarei_block_fn fn;
  const void *user;
} grid_cut;

static size_t panels_of(const size_t columns) {
  return (columns + TAREI_GRID_PANEL - 1) / TAREI_GRID_PANEL;
}

/* Work is counted in products of single bytes. */
static double work_of(const tarei_grid *const g, const double rows, const double columns) {
  return rows * columns * (double)g->column_bytes;
}

/* Time of the slowest thread. Layers that are cut by rows leave each thread with the rows that it
 * wrote itself; cut by columns, it reads what others wrote. Weights come from far away where those
 * of the plan are too many to stay. */
static double cost_of(const grid_cut *const c, const size_t row_parts, const size_t column_parts) {
  const tarei_grid *const g = c->grid;
  const size_t m = (g->m + row_parts - 1) / row_parts;
  const size_t panels = (panels_of(g->n) + column_parts - 1) / column_parts;
  const double columns = (double)(panels * TAREI_GRID_PANEL);
  const double weights = c->weights_stay ? 0 : columns * (double)g->column_bytes;
  const double others = (double)(m * g->row_bytes) * (1 - 1 / (double)column_parts);
  return work_of(g, (double)tarei_round_up(m, ROW_STEP), columns) + WORK_PER_WEIGHT * weights +
         WORK_PER_BYTE * others;
}

size_t tarei_grid_threads(const tarei_grid *const g, const int threads) {
  const bool tiles = g->isa & (TAREI_ISA_AMXINT8 | TAREI_ISA_AMXBF16);
  const double least = (double)(tiles ? LEAST_TILE_WORK : LEAST_WORK);
  const double work = work_of(g, (double)g->m + WORK_PER_WEIGHT, (double)g->n) / least;
  return work < 2 ? 1 : work < threads ? (size_t)work : (size_t)threads;
}

static void grid_choose(grid_cut *const c, const size_t threads) {
  const tarei_grid *const g = c->grid;
  double least = 0;
  for (size_t columns = 1; columns <= threads; columns++) {
    const double cost = cost_of(c, threads / columns, columns);
    if (columns == 1 || cost < least) {
      least = cost;
      c->row_parts = threads / columns;
      c->column_parts = columns;
    }
  }
  const size_t panels = panels_of(g->n) / c->column_parts;
  const double claims =
      work_of(g, (double)g->m, (double)g->n) / (double)threads / (double)CLAIM_WORK;
  c->claims = claims < 2 ? 1 : claims < MOST_CLAIMS ? (size_t)claims : MOST_CLAIMS;
  c->claims = c->claims < panels ? c->claims : panels ? panels : 1;
}

static size_t grid_begin_of(const size_t n, const size_t parts, const size_t i) {
  return n / parts * i + n % parts * i / parts;
}

static void grid_one_block(const void *const user, const size_t item, const int thread) {
  const grid_cut *const c = user;
  const tarei_grid *const g = c->grid;
  const size_t rows = item / c->claims / c->column_parts;
  const size_t columns = item - rows * c->column_parts * c->claims;
  const size_t pieces = c->column_parts * c->claims, panels = panels_of(g->n);
  const size_t m0 = grid_begin_of(g->m, c->row_parts, rows),
               m1 = grid_begin_of(g->m, c->row_parts, rows + 1);
  const size_t n0 = grid_begin_of(panels, pieces, columns) * TAREI_GRID_PANEL;
  const size_t end = grid_begin_of(panels, pieces, columns + 1) * TAREI_GRID_PANEL;
  const tarei_block block = {m0, m1 - m0, n0, (end < g->n ? end : g->n) - n0};
  if (block.m && block.n) {
    c->fn(c->user, &block, thread);
  }
}

void tarei_grid_run(const tarei_grid *const g, const tarei_run *const run, const tarei_block_fn fn,
                    const void *const user) {
  grid_cut c = {.grid = g, .weights_stay = run->weights_stay, .fn = fn, .user = user};
  const size_t threads = tarei_grid_threads(g, run->threads);
  if (threads == 1) {
    const tarei_block all = {0, g->m, 0, g->n};
    fn(user, &all, 0);
    return;
  }
  grid_choose(&c, threads);
  tarei_team_run(run->team, c.row_parts * c.column_parts * c.claims, grid_one_block, &c);
}
