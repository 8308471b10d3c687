/* Sets samples aside by their contents, so that neither the order of the data nor copies of a
 * sample in them matter. */
#include <stdlib.h>
#include <tare/calib.h>

#include "base/mem.h"
#include "calib/parts/ledger.h"
#include "datasets/dataset.h"

typedef struct hold_item {
  tarei_sample_hash key;
  int64_t index;
} hold_item;

typedef struct hold_work {
  hold_item *items; /* of all samples that could be read */
  size_t n, cap;
} hold_work;

static int hold_by_key(const void *const a, const void *const b) {
  const hold_item *const x = a, *const y = b;
  const int order = tarei_sample_hash_order(&x->key, &y->key);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int hold_by_index(const void *const a, const void *const b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* A sample at several levels counts as it is. */
static tare_status hold_read(hold_work *const w, tare_dataset *const data, tare_error *const err) {
  const int n_inputs = tarei_dataset_spec(data)->n_inputs;
  const tare_sample *sample = NULL;
  TAREI_TRY(tare_dataset_rewind(data, err));
  TAREI_TRY(tare_dataset_next(data, &sample, err));
  while (sample) {
    if (sample->gain_db == 0) {
      if (!TAREI_GROW(w->items, w->n, w->cap)) {
        return tarei_fail_memory(err, "samples to set aside", w->n * sizeof *w->items);
      }
      w->items[w->n++] =
          (hold_item){tarei_sample_hash_of(sample->tensors, n_inputs), sample->index};
    }
    TAREI_TRY(tare_dataset_next(data, &sample, err));
  }
  if (w->n) {
    qsort(w->items, w->n, sizeof *w->items, hold_by_key);
  }
  return TARE_OK;
}

/* Leaves a data set the items [first, end). */
static tare_status hold_keep(const hold_work *const w, const size_t first, const size_t end,
                             tare_dataset *const data, tare_error *const err) {
  const size_t n = end - first;
  int64_t *const indices = tarei_calloc(n, sizeof *indices);
  if (!indices) {
    return tarei_fail_memory(err, "samples to set aside", n * sizeof *indices);
  }
  for (size_t i = 0; i < n; i++) {
    indices[i] = w->items[first + i].index;
  }
  qsort(indices, n, sizeof *indices, hold_by_index);
  const tare_choice choice = tarei_dataset_spec(data)->choice;
  return tarei_dataset_keep(data, indices, n, &choice, err);
}

/* The end of n samples, with the copies of the last one. */
static size_t hold_end(const hold_work *const w, const int64_t n) {
  size_t end = (size_t)n < w->n ? (size_t)n : w->n;
  while (end > 0 && end < w->n &&
         tarei_sample_hash_order(&w->items[end].key, &w->items[end - 1].key) == 0) {
    end++;
  }
  return end;
}

static tare_status hold_divide(const hold_work *const w, tare_dataset *const data,
                               tare_dataset *const *const held, const int64_t *const counts,
                               const int n_held, tare_error *const err) {
  size_t most = 0;
  for (int i = 0; i < n_held; i++) {
    const size_t end = hold_end(w, counts[i]);
    most = end > most ? end : most;
  }
  if (most == 0 || most == w->n) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: %zu of %zu samples cannot be set aside: expected one or more on both "
                      "sides that are not copies of each other",
                      tare_dataset_describe(data), most, w->n);
  }
  TAREI_TRY(hold_keep(w, most, w->n, data, err));
  for (int i = 0; i < n_held; i++) {
    TAREI_TRY(hold_keep(w, 0, hold_end(w, counts[i]), held[i], err));
  }
  return TARE_OK;
}

tare_status tare_dataset_hold_out(tare_dataset *const data, tare_dataset *const *const held,
                                  const int64_t *const counts, const int n_held,
                                  tare_error *const err) {
  hold_work w = {0};
  for (int i = 0; i < n_held; i++) {
    if (counts[i] < 1) {
      return tarei_fail(err, TARE_E_USAGE, "%lld samples to set aside: expected 1 or more",
                        (long long)counts[i]);
    }
  }
  tare_status status = hold_read(&w, data, err);
  if (status == TARE_OK) {
    status = hold_divide(&w, data, held, counts, n_held, err);
  }
  free(w.items);
  return status;
}
