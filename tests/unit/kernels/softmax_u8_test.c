/* Softmax in bytes, against scalar and against double. */
#include "tests/unit/kernels/logits.h"

static tarei_softmax_u8 softmax_u8_case(bool wild) {
  tarei_softmax_u8 s = {.logits = ck_logits(wild)};
  s.ld_out = s.logits.n + ck_below(5);
  s.out = ck_output(s.logits.m * s.ld_out);
  s.sums = ck_alloc(s.logits.m * sizeof *s.sums);
  return s;
}

static void check_softmax_u8_row(const tarei_softmax_u8 *s, size_t r) {
  const tarei_logits *const l = &s->logits;
  const float *const mask = l->mask ? l->mask + r * l->mask_step : NULL;
  const uint8_t *const out = s->out + r * s->ld_out;
  const double top = ck_top_logit(l, r);
  float *const exact = ck_output(l->n * sizeof *exact);
  ck_scalar().softmax_fused(l->x + r * l->ldx, l->scale, mask, l->n, exact, NULL, 1.0f, 0);
  const float sum = (float)s->sums[r];
  const float tolerance = (1.0f + 0.5f * (float)l->n) / sum; /* of 1/255: of n terms, and its own */
  double left[16] = {0};                                     /* of lanes: what rounding took */
  uint32_t total = 0;
  for (size_t j = 0; j < l->n; j++) {
    left[j % 16] += 255 * exp(ck_logit(l, r, j) - top) - out[j];
    assert_true(fabs(left[j % 16]) < 0.52 + 0.02 * (double)(j / 16));
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
    const size_t m = s.logits.m;
    tarei_softmax_u8 other = s;
    other.out = ck_output(m * s.ld_out);
    other.sums = ck_alloc(m * sizeof *s.sums);
    ck_scalar().softmax_u8(&s);
    CK_EACH_ROW("softmax_u8") {
      ((tarei_softmax_u8_fn *)row->function)(&other);
      ck_assert_same_bytes(row->name, other.sums, s.sums, m * sizeof *s.sums);
      ck_assert_same_bytes(row->name, other.out, s.out, m * s.ld_out);
    }
    for (size_t r = 0; i % 3 && r < m; r++) {
      check_softmax_u8_row(&s, r);
    }
    ck_logits_free(&s.logits);
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
    const ck_masked_row r = ck_masked_row_new(i % 3);
    uint8_t *const alone = ck_output(r.part.n), *const beside = ck_output(r.part.n);
    uint32_t sums[2];
    const tarei_softmax_u8 whole = {r.whole, alone, r.whole.n, &sums[0]};
    const tarei_softmax_u8 part = {r.part, beside, r.part.n, &sums[1]};
    CK_EACH_ROW("softmax_u8") {
      ((tarei_softmax_u8_fn *)row->function)(&whole);
      ((tarei_softmax_u8_fn *)row->function)(&part);
      ck_assert_same_bytes(row->name, &sums[1], &sums[0], sizeof *sums);
      ck_assert_same_bytes(row->name, beside, alone, r.whole.n);
    }
    ck_logits_free(&r.part);
    free(alone);
    free(beside);
  }
}

int softmax_u8_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(softmax_in_bytes_follows_softmax),
      cmocka_unit_test(masked_elements_do_not_count),
  };
  return cmocka_run_group_tests_name("kernels.softmax_u8", tests, ck_seed, NULL);
}
