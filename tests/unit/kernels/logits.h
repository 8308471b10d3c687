/* Random logits for the kernels that take their exponentials, and what those are. */
#ifndef TAREI_TESTS_UNIT_KERNELS_LOGITS_H
#define TAREI_TESTS_UNIT_KERNELS_LOGITS_H

#include "tests/unit/kernels/checkkern.h"

static inline tarei_logits ck_logits(bool wild) {
  tarei_logits l = {.m = 1 + ck_below(40), .n = ck_size(), .scale = 0.125f};
  l.ldx = l.n + ck_below(5);
  l.mask_step = ck_below(2) ? l.n + ck_below(5) : 0;
  l.x = ck_floats((l.m - 1) * l.ldx + l.n, wild);
  l.mask = ck_below(2) ? ck_floats((l.m - 1) * l.mask_step + l.n, wild) : NULL;
  return l;
}

static inline void ck_logits_free(const tarei_logits *l) {
  free((void *)l->x);
  free((void *)l->mask);
}

static inline double ck_logit(const tarei_logits *l, size_t r, size_t j) {
  const double mask = l->mask ? (double)l->mask[r * l->mask_step + j] : 0;
  return (double)l->x[r * l->ldx + j] * (double)l->scale + mask;
}

static inline double ck_top_logit(const tarei_logits *l, size_t r) {
  double top = -INFINITY;
  for (size_t j = 0; j < l->n; j++) {
    top = fmax(top, ck_logit(l, r, j));
  }
  return top;
}

/* A row of n logits, and the same followed by others that a mask keeps out. */
typedef struct ck_masked_row {
  tarei_logits whole, part;
} ck_masked_row;

static inline ck_masked_row ck_masked_row_new(int kind) {
  const size_t n = ck_size(), padded = n + ck_below(130);
  float *const mask = ck_floats(padded, false);
  for (size_t j = 0; j < padded; j++) {
    mask[j] = j < n ? 0 : kind == 0 ? -10000 : kind == 1 ? -0x1.fffffep+127f : -INFINITY;
  }
  const tarei_logits whole = {.m = 1,
                              .n = n,
                              .x = ck_floats(padded, false),
                              .ldx = n,
                              .scale = 0.7f + 0.01f * (float)ck_below(100)};
  tarei_logits part = whole;
  part.n = part.ldx = padded;
  part.mask = mask;
  return (ck_masked_row){whole, part};
}

#endif
