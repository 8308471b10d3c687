#include "tests/unit/kernels/checkkern.h"

/* Weights as bytes, with a scale for each column and block, or in bf16. */
static const struct split_family {
  const char *name;
  bool bytes;
} split_families[] = {{"split_i8", true}, {"split_bf16", false}};
enum { N_SPLIT_FAMILIES = sizeof split_families / sizeof *split_families };

/* A product of rows in pieces with either. */
typedef struct split_case {
  size_t m, k, n, columns, block, height;
  float *x, *scale;
  uint16_t *pieces, *widened;
  int8_t *bytes;
  uint16_t *halves;
} split_case;

/* Orders of magnitude apart, zeros and subnormal ones too, all in rows that qualify. */
static float spread_float(void) {
  const int kind = (int)ck_below(8);
  return kind == 0 ? 0.0f : ldexpf(ck_uniform(-2.0f, 2.0f), kind < 6 ? 0 : -(int)ck_below(140));
}

static size_t split_rows_of(const tarei_kernels *kernels, const split_case *c, uint16_t *out) {
  const tarei_split_rows rows = {c->x, c->k, c->m, c->k, out, c->height};
  return kernels->split_rows(&rows);
}

static split_case split_case_new(void) {
  split_case c = {.m = ck_size(), .k = 1 + ck_below(200), .n = ck_size()};
  c.block = (1 + ck_below(TAREI_SPLIT_BLOCK / TAREI_BF16_STEP)) * TAREI_BF16_STEP;
  c.height = tarei_split_height(c.m);
  c.columns = (c.n + TAREI_F32_PANEL - 1) / TAREI_F32_PANEL * TAREI_F32_PANEL;
  c.x = ck_alloc(c.m * c.k * sizeof *c.x);
  for (size_t i = 0; i < c.m * c.k; i++) {
    c.x[i] = i % c.k ? spread_float() : 1.0f;
  }
  c.scale = ck_floats((c.k + c.block - 1) / c.block * c.columns, false);
  c.bytes = ck_bytes(c.k * c.columns);
  c.halves = ck_alloc(c.k * c.columns * sizeof *c.halves);
  for (size_t i = 0; i < c.k * c.columns; i++) {
    const float w = ldexpf(ck_uniform(-2.0f, 2.0f), -(int)ck_below(20));
    uint32_t bits;
    memcpy(&bits, &w, sizeof bits);
    c.halves[i] = (uint16_t)(bits >> 16);
  }
  c.widened = ck_alloc_aligned(tarei_split_panel_size(c.k));
  c.pieces = ck_alloc_aligned(tarei_split_rows_size(c.m, c.k));
  const tarei_kernels scalar = ck_scalar();
  assert_int_equal(split_rows_of(&scalar, &c, c.pieces), c.m);
  return c;
}

static void split_case_free(split_case *c) {
  free(c->x);
  free(c->scale);
  free(c->bytes);
  free(c->halves);
  free(c->widened);
  free(c->pieces);
}

static tarei_split_gemm split_gemm_of(const split_case *c, bool bytes, tarei_epilogue e) {
  return (tarei_split_gemm){.a = c->pieces,
                            .height = c->height,
                            .m = c->m,
                            .k = c->k,
                            .n = c->n,
                            .b = bytes ? (const void *)c->bytes : c->halves,
                            .scale = bytes ? c->scale : NULL,
                            .ld_scale = c->columns,
                            .block = c->block,
                            .widened = c->widened,
                            .epilogue = e};
}

static void multiply_scalar(bool bytes, const tarei_split_gemm *g) {
  if (bytes) {
    ck_scalar().split_i8(g);
  } else {
    ck_scalar().split_bf16(g);
  }
}

