#include "tests/unit/kernels/checkkern.h"

#include "kernels/requant.h"

enum { MAX_N = 300 };

/* A row of inputs with outputs for two competitors. */
typedef struct row_case {
  size_t n;
  float *x, *mask, *gain, *shift;
  float *f32[2];
  uint8_t *u8[2];
  float inv_scale;
  int32_t zero_point;
} row_case;

static row_case row_case_new(bool wild) {
  row_case c = {.n = ck_below(4) ? ck_size() : 1 + ck_below(MAX_N)};
  c.x = ck_floats(c.n, wild);
  c.mask = ck_below(2) ? ck_floats(c.n, wild) : NULL;
  c.gain = ck_below(2) ? ck_floats(c.n, false) : NULL;
  c.shift = ck_below(2) ? ck_floats(c.n, false) : NULL;
  const size_t outputs = 1 + ck_below(3);
  for (int i = 0; i < 2; i++) {
    c.f32[i] = outputs & 1 ? ck_output(c.n * sizeof(float)) : NULL;
    c.u8[i] = outputs & 2 ? ck_output(c.n) : NULL;
  }
  c.inv_scale = ck_uniform(0.1f, 300.0f);
  c.zero_point = (int32_t)ck_below(256);
  return c;
}

static void row_case_same(const char *name, const row_case *c) {
  if (c->f32[0]) {
    ck_assert_same_floats(name, c->f32[1], c->f32[0], c->n);
  }
  if (c->u8[0]) {
    ck_assert_same_bytes(name, c->u8[1], c->u8[0], c->n);
  }
}

static void row_case_free(row_case *c) {
  free(c->x);
  free(c->mask);
  free(c->gain);
  free(c->shift);
  for (int i = 0; i < 2; i++) {
    free(c->f32[i]);
    free(c->u8[i]);
  }
}

static void run_softmax_fused(tarei_softmax_fused_fn *f, const row_case *c, int which) {
  f(c->x, 0.125f, c->mask, c->n, c->f32[which], c->u8[which], c->inv_scale, c->zero_point);
}

static void run_layer_norm(tarei_layer_norm_fn *f, const row_case *c, int which) {
  f(c->x, c->mask, c->n, 1e-5f, c->gain, c->shift, c->f32[which], c->u8[which], c->inv_scale,
    c->zero_point);
}

static void run_rms_norm(tarei_rms_norm_fn *f, const row_case *c, int which) {
  f(c->x, c->n, 1e-5f, c->gain, c->f32[which], c->u8[which], c->inv_scale, c->zero_point);
}

static void fused_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 400; i++) {
    row_case c = row_case_new(i % 3 == 0);
    run_softmax_fused(ck_scalar().softmax_fused, &c, 0);
    CK_EACH_ROW("softmax_fused") {
      run_softmax_fused((tarei_softmax_fused_fn *)row->function, &c, 1);
      row_case_same(row->name, &c);
    }
    run_layer_norm(ck_scalar().layer_norm, &c, 0);
    CK_EACH_ROW("layer_norm") {
      run_layer_norm((tarei_layer_norm_fn *)row->function, &c, 1);
      row_case_same(row->name, &c);
    }
    run_rms_norm(ck_scalar().rms_norm, &c, 0);
    CK_EACH_ROW("rms_norm") {
      run_rms_norm((tarei_rms_norm_fn *)row->function, &c, 1);
      row_case_same(row->name, &c);
    }
    row_case_free(&c);
  }
}

static void log_softmax_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    const size_t n = ck_size();
    float *const x = ck_floats(n, i % 3 == 0);
    float *const expected = ck_alloc(n * sizeof *x);
    ck_scalar().log_softmax(x, n, expected);
    CK_EACH_ROW("log_softmax") {
      float *const in_place = ck_alloc(n * sizeof *x);
      memcpy(in_place, x, n * sizeof *x);
      ((tarei_log_softmax_fn *)row->function)(in_place, n, in_place);
      ck_assert_same_floats(row->name, in_place, expected, n);
      free(in_place);
    }
    free(x);
    free(expected);
  }
}

