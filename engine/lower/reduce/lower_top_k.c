/* TopK, in order even where the node asks for none. Of equal elements those of lower index come
 * first; NaN counts as larger than any number. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/move/elements.h"
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/lower/reduce/arg_extreme.h"
#include "engine/lower/reduce/sort_keys.h"
#include "engine/threads.h"

#define KEYS_AT_ONCE 64
#define TURNED 16 /* columns at a time */

typedef struct top_k_entry {
  uint64_t key; /* lower ones come first */
  int64_t at;
} top_k_entry;

typedef struct top_k_job {
  const tarei_run *run;
  tarei_sort_keys_fn *keys;
  size_t n, k, inner, element;
  uint64_t flip; /* turns the order of keys round */
  char *values;  /* or NULL, as indices */
  int64_t *indices;
} top_k_job;

static bool is_behind(const top_k_entry *const a, const top_k_entry *const b) {
  return a->key != b->key ? a->key > b->key : a->at > b->at;
}

/* The last one of a heap stands at its top; puts `e` where it belongs below `i`. */
static void sink(top_k_entry *const heap, const size_t n, size_t i, const top_k_entry e) {
  for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
    child += child + 1 < n && is_behind(&heap[child + 1], &heap[child]);
    if (!is_behind(&heap[child], &e)) {
      break;
    }
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = e;
}

/* The first k elements fill the heap; later ones come here where they stand before its last. */
static void offer(top_k_entry *const heap, const size_t k, const top_k_entry e) {
  if ((size_t)e.at < k) {
    heap[e.at] = e;
    for (size_t i = (size_t)e.at + 1 == k ? k / 2 : 0; i-- > 0;) {
      sink(heap, k, i, heap[i]);
    }
  } else {
    sink(heap, k, 0, e);
  }
}

/* The last of a heap of k is taken from its top and put behind the others, again and again. */
static void top_k_sort(top_k_entry *const heap, const size_t k) {
  for (size_t n = k; n > 1; n--) {
    const top_k_entry last = heap[0];
    sink(heap, n - 1, 0, heap[n - 1]);
    heap[n - 1] = last;
  }
}

/* The first k of a row whose first element is `at`, sorted. */
static void top_k_choose(const top_k_job *const j, const size_t at, top_k_entry *const heap) {
  uint64_t keys[KEYS_AT_ONCE];
  for (size_t first = 0; first < j->n; first += KEYS_AT_ONCE) {
    const size_t m = j->n - first < KEYS_AT_ONCE ? j->n - first : KEYS_AT_ONCE;
    j->keys(j->run->in[0]->data, at + first * j->inner, j->inner, m, keys);
    for (size_t i = 0; i < m; i++) {
      const uint64_t key = keys[i] ^ j->flip;
      if (first + i < j->k || key < heap[0].key) {
        offer(heap, j->k, (top_k_entry){key, (int64_t)(first + i)});
      }
    }
  }
  top_k_sort(heap, j->k);
}

/* The same for floats that lie side by side: most of them are passed over in vectors. */
static void top_k_choose_floats(const top_k_job *const j, const float *const x,
                                top_k_entry *const heap) {
  for (size_t i = 0; i < j->n; i++) {
    if (i >= j->k) {
      i = j->run->kernels->arg_beyond(x, i, j->n, x[heap[0].at], !j->flip);
    }
    if (i < j->n) {
      uint64_t key;
      j->keys(x, i, 1, 1, &key);
      if (i < j->k || (key ^ j->flip) < heap[0].key) {
        offer(heap, j->k, (top_k_entry){key ^ j->flip, (int64_t)i});
      }
    }
  }
  top_k_sort(heap, j->k);
}

static void top_k_write(const top_k_job *const j, const size_t row, const top_k_entry *const heap) {
  const size_t outer = row / j->inner, lane = row % j->inner;
  const size_t from = outer * j->n * j->inner + lane, to = outer * j->k * j->inner + lane;
  for (size_t i = 0; i < j->k; i++) {
    const size_t at = to + i * j->inner;
    if (j->indices) {
      j->indices[at] = heap[i].at;
    }
    if (j->values) {
      memcpy(
          j->values + at * j->element,
          (const char *)j->run->in[0]->data + (from + (size_t)heap[i].at * j->inner) * j->element,
          j->element);
    }
  }
}

/* Scratch of a thread: a heap, and columns of floats that were made rows. */
static size_t top_k_thread_bytes(const size_t n) {
  return n * (sizeof(top_k_entry) + TURNED * sizeof(float));
}

static void top_k_row_range(const void *const user, const size_t first, const size_t end,
                            const int thread) {
  const top_k_job *const j = user;
  top_k_entry *const heap = tarei_thread_scratch(j->run, thread, top_k_thread_bytes(j->n));
  for (size_t row = first; row < end; row++) {
    top_k_choose(j, row / j->inner * j->n * j->inner + row % j->inner, heap);
    top_k_write(j, row, heap);
  }
}

/* Where few elements of a row come before the last of the heap, if they stand in any order: each
 * such one costs as much as some keys. */
static bool top_k_passes_over(const top_k_job *const j) {
  const size_t often = (size_t)(64 - __builtin_clzll(j->n / j->k));
  return j->keys == tarei_sort_keys_of(TARE_F32) && j->k * often <= j->n / 7;
}

