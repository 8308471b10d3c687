/* Moments and scaling of channels: every row of the table against the scalar one, and that against
 * plain loops. */
#include "kernels/requant.h"
#include "tests/unit/kernels/checkkern.h"

static void moments_of_channels(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t m = 1 + ck_below(70), n = ck_size();
    float *const x = ck_floats(m * n, i % 4 == 0);
    float *const mean = ck_alloc(n * sizeof *mean), *const squares = ck_alloc(n * sizeof *squares);
    ck_scalar().channel_moments(x, m, n, mean, squares);
    for (size_t c = 0; c < n; c++) {
      float sum = 0.0f, of_squares = 0.0f;
      for (size_t r = 0; r < m; r++) {
        sum += x[r * n + c];
      }
      sum *= 1.0f / (float)m;
      for (size_t r = 0; r < m; r++) {
        of_squares += (x[r * n + c] - sum) * (x[r * n + c] - sum);
      }
      assert_true(isnan(sum) ? isnan(mean[c]) : mean[c] == sum);
      assert_true(isnan(of_squares) ? isnan(squares[c]) : squares[c] == of_squares);
    }
    CK_EACH_ROW("channel_moments") {
      float *const out = ck_output(n * sizeof *out), *const more = ck_output(n * sizeof *more);
      ((tarei_channel_moments_fn *)row->function)(x, m, n, out, more);
      ck_assert_same_floats(row->name, out, mean, n);
      ck_assert_same_floats(row->name, more, squares, n);
      free(out);
      free(more);
    }
    free(x);
    free(mean);
    free(squares);
  }
}

static tarei_channel_scale random_scale(size_t m, size_t n, const float *x, const float *factor,
                                        const float *offset) {
  const tarei_act act = (tarei_act)ck_below(TAREI_ACT_COUNT);
  return (tarei_channel_scale){.x = x,
                               .m = m,
                               .channels = n,
                               .factor = factor,
                               .offset = offset,
                               .act = act,
                               .act_a = act == TAREI_ACT_clip ? -1.0f : 0.1f,
                               .act_b = 1.5f,
                               .inv_scale = ck_uniform(0.1f, 40.0f),
                               .zero_point = (int32_t)ck_below(256)};
}

static void channels_are_scaled(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t m = 1 + ck_below(20), n = ck_size(), outputs = 1 + ck_below(3);
    float *const x = ck_floats(m * n, i % 4 == 0);
    float *const factor = ck_floats(n, i % 8 == 0), *const offset = ck_floats(n, i % 8 == 0);
    const tarei_channel_scale plain = random_scale(m, n, x, factor, offset);
    tarei_channel_scale all = plain;
    float *const floats = ck_alloc(m * n * sizeof *floats);
    uint8_t *const bytes = ck_alloc(m * n);
    all.out_f32 = floats;
    all.out_u8 = bytes;
    ck_scalar().channel_scale(&all);
    for (size_t k = 0; k < m * n; k++) {
      const float f = x[k] * factor[k % n] + offset[k % n];
      if (plain.act == TAREI_ACT_none) {
        assert_true(isnan(f) ? isnan(floats[k]) : floats[k] == f);
      }
      assert_int_equal(bytes[k], tarei_requant_u8(floats[k], plain.inv_scale, plain.zero_point));
    }
    CK_EACH_ROW("channel_scale") {
      tarei_channel_scale twin = plain;
      twin.out_f32 = outputs & 1 ? ck_output(m * n * sizeof(float)) : NULL;
      twin.out_u8 = outputs & 2 ? ck_output(m * n) : NULL;
      ((tarei_channel_scale_fn *)row->function)(&twin);
      if (twin.out_f32) {
        ck_assert_same_floats(row->name, twin.out_f32, floats, m * n);
      }
      if (twin.out_u8) {
        ck_assert_same_bytes(row->name, twin.out_u8, bytes, m * n);
      }
      free(twin.out_f32);
      free(twin.out_u8);
    }
    free(x);
    free(factor);
    free(offset);
    free(floats);
    free(bytes);
  }
}

int channels_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_of_channels),
      cmocka_unit_test(channels_are_scaled),
  };
  return cmocka_run_group_tests_name("kernels.channels", tests, ck_seed, NULL);
}
