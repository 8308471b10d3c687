#include "engine/lower/reduce/reduction.h"

#include "engine/threads.h"

static void reduction_add_axis(tarei_reduction_axes *const axes, const size_t size,
                               const size_t stride, const bool merges) {
  if (merges && axes->n) {
    axes->size[axes->n - 1] *= size;
    axes->stride[axes->n - 1] = stride;
  } else {
    axes->size[axes->n] = size;
    axes->stride[axes->n++] = stride;
  }
}

tarei_reduction tarei_reduction_read(const tare_tensor *const x, const bool *const cut) {
  tarei_reduction r = {.n = 1, .rows = 1, .outputs = 1};
  size_t stride[TARE_MAX_RANK], next = 1;
  for (int d = x->rank - 1; d >= 0; d--) {
    stride[d] = next;
    next *= (size_t)x->dims[d];
  }
  int last = -1; /* the axis before this one that is not of length 1 */
  for (int d = 0; d < x->rank; d++) {
    const size_t size = (size_t)x->dims[d];
    if (size == 1) {
      continue;
    }
    reduction_add_axis(cut[d] ? &r.cut : &r.kept, size, stride[d],
                       last >= 0 && cut[last] == cut[d]);
    *(cut[d] ? &r.rows : &r.outputs) *= size;
    last = d;
  }
  r.count = r.rows;
  if (r.cut.n) {
    r.cut.n--;
    r.n = r.cut.size[r.cut.n];
    r.stride = r.cut.stride[r.cut.n];
    r.rows = r.n ? r.rows / r.n : 0;
  }
  return r;
}

typedef struct reduction_job {
  const tarei_reduction *r;
  const char *x;
  char *out;
  size_t x_element, out_element;
  size_t run, lanes, blocks, step; /* outputs of the innermost axis, so many at a time */
  tarei_reduction_fn fn;
  const void *user;
} reduction_job;

static void reduction_block_range(const void *const user, const size_t begin, const size_t end,
                                  const int thread) {
  (void)thread;
  const reduction_job *const j = user;
  for (size_t i = begin; i < end; i++) {
    const size_t first = i % j->blocks * j->lanes, at = i / j->blocks * j->run + first;
    j->fn(j->user, j->r, j->x + tarei_reduction_offset(&j->r->kept, at) * j->x_element,
          j->run - first < j->lanes ? j->run - first : j->lanes, j->step,
          j->out + at * j->out_element);
  }
}

/* Fewer where all threads would not find work otherwise. */
static size_t reduction_lanes(const tarei_reduction *const r, const tarei_run *const run) {
  size_t lanes = TAREI_REDUCTION_LANES;
  while (run->threads > 1 && lanes > 16 && r->outputs < lanes * 4 * (size_t)run->threads) {
    lanes /= 2;
  }
  return lanes;
}

void tarei_reduction_run(const tarei_reduction *const r, const tarei_run *const run,
                         const void *const x, const size_t x_element, void *const out,
                         const size_t out_element, const tarei_reduction_fn fn,
                         const void *const user) {
  const tarei_reduction_axes *const kept = &r->kept;
  reduction_job j = {.r = r,
                     .x = x,
                     .out = out,
                     .x_element = x_element,
                     .out_element = out_element,
                     .fn = fn,
                     .user = user};
  j.run = kept->n ? kept->size[kept->n - 1] : 1;
  j.step = kept->n ? kept->stride[kept->n - 1] : 1;
  j.lanes = j.step == 1 ? reduction_lanes(r, run) : TAREI_REDUCTION_ROWS;
  j.blocks = (j.run + j.lanes - 1) / j.lanes;
  const size_t total = j.run ? r->outputs / j.run * j.blocks : 0;
  tarei_row_ranges(run, total, r->rows * r->n * j.lanes, 4096, reduction_block_range, &j);
}