static void top_k_float_range(const void *const user, size_t first, const size_t end,
                              const int thread) {
  const top_k_job *const j = user;
  top_k_entry *const heap = tarei_thread_scratch(j->run, thread, top_k_thread_bytes(j->n));
  float *const turned = (float *)(void *)(heap + j->n);
  for (size_t m; first < end; first += m) {
    const size_t lane = first % j->inner, left = j->inner - lane, most = end - first;
    const float *x = (const float *)j->run->in[0]->data + first / j->inner * j->n * j->inner + lane;
    m = left < most ? left : most;
    if (j->inner > 1) {
      m = m < TURNED ? m : TURNED;
      const tarei_turn turn = {.element = sizeof *x,
                               .from = x,
                               .from_step = j->inner,
                               .to = turned,
                               .to_step = j->n,
                               .rows = m,
                               .columns = j->n,
                               .count = 1};
      j->run->kernels->transpose(&turn);
      x = turned;
    }
    for (size_t i = 0; i < m; i++) {
      top_k_choose_floats(j, x + i * j->n, heap);
      top_k_write(j, first + i, heap);
    }
  }
}

/* --- a single one ----------------------------------------------------------------------------- */

static bool top_is_nan(const tare_tensor *const x, const size_t at) {
  return x->dtype == TARE_F32   ? isnan(((const float *)x->data)[at])
         : x->dtype == TARE_F64 ? isnan(((const double *)x->data)[at])
                                : false;
}

/* Values of results that lie side by side, from those of the axis: results [first, first + n). */
static void top_1_pick(const top_k_job *const j, const size_t first, const size_t n) {
  const tare_tensor *const x = j->run->in[0];
  const size_t from = first / j->inner * j->n * j->inner + first % j->inner;
  int64_t *const at = j->indices + first;
  /* The search for the least picks a NaN, which TopK counts as the largest: choose anew there. */
  for (size_t i = 0; !j->flip && i < n; i++) {
    if (top_is_nan(x, from + (size_t)at[i] * j->inner + i)) {
      top_k_entry best;
      top_k_choose(j, from + i, &best);
      at[i] = best.at;
    }
  }
  if (j->values) {
    TAREI_BY_SIZE(
        j->element, for (size_t i = 0; i < n; i++) {
          ((type *)j->values)[first + i] =
              ((const type *)x->data)[from + (size_t)at[i] * j->inner + i];
        })
  }
}

static void top_1_range(const void *const user, size_t first, const size_t end, const int thread) {
  (void)thread;
  const top_k_job *const j = user;
  for (size_t n; first < end; first += n) {
    const size_t left = j->inner - first % j->inner;
    n = left < end - first ? left : end - first;
    top_1_pick(j, first, n);
  }
}

static void top_1_run(const top_k_job *const j, const int axis, const size_t results) {
  tarei_arg_extreme(j->run, j->run->in[0], axis, !j->flip, false, j->indices);
  tarei_row_ranges(j->run, results, 1, 4096, top_1_range, j);
}

/* --- the operator ----------------------------------------------------------------------------- */

static int top_k_axis_of(const tarei_step *const step, const tare_tensor *const x) {
  const int64_t axis = tarei_attr_int(step->node, "axis", -1);
  return (int)(axis < 0 ? axis + x->rank : axis);
}

static size_t top_k_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                            const tare_tensor *const *const out, const int threads) {
  const size_t n = (size_t)in[0]->dims[top_k_axis_of(step, in[0])];
  const size_t rows = n ? (size_t)tare_tensor_count(in[0]) / n : 0;
  const size_t heaps = tarei_times(top_k_thread_bytes(n), (size_t)threads);
  const size_t indices = step->node->n_out > 1 && out[1] ? 0 : rows * sizeof(int64_t);
  return heaps > indices ? heaps : indices; /* a single one needs no heap */
}

/* k of this run, inside the axis. */
static tare_status top_k_read(const tarei_step *const step, const tarei_run *const r,
                              int64_t *const k, tare_error *const err) {
  const int64_t most = r->in[0]->dims[top_k_axis_of(step, r->in[0])];
  *k = tarei_attr_int(step->node, "k", 0);
  if (tarei_operand(step, r, 1)) {
    TAREI_TRY(tarei_read_int(step, r, 1, "k", 0, INT64_MAX, k, err));
  }
  return *k >= 0 && *k <= most
             ? TARE_OK
             : tarei_fail(err, TARE_E_SHAPE, "k is %lld, more than the axis length of %lld",
                          (long long)*k, (long long)most);
}

static tare_status top_k_measure(const tarei_step *const step, const tarei_run *const r,
                                 int64_t *const values, tare_error *const err) {
  return top_k_read(step, r, &values[0], err);
}

static tare_status top_k_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                 tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return tarei_sort_keys_of(dtype) ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status top_k_run(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const int axis = top_k_axis_of(step, x);
  const bool has_indices = step->node->n_out > 1 && r->out[1];
  int64_t k;
  TAREI_TRY(top_k_read(step, r, &k, err));
  if (k == 0) {
    return TARE_OK;
  }
  top_k_job j = {.run = r,
                 .keys = tarei_sort_keys_of(x->dtype),
                 .n = (size_t)x->dims[axis],
                 .k = (size_t)k,
                 .inner = 1,
                 .element = tare_dtype_size(x->dtype),
                 .flip = tarei_attr_int(step->node, "largest", 1) != 0 ? UINT64_MAX : 0,
                 .values = r->out[0] ? r->out[0]->data : NULL,
                 .indices = has_indices ? r->out[1]->data : NULL};
  for (int d = axis + 1; d < x->rank; d++) {
    j.inner *= (size_t)x->dims[d];
  }
  const size_t rows = (size_t)tare_tensor_count(x) / j.n;
  if (k == 1) {
    j.indices = has_indices ? j.indices : r->scratch;
    top_1_run(&j, axis, rows);
  } else {
    tarei_row_ranges(r, rows, j.n, 4096,
                     top_k_passes_over(&j) ? top_k_float_range : top_k_row_range, &j);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_top_k = {
    .prepare = top_k_prepare, .scratch = top_k_scratch, .measure = top_k_measure, .run = top_k_run};
