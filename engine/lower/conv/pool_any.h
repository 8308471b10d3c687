/* Pools of any element type over any number of axes, with all they may give back: slower than the
 * forms that lower_pool.c has for floats. */
#ifndef TAREI_ENGINE_LOWER_CONV_POOL_ANY_H
#define TAREI_ENGINE_LOWER_CONV_POOL_ANY_H

#include "engine/lower/conv/windows.h"

typedef enum tarei_pool_kind {
  TAREI_POOL_MAX,
  TAREI_POOL_AVERAGE,
  TAREI_POOL_LP, /* (sum of |x|^p)^(1/p) */
} tarei_pool_kind;

typedef struct tarei_pool_any {
  tarei_window window;
  tarei_pool_kind kind;
  bool with_pads;    /* averages count padding */
  bool column_major; /* indices of MaxPool: storage_order=1 */
  int64_t p;         /* of TAREI_POOL_LP */
} tarei_pool_any;

/* TARE_E_UNSUPPORTED for element types that the pool does not take. */
tare_status tarei_pool_any_prepare(const tarei_step *step, tarei_pool_kind kind,
                                   tarei_pool_any *out, tare_error *err);
size_t tarei_pool_any_scratch(const tarei_pool_any *pool, int threads);
/* indices: of the largest elements, [out[0]'s dims], or NULL. */
void tarei_pool_any_run(const tarei_pool_any *pool, const tarei_run *run, int64_t *indices);

#endif
