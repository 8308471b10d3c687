#include "calib/histogram.h"

#include <assert.h>
#include <math.h>
#include <string.h>

_Static_assert(TAREI_HISTOGRAM_BINS == TAREI_OBSERVE_BINS, "kernels count other bins");
_Static_assert(TAREI_COUNTS_PAGES == 64, "a set of pages is one word");

enum {
  BINS = TAREI_HISTOGRAM_BINS,
  PAGE = TAREI_COUNTS_PAGE,
  PIECE = 4096, /* elements that are looked at one by one */
  AHEAD = 3,    /* pages to be fetched into the caches */
};

/* Of one call of a kernel; all zero between calls, so that nobody has to clear what was not
 * touched. */
typedef uint16_t histogram_scratch[2][BINS];

static histogram_scratch *get_scratch(void) {
  static _Thread_local _Alignas(64) histogram_scratch counts;
  return &counts;
}

void tarei_histogram_init(tarei_histogram *const h) {
  *h = (tarei_histogram){.exponent = TAREI_HISTOGRAM_NO_EXPONENT};
}

void tarei_histogram_fini(tarei_histogram *const h) {
  tarei_counts_clear(&h->positive);
  tarei_counts_clear(&h->negative);
  tarei_histogram_init(h);
}

int32_t tarei_histogram_exponent(const float amax) {
  assert(amax > 0 && isfinite(amax));
  int power = 0;
  (void)frexpf(amax, &power); /* amax < 2^power */
  const int32_t exponent = power - TAREI_HISTOGRAM_BITS;
  return exponent < TAREI_HISTOGRAM_MIN_EXPONENT ? TAREI_HISTOGRAM_MIN_EXPONENT : exponent;
}

static bool add_zeros(tarei_histogram *const h, const int64_t n) {
  if (h->exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    h->zeros += n;
    return true;
  }
  const int64_t page[PAGE] = {n};
  return tarei_counts_add(&h->positive, 0, page);
}

static bool histogram_join(tarei_histogram *const h, const int32_t steps) {
  const int shift = steps < TAREI_HISTOGRAM_BITS ? (int)steps : TAREI_HISTOGRAM_BITS;
  return tarei_counts_join(&h->positive, shift) && tarei_counts_join(&h->negative, shift);
}

static bool reserve_exponent(tarei_histogram *const h, const int32_t exponent) {
  const int32_t before = h->exponent;
  if (before == TAREI_HISTOGRAM_NO_EXPONENT) {
    const int64_t zeros = h->zeros;
    h->exponent = exponent;
    h->zeros = 0;
    return add_zeros(h, zeros);
  }
  if (exponent <= before) {
    return true;
  }
  h->exponent = exponent;
  return histogram_join(h, exponent - before);
}

bool tarei_histogram_reserve(tarei_histogram *const h, const float amax) {
  return reserve_exponent(h, tarei_histogram_exponent(amax));
}

static bool histogram_is_zero(const uint16_t *const page) {
  uint16_t any = 0;
  for (int i = 0; i < PAGE; i++) {
    any |= page[i];
  }
  return any == 0;
}

/* Moves the counts of a kernel into one sign. */
static bool histogram_take(tarei_counts *const c, uint16_t *const from, const uint64_t pages) {
  bool ok = true;
  for (uint64_t left = pages; left; left &= left - 1) {
    const int p = __builtin_ctzll(left);
    uint16_t *const page = from + p * PAGE;
    if (p + AHEAD < TAREI_COUNTS_PAGES) {
      tarei_counts_fetch(c, p + AHEAD);
    }
    if (c->pages[p] || !histogram_is_zero(page)) {
      ok = ok && tarei_counts_add_small(c, p, page);
      memset(page, 0, PAGE * sizeof *page);
    }
  }
  return ok;
}

