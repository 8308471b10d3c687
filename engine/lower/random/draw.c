#include "engine/lower/random/draw.h"

#include <assert.h>

#include "base/mem.h"
#include "engine/context_parts.h"
#include "engine/lower/operands.h"
#include "engine/samples/noise.h"
#include "engine/threads.h"
#include "graph/noise_name.h"

enum { LEAST_BLOCKS = 1024 }; /* of four elements, that are worth a thread */

static tare_status draw_prepare(tarei_step *const step, const tarei_draw draw,
                                tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->out[0]].dtype;
  *(tarei_draw *)step->state = draw;
  return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

tare_status tarei_draw_normal(tarei_step *const step, tarei_blobs *const blobs,
                              tare_error *const err) {
  (void)blobs;
  return draw_prepare(step,
                      (tarei_draw){.kind = TAREI_NOISE_NORMAL,
                                   .name = (uint64_t)tarei_noise_name_of(step->graph, step->node),
                                   .base = tarei_attr_float(step->node, "mean", 0),
                                   .factor = tarei_attr_float(step->node, "scale", 1)},
                      err);
}

tare_status tarei_draw_uniform(tarei_step *const step, tarei_blobs *const blobs,
                               tare_error *const err) {
  (void)blobs;
  const float low = tarei_attr_float(step->node, "low", 0);
  return draw_prepare(step,
                      (tarei_draw){.kind = TAREI_NOISE_UNIFORM,
                                   .name = (uint64_t)tarei_noise_name_of(step->graph, step->node),
                                   .base = low,
                                   .factor = tarei_attr_float(step->node, "high", 1) - low},
                      err);
}

/* What threads draw. */
typedef struct draw_job {
  const tarei_run *run;
  tarei_noise noise;
  void *out;
} draw_job;

static void draw_blocks(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  const draw_job *const j = user;
  (void)thread;
  j->run->kernels->noise(&j->noise, first, end, j->out);
}

void tarei_draw_rows(const tarei_draw *const draw, const tarei_run *const run, const size_t rows,
                     const size_t columns, void *const out) {
  assert(run->frame); /* constants are not drawn */
  if (rows == 0 || columns == 0) {
    return;
  }
  const draw_job job = {.run = run,
                        .noise = {.kind = draw->kind,
                                  .key = tarei_noise_join(run->frame->noise, draw->name),
                                  .columns = columns,
                                  .base = draw->base,
                                  .factor = draw->factor},
                        .out = out};
  tarei_ranges(run, rows * tarei_noise_blocks(columns), LEAST_BLOCKS, draw_blocks, &job);
}

size_t tarei_draw_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                          const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)in;
  (void)threads;
  return out[0]->dtype == TARE_F64 ? tarei_times((size_t)tare_tensor_count(out[0]), sizeof(float))
                                   : 0;
}

/* float64 tensors have the same numbers: only base and factor are applied in float64. */
static void draw_doubles(const tarei_draw *const draw, const tarei_run *const run,
                         const size_t rows, const size_t columns, double *const out) {
  const float *const x = run->scratch;
  const tarei_draw plain = {.kind = draw->kind, .name = draw->name, .base = 0, .factor = 1};
  tarei_draw_rows(&plain, run, rows, columns, run->scratch);
  for (size_t i = 0; i < rows * columns; i++) {
    out[i] = (double)draw->base + (double)draw->factor * (double)x[i];
  }
}

tare_status tarei_draw_run(const tarei_step *const step, const tarei_run *const run,
                           tare_error *const err) {
  (void)err;
  const tarei_draw *const draw = step->state;
  const tare_tensor *const out = run->out[0];
  const size_t n = (size_t)tare_tensor_count(out);
  const size_t columns = out->rank ? (size_t)out->dims[out->rank - 1] : 1;
  if (n == 0) {
    return TARE_OK;
  }
  if (out->dtype == TARE_F64) {
    draw_doubles(draw, run, n / columns, columns, out->data);
  } else {
    tarei_draw_rows(draw, run, n / columns, columns, out->data);
  }
  return TARE_OK;
}
