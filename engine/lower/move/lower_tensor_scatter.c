/* TensorScatter: a copy of the cache, unless the output is written over it, then the entries of
 * each sequence. In circular mode those that reach the end go on at the begin. */
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

enum { CACHE, UPDATE, PLACES };

typedef struct tensor_scatter_job {
  const tarei_run *run;
  const tare_tensor *places; /* or NULL */
  size_t lists;              /* of each sequence: what lies between batch and axis */
  size_t length, n;          /* entries of a list of the cache, and of the update */
  size_t bytes;              /* of an entry */
} tensor_scatter_job;

static int tensor_scatter_axis(const tarei_step *const step, const int rank) {
  const int64_t axis = tarei_attr_int(step->node, "axis", -2);
  return (int)(axis < 0 ? axis + rank : axis);
}

static void tensor_scatter_range(const void *const user, const size_t first, const size_t end,
                                 const int thread) {
  (void)thread;
  const tensor_scatter_job *const j = user;
  for (size_t i = first; i < end; i++) {
    const char *const from = (const char *)j->run->in[UPDATE]->data + i * j->n * j->bytes;
    char *const to = (char *)j->run->out[0]->data + i * j->length * j->bytes;
    const int64_t begin = j->places ? tarei_index_at(j->places, (int64_t)(i / j->lists)) : 0;
    const size_t at = (size_t)begin % j->length, left = j->length - at;
    const size_t straight = j->n < left ? j->n : left;
    memcpy(to + at * j->bytes, from, straight * j->bytes);
    memcpy(to, from + straight * j->bytes, (j->n - straight) * j->bytes);
  }
}

static tare_status check_places(const tarei_step *const step, const tensor_scatter_job *const j,
                                tare_error *const err) {
  const bool wraps = strcmp(tarei_attr_string(step->node, "mode", "linear"), "circular") == 0;
  const int64_t most = wraps ? INT64_MAX : (int64_t)(j->length - j->n);
  for (int64_t i = 0; j->places && i < j->places->dims[0]; i++) {
    const int64_t at = tarei_index_at(j->places, i);
    if (at < 0 || at > most) {
      return tarei_fail(err, TARE_E_INPUT,
                        "write index %lld of '%s' is out of range: %zu entries go into a cache of "
                        "%zu, expected 0..%lld",
                        (long long)at, step->graph->values[step->node->in[PLACES]].name, j->n,
                        j->length, (long long)most);
    }
  }
  return TARE_OK;
}

static tare_status tensor_scatter_run(const tarei_step *const step, const tarei_run *const r,
                                      tare_error *const err) {
  const tare_tensor *const cache = r->in[CACHE], *const update = r->in[UPDATE];
  const int axis = tensor_scatter_axis(step, cache->rank);
  tensor_scatter_job j = {.run = r,
                          .places = tarei_operand(step, r, PLACES),
                          .lists = 1,
                          .length = (size_t)cache->dims[axis],
                          .n = (size_t)update->dims[axis],
                          .bytes = tare_dtype_size(cache->dtype)};
  for (int d = 0; d < cache->rank; d++) {
    TAREI_TRY(d == axis ? TARE_OK : tarei_want_dim(step, r, UPDATE, d, cache->dims[d], err));
    j.lists *= d > 0 && d < axis ? (size_t)cache->dims[d] : 1;
    j.bytes *= d > axis ? (size_t)cache->dims[d] : 1;
  }
  if (j.n > j.length) {
    return tarei_fail(err, TARE_E_SHAPE, "%zu entries do not fit into a cache of %zu", j.n,
                      j.length);
  }
  TAREI_TRY(tarei_want_count(step, r, PLACES, cache->dims[0], err));
  TAREI_TRY(check_places(step, &j, err));
  if (r->out[0]->data != cache->data) {
    tarei_copy(r, r->out[0]->data, cache->data,
               (size_t)tare_tensor_count(cache) * tare_dtype_size(cache->dtype));
  }
  if (tare_tensor_count(update) > 0) {
    tarei_row_ranges(r, (size_t)cache->dims[0] * j.lists, j.n * j.bytes, 1 << 15,
                     tensor_scatter_range, &j);
  }
  return TARE_OK;
}

static bool tensor_scatter_overwrites(const tarei_step *const step, const int input) {
  (void)step;
  return input == CACHE;
}

const tarei_lowering tarei_lower_tensor_scatter = {.run = tensor_scatter_run,
                                                   .overwrites = tensor_scatter_overwrites};
