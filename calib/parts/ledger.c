#include "calib/parts/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void tarei_ledger_fini(tarei_ledger *const ledger) {
  free(ledger->items);
  *ledger = (tarei_ledger){0};
}

tare_status tarei_ledger_add(tarei_ledger *const ledger, const tarei_sample_hash sample,
                             tare_error *const err) {
  if (!TAREI_GROW(ledger->items, ledger->n, ledger->cap)) {
    return tarei_fail_memory(err, "hashes of samples", ledger->n * sizeof sample);
  }
  ledger->items[ledger->n++] = sample;
  return TARE_OK;
}

static int by_hash(const void *const a, const void *const b) {
  return tarei_sample_hash_order(a, b);
}

void tarei_ledger_sort(tarei_ledger *const ledger) {
  if (ledger->n) {
    qsort(ledger->items, ledger->n, sizeof *ledger->items, by_hash);
  }
}

bool tarei_ledger_is_sorted(const tarei_ledger *const ledger) {
  for (size_t i = 1; i < ledger->n; i++) {
    if (tarei_sample_hash_order(&ledger->items[i - 1], &ledger->items[i]) > 0) {
      return false;
    }
  }
  return true;
}

tare_status tarei_ledger_join(tarei_ledger *const ledger, const tarei_ledger *const other,
                              tare_error *const err) {
  const size_t n = ledger->n + other->n;
  tarei_sample_hash *const items = tarei_calloc(n, sizeof *items);
  if (!items) {
    return tarei_fail_memory(err, "hashes of samples", n * sizeof *items);
  }
  for (size_t i = 0, k = 0; i + k < n;) {
    const bool first =
        k == other->n ||
        (i < ledger->n && tarei_sample_hash_order(&ledger->items[i], &other->items[k]) <= 0);
    items[i + k] = first ? ledger->items[i] : other->items[k];
    i += first;
    k += !first;
  }
  free(ledger->items);
  *ledger = (tarei_ledger){.items = items, .n = n, .cap = n};
  return TARE_OK;
}

/* The place of the first that is not before a sample. */
static size_t ledger_find(const tarei_ledger *const ledger, const tarei_sample_hash sample) {
  size_t low = 0;
  for (size_t high = ledger->n; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (tarei_sample_hash_order(&ledger->items[middle], &sample) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool tarei_ledger_has(const tarei_ledger *const ledger, const tarei_sample_hash sample) {
  const size_t at = ledger_find(ledger, sample);
  return at < ledger->n && tarei_sample_hash_order(&ledger->items[at], &sample) == 0;
}

size_t tarei_ledger_common(const tarei_ledger *const a, const tarei_ledger *const b) {
  size_t n = 0;
  for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
    const int order = tarei_sample_hash_order(&a->items[i], &b->items[k]);
    n += order == 0;
    i += order <= 0;
    k += order >= 0;
  }
  return n;
}

/* --- the rest --------------------------------------------------------------------------------- */

void tarei_ledger_rest_fini(tarei_ledger_rest *const rest) {
  tarei_ledger_fini(&rest->ledger);
  free(rest->n_left);
  *rest = (tarei_ledger_rest){0};
}

void tarei_ledger_rest_reset(tarei_ledger_rest *const rest) {
  const tarei_ledger *const l = &rest->ledger;
  rest->left = l->n;
  for (size_t i = 0, first = 0; i < l->n; i++) {
    first = i > 0 && tarei_sample_hash_order(&l->items[i - 1], &l->items[i]) == 0 ? first : i;
    rest->n_left[i] = 0;
    rest->n_left[first]++;
  }
}

tare_status tarei_ledger_rest_add(tarei_ledger_rest *const rest, const tarei_ledger *const ledger,
                                  tare_error *const err) {
  TAREI_TRY(tarei_ledger_join(&rest->ledger, ledger, err));
  free(rest->n_left);
  rest->n_left = tarei_calloc(rest->ledger.n, sizeof *rest->n_left);
  if (!rest->n_left) {
    return tarei_fail_memory(err, "hashes of samples", rest->ledger.n * sizeof *rest->n_left);
  }
  tarei_ledger_rest_reset(rest);
  return TARE_OK;
}

bool tarei_ledger_rest_take(tarei_ledger_rest *const rest, const tarei_sample_hash sample) {
  const size_t at = ledger_find(&rest->ledger, sample);
  if (at == rest->ledger.n || tarei_sample_hash_order(&rest->ledger.items[at], &sample) != 0 ||
      rest->n_left[at] == 0) {
    return false;
  }
  rest->n_left[at]--;
  rest->left--;
  return true;
}
