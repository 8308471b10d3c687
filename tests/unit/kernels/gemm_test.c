#include "tests/unit/kernels/checkkern.h"

#include "kernels/requant.h"

/* --- int8 ------------------------------------------------------------------------------------- */
typedef struct i8_case {
  size_t m, k, n, lda, ldw, padded;
  size_t parts, part_step;
  uint8_t *a;
  int8_t *w, *packed;
  int32_t *add;
} i8_case;

/* Rows of several parts may overlap, as windows do. */
static i8_case i8_case_of_parts(size_t m, size_t k, size_t n, size_t parts) {
  i8_case c = {.m = m, .k = k, .n = n, .padded = (n + 31) / 32 * 32, .parts = parts};
  c.lda = parts > 1 ? 1 + ck_below(k) : k + ck_below(9);
  c.part_step = parts > 1 ? k / parts + ck_below(90) : 0;
  c.ldw = n + ck_below(4);
  c.a = ck_bytes((m - 1) * c.lda + (parts > 1 ? (parts - 1) * c.part_step : 0) + k + 3);
  c.w = ck_bytes((k - 1) * c.ldw + n);
  c.packed = ck_alloc_aligned(tarei_i8_packed_size(k, n));
  c.add = ck_alloc(c.padded * sizeof *c.add);
  tarei_i8_pack(c.w, c.ldw, false, k, n, c.packed, c.add);
  for (size_t i = 0; i < c.padded; i++) {
    c.add[i] = (int32_t)(ck_next() % 20001) - 10000 - 128 * c.add[i];
  }
  return c;
}

static i8_case i8_case_new(size_t m, size_t k, size_t n) {
  return i8_case_of_parts(m, k, n, 0);
}

static void i8_case_free(i8_case *c) {
  free(c->a);
  free(c->w);
  free(c->packed);
  free(c->add);
}

static tarei_i8_gemm i8_gemm_of(const i8_case *c, tarei_epilogue e) {
  return (tarei_i8_gemm){.a = c->a,
                         .lda = c->lda,
                         .m = c->m,
                         .k = c->k,
                         .n = c->n,
                         .parts = c->parts,
                         .part_step = c->part_step,
                         .b = c->packed,
                         .add = c->add,
                         .epilogue = e};
}

static void i8_compare_family(const char *family, const i8_case *c, const ck_epilogue *e) {
  const tarei_i8_gemm oracle = i8_gemm_of(c, e->e);
  ck_scalar().i8_windows(&oracle);
  CK_EACH_ROW(family) {
    tarei_epilogue twin = ck_epilogue_twin(e);
    const tarei_i8_gemm g = i8_gemm_of(c, twin);
    ((tarei_i8_gemm_fn *)row->function)(&g);
    ck_epilogue_same_and_free(row->name, e, &twin);
  }
}

static void i8_compare_epilogue(const i8_case *c, const ck_epilogue *e) {
  i8_compare_family("i8_gemm", c, e);
}

static void i8_compare_rows(const i8_case *c, bool wild) {
  ck_epilogue e;
  ck_epilogue_init(&e, c->m, c->n, true, wild);
  i8_compare_epilogue(c, &e);
  ck_epilogue_free(&e);
}

static void i8_gemm_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 250; i++) {
    i8_case c = i8_case_new(i % 3 ? ck_size() : 1 + ck_below(16), ck_size(), ck_size());
    i8_compare_rows(&c, i % 4 == 0);
    i8_case_free(&c);
  }
}

