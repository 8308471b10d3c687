/* Where: elements of any type, chosen by broadcasting. */
#include <string.h>

#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/move/elements.h"

typedef struct where_job {
  const uint8_t *condition;
  const char *a, *b;
  char *out;
  size_t element;
} where_job;

/* n elements that stand in a row, or one of them n times. */
static void repeat_row(void *const out, const void *const from, const size_t step, const size_t n,
                       const size_t element) {
  if (step) {
    memcpy(out, from, n * element);
  } else {
    tarei_fill_elements(out, from, n, element);
  }
}

/* One loop for each way in which the choices step, without a branch on the condition, so that
 * compilers make vectors of them. */
#define CHOOSE_STEPS(type, x_step, y_step)                            \
  for (size_t i = 0; i < b->n; i++) {                                 \
    const type p = ((const type *)(const void *)x)[(x_step) ? i : 0]; \
    const type q = ((const type *)(const void *)y)[(y_step) ? i : 0]; \
    const type mask = (type)(0 - (type)(c[i] != 0));                  \
    ((type *)(void *)out)[i] = (type)(q ^ ((p ^ q) & mask));          \
  }

static void where_row(const void *const user, const tarei_broadcast *const b, const size_t at,
                      const size_t *const offset) {
  const where_job *const j = user;
  const uint8_t *const c = j->condition + offset[0];
  const char *const x = j->a + offset[1] * j->element, *const y = j->b + offset[2] * j->element;
  char *const out = j->out + at * j->element;
  if (!b->step[0]) {
    const int chosen = *c ? 1 : 2;
    repeat_row(out, *c ? x : y, b->step[chosen], b->n, j->element);
  } else if (b->step[1] && b->step[2]) {
    TAREI_BY_SIZE(j->element, CHOOSE_STEPS(type, 1, 1))
  } else if (b->step[1]) {
    TAREI_BY_SIZE(j->element, CHOOSE_STEPS(type, 1, 0))
  } else if (b->step[2]) {
    TAREI_BY_SIZE(j->element, CHOOSE_STEPS(type, 0, 1))
  } else {
    TAREI_BY_SIZE(j->element, CHOOSE_STEPS(type, 0, 0))
  }
}

static tare_status run_where(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  (void)step;
  tarei_broadcast layout;
  TAREI_TRY(tarei_broadcast_read(r->in, 3, r->out[0], &layout, err));
  const where_job j = {r->in[0]->data, r->in[1]->data, r->in[2]->data, r->out[0]->data,
                       tare_dtype_size(r->out[0]->dtype)};
  tarei_broadcast_run(&layout, r, where_row, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_where = {.run = run_where};
