#include "tests/unit/kernels/checkkern.h"

/* Every finite float16 and bfloat16, and every byte with each scale. */
enum { HALVES = 1 << 16, ROWS = HALVES / TAREI_F32_PANEL };

static float panel_expected[HALVES], panel_got[HALVES];

/* From the definition of the format: 5 bits of exponent, 10 behind the point. */
static float f16_value(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 0x3ff;
  const float size = ldexpf((float)(exponent ? fraction + 1024 : fraction),
                            (exponent ? exponent : 1) - 25);
  return half & 0x8000 ? -size : size;
}

static float bf16_value(uint16_t half) {
  const uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static bool f16_is_finite(size_t half) {
  return (half & 0x7c00) != 0x7c00;
}

static bool bf16_is_finite(size_t half) {
  return (half & 0x7f80) != 0x7f80;
}

static void check_halves(const char *family, float (*value)(uint16_t), bool (*is_finite)(size_t)) {
  uint16_t *const stored = ck_alloc(HALVES * sizeof *stored);
  for (size_t i = 0; i < HALVES; i++) {
    stored[i] = (uint16_t)(is_finite(i) ? i : 0);
    panel_expected[i] = value(stored[i]);
  }
  CK_EACH_ROW(family) {
    memset(panel_got, 0xff, sizeof panel_got);
    ((tarei_widen_fn *)row->function)(stored, ROWS, NULL, panel_got);
    assert_memory_equal(panel_got, panel_expected, sizeof panel_got);
  }
  free(stored);
}

static void halves_become_the_same_floats(void **state) {
  (void)state;
  check_halves("widen_f16", f16_value, f16_is_finite);
  check_halves("widen_bf16", bf16_value, bf16_is_finite);
}

static void bytes_are_multiplied_by_the_scale_of_their_column(void **state) {
  (void)state;
  for (int i = 0; i < 40; i++) {
    const size_t k = ck_size();
    int8_t *const stored = ck_alloc(k * TAREI_F32_PANEL);
    float *const scale = ck_floats(TAREI_F32_PANEL, false);
    for (size_t j = 0; j < k * TAREI_F32_PANEL; j++) {
      stored[j] = (int8_t)((int)ck_below(256) - 128);
      panel_expected[j] = (float)stored[j] * scale[j % TAREI_F32_PANEL];
    }
    CK_EACH_ROW("widen_i8") {
      memset(panel_got, 0xff, sizeof panel_got);
      ((tarei_widen_fn *)row->function)(stored, k, scale, panel_got);
      ck_assert_same_floats(row->name, panel_got, panel_expected, k * TAREI_F32_PANEL);
      assert_true(isnan(panel_got[k * TAREI_F32_PANEL]));
    }
    free(stored);
    free(scale);
  }
}

static void few_rows_give_the_bits_of_floats(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const size_t m = 1 + ck_below(30), k = ck_size(), n = ck_size(), block = 1 + ck_below(70);
    const size_t columns = (n + TAREI_F32_PANEL - 1) / TAREI_F32_PANEL * TAREI_F32_PANEL;
    const size_t blocks = (k + block - 1) / block;
    float *const a = ck_floats(m * k, false), *const scale = ck_floats(blocks * columns, false);
    int8_t *const stored = ck_alloc_aligned(columns * k);
    float *const widened = ck_alloc_aligned(columns * k * sizeof *widened);
    for (size_t j = 0; j < columns * k; j++) {
      const size_t column = j / (k * TAREI_F32_PANEL) * TAREI_F32_PANEL + j % TAREI_F32_PANEL;
      const size_t at = j / TAREI_F32_PANEL % k / block;
      stored[j] = (int8_t)((int)ck_below(256) - 128);
      widened[j] = (float)stored[j] * scale[at * columns + column];
    }
    ck_epilogue e;
    ck_epilogue_init(&e, m, n, false, false);
    const tarei_f32_gemm oracle = {
        .a = a, .lda = k, .m = m, .k = k, .n = n, .b = widened, .epilogue = e.e};
    ck_scalar().f32_gemm(&oracle);
    CK_EACH_ROW("thin_i8") {
      tarei_epilogue twin = ck_epilogue_twin(&e);
      const tarei_thin_gemm g = {.a = a, .lda = k, .m = m, .k = k, .n = n, .b = stored,
                                 .scale = scale, .ld_scale = columns, .block = block,
                                 .epilogue = twin};
      ((tarei_thin_gemm_fn *)row->function)(&g);
      ck_epilogue_same_and_free(row->name, &e, &twin);
    }
    ck_epilogue_free(&e);
    free(a);
    free(scale);
    free(stored);
    free(widened);
  }
}

int widen_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(halves_become_the_same_floats),
      cmocka_unit_test(few_rows_give_the_bits_of_floats),
      cmocka_unit_test(bytes_are_multiplied_by_the_scale_of_their_column),
  };
  return cmocka_run_group_tests_name("kernels.widen", tests, ck_seed, NULL);
}
