/* What the kernel tests share: every row of a family that this CPU can run is compared with the
 * scalar row of the family. Random numbers come from one seed.
 * Buffers have exact sizes, so that a sanitizer sees a step beyond. */
#ifndef TAREI_TESTS_UNIT_KERNELS_CHECKKERN_H
#define TAREI_TESTS_UNIT_KERNELS_CHECKKERN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "unit/seed.h"

static uint64_t ck_state;

static inline int ck_seed(void **state) {
  (void)state;
  ck_state = test_seed() * 0x9e3779b97f4a7c15u + 1;
  return 0;
}

static inline uint64_t ck_next(void) {
  ck_state ^= ck_state << 13;
  ck_state ^= ck_state >> 7;
  ck_state ^= ck_state << 17;
  return ck_state * 0x2545f4914f6cdd1du >> 16;
}

static inline size_t ck_below(size_t n) {
  return (size_t)(ck_next() % n);
}

static inline float ck_uniform(float low, float high) {
  return low + (high - low) * (float)(ck_next() % 0x1000000) / 16777216.0f;
}

/* mostly ordinary values; `wild` mixes in every kind that may hurt */
static inline float ck_float(bool wild) {
  static const float odd[] = {0.0f,  -0.0f,  INFINITY, -INFINITY, NAN,   3e38f,  -3e38f, 1e-40f,
                              88.7f, -87.4f, 0.5f,     -1.5f,     1e10f, -1e10f, 2.5f,   -104.0f};
  if (wild && ck_below(8) == 0) {
    return odd[ck_below(sizeof odd / sizeof *odd)];
  }
  return ck_uniform(-4.0f, 4.0f) * (ck_below(4) ? 1.0f : 10.0f);
}

static inline void *ck_alloc(size_t bytes) {
  void *const p = malloc(bytes ? bytes : 1);
  assert_non_null(p);
  return p;
}

/* 64-byte aligned */
static inline void *ck_alloc_aligned(size_t bytes) {
  void *p = NULL;
  assert_int_equal(posix_memalign(&p, 64, bytes ? bytes : 1), 0);
  return p;
}

static inline float *ck_floats(size_t n, bool wild) {
  float *const p = ck_alloc(n * sizeof *p);
  for (size_t i = 0; i < n; i++) {
    p[i] = ck_float(wild);
  }
  return p;
}

static inline void *ck_bytes(size_t n) {
  uint8_t *const p = ck_alloc(n);
  for (size_t i = 0; i < n; i++) {
    p[i] = (uint8_t)ck_next();
  }
  return p;
}

/* Outputs begin with a pattern, so that a stray write shows in the comparison. */
static inline void *ck_output(size_t bytes) {
  void *const p = ck_alloc(bytes);
  memset(p, 0x5a, bytes);
  return p;
}

/* around the tiles, one, and primes */
static inline size_t ck_size(void) {
  static const size_t sizes[] = {1,  2,  3,  4,  5,  7,  8,   13,  14,  15, 16,
                                 17, 23, 28, 29, 31, 32, 33,  47,  48,  49, 63,
                                 64, 65, 67, 95, 96, 97, 101, 127, 128, 131};
  return sizes[ck_below(sizeof sizes / sizeof *sizes)];
}

/* The same bits; any NaN equals any NaN. */
static inline void ck_assert_same_floats(const char *name, const float *a, const float *b,
                                         size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (memcmp(&a[i], &b[i], sizeof *a) && !(isnan(a[i]) && isnan(b[i]))) {
      fail_msg("%s: element %zu of %zu is %a, scalar has %a", name, i, n, (double)a[i],
               (double)b[i]);
    }
  }
}

static inline void ck_assert_same_bytes(const char *name, const void *a, const void *b, size_t n) {
  const uint8_t *const x = a;
  const uint8_t *const y = b;
  for (size_t i = 0; i < n; i++) {
    if (x[i] != y[i]) {
      fail_msg("%s: byte %zu of %zu is %d, scalar has %d", name, i, n, x[i], y[i]);
    }
  }
}

static inline tarei_kernels ck_scalar(void) {
  tarei_kernels k;
  tarei_kernels_select(TAREI_ISA_SCALAR, &k);
  return k;
}

/* The next row of a family that runs here, the first after NULL. */
static inline const tarei_kernel_row *ck_row_after(const char *family,
                                                   const tarei_kernel_row *before) {
  const tarei_kernel_row *rows;
  const int n = tarei_kernel_rows(&rows);
  const tarei_kernel_row *const end = rows + n;
  for (const tarei_kernel_row *r = before ? before + 1 : rows; r < end; r++) {
    if (!strcmp(r->family, family) && !(r->isa & ~tarei_isa_detect())) {
      return r;
    }
  }
  return NULL;
}

/* for (each row of the family) with `row` */
#define CK_EACH_ROW(family)                                           \
  for (const tarei_kernel_row *row = ck_row_after(family, NULL); row; \
       row = ck_row_after(family, row))

/* A random epilogue over m x n; ck_epilogue_free ends it. Outputs hang on it separately, since two
 * rows write two of them. */