/* The bits of one row at a time, which follow from those of its exponentials: softmax_fused. */
static void expect_softmax(const float *x, size_t m, size_t n, size_t step, float *out) {
  float *const row = ck_alloc(n * sizeof *row);
  for (size_t i = 0; i < m; i++) {
    const size_t first = step == 1 ? i * n : i;
    for (size_t k = 0; k < n; k++) {
      row[k] = x[first + k * step];
    }
    ck_scalar().softmax_fused(row, 1.0f, NULL, n, row, NULL, 1.0f, 0);
    for (size_t k = 0; k < n; k++) {
      out[first + k * step] = row[k];
    }
  }
  free(row);
}

static void softmaxes_have_the_bits_of_one_row(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    const bool columns = i % 2;
    tarei_softmax s = {.m = ck_below(i % 8 ? 40 : 150),
                       .n = i % 4 < 2 ? 1 + ck_below(20) : ck_size() + 1};
    s.step = columns ? s.m + 2 + ck_below(3) : 1;
    const size_t size = s.n * (columns ? s.step : s.m);
    float *const x = ck_floats(size, i % 3 == 0);
    float *const expected = ck_alloc(size * sizeof *x);
    memcpy(expected, x, size * sizeof *x);
    expect_softmax(x, s.m, s.n, s.step, expected);
    CK_EACH_ROW("softmax") {
      float *const in_place = ck_alloc(size * sizeof *x);
      memcpy(in_place, x, size * sizeof *x);
      s.x = s.out = in_place;
      ((tarei_softmax_fn *)row->function)(&s);
      ck_assert_same_floats(row->name, in_place, expected, size);
      free(in_place);
    }
    free(x);
    free(expected);
  }
}

static void softmax_agrees_with_double(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t n = ck_size();
    float *const x = ck_floats(n, false);
    float *const p = ck_alloc(n * sizeof *p);
    float *const log_p = ck_alloc(n * sizeof *p);
    ck_scalar().softmax(&(tarei_softmax){.x = x, .out = p, .m = 1, .n = n, .step = 1});
    ck_scalar().log_softmax(x, n, log_p);
    double max = -INFINITY, sum = 0;
    for (size_t j = 0; j < n; j++) {
      max = fmax(max, x[j]);
    }
    for (size_t j = 0; j < n; j++) {
      sum += exp(x[j] - max);
    }
    for (size_t j = 0; j < n; j++) {
      assert_true(fabs(p[j] - exp(x[j] - max) / sum) < 5e-7);
      assert_true(fabs(log_p[j] - (x[j] - max - log(sum))) < 1e-5);
    }
    free(x);
    free(p);
    free(log_p);
  }
}

static void softmax_takes_masks_and_infinities(void **state) {
  (void)state;
  CK_EACH_ROW("softmax") {
    tarei_softmax_fn *const f = (tarei_softmax_fn *)row->function;
    float x[19];
    const tarei_softmax s = {.x = x, .out = x, .m = 1, .n = 19, .step = 1};
    for (int i = 0; i < 19; i++) {
      x[i] = i < 4 ? 1.0f : i < 10 ? -10000.0f : -INFINITY;
    }
    f(&s);
    for (int i = 0; i < 19; i++) {
      assert_true(x[i] == (i < 4 ? 0.25f : 0.0f));
    }
    for (int i = 0; i < 19; i++) {
      x[i] = -INFINITY;
    }
    f(&s);
    assert_true(isnan(x[0]) && isnan(x[18]));
  }
}

static void layer_norm_agrees_with_double(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    row_case c = row_case_new(false);
    float *const out = ck_alloc(c.n * sizeof *out);
    ck_scalar().layer_norm(c.x, c.mask, c.n, 1e-5f, c.gain, c.shift, out, NULL, 1.0f, 0);
    double mean = 0, variance = 0;
    for (size_t j = 0; j < c.n; j++) {
      mean += (c.x[j] + (c.mask ? c.mask[j] : 0.0f)) / (double)c.n;
    }
    for (size_t j = 0; j < c.n; j++) {
      const double d = c.x[j] + (c.mask ? c.mask[j] : 0.0f) - mean;
      variance += d * d / (double)c.n;
    }
    for (size_t j = 0; j < c.n && c.n > 4; j++) {
      const double y = (c.x[j] + (c.mask ? c.mask[j] : 0.0f) - mean) / sqrt(variance + 1e-5);
      const double gain = c.gain ? c.gain[j] : 1.0f;
      const double expected = y * gain + (c.shift ? c.shift[j] : 0.0f);
      assert_true(fabs(out[j] - expected) < 2e-5 * (1 + fabs(gain) + fabs(expected)));
    }
    free(out);
    row_case_free(&c);
  }
}

