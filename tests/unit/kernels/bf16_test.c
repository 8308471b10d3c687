#include "tests/unit/kernels/checkkern.h"

typedef struct bf16_case {
  size_t m, k, n, lda;
  float *x, *w;
  uint16_t *a, *packed;
} bf16_case;

/* Values around the border of the normal range, whose products are around it too. */
static float tiny_float(void) {
  const float size = ldexpf(ck_uniform(1.0f, 2.0f), -50 - (int)ck_below(28));
  return ck_below(2) ? size : -size;
}

static float any_float(int kind) {
  return kind == 2 ? tiny_float() : ck_float(kind == 1);
}

/* kind 0: ordinary values, 1: wild ones too, 2: tiny ones */
static bf16_case bf16_case_new(int kind) {
  bf16_case c = {.m = ck_size(), .k = ck_size(), .n = ck_size()};
  const bool transposed = ck_below(2);
  c.lda = (c.k + 1) / 2 * 2 + ck_below(5);
  c.x = ck_alloc(c.m * c.k * sizeof *c.x);
  c.w = ck_alloc(c.k * c.n * sizeof *c.w);
  for (size_t i = 0; i < c.m * c.k; i++) {
    c.x[i] = any_float(kind);
  }
  for (size_t i = 0; i < c.k * c.n; i++) {
    c.w[i] = any_float(kind);
  }
  c.a = ck_output(c.m * c.lda * sizeof *c.a);
  ck_scalar().to_bf16(c.x, c.k, c.m, c.k, c.a, c.lda);
  c.packed = ck_alloc_aligned(tarei_bf16_packed_size(c.k, c.n));
  if (transposed) {
    float *const turned = ck_alloc(c.k * c.n * sizeof *turned);
    for (size_t i = 0; i < c.k * c.n; i++) {
      turned[i % c.n * c.k + i / c.n] = c.w[i];
    }
    ck_scalar().bf16_pack(turned, c.k, true, c.k, c.n, c.packed);
    free(turned);
  } else {
    ck_scalar().bf16_pack(c.w, c.n, false, c.k, c.n, c.packed);
  }
  return c;
}

static void bf16_case_free(bf16_case *c) {
  free(c->x);
  free(c->w);
  free(c->a);
  free(c->packed);
}

static tarei_bf16_gemm gemm_of(const bf16_case *c, tarei_epilogue e) {
  return (tarei_bf16_gemm){
      .a = c->a, .lda = c->lda, .m = c->m, .k = c->k, .n = c->n, .b = c->packed, .epilogue = e};
}

static void rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 120; i++) {
    bf16_case c = bf16_case_new(i % 3);
    ck_epilogue e;
    ck_epilogue_init(&e, c.m, c.n, false, false);
    const tarei_bf16_gemm oracle = gemm_of(&c, e.e);
    ck_scalar().bf16_gemm(&oracle);
    CK_EACH_ROW("bf16_gemm") {
      tarei_epilogue twin = ck_epilogue_twin(&e);
      const tarei_bf16_gemm g = gemm_of(&c, twin);
      ((tarei_bf16_gemm_fn *)row->function)(&g);
      ck_epilogue_same_and_free(row->name, &e, &twin);
    }
    ck_epilogue_free(&e);
    bf16_case_free(&c);
  }
}

static float bf16_value(uint16_t x) {
  const uint32_t bits = (uint32_t)x << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* within k roundings of the exact sum of the rounded factors */
static void products_agree_with_double(void **state) {
  (void)state;
  for (int i = 0; i < 10; i++) {
    bf16_case c = bf16_case_new(0);
    float *const out = ck_alloc(c.m * c.n * sizeof *out);
    uint16_t *const w = ck_alloc(c.k * (c.n + 1) * sizeof *w);
    ck_scalar().to_bf16(c.w, c.n, c.k, c.n, w, c.n + 1);
    const tarei_bf16_gemm g = gemm_of(&c, (tarei_epilogue){.out_f32 = out, .ld_f32 = c.n});
    ck_scalar().bf16_gemm(&g);
    for (size_t m = 0; m < c.m; m++) {
      for (size_t n = 0; n < c.n; n++) {
        double sum = 0, size = 0;
        for (size_t k = 0; k < c.k; k++) {
          const double a = bf16_value(c.a[m * c.lda + k]);
          sum += a * bf16_value(w[k * (c.n + 1) + n]);
          size += fabs(a * bf16_value(w[k * (c.n + 1) + n]));
        }
        assert_true(fabs(out[m * c.n + n] - sum) <= size * 6e-8 * (double)c.k);
      }
    }
    free(out);
    free(w);
    bf16_case_free(&c);
  }
}

static void conversion_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    const size_t m = 1 + ck_below(4), k = ck_size(), ldx = k + ck_below(4);
    const size_t ldo = (k + 1) / 2 * 2 + ck_below(4);
    float *const x = ck_floats((m - 1) * ldx + k, true);
    uint16_t *const expected = ck_output(m * ldo * sizeof *expected);
    ck_scalar().to_bf16(x, ldx, m, k, expected, ldo);
    CK_EACH_ROW("to_bf16") {
      uint16_t *const out = ck_output(m * ldo * sizeof *out);
      ((tarei_to_bf16_fn *)row->function)(x, ldx, m, k, out, ldo);
      ck_assert_same_bytes(row->name, out, expected, m * ldo * sizeof *out);
      free(out);
    }
    free(x);
    free(expected);
  }
}

