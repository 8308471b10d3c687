#include "tests/unit/kernels/checkkern.h"

typedef struct i16_case {
  size_t m, k, n, lda;
  int16_t *x; /* [m][k] */
  uint8_t *upper, *lower;
  int8_t *w, *packed;
  int32_t *add;
  float *sums;
} i16_case;

static void i16_split(const i16_case *c) {
  for (size_t i = 0; i < c->m * c->k; i++) {
    const uint16_t stored = (uint16_t)(c->x[i] + 32768);
    c->upper[i / c->k * c->lda + i % c->k] = (uint8_t)(stored >> 8);
    c->lower[i / c->k * c->lda + i % c->k] = (uint8_t)stored;
  }
}

static void i16_pack(const i16_case *c) {
  tarei_i8_pack(c->w, c->n, false, c->k, c->n, c->packed, c->add);
  for (size_t i = 0; i < (c->n + 31) / 32 * 32; i++) {
    c->add[i] *= -128;
  }
}

static i16_case i16_case_new(size_t m, size_t k, size_t n) {
  i16_case c = {.m = m, .k = k, .n = n, .lda = k + ck_below(9)};
  const size_t bytes = (m - 1) * c.lda + k + 3;
  c.x = ck_bytes(m * k * sizeof *c.x);
  c.upper = ck_bytes(bytes);
  c.lower = ck_bytes(bytes);
  c.w = ck_bytes(k * n);
  c.packed = ck_alloc_aligned(tarei_i8_packed_size(k, n));
  c.add = ck_alloc((n + 31) / 32 * 32 * sizeof *c.add);
  c.sums = ck_alloc(TAREI_I16_SUMS * sizeof *c.sums);
  i16_split(&c);
  i16_pack(&c);
  return c;
}

static void i16_case_free(i16_case *c) {
  free(c->x);
  free(c->upper);
  free(c->lower);
  free(c->w);
  free(c->packed);
  free(c->add);
  free(c->sums);
}

static void i16_run(const i16_case *c, unsigned isa, tarei_epilogue e) {
  const tarei_i8_gemm g = {.a = c->upper,
                           .lda = c->lda,
                           .m = c->m,
                           .k = c->k,
                           .n = c->n,
                           .b = c->packed,
                           .add = c->add,
                           .epilogue = e};
  tarei_kernels kernels;
  tarei_kernels_select(isa, &kernels);
  tarei_i16_gemm(&kernels, &g, c->lower, c->sums);
}

/* Every instruction set that has an int8 product. */
static void i16_compare(const i16_case *c, bool wild) {
  ck_epilogue e;
  ck_epilogue_init(&e, c->m, c->n, true, wild);
  free((void *)e.e.upper);
  e.e.upper = NULL;
  i16_run(c, TAREI_ISA_SCALAR, e.e);
  CK_EACH_ROW("i8_gemm") {
    tarei_epilogue twin = ck_epilogue_twin(&e);
    i16_run(c, row->isa, twin);
    ck_epilogue_same_and_free(row->name, &e, &twin);
  }
  ck_epilogue_free(&e);
}

static void products_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 120; i++) {
    const size_t m = i % 8 ? ck_size() : 200 + ck_below(400);
    const size_t n = i % 8 ? ck_size() : 200 + ck_below(400);
    i16_case c = i16_case_new(m, i % 8 ? ck_size() : 1 + ck_below(20), n);
    i16_compare(&c, i % 4 == 0);
    i16_case_free(&c);
  }
}

