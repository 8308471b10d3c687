/* Softmax in bfloat16, against scalar and against double. */
#include "tests/unit/kernels/logits.h"

static tarei_softmax_bf16 softmax_bf16_case(bool wild) {
  tarei_softmax_bf16 s = {.logits = ck_logits(wild)};
  s.ld_out = (s.logits.n + 1) / 2 * 2 + ck_below(5);
  s.out = ck_output(s.logits.m * s.ld_out * sizeof *s.out);
  s.sums = ck_alloc(s.logits.m * sizeof *s.sums);
  return s;
}

static double value_of_bf16(uint16_t x) {
  const uint32_t bits = (uint32_t)x << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return (double)f;
}

/* Half of the last of 8 bits, and the error of the exponential. */
static void check_softmax_bf16_row(const tarei_softmax_bf16 *s, size_t r) {
  const tarei_logits *const l = &s->logits;
  const uint16_t *const out = s->out + r * s->ld_out;
  const double top = ck_top_logit(l, r);
  double total = 0;
  for (size_t j = 0; j < l->n; j++) {
    const double exact = exp(ck_logit(l, r, j) - top), got = value_of_bf16(out[j]);
    assert_true(fabs(got - exact) <= exact * (0x1p-8 + 4e-6) + 4e-7);
    total += got;
  }
  assert_true(fabs((double)s->sums[r] - total) <= total * 1e-6);
  assert_true(l->n % 2 == 0 || out[l->n] == 0);
}

static void softmax_in_bf16_follows_softmax(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    const tarei_softmax_bf16 s = softmax_bf16_case(i % 3 == 0);
    const size_t m = s.logits.m;
    tarei_softmax_bf16 other = s;
    other.out = ck_output(m * s.ld_out * sizeof *s.out);
    other.sums = ck_alloc(m * sizeof *s.sums);
    ck_scalar().softmax_bf16(&s);
    CK_EACH_ROW("softmax_bf16") {
      ((tarei_softmax_bf16_fn *)row->function)(&other);
      ck_assert_same_floats(row->name, other.sums, s.sums, m);
      ck_assert_same_bytes(row->name, other.out, s.out, m * s.ld_out * sizeof *s.out);
    }
    for (size_t r = 0; i % 3 && r < m; r++) {
      check_softmax_bf16_row(&s, r);
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
    const size_t room = (r.part.n + 1) * sizeof(uint16_t);
    uint16_t *const alone = ck_output(room), *const beside = ck_output(room);
    float sums[2];
    const tarei_softmax_bf16 whole = {r.whole, alone, r.part.n + 1, &sums[0]};
    const tarei_softmax_bf16 part = {r.part, beside, r.part.n + 1, &sums[1]};
    CK_EACH_ROW("softmax_bf16") {
      ((tarei_softmax_bf16_fn *)row->function)(&whole);
      ((tarei_softmax_bf16_fn *)row->function)(&part);
      ck_assert_same_floats(row->name, &sums[1], &sums[0], 1);
      ck_assert_same_bytes(row->name, beside, alone, r.whole.n * sizeof *alone);
    }
    ck_logits_free(&r.part);
    free(alone);
    free(beside);
  }
}

int softmax_bf16_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(softmax_in_bf16_follows_softmax),
      cmocka_unit_test(masked_elements_do_not_count),
  };
  return cmocka_run_group_tests_name("kernels.softmax_bf16", tests, ck_seed, NULL);
}
