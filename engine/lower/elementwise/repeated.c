#include "engine/lower/elementwise/repeated.h"

#include <string.h>

#define FEWEST_ROWS 4 /* to be worth the copies of the short one */

/* Is it the same row for all along the last outer axis, and does the other operand go on there? */
static bool repeats(const tarei_broadcast *const b, const int operand) {
  const int last = b->n_outer - 1, other = 1 - operand;
  return b->step[operand] == 1 && b->stride[operand][last] == 0 && b->step[other] == 1 &&
         b->stride[other][last] == b->n;
}

tarei_repeated tarei_repeated_join(tarei_broadcast *const b) {
  tarei_repeated r = {.operand = -1};
  const int last = b->n_outer - 1;
  if (b->n_operands != 2 || last < 0 || b->n < 2 || b->n > TAREI_REPEATED_MOST ||
      b->outer[last] < FEWEST_ROWS) {
    return r;
  }
  for (int k = 0; k < 2; k++) {
    r.operand = repeats(b, k) ? k : r.operand;
  }
  if (r.operand >= 0) {
    r.period = b->n;
    b->n *= b->outer[last];
    b->rows /= b->outer[last];
    b->n_outer = last;
    b->step[r.operand] = 0;
  }
  return r;
}

void tarei_repeated_fill(const float *const row, const size_t period, const size_t n,
                         float *const out) {
  const size_t wanted = n + period < TAREI_REPEATED_FLOATS ? n + period : TAREI_REPEATED_FLOATS;
  for (size_t i = 0; i < wanted; i += period) {
    memcpy(out + i, row, (wanted - i < period ? wanted - i : period) * sizeof *out);
  }
}
