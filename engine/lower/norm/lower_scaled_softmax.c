/* softmax(X * scale + mask) along the last axis, in float inside, written as float, u8 or both. */
#include <stdlib.h>

#include "engine/lower/fused.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

typedef struct scaled_softmax_state {
  tarei_fused fused;
  float scale;
} scaled_softmax_state;

/* Rows of X and where each begins in the mask. */
typedef struct scaled_softmax_rows {
  size_t count, n;
  int n_leading;
  size_t size[TARE_MAX_RANK], mask_step[TARE_MAX_RANK]; /* elements of the mask per leading axis */
} scaled_softmax_rows;

static tare_status scaled_softmax_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                          tare_error *const err) {
  (void)blobs;
  scaled_softmax_state *const s = step->state;
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  TAREI_TRY(tarei_want_float(step, 0, err));
  TAREI_TRY(tarei_want_float(step, 1, err));
  s->scale = tarei_attr_float(step->node, "scale", 1.0f);
  return TARE_OK;
}

static tare_status read_rows(const tare_tensor *const x, const tare_tensor *const mask,
                             scaled_softmax_rows *const r, tare_error *const err) {
  *r = (scaled_softmax_rows){
      .count = 1, .n = (size_t)x->dims[x->rank - 1], .n_leading = x->rank - 1};
  size_t step = r->n;
  for (int d = x->rank - 1; d >= 0; d--) {
    const int own = mask ? d - (x->rank - mask->rank) : -1;
    const int64_t size = own < 0 ? 1 : mask->dims[own];
    const bool last = d == x->rank - 1;
    if (mask && ((last && size != x->dims[d]) || (!last && size != 1 && size != x->dims[d]))) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "axis %d of the mask has length %lld, expected %lld as in the scores", own,
                        (long long)size, (long long)x->dims[d]);
    }
    if (!last) {
      r->size[d] = (size_t)x->dims[d];
      r->count *= r->size[d];
      r->mask_step[d] = size > 1 ? step : 0;
      step *= (size_t)size;
    }
  }
  return TARE_OK;
}

static size_t mask_offset(const scaled_softmax_rows *const r, size_t row) {
  size_t offset = 0;
  for (int d = r->n_leading - 1; d >= 0; d--) {
    offset += row % r->size[d] * r->mask_step[d];
    row /= r->size[d];
  }
  return offset;
}

typedef struct scaled_softmax_job {
  const tarei_run *run;
  scaled_softmax_rows r;
  float scale;
  const float *mask; /* or NULL */
  tarei_epilogue e;
} scaled_softmax_job;

static void scaled_softmax_row_range(const void *const user, const size_t first, const size_t end,
                                     const int thread) {
  (void)thread;
  const scaled_softmax_job *const j = user;
  const scaled_softmax_rows *const r = &j->r;
  const tarei_epilogue *const e = &j->e;
  for (size_t row = first; row < end; row++) {
    j->run->kernels->softmax_fused((const float *)j->run->in[0]->data + row * r->n, j->scale,
                                   j->mask ? j->mask + mask_offset(r, row) : NULL, r->n,
                                   e->out_f32 ? e->out_f32 + row * r->n : NULL,
                                   e->out_u8 ? e->out_u8 + row * r->n : NULL, e->inv_scale,
                                   e->zero_point);
  }
}

static tare_status scaled_softmax_run(const tarei_step *const step, const tarei_run *const run,
                                      tare_error *const err) {
  const scaled_softmax_state *const s = step->state;
  const tare_tensor *const mask = step->node->n_in > 1 ? run->in[1] : NULL;
  scaled_softmax_job j = {.run = run, .scale = s->scale, .mask = mask ? mask->data : NULL};
  TAREI_TRY(read_rows(run->in[0], mask, &j.r, err));
  j.e = tarei_fused_epilogue(&s->fused, step, run, NULL, j.r.n);
  tarei_row_ranges(run, j.r.count, j.r.n, 4096, scaled_softmax_row_range, &j);
  return TARE_OK;
}

TAREI_KERNEL_OF(scaled_softmax_kernel, softmax_fused)

const tarei_lowering tarei_lower_scaled_softmax = {.state_bytes = sizeof(scaled_softmax_state),
                                                   .prepare = scaled_softmax_prepare,
                                                   .run = scaled_softmax_run,
                                                   .kernel = scaled_softmax_kernel};
