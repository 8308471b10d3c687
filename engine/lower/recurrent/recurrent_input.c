/* The input's share of the gates, for several time steps at once. */
#include "engine/lower/fused.h"
#include "engine/lower/products/grid.h"
#include "engine/lower/recurrent/recurrent_lane.h"
#include "engine/lower/products/row_scales.h"
#include "engine/threads.h"

#define LEAST_ELEMENTS 16384 /* to be quantized: worth a thread's while */

/* Rows at one distance from each other: all of some steps, or those of one sequence. */
typedef struct recurrent_input_rows {
  const tarei_recurrent_lane *lane;
  const char *x;
  size_t ldx, m;
  size_t columns;
  float *out;
  size_t ld_out;
} recurrent_input_rows;

static tarei_epilogue epilogue_of(const recurrent_input_rows *const r, const size_t column) {
  const tarei_recurrent_job *const j = r->lane->j;
  const size_t dirs = (size_t)j->s->form.dirs, columns = j->z.columns;
  const size_t dir = (size_t)r->lane->dir * columns + column;
  const size_t profile = j->s->row_scales ? 0 : (size_t)j->run->profile;
  return (tarei_epilogue){
      .mult = j->s->bytes ? j->s->w.mult + profile * dirs * columns + dir : NULL,
      .bias = j->bias ? j->bias + dir : NULL,
      .out_f32 = r->out + column,
      .ld_f32 = r->ld_out};
}

static tarei_i8_gemm bytes_product(const recurrent_input_rows *const r, const size_t column,
                                   const size_t n) {
  const tarei_recurrent_job *const j = r->lane->j;
  const size_t k = j->z.input, dir = (size_t)r->lane->dir * j->z.columns;
  return (tarei_i8_gemm){.a = (const uint8_t *)r->x,
                         .lda = r->ldx,
                         .m = r->m,
                         .k = k,
                         .n = n,
                         .b = (const int8_t *)j->w + tarei_i8_packed_size(k, dir + column),
                         .add = j->s->w.add + dir + column,
                         .epilogue = epilogue_of(r, column)};
}

static void recurrent_input_block(const void *const user, const tarei_block *const b,
                                  const int thread) {
  (void)thread;
  const recurrent_input_rows *const r = user;
  const tarei_recurrent_job *const j = r->lane->j;
  const size_t k = j->z.input, dir = (size_t)r->lane->dir * j->z.columns;
  if (j->s->bytes) {
    tarei_i8_gemm g = bytes_product(r, b->column, b->n);
    g.a += b->row * r->ldx;
    g.m = b->m;
    g.epilogue = tarei_epilogue_at(&g.epilogue, b->row, 0);
    j->run->kernels->i8_gemm(&g);
    return;
  }
  const tarei_epilogue e = epilogue_of(r, b->column);
  const tarei_f32_gemm g = {.a = (const float *)(const void *)r->x + b->row * r->ldx,
                            .lda = r->ldx,
                            .m = b->m,
                            .k = k,
                            .n = b->n,
                            .b = (const float *)j->w + (dir + b->column) * k,
                            .epilogue = tarei_epilogue_at(&e, b->row, 0)};
  j->run->kernels->f32_gemm(&g);
}

static void scaled_rows(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  const recurrent_input_rows *const r = user;
  const tarei_recurrent_job *const j = r->lane->j;
  tarei_i8_gemm g = bytes_product(r, 0, r->columns);
  g.epilogue = tarei_epilogue_at(&g.epilogue, first, 0);
  const tarei_row_form form = {.zero_point = j->s->x_zero_point};
  tarei_row_scales_gemm(form, &g, (const float *)(const void *)r->x + first * r->ldx, r->ldx,
                        end - first, j->run->kernels, j->row_scratch, thread);
}

static void recurrent_input_multiply(const recurrent_input_rows *const r, const bool team,
                                     const int thread) {
  const tarei_recurrent_job *const j = r->lane->j;
  const size_t bytes = j->z.input * (j->s->bytes ? 1 : sizeof(float));
  const tarei_kernels *const kernels = j->run->kernels;
  if (j->s->row_scales && team) {
    tarei_row_ranges(j->run, r->m, j->z.input, LEAST_ELEMENTS, scaled_rows, r);
  } else if (j->s->row_scales) {
    scaled_rows(r, 0, r->m, thread);
  } else if (team) {
    const tarei_grid grid = {r->m, r->columns, bytes, bytes,
                             j->s->bytes ? kernels->i8_gemm_isa : kernels->f32_gemm_isa};
    tarei_grid_run(&grid, j->run, recurrent_input_block, r);
  } else {
    const tarei_block all = {0, r->m, 0, r->columns};
    recurrent_input_block(r, &all, thread);
  }
}

void tarei_recurrent_input(tarei_recurrent_lane *const lane, const size_t dirs, const size_t t0,
                           const size_t n, const bool team, const int thread) {
  const tarei_recurrent_job *const j = lane->j;
  const tarei_recurrent_sizes *const z = &j->z;
  const size_t element = tare_dtype_size(j->run->in[TAREI_RECURRENT_X]->dtype);
  const size_t by_step = z->input * (j->s->form.batch_first ? 1 : z->batch);
  const size_t by_sequence = z->input * (j->s->form.batch_first ? z->steps : 1);
  const char *const x = (const char *)j->run->in[TAREI_RECURRENT_X]->data +
                        (t0 * by_step + lane->first * by_sequence) * element;
  const size_t columns = dirs * z->columns;
  lane->t0 = t0;
  lane->ldx = columns;
  if (by_step == lane->m * z->input) {
    const recurrent_input_rows all = {lane, x, z->input, n * lane->m, columns, lane->x, columns};
    recurrent_input_multiply(&all, team, thread);
    return;
  }
  for (size_t b = 0; b < lane->m; b++) {
    const recurrent_input_rows one = {lane,    x + b * by_sequence * element, by_step,          n,
                                      columns, lane->x + b * columns,         lane->m * columns};
    recurrent_input_multiply(&one, team, thread);
  }
}
