/* GatherElements. */
#include <stdatomic.h>

#include "engine/lower/move/axis_rows.h"
#include "engine/lower/move/elements.h"
#include "engine/lower/move/indices.h"
#include "engine/threads.h"

#define LEAST ((size_t)1 << 15) /* elements that are worth a range */

enum { FETCHED_LEAST = 256, FETCHED_MOST = 4096, FETCHED_LINE = 64 }; /* bytes */

typedef struct gather_picking {
  const tarei_axis_rows *rows;
  const tarei_kernels *kernels;
  const char *x;
  char *out;
  size_t element;      /* bytes */
  atomic_bool *failed; /* an index is out of range, which is found on the way */
} gather_picking;

static bool gather_pick_row(const gather_picking *const p, const tarei_axis_row row) {
  int64_t places[TAREI_AXIS_PART];
  const int64_t n = p->rows->n;
  for (int64_t at = 0, m; at < n; at += m) {
    m = n - at < TAREI_AXIS_PART ? n - at : TAREI_AXIS_PART;
    if (!tarei_axis_row_places(p->rows, p->kernels, row, at, m, places)) {
      return false;
    }
    TAREI_BY_SIZE(
        p->element,
        const type *const from = (const type *)p->x + row.from + at * p->rows->placing.beside;
        type *const to = (type *)p->out + row.at + at;
        for (int64_t i = 0; i < m; i++) { to[i] = from[places[i]]; })
  }
  return true;
}

/* Fetches a part of what the rows that are next pick from: processors cannot guess which elements
 * these are. */
static void gather_fetch_ahead(const gather_picking *const p, const size_t i) {
  const tarei_axis_rows *const r = p->rows;
  const bool last = r->placing.beside == 0;
  const size_t along = last ? 1 : (size_t)r->indices->dims[r->axis], step = i % along;
  const size_t bytes = (size_t)(last ? r->placing.size : r->n) * p->element;
  if (bytes < FETCHED_LEAST || bytes > FETCHED_MOST || i - step + along >= (size_t)r->rows ||
      step >= (size_t)r->placing.size) {
    return;
  }
  const size_t next = (size_t)tarei_axis_row_of(r, i - step + along).from;
  const char *const from = p->x + (next + step * (size_t)r->placing.stride) * p->element;
  for (size_t b = 0; b < bytes; b += FETCHED_LINE) {
    __builtin_prefetch(from + b);
  }
}

static void gather_pick_rows(const void *const user, const size_t first, const size_t end,
                             const int thread) {
  (void)thread;
  const gather_picking *const p = user;
  for (size_t i = first; i < end; i++) {
    gather_fetch_ahead(p, i);
    if (!gather_pick_row(p, tarei_axis_row_of(p->rows, i))) {
      atomic_store(p->failed, true);
      return;
    }
  }
}

static tare_status run_gather_elements(const tarei_step *const step, const tarei_run *const r,
                                       tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const int64_t given = tarei_attr_int(step->node, "axis", 0);
  const int axis = (int)(given < 0 ? given + x->rank : given);
  atomic_bool failed = false;
  tarei_axis_rows rows;
  TAREI_TRY(tarei_axis_rows_read(x, r->in[1], axis, &rows, err));
  const gather_picking p = {.rows = &rows,
                            .kernels = r->kernels,
                            .x = x->data,
                            .out = r->out[0]->data,
                            .element = tare_dtype_size(x->dtype),
                            .failed = &failed};
  tarei_row_ranges(r, (size_t)rows.rows, (size_t)rows.n, LEAST, gather_pick_rows, &p);
  return failed ? tarei_check_indices(step, r, 0, 1, axis, x->dims[axis], err) : TARE_OK;
}

const tarei_lowering tarei_lower_gather_elements = {.prepare = tarei_want_indices,
                                                    .run = run_gather_elements};
