#include "engine/memory_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Memory that is taken from step `first` to step `last`. */
typedef struct placed {
  size_t begin, end;
  int first, last;
} placed;

static int by_size(const void *const a, const void *const b) {
  const tarei_usage *const x = *(tarei_usage *const *)a, *const y = *(tarei_usage *const *)b;
  if (x->bytes != y->bytes) {
    return x->bytes > y->bytes ? -1 : 1;
  }
  return x < y ? -1 : 1; /* both lie in one array: a stable, deterministic order */
}

/* `taken` is in the order of `begin`: the first that lies behind the gap ends the search. */
static size_t lowest_gap(const placed *const taken, const int n, const tarei_usage *const u,
                         const size_t bytes) {
  size_t at = 0;
  for (int i = 0; i < n && taken[i].begin < at + bytes; i++) {
    if (taken[i].first <= u->last && u->first <= taken[i].last && taken[i].end > at) {
      at = taken[i].end;
    }
  }
  return at;
}

static void insert(placed *const taken, const int n, const placed *const one) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (taken[middle].begin <= one->begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  memmove(&taken[low + 1], &taken[low], (size_t)(n - low) * sizeof *taken);
  taken[low] = *one;
}

static tare_status place_all(tarei_usage *const *const order, const int n, placed *const taken,
                             size_t *const total, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    tarei_usage *const u = order[i];
    const size_t bytes = tarei_round_up(u->bytes, TAREI_ALIGN);
    u->offset = lowest_gap(taken, i, u, bytes);
    size_t end;
    if (bytes < u->bytes || !tarei_add_size(u->offset, bytes, &end)) {
      return tarei_fail(err, TARE_E_LIMIT, "memory plan: the tensors exceed the address space");
    }
    const placed one = {u->offset, end, u->first, u->last};
    insert(taken, i, &one);
    *total = end > *total ? end : *total;
  }
  return TARE_OK;
}

tare_status tarei_memory_plan(tarei_usage *const usages, const int n, size_t *const total,
                              tare_error *const err) {
  tarei_usage **const order = tarei_calloc((size_t)n, sizeof *order);
  placed *const taken = tarei_calloc((size_t)n, sizeof *taken);
  tare_status status = TARE_OK;
  *total = 0;
  if (!order || !taken) {
    status = tarei_fail_memory(err, "memory plan", (size_t)n * sizeof *order);
    goto done;
  }
  int n_order = 0;
  for (int i = 0; i < n; i++) {
    assert(usages[i].first <= usages[i].last);
    usages[i].offset = 0;
    if (usages[i].bytes) {
      order[n_order++] = &usages[i];
    }
  }
  qsort(order, (size_t)n_order, sizeof *order, by_size);
  status = place_all(order, n_order, taken, total, err);
done:
  free(order);
  free(taken);
  return status;
}
