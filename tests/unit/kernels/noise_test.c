#include "tests/unit/kernels/checkkern.h"

enum { DRAWS = 1 << 20 };

static tarei_noise noise_of(tarei_noise_kind kind, uint64_t key, size_t columns) {
  return (tarei_noise){.kind = kind, .key = key, .columns = columns, .factor = 1};
}

/* The answers that the authors of Philox-4x32-10 give for a counter and a key of zeros, and what
 * follows from their definition for other places. */
static void words_are_those_of_philox(void **state) {
  (void)state;
  static const uint32_t zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  CK_EACH_ROW("noise") {
    uint32_t got[4];
    const tarei_noise noise = noise_of(TAREI_NOISE_WORDS, 0, 4);
    ((tarei_noise_fn *)row->function)(&noise, 0, 1, got);
    assert_memory_equal(got, zeros, sizeof zeros);
  }
}

/* Philox from its definition, a block at a time. */
static void philox(uint64_t key, uint64_t block, uint64_t row, uint32_t *x) {
  uint32_t k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
  x[0] = (uint32_t)block;
  x[1] = (uint32_t)(block >> 32);
  x[2] = (uint32_t)row;
  x[3] = (uint32_t)(row >> 32);
  for (int i = 0; i < 10; i++) {
    const uint64_t a = 0xd2511f53ull * x[0], b = 0xcd9e8d57ull * x[2];
    const uint32_t next[] = {(uint32_t)(b >> 32) ^ x[1] ^ k[0], (uint32_t)b,
                             (uint32_t)(a >> 32) ^ x[3] ^ k[1], (uint32_t)a};
    memcpy(x, next, sizeof next);
    k[0] += 0x9e3779b9;
    k[1] += 0xbb67ae85;
  }
}

/* Any cut of the blocks gives the same elements, each from its row and column. */
static void elements_have_their_own_words(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t columns = 1 + ck_below(70), rows = 1 + ck_below(20);
    const size_t blocks = rows * tarei_noise_blocks(columns), cut = ck_below(blocks + 1);
    const tarei_noise noise = noise_of(TAREI_NOISE_WORDS, ck_next() * ck_next(), columns);
    CK_EACH_ROW("noise") {
      uint32_t *const got = ck_output(rows * columns * sizeof *got);
      tarei_noise_fn *const draw = (tarei_noise_fn *)row->function;
      draw(&noise, cut, blocks, got);
      draw(&noise, 0, cut, got);
      for (size_t e = 0; e < rows * columns; e++) {
        uint32_t x[4];
        philox(noise.key, e % columns / 4, e / columns, x);
        assert_int_equal(got[e], x[e % columns % 4]);
      }
      free(got);
    }
  }
}

static void rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const size_t columns = ck_size(), rows = 1 + ck_below(40);
    const size_t blocks = rows * tarei_noise_blocks(columns);
    tarei_noise noise =
        noise_of(TAREI_NOISE_UNIFORM + (tarei_noise_kind)(i % 2), ck_next() * ck_next(), columns);
    noise.base = ck_float(true);
    noise.factor = ck_float(true);
    float *const expected = ck_output(rows * columns * sizeof *expected);
    ck_scalar().noise(&noise, 0, blocks, expected);
    CK_EACH_ROW("noise") {
      float *const got = ck_output(rows * columns * sizeof *got);
      ((tarei_noise_fn *)row->function)(&noise, 0, blocks, got);
      ck_assert_same_floats(row->name, got, expected, rows * columns);
      free(got);
    }
    free(expected);
  }
}

/* Golden bits: what users have drawn with a seed is drawn again by later versions. */
static void bits_stay(void **state) {
  (void)state;
  static const float uniform[] = {0x1.70a044p-1f, 0x1.8b196p-1f, 0x1.4a7ap-4f,
                                  0x1.f53bfep-1f, 0x1.b0421p-2f, 0x1.a5e71cp-2f};
  static const float normal[] = {-0x1.8b68fcp-1f, -0x1.372a7ap-1f, 0x1.6686c6p+0f,
                                 -0x1.aff7a8p-5f, 0x1.9256fep-3f,  0x1.c767ecp-3f};
  const uint64_t key = 0x0123456789abcdef;
  CK_EACH_ROW("noise") {
    float got[6];
    tarei_noise noise = noise_of(TAREI_NOISE_UNIFORM, key, 3);
    ((tarei_noise_fn *)row->function)(&noise, 0, 2, got);
    ck_assert_same_floats(row->name, got, uniform, 6);
    noise.kind = TAREI_NOISE_NORMAL;
    ((tarei_noise_fn *)row->function)(&noise, 0, 2, got);
    ck_assert_same_floats(row->name, got, normal, 6);
  }
}