static void rms_norm_agrees_with_double(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    row_case c = row_case_new(false);
    float *const out = ck_alloc(c.n * sizeof *out);
    ck_scalar().rms_norm(c.x, c.n, 1e-5f, c.gain, out, NULL, 1.0f, 0);
    double square = 0;
    for (size_t j = 0; j < c.n; j++) {
      square += (double)c.x[j] * c.x[j] / (double)c.n;
    }
    for (size_t j = 0; j < c.n; j++) {
      const double expected = c.x[j] / sqrt(square + 1e-5) * (c.gain ? c.gain[j] : 1.0f);
      assert_true(fabs(out[j] - expected) < 2e-5 * (1 + fabs(expected)));
    }
    free(out);
    row_case_free(&c);
  }
}

static void quantize_rows_round_as_requant(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    const size_t n = ck_size();
    const float inv_scale = i % 2 ? 1.0f : ck_uniform(0.01f, 100.0f);
    const int32_t zero_point = i % 5 ? (int32_t)ck_below(256) : i % 2 * 255;
    float *const x = ck_floats(n, true);
    for (size_t j = 0; j < n && i % 3 == 0; j++) {
      x[j] = (float)((int)ck_below(600) - 300) * 0.5f; /* ties */
    }
    CK_EACH_ROW("quantize") {
      uint8_t *const out = ck_output(n);
      ((tarei_quantize_fn *)row->function)(x, n, inv_scale, zero_point, out);
      for (size_t j = 0; j < n; j++) {
        if (out[j] != tarei_requant_u8(x[j], inv_scale, zero_point)) {
          fail_msg("%s: %a * %a + %d became %d", row->name, (double)x[j], (double)inv_scale,
                   zero_point, out[j]);
        }
      }
      free(out);
    }
    free(x);
  }
}

static void requant_rounds_saturates_and_takes_nan(void **state) {
  (void)state;
  assert_int_equal(tarei_requant_u8(0.5f, 1.0f, 10), 10);
  assert_int_equal(tarei_requant_u8(1.5f, 1.0f, 10), 12);
  assert_int_equal(tarei_requant_u8(-0.5f, 1.0f, 10), 10);
  assert_int_equal(tarei_requant_u8(3e38f, 3e38f, 10), 255);
  assert_int_equal(tarei_requant_u8(-INFINITY, 1.0f, 10), 0);
  assert_int_equal(tarei_requant_u8(1e10f, 1.0f, 0), 255);
  assert_int_equal(tarei_requant_u8(NAN, 1.0f, 77), 77);
}

static void dequantize_rows_are_exact(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    const size_t n = ck_size();
    const int32_t zero_point = (int32_t)ck_below(256);
    const float scale = ck_uniform(0.001f, 2.0f);
    uint8_t *const x = ck_bytes(n);
    CK_EACH_ROW("dequantize") {
      float *const out = ck_output(n * sizeof *out);
      ((tarei_dequantize_fn *)row->function)(x, n, scale, zero_point, out);
      for (size_t j = 0; j < n; j++) {
        assert_true(out[j] == (float)(x[j] - zero_point) * scale);
      }
      free(out);
    }
    free(x);
  }
}

/* Of a row whose largest magnitude is known, around 128 or from 0 on. */
static float scale_of_row(const float amax, const int32_t zero_point) {
  const float scale = amax / (zero_point == 0 ? 255.0f : 127.0f);
  return isnormal(scale) ? scale : 1.0f;
}