/* What kernels finish without the general epilogue, and what lies just beyond it. */
static ck_epilogue epilogue_of_bytes(size_t m, size_t n) {
  static const float sizes[] = {1e-4f, 3e-3f, 0.49f, 0.51f, 40.0f};
  static const tarei_act acts[] = {TAREI_ACT_none, TAREI_ACT_relu, TAREI_ACT_clip,
                                   TAREI_ACT_leaky_relu};
  const float size = sizes[ck_below(sizeof sizes / sizeof *sizes)];
  float *const mult = ck_alloc(n * sizeof *mult);
  for (size_t i = 0; i < n; i++) {
    mult[i] = ck_uniform(-size, size);
  }
  if (ck_below(4) == 0) {
    mult[ck_below(n)] = ck_float(true);
  }
  float *const row_mult = ck_below(2) ? ck_floats(m, ck_below(4) == 0) : NULL;
  ck_epilogue c = {.m = m};
  c.e = (tarei_epilogue){.mult = mult,
                         .row_mult = row_mult,
                         .bias = ck_below(3) ? NULL : ck_floats(n, ck_below(4) == 0),
                         .act = acts[ck_below(4)],
                         .act_a = ck_below(8) ? ck_uniform(-90.0f, 5.0f) : NAN,
                         .act_b = ck_uniform(-20.0f, 90.0f),
                         .act_last = ck_below(2),
                         .ld_residual = n + ck_below(5),
                         .residual_scale = ck_uniform(-0.1f, ck_below(4) ? 0.1f : 1e30f),
                         .residual_zero_point = (int32_t)ck_below(256),
                         .ld_u8 = n + ck_below(5),
                         .inv_scale = ck_below(3) ? 1.0f : ck_uniform(0.1f, 40.0f),
                         .zero_point = ck_below(2) ? (int32_t)ck_below(256) : 0,
                         .table = ck_below(4) ? NULL : ck_bytes(256)};
  c.e.residual_u8 = ck_below(3) ? NULL : ck_bytes((m - 1) * c.e.ld_residual + n);
  c.e.out_u8 = ck_output(m * c.e.ld_u8);
  return c;
}

static void i8_gemm_rows_give_the_same_bytes(void **state) {
  (void)state;
  for (int i = 0; i < 400; i++) {
    const size_t n = i % 5 ? 32 * (1 + ck_below(5)) + (i % 3 ? 0 : ck_below(32)) : 1 + ck_below(31);
    const size_t k = i % 4 ? ck_size() : 1 + ck_below(18);
    i8_case c = i8_case_new(i % 2 ? ck_size() : 1 + ck_below(30), k, n);
    ck_epilogue e = epilogue_of_bytes(c.m, c.n);
    i8_compare_epilogue(&c, &e);
    ck_epilogue_free(&e);
    i8_case_free(&c);
  }
}

/* What row scales and residuals leave as floats. */
static ck_epilogue epilogue_of_floats(size_t m, size_t n) {
  static const tarei_act acts[] = {TAREI_ACT_none, TAREI_ACT_relu, TAREI_ACT_clip, TAREI_ACT_gelu};
  ck_epilogue c = {.m = m};
  c.e = (tarei_epilogue){.mult = ck_floats(n, ck_below(4) == 0),
                         .row_mult = ck_below(3) ? ck_floats(m, ck_below(4) == 0) : NULL,
                         .bias = ck_below(3) ? ck_floats(n, ck_below(4) == 0) : NULL,
                         .act = acts[ck_below(4)],
                         .act_a = ck_below(8) ? ck_uniform(-90.0f, 5.0f) : NAN,
                         .act_b = ck_uniform(-20.0f, 90.0f),
                         .act_last = ck_below(2),
                         .ld_residual = n + ck_below(5),
                         .ld_f32 = n + ck_below(5)};
  const size_t residual = (m - 1) * c.e.ld_residual + n;
  c.e.residual = ck_below(2) ? ck_floats(residual, ck_below(4) == 0) : NULL;
  c.e.out_f32 = ck_output(m * c.e.ld_f32 * sizeof(float));
  return c;
}

static void i8_gemm_rows_give_the_same_floats(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    const size_t n = 32 * (1 + ck_below(5)) + (i % 3 ? 0 : ck_below(32));
    i8_case c = i8_case_new(i % 2 ? ck_size() : 1 + ck_below(30), ck_size(), n);
    ck_epilogue e = epilogue_of_floats(c.m, c.n);
    i8_compare_epilogue(&c, &e);
    ck_epilogue_free(&e);
    i8_case_free(&c);
  }
}

static void i8_windows_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    const size_t parts = 1 + ck_below(5), k = parts * 4 * (1 + ck_below(20));
    const size_t n = i % 4 ? 1 + ck_below(64) : ck_size();
    i8_case c = i8_case_of_parts(1 + ck_below(45), k, n, parts);
    ck_epilogue e = i % 2 ? epilogue_of_bytes(c.m, c.n) : epilogue_of_floats(c.m, c.n);
    i8_compare_family("i8_windows", &c, &e);
    ck_epilogue_free(&e);
    i8_case_free(&c);
  }
}

static int32_t i8_window_element(const i8_case *c, size_t m, size_t k) {
  const size_t part = c->k / c->parts;
  return c->a[m * c->lda + k / part * c->part_step + k % part];
}

