/* Lengths in groups with the least padding. */
#include <stdlib.h>
#include <tare/profile.h>

#include "base/error.h"
#include "base/mem.h"

/* Groups end before a number of lengths; `samples` and `elements` are sums over those before it. */
typedef struct length_cuts {
  const tare_length_count *lengths;
  int64_t *samples, *elements; /* [n + 1] */
  int64_t *before, *now;       /* [n + 1]: the least padding with one group fewer, and now */
  int *from;                   /* [groups][n + 1]: where the last group begins then */
} length_cuts;

/* Padding of a group of the lengths from `first` up to, without, `end`. */
static int64_t padding_of(const length_cuts *const c, const int first, const int end) {
  return c->lengths[end - 1].length * (c->samples[end] - c->samples[first]) -
         (c->elements[end] - c->elements[first]);
}

/* Fills in now[] for ends in [low, high], whose last groups begin in [first, most]: the best
 * beginning never moves back as the end moves on. */
static void cut_ends(const length_cuts *const c, int *const from, const int low, const int high,
                     const int first, const int most) {
  if (low > high) {
    return;
  }
  const int end = low + (high - low) / 2;
  int best = -1;
  for (int i = first; i <= most && i < end; i++) {
    if (c->before[i] < INT64_MAX) {
      const int64_t padding = c->before[i] + padding_of(c, i, end);
      if (best < 0 || padding < c->now[end]) {
        best = i;
        c->now[end] = padding;
      }
    }
  }
  from[end] = best;
  cut_ends(c, from, low, end - 1, first, best < 0 ? most : best);
  cut_ends(c, from, end + 1, high, best < 0 ? first : best, most);
}

static void length_cuts_solve(length_cuts *const c, const int n, const int groups, int *const last,
                              int64_t *const padding) {
  for (int i = 0; i < n; i++) {
    c->samples[i + 1] = c->samples[i] + c->lengths[i].samples;
    c->elements[i + 1] = c->elements[i] + c->lengths[i].samples * c->lengths[i].length;
    c->now[i + 1] = INT64_MAX;
  }
  for (int g = 0; g < groups; g++) {
    int64_t *const done = c->before;
    c->before = c->now;
    c->now = done;
    for (int i = 0; i <= n; i++) {
      c->now[i] = INT64_MAX;
    }
    cut_ends(c, c->from + (size_t)g * ((size_t)n + 1), g + 1, n, g, n - 1);
  }
  *padding = c->now[n];
  int end = n;
  for (int g = groups - 1; g >= 0; g--) {
    last[g] = end - 1;
    end = c->from[(size_t)g * ((size_t)n + 1) + (size_t)end];
  }
}

tare_status tare_lengths_cut(const tare_length_count *const lengths, const int n, const int groups,
                             int *const last, int64_t *const padding, tare_error *const err) {
  const int most = n < TARE_MAX_PROFILES ? n : TARE_MAX_PROFILES;
  if (groups < 1 || groups > most) {
    return tarei_fail(err, TARE_E_USAGE, "%d groups of %d lengths: expected 1 to %d", groups, n,
                      most);
  }
  for (int i = 0; i < n; i++) {
    if (lengths[i].samples < 1 || lengths[i].length <= (i ? lengths[i - 1].length : -1)) {
      return tarei_fail(err, TARE_E_USAGE,
                        "length %lld of %lld samples: expected lengths that ascend, with samples",
                        (long long)lengths[i].length, (long long)lengths[i].samples);
    }
  }
  const size_t sums = (size_t)n + 1;
  int64_t *const memory = tarei_calloc(4 * sums, sizeof *memory);
  length_cuts c = {.lengths = lengths,
                   .samples = memory,
                   .elements = memory + sums,
                   .before = memory + 2 * sums,
                   .now = memory + 3 * sums,
                   .from = tarei_calloc((size_t)groups * sums, sizeof *c.from)};
  tare_status status = TARE_OK;
  if (memory && c.from) {
    length_cuts_solve(&c, n, groups, last, padding);
  } else {
    status = tarei_fail_memory(err, "groups of lengths", (size_t)groups * sums * sizeof *c.from);
  }
  free(memory);
  free(c.from);
  return status;
}
