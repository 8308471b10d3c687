#include "tests/unit/kernels/checkkern.h"

static size_t padded(size_t n) {
  return (n + 31) / 32 * 32;
}

static void i8_pack_lays_out_panels(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const size_t k = ck_size(), n = ck_size();
    const bool turned = i & 1;
    const size_t ldw = (turned ? k : n) + ck_below(3);
    int8_t *const w = ck_bytes(((turned ? n : k) - 1) * ldw + (turned ? k : n));
    int8_t *const packed = ck_alloc_aligned(tarei_i8_packed_size(k, n));
    int32_t *const sums = ck_alloc(padded(n) * sizeof *sums);
    tarei_i8_pack(w, ldw, turned, k, n, packed, sums);
    const int8_t *p = packed;
    for (size_t panel = 0; panel < padded(n); panel += 32) {
      for (size_t k4 = 0; k4 < (k + 3) / 4 * 4; k4 += 4) {
        for (size_t j = panel; j < panel + 32; j++) {
          for (size_t q = k4; q < k4 + 4; q++) {
            const int8_t v = q >= k || j >= n ? 0 : turned ? w[j * ldw + q] : w[q * ldw + j];
            assert_int_equal(*p++, v);
          }
        }
      }
    }
    assert_int_equal(p - packed, tarei_i8_packed_size(k, n));
    for (size_t j = 0; j < padded(n); j++) {
      int32_t sum = 0;
      for (size_t q = 0; q < k && j < n; q++) {
        sum += turned ? w[j * ldw + q] : w[q * ldw + j];
      }
      assert_int_equal(sums[j], sum);
    }
    free(w);
    free(packed);
    free(sums);
  }
}

static void check_i8_pack_u8(size_t k, size_t n, bool turned, int32_t zp) {
  const size_t ldx = (turned ? k : n) + ck_below(3);
  const size_t length = ((turned ? n : k) - 1) * ldx + (turned ? k : n);
  uint8_t *const x = ck_bytes(length);
  int8_t *const centred = ck_alloc(length);
  for (size_t i = 0; i < length; i++) {
    const int32_t v = x[i] - zp < -128 ? zp - 128 : x[i] - zp > 127 ? zp + 127 : x[i];
    x[i] = (uint8_t)v;
    centred[i] = (int8_t)(v - zp);
  }
  const size_t size = tarei_i8_packed_size(k, n);
  const size_t sums_size = padded(n) * sizeof(int32_t);
  int8_t *const expected = ck_alloc_aligned(size);
  int32_t *const expected_sums = ck_alloc(sums_size);
  tarei_i8_pack(centred, ldx, turned, k, n, expected, expected_sums);
  CK_EACH_ROW("i8_pack_u8") {
    int8_t *const packed = ck_alloc_aligned(size);
    int32_t *const sums = ck_alloc(sums_size);
    ((tarei_i8_pack_u8_fn *)row->function)(x, ldx, turned, k, n, zp, packed, sums);
    ck_assert_same_bytes(row->name, packed, expected, size);
    ck_assert_same_bytes(row->name, sums, expected_sums, sums_size);
    free(packed);
    free(sums);
  }
  free(x);
  free(centred);
  free(expected);
  free(expected_sums);
}

static void i8_pack_u8_rows_centre_and_pack(void **state) {
  (void)state;
  for (int i = 0; i < 120; i++) {
    check_i8_pack_u8(ck_size(), ck_size(), i & 1, i % 3 ? 128 : (int32_t)ck_below(256));
  }
}

static void f32_pack_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 120; i++) {
    const size_t k = ck_size(), n = ck_size();
    const bool turned = i & 1;
    const size_t ldw = (turned ? k : n) + ck_below(3);
    float *const w = ck_floats(((turned ? n : k) - 1) * ldw + (turned ? k : n), true);
    const size_t size = tarei_f32_packed_size(k, n);
    assert_int_equal(size, padded(n) * k * sizeof(float));
    float *const expected = ck_alloc_aligned(size);
    ck_scalar().f32_pack(w, ldw, turned, k, n, expected);
    assert_memory_equal(&expected[(k - 1) * 32], &w[turned ? k - 1 : (k - 1) * ldw], 4);
    CK_EACH_ROW("f32_pack") {
      float *const packed = ck_alloc_aligned(size);
      ((tarei_f32_pack_fn *)row->function)(w, ldw, turned, k, n, packed);
      ck_assert_same_bytes(row->name, packed, expected, size);
      free(packed);
    }
    free(w);
    free(expected);
  }
}

int pack_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(i8_pack_lays_out_panels),
      cmocka_unit_test(i8_pack_u8_rows_centre_and_pack),
      cmocka_unit_test(f32_pack_rows_give_the_bits_of_scalar),
  };
  return cmocka_run_group_tests_name("kernels.pack", tests, ck_seed, NULL);
}
