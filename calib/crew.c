/* Boxes of tensors, cut into row ranges for threads. Every thread fills its own accumulator; their
 * sum does not depend on how the rows were shared out. */
#include <assert.h>

#include "base/mem.h"
#include "calib/accumulator.h"

enum { ELEMENTS_PER_THREAD = 1 << 15 }; /* less is not worth waking a thread for */

/* The valid box of a tensor as rows. */
typedef struct crew_box {
  const float *data;
  const tare_tensor *tensor;
  const int64_t *valid;
  int64_t n_rows, n_columns;
  int64_t group; /* so many rows in turn lie one behind the other */
} crew_box;

tare_status tarei_crew_init(tarei_crew *const crew, const tarei_kernels *const kernels,
                            tarei_team *const team, tare_error *const err) {
  const size_t n = (size_t)tarei_team_threads(team) - 1;
  *crew = (tarei_crew){.kernels = kernels, .team = team};
  crew->locals = tarei_calloc(n, sizeof *crew->locals);
  if (!crew->locals) {
    return tarei_fail_memory(err, "accumulators of threads", n * sizeof *crew->locals);
  }
  for (size_t i = 0; i < n; i++) {
    tarei_accumulator_init(&crew->locals[i]);
  }
  return TARE_OK;
}

void tarei_crew_fini(tarei_crew *const crew) {
  for (int i = 0; crew->locals && i < tarei_team_threads(crew->team) - 1; i++) {
    tarei_accumulator_fini(&crew->locals[i]);
  }
  free(crew->locals);
  *crew = (tarei_crew){0};
}

static crew_box make_box(const tare_tensor *const tensor, const int64_t *const valid) {
  crew_box b = {.data = tensor->data,
                .tensor = tensor,
                .valid = valid,
                .n_rows = 1,
                .n_columns = 1,
                .group = 1};
  if (tensor->rank == 0) {
    return b;
  }
  const int last = tensor->rank - 1;
  b.n_columns = valid[last];
  bool dense = valid[last] == tensor->dims[last];
  for (int i = last - 1; i >= 0; i--) {
    assert(valid[i] >= 0 && valid[i] <= tensor->dims[i]);
    b.n_rows *= valid[i];
    b.group *= dense ? valid[i] : 1;
    dense = dense && valid[i] == tensor->dims[i];
  }
  return b;
}

static const float *crew_row_at(const crew_box *const b, const int64_t row) {
  int64_t rest = row, offset = 0;
  int64_t stride = b->tensor->rank ? b->tensor->dims[b->tensor->rank - 1] : 1;
  for (int i = b->tensor->rank - 2; i >= 0; i--) {
    offset += rest % b->valid[i] * stride;
    rest /= b->valid[i];
    stride *= b->tensor->dims[i];
  }
  return b->data + offset;
}

static bool add_range(tarei_accumulator *const a, const tarei_kernels *const kernels,
                      const crew_box *const b, const int64_t begin, const int64_t end) {
  for (int64_t row = begin; row < end;) {
    const int64_t left = b->group - row % b->group;
    const int64_t n = left < end - row ? left : end - row;
    if (!tarei_accumulator_add_rows(a, kernels, crew_row_at(b, row), n, b->n_columns)) {
      return false;
    }
    row += n;
  }
  return true;
}

static int crew_threads_for(const tarei_crew *const crew, const crew_box *const b) {
  const int64_t wanted = b->n_rows * b->n_columns / ELEMENTS_PER_THREAD;
  const int64_t most = wanted < b->n_rows ? wanted : b->n_rows;
  const int threads = tarei_team_threads(crew->team);
  return most >= threads ? threads : most > 1 ? (int)most : 1;
}

/* One pass over a box; every thread says by itself whether it failed. */
typedef struct crew_pass {
  const tarei_crew *crew;
  const crew_box *b;
  tarei_accumulator *sum; /* the first thread counts where the others are added: one sum less */
  int64_t n_ranges;
  bool *failed; /* per thread */
} crew_pass;

static void add_item(const void *const user, const size_t item, const int thread) {
  const crew_pass *const p = user;
  const int64_t n = p->n_ranges, rows = p->b->n_rows, i = (int64_t)item;
  const int64_t begin = rows / n * i + rows % n * i / n;
  const int64_t end = rows / n * (i + 1) + rows % n * (i + 1) / n;
  tarei_accumulator *const a = thread ? &p->crew->locals[thread - 1] : p->sum;
  p->failed[thread] |= !add_range(a, p->crew->kernels, p->b, begin, end);
}

static bool add_threaded(const tarei_crew *const crew, const crew_box *const b, const int n_ranges,
                         tarei_accumulator *const a) {
  const int threads = tarei_team_threads(crew->team);
  bool failed[TAREI_TEAM_MOST_THREADS] = {false};
  const crew_pass p = {.crew = crew, .b = b, .sum = a, .n_ranges = n_ranges, .failed = failed};
  tarei_team_run(crew->team, (size_t)n_ranges, add_item, &p);
  bool ok = true;
  for (int i = 0; i < threads; i++) {
    ok = ok && !failed[i];
  }
  for (int i = 0; i < threads - 1; i++) {
    ok = ok && tarei_accumulator_merge(a, &crew->locals[i]);
    tarei_accumulator_fini(&crew->locals[i]);
  }
  return ok;
}

tare_status tarei_crew_observe(tarei_crew *const crew, const tare_tensor *const data,
                               const int64_t *const valid, tarei_accumulator *const a,
                               tare_error *const err) {
  assert(data->dtype == TARE_F32);
  const crew_box b = make_box(data, valid);
  a->n_samples++;
  if (b.n_rows == 0 || b.n_columns == 0) {
    return TARE_OK;
  }
  const int n_ranges = crew_threads_for(crew, &b);
  const bool ok = n_ranges > 1 ? add_threaded(crew, &b, n_ranges, a)
                               : add_range(a, crew->kernels, &b, 0, b.n_rows);
  return ok ? TARE_OK : tarei_fail_memory(err, "a histogram", TAREI_HISTOGRAM_BYTES);
}
