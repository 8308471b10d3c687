#include "engine/lower/products/linear_blocks.h"

#include "base/mem.h"
#include "engine/threads.h"

#define LEAST_ELEMENTS 16384        /* to be quantized: worth a thread's while */
#define NEAR_FLOATS 69632           /* of a block, which become bytes before they leave L2 */
#define NEAR_BYTES 196608           /* the same, which the product reads */
#define ROW_STEP 32                 /* rows at a time that the kernels like */
#define FEWEST_ROWS 16              /* likewise, of a thread */
#define MUCH_WORK ((size_t)1 << 23) /* less is done before threads have met twice */

/* --- cuts ------------------------------------------------------------------------------------- */

/* Where things are in scratch, of a thread or of all together. */
typedef struct linear_layout {
  size_t floats, bytes, total; /* offsets; sums of products come first */
} linear_layout;

typedef struct linear_cut {
  size_t blocks, rows; /* number of blocks, rows of the largest */
  bool together;       /* one block, of all threads */
  linear_layout layout;
} linear_cut;

/* Rows of a power of two apart would meet in a cache set; parts of rows lie one step apart. */
static size_t linear_float_row(const tarei_linear *const l) {
  const size_t line = TAREI_ALIGN / sizeof(float);
  return l->groups == 1 ? tarei_round_up(l->layer.n, line) + line : l->layer.n;
}

/* That a block may have. */
static size_t linear_most_rows(const tarei_linear *const l) {
  const size_t floats = l->groups > 0 ? NEAR_FLOATS / linear_float_row(l) : SIZE_MAX;
  const size_t bytes = l->layer.float_rows ? NEAR_BYTES / l->k : SIZE_MAX;
  const size_t most = (floats < bytes ? floats : bytes) / ROW_STEP * ROW_STEP;
  return most ? most : ROW_STEP;
}

static size_t linear_sums_size(const tarei_linear *const l, const tarei_row_form form) {
  return l->layer.float_rows ? tarei_row_sums_size(form) : 0;
}

static linear_layout linear_layout_of(const tarei_linear *const l, const tarei_row_form form,
                                      const size_t rows, const size_t threads) {
  const size_t floats = l->groups > 0 ? tarei_times(rows, linear_float_row(l)) : 0;
  const size_t bytes = l->layer.float_rows ? tarei_row_bytes_size(form, rows, l->k) : 0;
  linear_layout at = {.floats = tarei_times(linear_sums_size(l, form), threads)};
  at.bytes = tarei_plus(at.floats, tarei_round_up(tarei_times(floats, sizeof(float)), TAREI_ALIGN));
  at.total = tarei_plus(at.bytes, bytes);
  return at;
}

tarei_grid tarei_linear_grid(const tarei_linear *const l, const tarei_run *const run,
                             const size_t m) {
  return (tarei_grid){m, l->layer.n, l->k, l->k, run->kernels->i8_gemm_isa};
}

/* Where a thread would have fewer rows than it likes, all of them together read each weight once;
 * that is worth their meetings where there is much to do. */
static linear_cut linear_cut_of(const tarei_linear *const l, const tarei_row_form form,
                                const tarei_run *const run, const size_t m) {
  const size_t most = linear_most_rows(l), threads = (size_t)run->threads;
  const size_t parts = (m + FEWEST_ROWS - 1) / FEWEST_ROWS;
  const tarei_grid grid = tarei_linear_grid(l, run, m);
  const size_t worth = tarei_grid_threads(&grid, run->threads);
  const size_t team = parts < worth ? parts : worth;
  linear_cut c = {.blocks = (m + most - 1) / most};
  c.together = parts < worth && tarei_times(m * l->k, l->layer.n) >= MUCH_WORK;
  if (c.together) {
    c.blocks = 1;
  } else if (team > 1) {
    c.blocks = (c.blocks + team - 1) / team * team;
  }
  c.rows = c.blocks ? (m + c.blocks - 1) / c.blocks : 0;
  c.layout = linear_layout_of(l, form, c.rows, c.together ? threads : 1);
  return c;
}

