/* Softmax in bytes, against scalar and against double. */
#include <math.h>

#include "tests/unit/kernels/checkkern.h"

static tarei_softmax_u8 softmax_u8_case(bool wild) {
  tarei_softmax_u8 s = {.m = 1 + ck_below(40), .n = ck_size(), .scale = 0.125f};
  s.ldx = s.n + ck_below(5);
  s.ld_out = s.n + ck_below(5);
  s.mask_step = ck_below(2) ? s.n + ck_below(5) : 0;
  s.x = ck_floats((s.m - 1) * s.ldx + s.n, wild);
  s.mask = ck_below(2) ? ck_floats((s.m - 1) * s.mask_step + s.n, wild) : NULL;
  s.out = ck_output(s.m * s.ld_out);
  s.sums = ck_alloc(s.m * sizeof *s.sums);
  return s;
}

static void check_softmax_u8_row(const tarei_softmax_u8 *s, size_t r) {
  const float *const x = s->x + r * s->ldx;
  const float *const mask = s->mask ? s->mask + r * s->mask_step : NULL;
  const uint8_t *const out = s->out + r * s->ld_out;
  double top = -INFINITY;
  for (size_t j = 0; j < s->n; j++) {
    top = fmax(top, (double)x[j] * 0.125 + (mask ? (double)mask[j] : 0));
  }
  float *const exact = ck_output(s->n * sizeof *exact);
  ck_scalar().softmax_fused(x, 0.125f, mask, s->n, exact, NULL, 1.0f, 0);
  const float sum = (float)s->sums[r];
  const float tolerance = (0.5f + 0.5f * (float)s->n) / sum; /* half of 1/255 for each of n terms */
  uint32_t total = 0;
  for (size_t j = 0; j < s->n; j++) {
    const double logit = (double)x[j] * 0.125 + (mask ? (double)mask[j] : 0);
    assert_true(fabs(out[j] - 255 * exp(logit - top)) < 0.52);
    assert_true(fabsf((float)out[j] / sum - exact[j]) < tolerance);
    total += out[j];
  }
  assert_int_equal(s->sums[r], total);
  free(exact);
}

static void softmax_in_bytes_follows_softmax(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    const tarei_softmax_u8 s = softmax_u8_case(i % 3 == 0);
    tarei_softmax_u8 other = s;
    other.out = ck_output(s.m * s.ld_out);
    other.sums = ck_alloc(s.m * sizeof *s.sums);
    ck_scalar().softmax_u8(&s);
    CK_EACH_ROW("softmax_u8") {
      ((tarei_softmax_u8_fn *)row->function)(&other);
      ck_assert_same_bytes(row->name, other.sums, s.sums, s.m * sizeof *s.sums);
      ck_assert_same_bytes(row->name, other.out, s.out, s.m * s.ld_out);
    }
    for (size_t r = 0; i % 3 && r < s.m; r++) {
      check_softmax_u8_row(&s, r);
    }
    free((void *)s.x);
    free((void *)s.mask);
    free(s.out);
    free(s.sums);
    free(other.out);
    free(other.sums);
  }
}

/* What stands behind a mask changes nothing before it, and a mask of zeros is no mask. */
static void masked_elements_do_not_count(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const size_t n = ck_size(), padded = n + ck_below(130);
    float *const x = ck_floats(padded, false), *const mask = ck_floats(padded, false);
    uint8_t *const alone = ck_output(padded), *const beside = ck_output(padded);
    uint32_t sums[2];
    for (size_t j = 0; j < padded; j++) {
      mask[j] = j < n ? 0 : i % 3 == 0 ? -10000 : i % 3 == 1 ? -0x1.fffffep+127f : -INFINITY;
    }
    const tarei_softmax_u8 whole = {.m = 1,
                                    .n = n,
                                    .x = x,
                                    .ldx = n,
                                    .scale = 0.7f + 0.01f * (float)ck_below(100),
                                    .out = alone,
                                    .ld_out = n,
                                    .sums = &sums[0]};
    tarei_softmax_u8 part = whole;
    part.n = part.ldx = part.ld_out = padded;
    part.mask = mask;
    part.out = beside;
    part.sums = &sums[1];
    CK_EACH_ROW("softmax_u8") {
      ((tarei_softmax_u8_fn *)row->function)(&whole);
      ((tarei_softmax_u8_fn *)row->function)(&part);
      ck_assert_same_bytes(row->name, &sums[1], &sums[0], sizeof *sums);
      ck_assert_same_bytes(row->name, beside, alone, n);
    }
    free(x);
    free(mask);
    free(alone);
    free(beside);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(softmax_in_bytes_follows_softmax),
      cmocka_unit_test(masked_elements_do_not_count),
  };
  return cmocka_run_group_tests_name("kernels.softmax_u8", tests, ck_seed, NULL);
}