static void i8_windows_agree_with_three_loops(void **state) {
  (void)state;
  for (int i = 0; i < 30; i++) {
    const size_t parts = 2 + ck_below(4);
    i8_case c = i8_case_of_parts(ck_size(), parts * 4 * (1 + ck_below(9)), ck_size(), parts);
    float *const out = ck_alloc(c.m * c.n * sizeof *out);
    const tarei_i8_gemm g = i8_gemm_of(&c, (tarei_epilogue){.out_f32 = out, .ld_f32 = c.n});
    ck_scalar().i8_windows(&g);
    for (size_t at = 0; at < c.m * c.n; at++) {
      int32_t sum = c.add[at % c.n];
      for (size_t k = 0; k < c.k; k++) {
        sum += i8_window_element(&c, at / c.n, k) * c.w[k * c.ldw + at % c.n];
      }
      assert_true(out[at] == (float)sum);
    }
    free(out);
    i8_case_free(&c);
  }
}

static void i8_gemm_takes_the_largest_products(void **state) {
  (void)state;
  i8_case c = i8_case_new(15, 257, 70);
  memset(c.a, 255, (c.m - 1) * c.lda + c.k + 3);
  for (int sign = 0; sign < 2; sign++) {
    memset(c.w, sign ? -128 : 127, (c.k - 1) * c.ldw + c.n);
    tarei_i8_pack(c.w, c.ldw, false, c.k, c.n, c.packed, c.add);
    i8_compare_rows(&c, false);
  }
  i8_case_free(&c);
}

static void i8_gemm_agrees_with_three_loops(void **state) {
  (void)state;
  for (int i = 0; i < 30; i++) {
    i8_case c = i8_case_new(ck_size(), ck_size(), ck_size());
    float *const out = ck_alloc(c.m * c.n * sizeof *out);
    const tarei_i8_gemm g = i8_gemm_of(&c, (tarei_epilogue){.out_f32 = out, .ld_f32 = c.n});
    ck_scalar().i8_gemm(&g);
    for (size_t m = 0; m < c.m; m++) {
      for (size_t n = 0; n < c.n; n++) {
        int32_t sum = c.add[n];
        for (size_t k = 0; k < c.k; k++) {
          sum += c.a[m * c.lda + k] * c.w[k * c.ldw + n];
        }
        assert_true(out[m * c.n + n] == (float)sum);
      }
    }
    free(out);
    i8_case_free(&c);
  }
}

/* --- epilogue --------------------------------------------------------------------------------- */
static void epilogue_follows_its_definition(void **state) {
  (void)state;
  i8_case c = i8_case_new(9, 12, 40);
  float out[9 * 40], raw[9 * 40], mult[40], bias[40], row_mult[9], residual[9 * 41], upper[9 * 42];
  uint8_t bytes[9 * 43];
  for (int i = 0; i < 9 * 41; i++) {
    residual[i] = ck_float(false);
    mult[i % 40] = ck_uniform(0.0f, 0.01f);
    bias[i % 40] = ck_float(false);
    row_mult[i % 9] = ck_uniform(0.5f, 2.0f);
  }
  for (int i = 0; i < 9 * 42; i++) {
    upper[i] = ck_float(false);
  }
  tarei_i8_gemm g = i8_gemm_of(&c, (tarei_epilogue){.out_f32 = raw, .ld_f32 = 40});
  ck_scalar().i8_gemm(&g);
  g.epilogue = (tarei_epilogue){.upper = upper,
                                .ld_upper = 42,
                                .mult = mult,
                                .row_mult = row_mult,
                                .bias = bias,
                                .act = TAREI_ACT_leaky_relu,
                                .act_a = 0.3f,
                                .residual = residual,
                                .ld_residual = 41,
                                .out_f32 = out,
                                .ld_f32 = 40,
                                .out_u8 = bytes,
                                .ld_u8 = 43,
                                .inv_scale = 9.7f,
                                .zero_point = 100};
  ck_scalar().i8_gemm(&g);
  for (int m = 0; m < 9; m++) {
    for (int n = 0; n < 40; n++) {
      float f = fmaf(upper[m * 42 + n], 256.0f, raw[m * 40 + n]);
      f = f * mult[n];
      f = f * row_mult[m];
      f = f + bias[n];
      f = f < 0 ? f * 0.3f : f;
      f = f + residual[m * 41 + n];
      assert_memory_equal(&out[m * 40 + n], &f, sizeof f);
      assert_int_equal(bytes[m * 43 + n], tarei_requant_u8(f, 9.7f, 100));
    }
  }
  i8_case_free(&c);
}