/* Of the largest blocks: a longer run may have smaller ones, and one of all threads has no more
 * rows than these together. */
size_t tarei_linear_blocks_scratch(const tarei_linear *const l, const tarei_step *const step,
                                   const size_t m, const int threads) {
  const tarei_row_form form = l->layer.float_rows ? tarei_int8_layer_rows(&l->layer, step, 0)
                                                  : (tarei_row_form){.scale = 0};
  const size_t most = linear_most_rows(l), rows = m < most ? m : most;
  return tarei_times(linear_layout_of(l, form, rows, 1).total, (size_t)threads);
}

/* --- blocks ----------------------------------------------------------------------------------- */

typedef struct blocks_job {
  const tarei_linear *l;
  const tarei_run *run;
  tarei_row_form form;
  linear_cut cut;
  size_t m;
  tarei_row_bytes rows; /* that the layer reads */
  tarei_epilogue epilogue;
} blocks_job;

/* Rows [first, first + m) and what becomes of them in the memory of a block. */
typedef struct linear_rows {
  size_t first, m;
  tarei_row_bytes in;
  tarei_epilogue epilogue;
  float *floats;
} linear_rows;

static linear_rows linear_rows_at(const blocks_job *const j, const size_t first, const size_t m,
                                  char *const memory) {
  const tarei_linear *const l = j->l;
  linear_rows r = {.first = first,
                   .m = m,
                   .in = l->layer.float_rows
                             ? tarei_row_bytes_in(j->form, memory + j->cut.layout.bytes, m, l->k)
                             : tarei_row_bytes_from(&j->rows, first),
                   .epilogue = tarei_epilogue_at(&j->epilogue, first, 0),
                   .floats = (float *)(void *)(memory + j->cut.layout.floats)};
  if (l->groups > 0) {
    r.epilogue.out_f32 = r.floats;
    r.epilogue.ld_f32 = linear_float_row(l);
  }
  return r;
}

void tarei_linear_multiply(const tarei_linear *const l, const tarei_run *const run,
                           const tarei_row_bytes *const rows, const tarei_epilogue *const epilogue,
                           const tarei_block *const b, void *const sums) {
  const int32_t *const add = rows->add ? rows->add : tarei_int8_layer_add(&l->layer, run->profile);
  const tarei_i8_gemm gemm = {.m = b->m,
                              .k = l->k,
                              .n = b->n,
                              .b = l->weights + tarei_i8_packed_size(l->k, b->column),
                              .add = add + b->column,
                              .epilogue = tarei_epilogue_at(epilogue, b->row, b->column)};
  const tarei_row_bytes from = tarei_row_bytes_from(rows, b->row);
  tarei_row_bytes_gemm(&from, &gemm, run->kernels, sums);
}

/* Rows [first, end) of a block. */
static void linear_read(const blocks_job *const j, const linear_rows *const r, const size_t first,
                        const size_t end) {
  const size_t k = j->l->k;
  const tarei_row_bytes to = tarei_row_bytes_from(&r->in, first);
  tarei_row_bytes_fill(j->form, &to, (const float *)j->run->in[0]->data + (r->first + first) * k, k,
                       end - first, k, j->run->kernels);
}

static void linear_write(const blocks_job *const j, const linear_rows *const r, const size_t first,
                         const size_t end) {
  const tarei_linear *const l = j->l;
  const size_t n = l->layer.n, m = end - first, ld = linear_float_row(l), row = r->first + first;
  float *const x = r->floats + first * ld;
  uint8_t *const out = (uint8_t *)j->run->out[0]->data + row * n;
  float *const scales = (float *)j->run->out[1]->data + row * l->groups;
  const int32_t zero_point = l->layer.fused.rows_zero_point;
  if (l->rows_of.bound < 0) {
    tarei_act_rows_fill(&l->rows_of, x, ld, m, n, out, scales, j->run->kernels);
  } else if (l->groups == 1) {
    j->run->kernels->quantize_rows(x, ld, m, n, out, n, scales, zero_point);
  } else {
    const size_t part = n / l->groups;
    j->run->kernels->quantize_rows(x, part, m * l->groups, part, out, part, scales, zero_point);
  }
}