/* Rows from 0 on have no value below zero, unless it was rounded there: some here have. */
static float *row_floats(const size_t n, const bool any_values, const int32_t zero_point) {
  float *const x = ck_floats(n, any_values);
  for (size_t i = 0; i < n && zero_point == 0 && n % 3 > 0; i++) {
    x[i] = fabsf(x[i]);
  }
  return x;
}

static void rows_take_scales_of_their_own(void **state) {
  (void)state;
  for (int i = 0; i < 400; i++) {
    const int32_t zero_point = i < 200 ? 128 : 0;
    const bool is_short = i % 2, overlap = i % 4 == 1 || i % 4 == 2;
    const size_t m = 1 + ck_below(is_short ? 60 : 9), k = is_short ? 1 + ck_below(70) : ck_size();
    const size_t ldx = overlap ? 1 + ck_below(k) : k + ck_below(4), ldo = k + ck_below(70);
    float *const x = row_floats((m - 1) * ldx + k, i % 3 == 0, zero_point);
    if (i % 5 == 0) {
      memset(x, 0, k * sizeof *x); /* a row without a magnitude */
    }
    CK_EACH_ROW("quantize_rows") {
      uint8_t *const out = ck_output((m - 1) * ldo + k);
      float *const scales = ck_output(m * sizeof *scales);
      ((tarei_quantize_rows_fn *)row->function)(x, ldx, m, k, out, ldo, scales, zero_point);
      for (size_t r = 0; r < m; r++) {
        float amax = 0;
        for (size_t j = 0; j < k; j++) {
          const float size = fabsf(x[r * ldx + j]);
          amax = isfinite(size) && size > amax ? size : amax;
        }
        assert_true(scales[r] == scale_of_row(amax, zero_point));
        for (size_t j = 0; j < ldo && (r + 1 < m || j < k); j++) {
          const uint8_t want =
              j < k ? tarei_requant_u8(x[r * ldx + j], 1.0f / scales[r], zero_point) : 0x5a;
          assert_int_equal(out[r * ldo + j], want);
        }
      }
      free(out);
      free(scales);
    }
    free(x);
  }
}

static void assert_window(const tarei_window_rows *const w, const size_t row) {
  const float *const x = w->x + row * w->ldx;
  float amax = 0;
  for (size_t j = 0; j < w->parts * w->part; j++) {
    const float size = fabsf(x[w->at[j / w->part] + j % w->part]);
    amax = isfinite(size) && size > amax ? size : amax;
  }
  assert_true(w->scales[row] == scale_of_row(amax, w->zero_point));
  for (size_t j = 0; j < w->ldo && (row + 1 < w->m || j < w->parts * w->part); j++) {
    const float *const part = x + (j < w->parts * w->part ? w->at[j / w->part] : 0);
    const uint8_t want =
        j < w->parts * w->part
            ? tarei_requant_u8(part[j % w->part], 1.0f / w->scales[row], w->zero_point)
            : 0x5a;
    assert_int_equal(w->out[row * w->ldo + j], want);
  }
}

static void windows_take_scales_of_their_own(void **state) {
  (void)state;
  for (int i = 0; i < 600; i++) {
    const int32_t zero_point = i < 300 ? 128 : 0;
    const size_t channels = i % 3 ? 1 + ck_below(40) : 1, taps = 1 + ck_below(i % 7 ? 9 : 300);
    const size_t part = i % 4 ? taps * channels : 8, parts = 1 + ck_below(9);
    const size_t ldx = i % 5 ? channels * (1 + ck_below(3)) : ck_below(part + 3);
    const size_t m = 1 + ck_below(i % 11 ? 50 : 600);
    size_t at[9] = {0}; /* in any order */
    for (size_t p = 1; p < parts; p++) {
      at[p] = ck_below(9 * 3 * part);
    }
    const size_t floats = (m - 1) * ldx + 9 * 3 * part + part;
    float *const x = row_floats(floats, i % 2 == 0, zero_point);
    if (i % 13 == 0) {
      memset(x, 0, floats * sizeof *x); /* no magnitude */
    }
    tarei_window_rows w = {.x = x, .ldx = ldx, .m = m, .parts = parts, .part = part};
    w.at = at;
    w.zero_point = zero_point;
    w.ldo = parts * part + ck_below(70);
    CK_EACH_ROW("quantize_windows") {
      w.out = ck_output((m - 1) * w.ldo + parts * part);
      w.scales = ck_output(m * sizeof *w.scales);
      ((tarei_quantize_windows_fn *)row->function)(&w);
      for (size_t r = 0; r < m; r++) {
        assert_window(&w, r);
      }
      free(w.out);
      free(w.scales);
    }
    free(x);
  }
}