static void conversion_rounds_to_nearest_even(void **state) {
  (void)state;
  static const struct {
    float x;
    uint16_t y;
  } known[] = {{1.0f, 0x3f80},          {0x1.01p0f, 0x3f80},  {0x1.03p0f, 0x3f82},
               {0x1.010002p0f, 0x3f81}, {-0x1.01p0f, 0xbf80}, {0x1.fffffep127f, 0x7f80},
               {INFINITY, 0x7f80},      {-INFINITY, 0xff80},  {0x1p-126f, 0x0080},
               {0x1.fffffcp-127f, 0},   {-0x1p-130f, 0x8000}, {-0.0f, 0x8000}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    uint16_t y[2];
    ck_scalar().to_bf16(&known[i].x, 1, 1, 1, y, 2);
    assert_int_equal(y[0], known[i].y);
    assert_int_equal(y[1], 0);
  }
}

/* In the chain of the even k, 2^-126 - 2^-150 has 24 bits below the normal range: zero. With half
 * as much less, it rounds up to 2^-126. */
static void sums_below_the_normal_range_are_zero(void **state) {
  (void)state;
  for (int smaller = 0; smaller < 2; smaller++) {
    const float x[3] = {0x1p-63f, 0, 0x1p-75f};
    const float w[3] = {0x1p-63f, 0, smaller ? -0x1p-76f : -0x1p-75f};
    uint16_t a[4], *const packed = ck_alloc_aligned(tarei_bf16_packed_size(3, 1));
    float out;
    ck_scalar().to_bf16(x, 3, 1, 3, a, 4);
    ck_scalar().bf16_pack(w, 1, false, 3, 1, packed);
    CK_EACH_ROW("bf16_gemm") {
      const tarei_bf16_gemm g = {.a = a,
                                 .lda = 4,
                                 .m = 1,
                                 .k = 3,
                                 .n = 1,
                                 .b = packed,
                                 .epilogue = {.out_f32 = &out, .ld_f32 = 1}};
      ((tarei_bf16_gemm_fn *)row->function)(&g);
      assert_true(out == (smaller ? 0x1p-126f : 0.0f));
    }
    free(packed);
  }
}

/* Two times 2^-24 change a 1 only where they meet before they meet it. */
static void sums_follow_the_order_of_tiles(void **state) {
  (void)state;
  enum { K = 36 };
  static const struct {
    size_t one, tiny[2];
    bool meet;
  } known[] = {{0, {2, 4}, false},  {0, {1, 3}, true},    {0, {1, 2}, false},
               {3, {0, 30}, true},  {0, {31, 32}, false}, {0, {32, 34}, true},
               {1, {33, 35}, true}, {34, {3, 31}, true},  {1, {32, 33}, true}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    float x[K] = {0}, w[K] = {0}, out;
    uint16_t a[K], *const packed = ck_alloc_aligned(tarei_bf16_packed_size(K, 1));
    x[known[i].one] = w[known[i].one] = 1;
    for (size_t j = 0; j < 2; j++) {
      x[known[i].tiny[j]] = 1;
      w[known[i].tiny[j]] = 0x1p-24f;
    }
    ck_scalar().to_bf16(x, K, 1, K, a, K);
    ck_scalar().bf16_pack(w, 1, false, K, 1, packed);
    CK_EACH_ROW("bf16_gemm") {
      const tarei_bf16_gemm g = {.a = a,
                                 .lda = K,
                                 .m = 1,
                                 .k = K,
                                 .n = 1,
                                 .b = packed,
                                 .epilogue = {.out_f32 = &out, .ld_f32 = 1}};
      ((tarei_bf16_gemm_fn *)row->function)(&g);
      assert_true(out == (known[i].meet ? 1.0f + 0x1p-23f : 1.0f));
    }
    free(packed);
  }
}

static void pack_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 120; i++) {
    const size_t k = ck_size(), n = ck_size();
    const bool turned = i & 1;
    const size_t ldw = (turned ? k : n) + ck_below(3);
    float *const w = ck_floats(((turned ? n : k) - 1) * ldw + (turned ? k : n), i % 3 == 0);
    const size_t size = tarei_bf16_packed_size(k, n);
    uint16_t *const expected = ck_alloc_aligned(size);
    ck_scalar().bf16_pack(w, ldw, turned, k, n, expected);
    CK_EACH_ROW("bf16_pack") {
      uint16_t *const packed = ck_alloc_aligned(size);
      ((tarei_bf16_pack_fn *)row->function)(w, ldw, turned, k, n, packed);
      ck_assert_same_bytes(row->name, packed, expected, size);
      free(packed);
    }
    free(w);
    free(expected);
  }
}

int bf16_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pack_rows_give_the_bits_of_scalar),
      cmocka_unit_test(rows_give_the_bits_of_scalar),
      cmocka_unit_test(products_agree_with_double),
      cmocka_unit_test(conversion_rows_give_the_bits_of_scalar),
      cmocka_unit_test(conversion_rounds_to_nearest_even),
      cmocka_unit_test(sums_below_the_normal_range_are_zero),
      cmocka_unit_test(sums_follow_the_order_of_tiles),
  };
  return cmocka_run_group_tests_name("kernels.bf16", tests, ck_seed, NULL);
}