static void linear_one_block(const void *const user, const size_t item, const int thread) {
  const blocks_job *const j = user;
  const size_t first = j->m * item / j->cut.blocks, end = j->m * (item + 1) / j->cut.blocks;
  char *const memory = tarei_thread_scratch(j->run, thread, j->cut.layout.total);
  const linear_rows r = linear_rows_at(j, first, end - first, memory);
  if (j->l->layer.float_rows) {
    linear_read(j, &r, 0, r.m);
  }
  const tarei_block all = {0, r.m, 0, j->l->layer.n};
  tarei_linear_multiply(j->l, j->run, &r.in, &r.epilogue, &all, memory);
  if (j->l->groups > 0) {
    linear_write(j, &r, 0, r.m);
  }
}

/* --- all threads on one block ----------------------------------------------------------------- */

typedef struct blocks_shared {
  const blocks_job *job;
  const linear_rows *rows;
} blocks_shared;

static void linear_shared_read(const void *const user, const size_t first, const size_t end,
                               const int thread) {
  (void)thread;
  const blocks_shared *const s = user;
  linear_read(s->job, s->rows, first, end);
}

static void linear_shared_write(const void *const user, const size_t first, const size_t end,
                                const int thread) {
  (void)thread;
  const blocks_shared *const s = user;
  linear_write(s->job, s->rows, first, end);
}

static void linear_shared_multiply(const void *const user, const tarei_block *const b,
                                   const int thread) {
  const blocks_shared *const s = user;
  const blocks_job *const j = s->job;
  void *const sums = tarei_thread_scratch(j->run, thread, linear_sums_size(j->l, j->form));
  tarei_linear_multiply(j->l, j->run, &s->rows->in, &s->rows->epilogue, b, sums);
}

static void linear_run_together(const blocks_job *const j) {
  const tarei_linear *const l = j->l;
  const linear_rows r = linear_rows_at(j, 0, j->m, j->run->scratch);
  const blocks_shared s = {j, &r};
  if (l->layer.float_rows) {
    tarei_row_ranges(j->run, j->m, l->k, LEAST_ELEMENTS, linear_shared_read, &s);
  }
  const tarei_grid grid = tarei_linear_grid(l, j->run, j->m);
  tarei_grid_run(&grid, j->run, linear_shared_multiply, &s);
  if (l->groups > 0) {
    tarei_row_ranges(j->run, j->m, l->layer.n, LEAST_ELEMENTS, linear_shared_write, &s);
  }
}

void tarei_linear_blocks_run(const tarei_linear *const l, const tarei_step *const step,
                             const tarei_run *const run, const tarei_row_bytes *const rows,
                             const tarei_epilogue *const epilogue, const size_t m) {
  blocks_job j = {.l = l, .run = run, .m = m, .rows = *rows, .epilogue = *epilogue};
  if (l->layer.float_rows) {
    j.form = tarei_int8_layer_rows(&l->layer, step, run->profile);
  }
  if (l->rows_of.bound < 0) {
    j.epilogue.act = TAREI_ACT_none; /* that is in its tables */
  }
  j.cut = linear_cut_of(l, j.form, run, m);
  if (j.cut.together) {
    linear_run_together(&j);
  } else if (j.cut.blocks == 1) {
    linear_one_block(&j, 0, 0);
  } else {
    tarei_team_run(run->team, j.cut.blocks, linear_one_block, &j);
  }
}