/* NaN counts as the lowest number. */
static void floats_map_to_bytes_by_table(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t n = ck_size();
    const float inv_scale = ck_uniform(0.01f, 100.0f);
    const int32_t zero_point = (int32_t)ck_below(256);
    float *const x = ck_floats(n, i % 2 == 0);
    uint8_t *const table = ck_bytes(256);
    for (size_t j = 0; j < n; j++) {
      x[j] = x[j] * inv_scale < 0x1p31f ? x[j] : i % 4 == 0 ? NAN : 0.0f;
    }
    CK_EACH_ROW("quantize_lut") {
      uint8_t *const out = ck_output(n + 1);
      ((tarei_quantize_lut_fn *)row->function)(x, n, inv_scale, zero_point, table, out);
      for (size_t j = 0; j < n; j++) {
        const uint8_t place = isnan(x[j]) ? 0 : tarei_requant_u8(x[j], inv_scale, zero_point);
        assert_int_equal(out[j], table[place]);
      }
      assert_int_equal(out[n], 0x5a);
      free(out);
    }
    free(table);
    free(x);
  }
}

static void rows_have_a_largest_element(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t n = ck_size();
    float *const x = ck_floats(n, i % 2 == 0);
    for (size_t j = 0; j < n && i % 3 == 0; j++) {
      x[j] = -fabsf(x[j]); /* what lies behind the row is larger */
    }
    float top = -INFINITY;
    for (size_t j = 0; j < n; j++) {
      top = x[j] > top ? x[j] : top;
    }
    CK_EACH_ROW("row_top") {
      assert_true(((tarei_row_top_fn *)row->function)(x, n) == top);
    }
    free(x);
  }
}

static void tables_map_every_byte(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const size_t n = ck_size();
    uint8_t *const table = ck_bytes(256), *const x = ck_bytes(n);
    CK_EACH_ROW("lut_u8") {
      uint8_t *const out = ck_output(n + 1);
      ((tarei_lut_u8_fn *)row->function)(table, x, n, out);
      for (size_t j = 0; j < n; j++) {
        assert_int_equal(out[j], table[x[j]]);
      }
      assert_int_equal(out[n], 0x5a);
      memcpy(out, x, n);
      ((tarei_lut_u8_fn *)row->function)(table, out, n, out);
      for (size_t j = 0; j < n; j++) {
        assert_int_equal(out[j], table[x[j]]);
      }
      free(out);
    }
    free(table);
    free(x);
  }
}

int rows_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fused_rows_give_the_bits_of_scalar),
      cmocka_unit_test(log_softmax_rows_give_the_bits_of_scalar),
      cmocka_unit_test(softmaxes_have_the_bits_of_one_row),
      cmocka_unit_test(softmax_agrees_with_double),
      cmocka_unit_test(softmax_takes_masks_and_infinities),
      cmocka_unit_test(layer_norm_agrees_with_double),
      cmocka_unit_test(rms_norm_agrees_with_double),
      cmocka_unit_test(quantize_rows_round_as_requant),
      cmocka_unit_test(requant_rounds_saturates_and_takes_nan),
      cmocka_unit_test(dequantize_rows_are_exact),
      cmocka_unit_test(rows_take_scales_of_their_own),
      cmocka_unit_test(windows_take_scales_of_their_own),
      cmocka_unit_test(tables_map_every_byte),
      cmocka_unit_test(floats_map_to_bytes_by_table),
      cmocka_unit_test(rows_have_a_largest_element),
  };
  return cmocka_run_group_tests_name("kernels.rows", tests, ck_seed, NULL);
}