static int noise_ascending(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static double normal_below(double z) {
  return erfc(-z / sqrt(2)) / 2;
}

static double uniform_below(double u) {
  return u;
}

/* The statistic of Kolmogorov and Smirnov against an exact distribution. */
static double distance(float *x, double (*below)(double)) {
  double most = 0;
  qsort(x, DRAWS, sizeof *x, noise_ascending);
  for (size_t i = 0; i < DRAWS; i++) {
    const double p = below((double)x[i]);
    most = fmax(most, fmax(fabs(p - (double)i / DRAWS), fabs(p - (double)(i + 1) / DRAWS)));
  }
  return most;
}

static double mean_product(const float *x, size_t apart, double mean) {
  double sum = 0;
  for (size_t i = 0; i + apart < DRAWS; i++) {
    sum += ((double)x[i] - mean) * ((double)x[i + apart] - mean);
  }
  return sum / (double)(DRAWS - apart);
}

/* Bounds of five standard errors; a distance of 1.95 / sqrt(n) comes up once in 1000 times. The key
 * is fixed. */
static void check_distribution(tarei_noise_kind kind, double mean, double variance,
                               double (*below)(double)) {
  const double error = 5 / sqrt(DRAWS);
  static const size_t columns[] = {1, 1 << 10, DRAWS};
  float *const x = ck_alloc(DRAWS * sizeof *x);
  for (size_t c = 0; c < 3; c++) {
    const tarei_noise noise = noise_of(kind, 0x7a5ull + c, columns[c]);
    const size_t rows = DRAWS / columns[c];
    double sum = 0;
    ck_scalar().noise(&noise, 0, rows * tarei_noise_blocks(columns[c]), x);
    for (size_t i = 0; i < DRAWS; i++) {
      sum += (double)x[i];
    }
    assert_true(fabs(sum / DRAWS - mean) < error * sqrt(variance));
    assert_true(fabs(mean_product(x, 0, mean) - variance) < error * variance * sqrt(2));
    for (size_t apart = 1; apart <= 16; apart++) {
      assert_true(fabs(mean_product(x, apart, mean)) < error * variance);
    }
    assert_true(fabs(mean_product(x, 1 << 10, mean)) < error * variance);
    assert_true(distance(x, below) < 1.95 / sqrt(DRAWS));
  }
  free(x);
}

static void uniform_numbers_are_uniform(void **state) {
  (void)state;
  check_distribution(TAREI_NOISE_UNIFORM, 0.5, 1.0 / 12, uniform_below);
}

static void normal_numbers_are_normal(void **state) {
  (void)state;
  check_distribution(TAREI_NOISE_NORMAL, 0, 1, normal_below);
}

/* Each normal number is the quantile of the probability that its word says, also far out. */
static void normal_numbers_are_quantiles(void **state) {
  (void)state;
  const tarei_noise normal = noise_of(TAREI_NOISE_NORMAL, 99, DRAWS);
  tarei_noise words = normal;
  float *const z = ck_alloc(DRAWS * sizeof *z);
  uint32_t *const w = ck_alloc(DRAWS * sizeof *w);
  words.kind = TAREI_NOISE_WORDS;
  ck_scalar().noise(&normal, 0, DRAWS / 4, z);
  ck_scalar().noise(&words, 0, DRAWS / 4, w);
  for (size_t i = 0; i < DRAWS; i++) {
    const double p = ((double)(w[i] & 0x7fffffff) + 0.5) * 0x1p-32, size = fabs((double)z[i]);
    const double density = exp(-size * size / 2) / sqrt(2 * M_PI);
    assert_int_equal(signbit(z[i]) != 0, w[i] >> 31);
    assert_true(fabs(normal_below(-size) - p) < density * (1e-6 * size + 2e-7));
  }
  free(z);
  free(w);
}

int noise_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_those_of_philox),
      cmocka_unit_test(elements_have_their_own_words),
      cmocka_unit_test(rows_give_the_bits_of_scalar),
      cmocka_unit_test(bits_stay),
      cmocka_unit_test(uniform_numbers_are_uniform),
      cmocka_unit_test(normal_numbers_are_normal),
      cmocka_unit_test(normal_numbers_are_quantiles),
  };
  return cmocka_run_group_tests_name("kernels.noise", tests, ck_seed, NULL);
}