typedef struct ck_epilogue {
  tarei_epilogue e;
  size_t m;
} ck_epilogue;

static inline void ck_epilogue_init(ck_epilogue *c, size_t m, size_t n, bool with_mult, bool wild) {
  memset(c, 0, sizeof *c);
  tarei_epilogue *const e = &c->e;
  c->m = m;
  if (with_mult && ck_below(8)) {
    float *const mult = ck_floats(n, wild);
    for (size_t i = 0; i < n; i++) {
      mult[i] *= 1e-3f;
    }
    e->mult = mult;
  }
  e->ld_upper = n + ck_below(5);
  if (ck_below(4) == 0) { /* sums, so within 2^31 */
    float *const upper = ck_floats((m - 1) * e->ld_upper + n, false);
    const float size = ldexpf(1.0f, (int)ck_below(26));
    for (size_t i = 0; i < (m - 1) * e->ld_upper + n; i++) {
      upper[i] *= size;
    }
    e->upper = upper;
  }
  e->row_mult = ck_below(2) ? ck_floats(m, wild) : NULL;
  e->bias = ck_below(2) ? ck_floats(n, wild) : NULL;
  e->act = (tarei_act)ck_below(TAREI_ACT_COUNT);
  e->act_a = e->act == TAREI_ACT_clip ? -1.0f : 0.1f;
  e->act_b = 1.5f;
  e->ld_residual = n + ck_below(5);
  const size_t residual = ck_below(4);
  e->residual = residual == 1 ? ck_floats((m - 1) * e->ld_residual + n, wild) : NULL;
  e->residual_u8 = residual == 2 ? ck_bytes((m - 1) * e->ld_residual + n) : NULL;
  e->residual_scale = ck_uniform(0.01f, 0.1f);
  e->residual_zero_point = (int32_t)ck_below(256);
  e->act_last = ck_below(2);
  e->ld_f32 = n + ck_below(5);
  e->ld_u8 = n + ck_below(5);
  const size_t outputs = 1 + ck_below(3);
  e->out_f32 = outputs & 1 ? ck_output(m * e->ld_f32 * sizeof(float)) : NULL;
  e->out_u8 = outputs & 2 ? ck_output(m * e->ld_u8) : NULL;
  e->inv_scale = ck_uniform(0.1f, 40.0f);
  e->zero_point = (int32_t)ck_below(256);
  e->table = ck_below(4) ? NULL : ck_bytes(256);
}

/* What nearly every layer has: a factor, perhaps a bias and bounds, bytes; now and then with
 * factors that leave all ranges. */
static inline void ck_epilogue_plain(ck_epilogue *c, size_t m, size_t n) {
  tarei_epilogue *const e = &c->e;
  free((void *)e->row_mult);
  free((void *)e->residual);
  free((void *)e->residual_u8);
  free((void *)e->table);
  free(e->out_f32);
  e->row_mult = e->residual = NULL;
  e->residual_u8 = e->table = NULL;
  e->out_f32 = NULL;
  e->out_u8 = e->out_u8 ? e->out_u8 : ck_output(m * e->ld_u8);
  static const tarei_act acts[] = {TAREI_ACT_none, TAREI_ACT_relu, TAREI_ACT_clip};
  e->act = acts[ck_below(3)];
  e->act_a = ck_uniform(-50, 20);
  e->act_b = ck_below(20) ? ck_uniform(-20, 80) : NAN;
  e->inv_scale = ck_below(8) ? 1.0f : e->inv_scale;
  e->zero_point = ck_below(3) ? (int32_t)ck_below(2) * 128 : e->zero_point;
  if (e->mult && ck_below(8) == 0) {
    ((float *)e->mult)[ck_below(n)] = ck_below(2) ? 1e30f : NAN;
  }
}

/* The same epilogue with outputs of its own. */
static inline tarei_epilogue ck_epilogue_twin(const ck_epilogue *c) {
  tarei_epilogue e = c->e;
  e.out_f32 = e.out_f32 ? ck_output(c->m * e.ld_f32 * sizeof(float)) : NULL;
  e.out_u8 = e.out_u8 ? ck_output(c->m * e.ld_u8) : NULL;
  return e;
}

static inline void ck_epilogue_same_and_free(const char *name, const ck_epilogue *c,
                                             tarei_epilogue *twin) {
  if (twin->out_f32) {
    ck_assert_same_floats(name, twin->out_f32, c->e.out_f32, c->m * c->e.ld_f32);
  }
  if (twin->out_u8) {
    ck_assert_same_bytes(name, twin->out_u8, c->e.out_u8, c->m * c->e.ld_u8);
  }
  free(twin->out_f32);
  free(twin->out_u8);
}

static inline void ck_epilogue_free(ck_epilogue *c) {
  free((void *)c->e.upper);
  free((void *)c->e.mult);
  free((void *)c->e.row_mult);
  free((void *)c->e.bias);
  free((void *)c->e.residual);
  free((void *)c->e.residual_u8);
  free((void *)c->e.table);
  free(c->e.out_f32);
  free(c->e.out_u8);
}

#endif
