/* Trilu: the upper or lower triangle of matrices, zeros elsewhere. */
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/threads.h"

typedef struct trilu_job {
  const tare_tensor *x, *out;
  int64_t k;
  bool upper;
} trilu_job;

static int64_t between(const int64_t x, const int64_t low, const int64_t high) {
  return x < low ? low : x > high ? high : x;
}

static void trilu_row_range(const void *const user, const size_t first, const size_t end,
                            const int thread) {
  (void)thread;
  const trilu_job *const j = user;
  const int64_t rows = j->x->dims[j->x->rank - 2], columns = j->x->dims[j->x->rank - 1];
  const size_t element = tare_dtype_size(j->x->dtype), bytes = (size_t)columns * element;
  for (size_t row = first; row < end; row++) {
    const int64_t i = (int64_t)(row % (size_t)rows);
    /* the diagonal belongs to both triangles */
    const size_t cut = (size_t)between(i + j->k + !j->upper, 0, columns) * element;
    char *const to = (char *)j->out->data + row * bytes;
    const char *const from = (const char *)j->x->data + row * bytes;
    memset(to + (j->upper ? 0 : cut), 0, j->upper ? cut : bytes - cut);
    memcpy(to + (j->upper ? cut : 0), from + (j->upper ? cut : 0), j->upper ? bytes - cut : cut);
  }
}

static tare_status trilu_run(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  int64_t k = 0;
  if (tarei_operand(step, r, 1)) {
    TAREI_TRY(tarei_read_int(step, r, 1, "diagonal", INT64_MIN, INT64_MAX, &k, err));
  }
  const trilu_job j = {x, r->out[0], between(k, -((int64_t)1 << 40), (int64_t)1 << 40),
                       tarei_attr_int(step->node, "upper", 1) != 0};
  const size_t total = (size_t)tare_tensor_count(x);
  if (total) {
    const size_t columns = (size_t)x->dims[x->rank - 1];
    tarei_row_ranges(r, total / columns, columns * tare_dtype_size(x->dtype), 1u << 15,
                     trilu_row_range, &j);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_trilu = {.run = trilu_run};