/* --- float ------------------------------------------------------------------------------------ */
typedef struct f32_case {
  size_t m, k, n, lda;
  float *a, *w, *packed;
  size_t parts, part_step;
} f32_case;

static f32_case f32_case_new(bool wild) {
  f32_case c = {.m = ck_size(), .k = ck_size(), .n = ck_size(), .parts = ck_below(2)};
  if (ck_below(3) == 0) {
    c.parts = 1 + ck_below(8);
    c.k = c.parts * (1 + ck_below(30));
    c.part_step = c.k / c.parts + ck_below(90);
  }
  c.lda = c.k + ck_below(5);
  const size_t row = c.parts > 1 ? (c.parts - 1) * c.part_step + c.k / c.parts : c.k;
  c.a = ck_floats((c.m - 1) * c.lda + row, wild);
  c.w = ck_floats(c.k * c.n, wild);
  c.packed = ck_alloc_aligned(tarei_f32_packed_size(c.k, c.n));
  ck_scalar().f32_pack(c.w, c.n, false, c.k, c.n, c.packed);
  return c;
}

static void f32_case_free(f32_case *c) {
  free(c->a);
  free(c->w);
  free(c->packed);
}

static tarei_f32_gemm f32_gemm_of(const f32_case *c, tarei_epilogue e) {
  return (tarei_f32_gemm){.a = c->a,
                          .lda = c->lda,
                          .m = c->m,
                          .k = c->k,
                          .n = c->n,
                          .parts = c->parts,
                          .part_step = c->part_step,
                          .b = c->packed,
                          .epilogue = e};
}

static float f32_element(const f32_case *c, size_t m, size_t k) {
  const size_t part = c->k / (c->parts ? c->parts : 1);
  return c->a[m * c->lda + k / part * c->part_step + k % part];
}

static void f32_compare_rows(const f32_case *c, const ck_epilogue *e) {
  const tarei_f32_gemm oracle = f32_gemm_of(c, e->e);
  ck_scalar().f32_gemm(&oracle);
  CK_EACH_ROW("f32_gemm") {
    tarei_epilogue twin = ck_epilogue_twin(e);
    const tarei_f32_gemm g = f32_gemm_of(c, twin);
    ((tarei_f32_gemm_fn *)row->function)(&g);
    ck_epilogue_same_and_free(row->name, e, &twin);
  }
}

static void f32_gemm_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 150; i++) {
    f32_case c = f32_case_new(i % 8 == 0);
    ck_epilogue e;
    ck_epilogue_init(&e, c.m, c.n, false, i % 8 == 1);
    f32_compare_rows(&c, &e);
    ck_epilogue_free(&e);
    f32_case_free(&c);
  }
}

/* Floats with at most a bias, a residual of floats and a short activation have a path of their own, and
 * so have bytes of bounds without a residual. */
static void f32_gemm_rows_finish_plain_results_like_scalar(void **state) {
  (void)state;
  static const tarei_act acts[] = {TAREI_ACT_none, TAREI_ACT_relu, TAREI_ACT_clip,
                                   TAREI_ACT_hard_swish, TAREI_ACT_leaky_relu};
  for (int i = 0; i < 250; i++) {
    f32_case c = f32_case_new(i % 8 == 0);
    ck_epilogue e = {.m = c.m};
    e.e.act = acts[i % 5];
    e.e.act_a = ck_below(8) ? ck_uniform(-20.0f, 5.0f) : NAN;
    e.e.act_b = ck_below(8) ? ck_uniform(-5.0f, 20.0f) : NAN;
    e.e.act_last = ck_below(2);
    e.e.bias = ck_below(2) ? ck_floats(c.n, i % 8 == 1) : NULL;
    e.e.ld_residual = c.n + ck_below(5);
    e.e.residual = ck_below(2) ? ck_floats((c.m - 1) * e.e.ld_residual + c.n, i % 8 == 2) : NULL;
    if (ck_below(3)) {
      e.e.ld_f32 = c.n + ck_below(5);
      e.e.out_f32 = ck_output(c.m * e.e.ld_f32 * sizeof(float));
    } else {
      e.e.ld_u8 = c.n + ck_below(5);
      e.e.out_u8 = ck_output(c.m * e.e.ld_u8);
      e.e.inv_scale = ck_uniform(0.1f, 60.0f);
      e.e.zero_point = (int32_t)ck_below(256);
    }
    f32_compare_rows(&c, &e);
    ck_epilogue_free(&e);
    f32_case_free(&c);
  }
}