/* Sums of each plane, which are exact in float for so few k, and one rounding. */
static void i16_agree_with_integers(const i16_case *c) {
  float *const out = ck_alloc(c->m * c->n * sizeof *out);
  i16_run(c, TAREI_ISA_ALL, (tarei_epilogue){.out_f32 = out, .ld_f32 = c->n});
  for (size_t i = 0; i < c->m * c->n; i++) {
    int64_t upper = 0, lower = 0;
    for (size_t k = 0; k < c->k; k++) {
      const uint16_t stored = (uint16_t)(c->x[i / c->n * c->k + k] + 32768);
      upper += (stored / 256 - 128) * c->w[k * c->n + i % c->n];
      lower += stored % 256 * c->w[k * c->n + i % c->n];
    }
    const float sum = fmaf((float)upper, 256.0f, (float)lower);
    assert_memory_equal(&out[i], &sum, sizeof sum);
    assert_true(c->k > 500 || sum == (float)(256 * upper + lower));
  }
  free(out);
}

static void products_follow_their_definition(void **state) {
  (void)state;
  for (int i = 0; i < 30; i++) {
    i16_case c = i16_case_new(ck_size(), ck_size(), ck_size());
    i16_agree_with_integers(&c);
    i16_case_free(&c);
  }
}

/* The longest sum that int32 holds, of the largest products of either sign. */
static void the_longest_sums_are_exact(void **state) {
  (void)state;
  i16_case c = i16_case_new(2, 65793, 33);
  for (int i = 0; i < 4; i++) {
    for (size_t j = 0; j < c.m * c.k; j++) {
      c.x[j] = j < c.k ? INT16_MIN : INT16_MAX;
    }
    memset(c.w, i % 2 ? -128 : 127, c.k * c.n);
    i16_split(&c);
    i16_pack(&c);
    i16_agree_with_integers(&c);
  }
  i16_case_free(&c);
}

static uint16_t i16_of(float x, float inv_scale) {
  const float scaled = x * inv_scale;
  const float bounded = scaled < -32768.0f ? -32768.0f : scaled > 32767.0f ? 32767.0f : scaled;
  return (uint16_t)((isnan(scaled) ? 0 : (int)rintf(bounded)) + 32768);
}

static void rows_become_two_planes(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t m = 1 + ck_below(9), k = ck_size(), ldx = k + ck_below(4), ldo = k + ck_below(70);
    const size_t bytes = (m - 1) * ldo + k;
    float *const x = ck_floats((m - 1) * ldx + k, i % 3 == 0);
    if (i % 5 == 0) {
      memset(x, 0, k * sizeof *x); /* a row without a magnitude */
    }
    CK_EACH_ROW("quantize_i16") {
      const bool by_rows = i % 2;
      float *const scales = ck_output(m * sizeof *scales);
      tarei_i16_rows r = {.x = x,
                          .ldx = ldx,
                          .m = m,
                          .k = k,
                          .upper = ck_output(bytes),
                          .lower = ck_output(bytes),
                          .ldo = ldo,
                          .scales = by_rows ? scales : NULL,
                          .inv_scale = ck_uniform(10.0f, 20000.0f)};
      ((tarei_quantize_i16_fn *)row->function)(&r);
      for (size_t j = 0; j < bytes; j++) {
        const float *const values = x + j / ldo * ldx;
        float amax = 0;
        for (size_t q = 0; by_rows && q < k; q++) {
          amax = isfinite(values[q]) ? fmaxf(amax, fabsf(values[q])) : amax;
        }
        const float scale = isnormal(amax / 32767.0f) ? amax / 32767.0f : 1.0f;
        assert_true(!by_rows || scales[j / ldo] == scale);
        const float inv_scale = by_rows ? 1.0f / scale : r.inv_scale;
        const uint16_t want = j % ldo < k ? i16_of(values[j % ldo], inv_scale) : 0x5a5a;
        assert_int_equal(r.upper[j], want >> 8);
        assert_int_equal(r.lower[j], want & 255);
      }
      free(r.upper);
      free(r.lower);
      free(scales);
    }
    free(x);
  }
}

int i16_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_give_the_bits_of_scalar),
      cmocka_unit_test(products_follow_their_definition),
      cmocka_unit_test(the_longest_sums_are_exact),
      cmocka_unit_test(rows_become_two_planes),
  };
  return cmocka_run_group_tests_name("kernels.i16", tests, ck_seed, NULL);
}