static void rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const struct split_family *const family = &split_families[i % N_SPLIT_FAMILIES];
    split_case c = split_case_new();
    ck_epilogue e;
    ck_epilogue_init(&e, c.m, c.n, false, false);
    const tarei_split_gemm oracle = split_gemm_of(&c, family->bytes, e.e);
    multiply_scalar(family->bytes, &oracle);
    CK_EACH_ROW(family->name) {
      tarei_epilogue twin = ck_epilogue_twin(&e);
      const tarei_split_gemm g = split_gemm_of(&c, family->bytes, twin);
      ((tarei_split_gemm_fn *)row->function)(&g);
      ck_epilogue_same_and_free(row->name, &e, &twin);
    }
    ck_epilogue_free(&e);
    split_case_free(&c);
  }
}

static void pieces_have_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 40; i++) {
    split_case c = split_case_new();
    const size_t size = tarei_split_rows_size(c.m, c.k);
    memset(c.pieces, 0x5a, size);
    tarei_kernels kernels = ck_scalar();
    split_rows_of(&kernels, &c, c.pieces);
    CK_EACH_ROW("split_rows") {
      uint16_t *const out = ck_alloc_aligned(size);
      memset(out, 0x5a, size);
      kernels.split_rows = (tarei_split_rows_fn *)row->function;
      assert_int_equal(split_rows_of(&kernels, &c, out), c.m);
      ck_assert_same_bytes(row->name, out, c.pieces, size);
      free(out);
    }
    split_case_free(&c);
  }
}

