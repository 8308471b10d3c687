/* Cast between all element types, chunk by chunk. */
#include "engine/lower/elementwise/elementwise.h"

typedef struct cast_job {
  const tarei_kernels *kernels;
  tare_dtype from, to;
  const char *x;
  char *out;
} cast_job;

static void cast_chunk(const void *const user, const size_t first, const size_t n) {
  const cast_job *const j = user;
  j->kernels->cast(j->from, j->to, j->x + first * tare_dtype_size(j->from), n,
                   j->out + first * tare_dtype_size(j->to));
}

static tare_status cast_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  (void)step;
  (void)err;
  const cast_job j = {r->kernels, r->in[0]->dtype, r->out[0]->dtype, r->in[0]->data,
                      r->out[0]->data};
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), cast_chunk, &j);
  return TARE_OK;
}

TAREI_KERNEL_OF(cast_kernel, cast)

const tarei_lowering tarei_lower_cast = {.run = cast_run, .kernel = cast_kernel};