/* n_odd values that are no values stand in `o` as zeros. */
static bool histogram_observe(tarei_histogram *const h, const tarei_kernels *const kernels,
                              tarei_observe *const o, const size_t n_odd, bool *const fits) {
  histogram_scratch *const counts = get_scratch();
  o->exponent = h->exponent;
  o->bins = BINS;
  o->counts = (*counts)[0];
  *fits = kernels->observe(o);
  if (!*fits) {
    memset(counts, 0, sizeof *counts);
    return true;
  }
  (*counts)[0][0] = (uint16_t)((*counts)[0][0] - n_odd);
  const bool ok = histogram_take(&h->positive, (*counts)[0], o->pages[0]);
  return histogram_take(&h->negative, (*counts)[1], o->pages[1]) && ok;
}

bool tarei_histogram_observe(tarei_histogram *const h, const tarei_kernels *const kernels,
                             tarei_observe *const o, bool *const fits) {
  *fits = false;
  return h->exponent == TAREI_HISTOGRAM_NO_EXPONENT || histogram_observe(h, kernels, o, 0, fits);
}

/* Replaces NaN and infinite values by zeros; how many. */
static size_t clean(const float *const x, const size_t n, float *const out) {
  size_t n_odd = 0;
  for (size_t i = 0; i < n; i++) {
    const bool finite = fabsf(x[i]) < INFINITY;
    out[i] = finite ? x[i] : 0.0f;
    n_odd += !finite;
  }
  return n_odd;
}

static bool add_piece(tarei_histogram *const h, const tarei_kernels *const kernels,
                      const float *const x, const size_t n, const bool finite) {
  float cleaned[PIECE];
  const size_t n_odd = finite ? 0 : clean(x, n, cleaned);
  tarei_observe o = {.x = finite ? x : cleaned, .n_rows = 1, .n_columns = n};
  bool fits = true;
  const bool ok = histogram_observe(h, kernels, &o, n_odd, &fits);
  assert(fits);
  return ok;
}

bool tarei_histogram_add(tarei_histogram *const h, const tarei_kernels *const kernels,
                         const float *const x, const size_t n, const int64_t n_finite,
                         const float amax) {
  if (n_finite == 0 || amax == 0) {
    return add_zeros(h, n_finite);
  }
  if (!tarei_histogram_reserve(h, amax)) {
    return false;
  }
  const bool finite = n_finite == (int64_t)n;
  const size_t most = finite ? TAREI_OBSERVE_MOST : PIECE;
  for (size_t i = 0; i < n; i += most) {
    if (!add_piece(h, kernels, x + i, n - i < most ? n - i : most, finite)) {
      return false;
    }
  }
  return true;
}

bool tarei_histogram_merge(tarei_histogram *const h, const tarei_histogram *const other) {
  if (other->exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    return add_zeros(h, other->zeros);
  }
  if (!reserve_exponent(h, other->exponent)) {
    return false;
  }
  const int32_t steps = h->exponent - other->exponent;
  if (steps == 0) {
    return tarei_counts_merge(&h->positive, &other->positive) &&
           tarei_counts_merge(&h->negative, &other->negative);
  }
  tarei_histogram coarse;
  tarei_histogram_init(&coarse);
  coarse.exponent = other->exponent;
  const bool ok = tarei_counts_merge(&coarse.positive, &other->positive) &&
                  tarei_counts_merge(&coarse.negative, &other->negative) &&
                  reserve_exponent(&coarse, h->exponent) && tarei_histogram_merge(h, &coarse);
  tarei_histogram_fini(&coarse);
  return ok;
}

int64_t tarei_histogram_total(const tarei_histogram *const h) {
  const int64_t positive = tarei_counts_total(&h->positive);
  const int64_t negative = tarei_counts_total(&h->negative);
  int64_t total = h->zeros;
  const bool ok = positive >= 0 && negative >= 0 &&
                  !__builtin_add_overflow(total, positive, &total) &&
                  !__builtin_add_overflow(total, negative, &total);
  return ok ? total : -1;
}