static double piece_value(uint16_t piece) {
  const uint32_t bits = (uint32_t)piece << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Below 2^-103 a piece may be subnormal, which keeps the bits from 2^-133 on. */
static void pieces_add_up_to_the_float(void **state) {
  (void)state;
  enum { K = 64, STEP_PIECES = TAREI_SPLIT_PIECES * TAREI_BF16_STEP };
  for (int i = 0; i < 200; i++) {
    float x[K] = {1.0f};
    uint16_t *const out = ck_alloc_aligned(tarei_split_rows_size(1, K));
    for (size_t k = 1; k < K; k++) {
      x[k] = spread_float();
    }
    const tarei_split_rows rows = {x, K, 1, K, out, 1};
    assert_int_equal(ck_scalar().split_rows(&rows), 1);
    for (size_t k = 0; k < K; k++) {
      const size_t place = k % 16 * 2 + k % TAREI_BF16_STEP / 16;
      const uint16_t *const at = out + k / TAREI_BF16_STEP * STEP_PIECES + place;
      const double sum = piece_value(at[0]) + piece_value(at[TAREI_BF16_STEP]) +
                         piece_value(at[2 * TAREI_BF16_STEP]);
      assert_true(fabs(sum - (double)x[k]) < (fabsf(x[k]) < 0x1p-103f ? 0x1p-133 : 0x1p-200));
    }
    free(out);
  }
}

/* The first row that does not qualify ends the rows, wherever in it the reason is. */
static void rows_beyond_the_range_do_not_qualify(void **state) {
  (void)state;
  const struct {
    float value;
    bool qualifies;
  } known[] = {{0.0f, true},
               {-0.0f, true},
               {1.0f, true},
               {TAREI_SPLIT_LEAST, true},
               {nextafterf(TAREI_SPLIT_LEAST, 0), false},
               {-0x1p-140f, false},
               {-TAREI_SPLIT_MOST, false},
               {nextafterf(TAREI_SPLIT_MOST, 0), true},
               {INFINITY, false},
               {-INFINITY, false},
               {NAN, false}};
  enum { N = sizeof known / sizeof *known };
  for (size_t i = 0; i < 20 * N; i++) {
    const size_t m = 1 + ck_below(5), k = ck_size(), at = ck_below(m * k);
    float *const x = ck_alloc(m * k * sizeof *x);
    for (size_t j = 0; j < m * k; j++) {
      x[j] = j / k == at / k ? 0.0f : 1.0f;
    }
    x[at] = known[i % N].value;
    uint16_t *const out = ck_alloc_aligned(tarei_split_rows_size(m, k));
    CK_EACH_ROW("split_rows") {
      const tarei_split_rows rows = {x, k, m, k, out, tarei_split_height(m)};
      const size_t got = ((tarei_split_rows_fn *)row->function)(&rows);
      assert_int_equal(got, known[i % N].qualifies ? m : at / k);
    }
    free(x);
    free(out);
  }
}

static double weight_of(const split_case *c, bool bytes, size_t k, size_t n) {
  const size_t panel = n / TAREI_F32_PANEL * TAREI_F32_PANEL;
  const size_t at = panel * c->k + k * TAREI_F32_PANEL + n % TAREI_F32_PANEL;
  return bytes ? (double)c->bytes[at] * (double)c->scale[k / c->block * c->columns + n]
               : piece_value(c->halves[at]);
}

/* The error of one column of a row, over the sum of magnitudes; rows begin with a 1, and what is
 * subnormal beside it does not count. */
static double relative_error(const split_case *c, bool bytes, size_t m, size_t n, float got) {
  double sum = 0, size = 0;
  for (size_t k = 0; k < c->k; k++) {
    const double w = weight_of(c, bytes, k, n);
    sum += (double)c->x[m * c->k + k] * w;
    size += fabs((double)c->x[m * c->k + k] * w);
  }
  return fabs((double)got - sum) / (size + 0x1p-80);
}

/* Weights as the fp32 product has them. */
static float *weights_as_floats(const split_case *c, bool bytes) {
  float *const w = ck_alloc_aligned(c->k * c->columns * sizeof *w);
  for (size_t i = 0; i < c->k * c->columns; i++) {
    const size_t panel = i / (c->k * TAREI_F32_PANEL), k = i / TAREI_F32_PANEL % c->k;
    const size_t n = panel * TAREI_F32_PANEL + i % TAREI_F32_PANEL;
    w[i] = n < c->n ? (float)weight_of(c, bytes, k, n) : 0;
  }
  return w;
}

/* Adds the squares of the errors of the product in pieces and of that in floats. */
static void add_noise(const split_case *c, bool bytes, double *split_noise, double *float_noise) {
  float *const out = ck_alloc(c->m * c->n * sizeof *out);
  float *const in_float = ck_alloc(c->m * c->n * sizeof *in_float);
  float *const w = weights_as_floats(c, bytes);
  const tarei_split_gemm g =
      split_gemm_of(c, bytes, (tarei_epilogue){.out_f32 = out, .ld_f32 = c->n});
  const tarei_f32_gemm f = {.a = c->x,
                            .lda = c->k,
                            .m = c->m,
                            .k = c->k,
                            .n = c->n,
                            .b = w,
                            .epilogue = {.out_f32 = in_float, .ld_f32 = c->n}};
  multiply_scalar(bytes, &g);
  ck_scalar().f32_gemm(&f);
  for (size_t j = 0; j < c->m * c->n; j++) {
    const double split_error = relative_error(c, bytes, j / c->n, j % c->n, out[j]);
    const double float_error = relative_error(c, bytes, j / c->n, j % c->n, in_float[j]);
    assert_true(split_error <= 6e-8 * (double)(c->k + 2));
    *split_noise += split_error * split_error;
    *float_noise += float_error * float_error;
  }
  free(out);
  free(in_float);
  free(w);
}

/* Over all outputs, the mean square error is not above that of the fp32 product. */
static void sums_are_as_accurate_as_those_of_floats(void **state) {
  (void)state;
  for (int bytes = 0; bytes < 2; bytes++) {
    double split_noise = 0, float_noise = 0;
    for (int i = 0; i < 10; i++) {
      split_case c = split_case_new();
      add_noise(&c, bytes, &split_noise, &float_noise);
      split_case_free(&c);
    }
    assert_true(split_noise <= float_noise);
  }
}

int split_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_give_the_bits_of_scalar),
      cmocka_unit_test(pieces_have_the_bits_of_scalar),
      cmocka_unit_test(pieces_add_up_to_the_float),
      cmocka_unit_test(rows_beyond_the_range_do_not_qualify),
      cmocka_unit_test(sums_are_as_accurate_as_those_of_floats),
  };
  return cmocka_run_group_tests_name("kernels.split", tests, ck_seed, NULL);
}
