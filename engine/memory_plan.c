#include "engine/memory_plan.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

typedef struct placed {
  size_t begin, end;
} placed;

static int by_size(const void *const a, const void *const b) {
  const tarei_usage *const x = *(tarei_usage *const *)a, *const y = *(tarei_usage *const *)b;
  if (x->bytes != y->bytes) {
    return x->bytes > y->bytes ? -1 : 1;
  }
  return x < y ? -1 : 1; /* both lie in one array: a stable, deterministic order */
}

static int by_begin(const void *const a, const void *const b) {
  const placed *const x = a, *const y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static size_t lowest_gap(placed *const taken, const int n, const size_t bytes) {
  qsort(taken, (size_t)n, sizeof *taken, by_begin);
  size_t at = 0;
  for (int i = 0; i < n; i++) {
    if (taken[i].begin >= at + bytes) {
      break;
    }
    at = taken[i].end > at ? taken[i].end : at;
  }
  return at;
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
  for (int i = 0; i < n_order; i++) {
    tarei_usage *const u = order[i];
    const size_t bytes = tarei_round_up(u->bytes, TAREI_ALIGN);
    int n_taken = 0;
    for (int j = 0; j < i; j++) {
      const tarei_usage *const o = order[j];
      if (o->first <= u->last && u->first <= o->last) {
        taken[n_taken++] = (placed){o->offset, o->offset + tarei_round_up(o->bytes, TAREI_ALIGN)};
      }
    }
    u->offset = lowest_gap(taken, n_taken, bytes);
    size_t end;
    if (bytes < u->bytes || !tarei_add_size(u->offset, bytes, &end)) {
      status = tarei_fail(err, TARE_E_LIMIT, "memory plan: the tensors exceed the address space");
      goto done;
    }
    *total = end > *total ? end : *total;
  }
done:
  free(order);
  free(taken);
  return status;
}
