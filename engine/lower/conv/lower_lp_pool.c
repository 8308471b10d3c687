#include "engine/lower/conv/pool_any.h"

static tare_status lp_pool_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  (void)blobs;
  return tarei_pool_any_prepare(step, TAREI_POOL_LP, step->state, err);
}

static size_t lp_pool_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  (void)in;
  (void)out;
  return tarei_pool_any_scratch(step->state, threads);
}

static tare_status lp_pool_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  (void)err;
  tarei_pool_any_run(step->state, r, NULL);
  return TARE_OK;
}

const tarei_lowering tarei_lower_lp_pool = {.state_bytes = sizeof(tarei_pool_any),
                                            .prepare = lp_pool_prepare,
                                            .scratch = lp_pool_scratch,
                                            .run = lp_pool_run};