/* within k roundings of the exact sum */
static void f32_gemm_agrees_with_double(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    f32_case c = f32_case_new(false);
    float *const out = ck_alloc(c.m * c.n * sizeof *out);
    const tarei_f32_gemm g = f32_gemm_of(&c, (tarei_epilogue){.out_f32 = out, .ld_f32 = c.n});
    ck_scalar().f32_gemm(&g);
    for (size_t m = 0; m < c.m; m++) {
      for (size_t n = 0; n < c.n; n++) {
        double sum = 0, size = 0;
        for (size_t k = 0; k < c.k; k++) {
          const double product = (double)f32_element(&c, m, k) * c.w[k * c.n + n];
          sum += product;
          size += fabs(product);
        }
        assert_true(fabs(out[m * c.n + n] - sum) <= size * 6e-8 * (double)c.k);
      }
    }
    free(out);
    f32_case_free(&c);
  }
}

/* Without packing: the bits of a chain in the order of k. */
static void direct_products(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    tarei_direct_product p = {.m = ck_below(25), .k = ck_below(40), .n = 1 + ck_below(70)};
    p.n += i % 50 ? 0 : 2100; /* beyond the columns of one turn */
    if (i % 3 == 0) {         /* few columns by more rows */
      p.n = 1 + p.n % 8;
      p.m += ck_below(50);
    }
    p.lda = p.k + ck_below(3);
    p.ldb = p.n + ck_below(3);
    p.ld_out = p.n + ck_below(3);
    const size_t out_size = p.m ? (p.m - 1) * p.ld_out + p.n : 0;
    float *const a = ck_floats(p.m * p.lda, false), *const b = ck_floats(p.k * p.ldb, false);
    p.a = a;
    p.b = b;
    CK_EACH_ROW("direct_product") {
      p.out = ck_output(out_size * sizeof *p.out);
      ((tarei_direct_product_fn *)row->function)(&p);
      for (size_t m = 0; m < p.m; m++) {
        for (size_t n = 0; n < p.n; n++) {
          float sum = 0;
          for (size_t k = 0; k < p.k; k++) {
            sum = fmaf(a[m * p.lda + k], b[k * p.ldb + n], sum);
          }
          ck_assert_same_floats(row->name, &p.out[m * p.ld_out + n], &sum, 1);
        }
      }
      free(p.out);
    }
    free(a);
    free(b);
  }
}

static void dots_are_chains(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    tarei_dots d = {.m = ck_below(40), .k = ck_below(40)};
    d.lda = i % 5 == 1 ? 0 : d.k + ck_below(3);
    d.ldb = i % 5 == 2 ? 0 : d.k + ck_below(3);
    float *const a = ck_floats(d.m * d.k + d.m * d.lda, false);
    float *const b = ck_floats(d.m * d.k + d.m * d.ldb, false);
    d.a = a;
    d.b = b;
    CK_EACH_ROW("dots") {
      d.out = ck_output(d.m * sizeof *d.out);
      ((tarei_dots_fn *)row->function)(&d);
      for (size_t m = 0; m < d.m; m++) {
        float sum = 0;
        for (size_t k = 0; k < d.k; k++) {
          sum = fmaf(a[m * d.lda + k], b[m * d.ldb + k], sum);
        }
        ck_assert_same_floats(row->name, &d.out[m], &sum, 1);
      }
      free(d.out);
    }
    free(a);
    free(b);
  }
}

int gemm_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(i8_gemm_rows_give_the_bits_of_scalar),
      cmocka_unit_test(i8_gemm_rows_give_the_same_bytes),
      cmocka_unit_test(i8_gemm_rows_give_the_same_floats),
      cmocka_unit_test(i8_windows_rows_give_the_bits_of_scalar),
      cmocka_unit_test(i8_windows_agree_with_three_loops),
      cmocka_unit_test(i8_gemm_takes_the_largest_products),
      cmocka_unit_test(i8_gemm_agrees_with_three_loops),
      cmocka_unit_test(epilogue_follows_its_definition),
      cmocka_unit_test(f32_gemm_rows_give_the_bits_of_scalar),
      cmocka_unit_test(f32_gemm_rows_finish_plain_results_like_scalar),
      cmocka_unit_test(f32_gemm_agrees_with_double),
      cmocka_unit_test(direct_products),
      cmocka_unit_test(dots_are_chains),
  };
  return cmocka_run_group_tests_name("kernels.gemm", tests, ck_seed, NULL);
}
