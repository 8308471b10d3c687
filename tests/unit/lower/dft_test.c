/* DFT, STFT and convolutions that are such transforms against sums written out, and weights of mel
 * bins. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/ir/internal_attrs.h"
#include "unit/engine/support/one_node.h"
#include "unit/spectra.h"

static const double PI = 3.14159265358979323846;

/* Part `part` of the sum over in[i] * exp(sign * 2 pi i k / n) of `given` numbers, `step` apart. */
static double transformed(const float *const x, const size_t given, const size_t step,
                          const size_t parts, const size_t n, const size_t k, const int sign,
                          const size_t part) {
  double re = 0, im = 0;
  for (size_t i = 0; i < given && i < n; i++) {
    const double turn = sign * 2 * PI * (double)(i * k % n) / (double)n;
    const double a = (double)x[i * step], b = parts == 2 ? (double)x[i * step + 1] : 0;
    re += a * cos(turn) - b * sin(turn);
    im += a * sin(turn) + b * cos(turn);
  }
  return part ? im : re;
}

static void expect_near(const float got, const double value) {
  if (!(fabs((double)got - value) <= 1e-4)) {
    fail_msg("%.9g instead of %.9g", (double)got, value);
  }
}

/* Lengths of small factors, primes, and powers of two; longer and shorter than the axis. */
static void test_dft(void **state) {
  (void)state;
  static const int64_t lengths[] = {1, 2, 8, 12, 15, 31, 37, 64, 74, 97, 60};
  for (size_t round = 0; round < 2 * sizeof lengths / sizeof *lengths; round++) {
    const int64_t n = lengths[round / 2], given = one_node_between(1, 80), inner = 3;
    const int64_t parts = one_node_between(1, 2);
    const bool inverse = round % 2, onesided = !inverse && parts == 1 && one_node_bits() & 1;
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 4, (int64_t[]){2, given, inner, parts}, NULL);
    (void)one_node_const(&t, TARE_I64, 0, NULL, &n);
    one_node_op(&t, "DFT", "", 17, 1);
    assert_true(tarei_attr_set_int(t.node, "axis", 1) &&
                tarei_attr_set_int(t.node, "inverse", inverse) &&
                tarei_attr_set_int(t.node, "onesided", onesided));
    one_node_run_ok(&t);
    const int64_t kept = onesided ? n / 2 + 1 : n;
    assert_int_equal(t.outputs[0].dims[1], kept);
    for (int64_t i = 0; i < 2 * kept * inner * 2; i++) {
      const int64_t column = i / 2 % inner, k = i / 2 / inner % kept, b = i / 2 / inner / kept;
      const float *const x = (const float *)t.inputs[0].data + (b * given * inner + column) * parts;
      const double sum = transformed(x, (size_t)given, (size_t)(inner * parts), (size_t)parts,
                                     (size_t)n, (size_t)k, inverse ? 1 : -1, (size_t)(i % 2));
      expect_near(((const float *)t.outputs[0].data)[i], inverse ? sum / (double)n : sum);
    }
    one_node_end(&t);
  }
}

/* One side of a transform of real numbers gives these back. */
static void test_back_to_real(void **state) {
  (void)state;
  for (int64_t n = 4; n < 12; n++) {
    float x[12], side[2 * 7];
    for (int64_t i = 0; i < n; i++) {
      x[i] = one_node_float();
    }
    for (int64_t i = 0; i < 2 * (n / 2 + 1); i++) {
      side[i] =
          (float)transformed(x, (size_t)n, 1, 1, (size_t)n, (size_t)(i / 2), -1, (size_t)(i % 2));
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, n / 2 + 1, 2}, side);
    (void)one_node_const(&t, TARE_I64, 0, NULL, &n);
    one_node_op(&t, "DFT", "", 20, 1);
    assert_true(tarei_attr_set_int(t.node, "inverse", 1) &&
                tarei_attr_set_int(t.node, "onesided", 1));
    one_node_run_ok(&t);
    assert_int_equal(t.outputs[0].dims[2], 1);
    one_node_expect_floats(&t, x, (size_t)n, 1e-5f);
    one_node_end(&t);
  }
}

static void test_stft(void **state) {
  (void)state;
  for (int round = 0; round < 8; round++) {
    const int64_t n = one_node_between(3, 40), hop = one_node_between(1, 20);
    const int64_t length = n + one_node_between(0, 90), onesided = round & 1;
    const int64_t frames = (length - n) / hop + 1, kept = onesided ? n / 2 + 1 : n;
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){2, length, 1}, NULL);
    (void)one_node_const(&t, TARE_I64, 0, NULL, &hop);
    if (round & 2) {
      (void)one_node_const(&t, TARE_F32, 1, &n, NULL);
    } else {
      (void)one_node_absent(&t);
      (void)one_node_const(&t, TARE_I64, 0, NULL, &n);
    }
    one_node_op(&t, "STFT", "", 17, 1);
    assert_true(tarei_attr_set_int(t.node, "onesided", onesided));
    one_node_run_ok(&t);
    assert_int_equal(t.outputs[0].dims[1], frames);
    for (int64_t i = 0; i < 2 * frames * kept * 2; i++) {
      const int64_t k = i / 2 % kept, frame = i / 2 / kept % frames, b = i / 2 / kept / frames;
      float x[40];
      for (int64_t s = 0; s < n; s++) {
        x[s] = ((const float *)t.inputs[0].data)[b * length + frame * hop + s] *
               (round & 2 ? ((const float *)t.inputs[2].data)[s] : 1);
      }
      expect_near(((const float *)t.outputs[0].data)[i],
                  transformed(x, (size_t)n, 1, 1, (size_t)n, (size_t)k, -1, (size_t)(i % 2)));
    }
    one_node_end(&t);
  }
}

static void test_mel_weights(void **state) {
  (void)state;
  const int64_t bins = 3, length = 16, rate = 8192;
  const float low = 0, high = 4096;
  one_node t;
  one_node_start(&t);
  (void)one_node_const(&t, TARE_I64, 0, NULL, &bins);
  (void)one_node_const(&t, TARE_I64, 0, NULL, &length);
  (void)one_node_const(&t, TARE_I64, 0, NULL, &rate);
  (void)one_node_const(&t, TARE_F32, 0, NULL, &low);
  (void)one_node_const(&t, TARE_F32, 0, NULL, &high);
  one_node_op(&t, "MelWeightMatrix", "", 17, 1);
  one_node_run_ok(&t);
  assert_int_equal(t.outputs[0].dims[0], 9);
  /* edges at 0, 329, 812, 1521 and 2564 Hz, which are bins 0, 0, 1, 3 and 5 */
  static const float expected[27] = {1, 0, 0, 0, 1, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0.5f};
  one_node_expect_floats(&t, expected, 27, 1e-6f);
  one_node_end(&t);
}

static void test_refused(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){4, 3}, NULL);
  one_node_op(&t, "DFT", "", 17, 1);
  one_node_refused(&t, TARE_E_MODEL, "must be 1 (real) or 2");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 8, 2}, NULL);
  one_node_op(&t, "DFT", "", 17, 1);
  assert_true(tarei_attr_set_int(t.node, "onesided", 1));
  one_node_refused(&t, TARE_E_MODEL, "is complex");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 8, 1}, NULL);
  (void)one_node_const(&t, TARE_I64, 0, NULL, &(int64_t){0});
  (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){4}, NULL);
  one_node_op(&t, "STFT", "", 17, 1);
  one_node_refused(&t, TARE_E_MODEL, "frame length must be positive");
}

/* --- convolutions whose weights are a Fourier transform ---------------------------------------- */

typedef struct spectrum {
  spectrum_form form;
  int64_t n, taps, hop, pad, batch, samples;
  bool plain, bias, relu;
} spectrum;

static spectrum random_spectrum(const spectrum_form form) {
  static const int64_t lengths[] = {64, 96, 100, 128, 160, 240, 250, 256, 300, 400, 486, 512, 1024};
  spectrum s = {.form = form,
                .n = lengths[one_node_between(0, sizeof lengths / sizeof *lengths - 1)],
                .batch = one_node_between(1, 3),
                .plain = one_node_between(0, 1),
                .bias = one_node_between(0, 1),
                .relu = one_node_between(0, 1)};
  s.taps = one_node_between(0, 1) ? s.n : one_node_between(s.n / 2 + 1, s.n);
  s.hop = one_node_between(s.n > 256 ? s.taps / 16 : 1, s.taps); /* outputs stay small */
  s.pad = one_node_between(0, 1) ? one_node_between(1, s.taps - 1) : 0;
  s.samples = s.taps + s.hop * one_node_between(0, 40) + one_node_between(0, 5);
  return s;
}

static void spectrum_start(one_node *const t, const spectrum *const s, const float *const w) {
  const int64_t outputs = spectrum_outputs(s->form, s->n);
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, 3, (int64_t[]){s->batch, s->samples, 1}, NULL);
  (void)one_node_const(t, TARE_F32, 3, (int64_t[]){outputs, s->taps, 1}, w);
  if (s->bias) {
    (void)one_node_const(t, TARE_F32, 1, &outputs, NULL);
  }
  one_node_op(t, "ConvLast", "tare", 1, 1);
  assert_true(tarei_attr_set_ints(t->node, "strides", &s->hop, 1));
  assert_true(tarei_attr_set_ints(t->node, "pads", (int64_t[]){s->pad, s->pad}, 2));
  assert_true(tarei_attr_set_string(t->node, "activation", s->relu ? "relu" : "none"));
  assert_true(tarei_attr_set_int(t->node, TAREI_ATTR_FOURIER, s->n));
}

static double sum_of(const spectrum *const s, const one_node *const t, const float *const w,
                     const int64_t batch, const int64_t frame) {
  const float *const x = (const float *)t->inputs[0].data + batch * s->samples;
  double sum = 0;
  for (int64_t i = 0; i < s->taps; i++) {
    const int64_t at = frame * s->hop - s->pad + i;
    sum += at < 0 || at >= s->samples ? 0 : (double)w[i] * (double)x[at];
  }
  return sum;
}

static void check_spectrum(const spectrum *const s) {
  one_node t;
  float *const w = spectrum_weights(s->form, s->n, s->taps, s->plain);
  assert_non_null(w);
  spectrum_start(&t, s, w);
  one_node_run_ok(&t);
  const int64_t outputs = t.outputs[0].dims[2], frames = t.outputs[0].dims[1];
  const size_t count = (size_t)(s->batch * frames * outputs);
  float *const expected = malloc(count * sizeof *expected);
  assert_non_null(expected);
  for (int64_t i = 0; i < (int64_t)count; i++) {
    const int64_t o = i % outputs, frame = i / outputs % frames;
    const double sum = sum_of(s, &t, w + o * s->taps, i / outputs / frames, frame) +
                       (s->bias ? (double)((const float *)t.inputs[2].data)[o] : 0);
    expected[i] = (float)(s->relu && sum < 0 ? 0 : sum);
  }
  one_node_expect_floats(&t, expected, count, 2e-6f * sqrtf((float)s->taps));
  free(expected);
  free(w);
  one_node_end(&t);
}

static void spectra_are_their_sums(void **state) {
  (void)state;
  for (int i = 0; i < 10 * SPECTRUM_FORMS; i++) {
    const spectrum s = random_spectrum((spectrum_form)(i % SPECTRUM_FORMS));
    check_spectrum(&s);
  }
}

/* Little more than half of a transform is all that they see of it. */
static void short_windows_are_known(void **state) {
  (void)state;
  for (int i = 0; i < 2 * SPECTRUM_FORMS; i++) {
    const spectrum s = {.form = (spectrum_form)(i / 2),
                        .n = 300,
                        .taps = 151 + i % 2,
                        .hop = 75,
                        .batch = 1,
                        .samples = 600};
    check_spectrum(&s);
  }
}

/* Lengths that no transform has, and weights that are none. */
static void others_are_refused(void **state) {
  (void)state;
  spectrum s = {.form = SPECTRUM_BOTH, .n = 128, .taps = 128, .hop = 32, .batch = 1, .samples = 256};
  float *const w = spectrum_weights(s.form, s.n, s.taps, false);
  const int64_t lengths[] = {0, -2, 127, 254, 64, INT64_C(1) << 40};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    one_node t;
    spectrum_start(&t, &s, w);
    assert_true(tarei_attr_set_int(t.node, TAREI_ATTR_FOURIER, lengths[i]));
    one_node_refused(&t, TARE_E_INPUT, "does not fit 128 samples of 1 channels");
  }
  one_node t;
  spectrum_start(&t, &s, w);
  assert_true(tarei_attr_set_int(t.node, TAREI_ATTR_FOURIER, 160));
  one_node_refused(&t, TARE_E_MODEL, "no Fourier transform of length 160");
  free(w);
}

int dft_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dft),     cmocka_unit_test(test_back_to_real),
      cmocka_unit_test(test_stft),    cmocka_unit_test(test_mel_weights),
      cmocka_unit_test(test_refused), cmocka_unit_test(spectra_are_their_sums),
      cmocka_unit_test(short_windows_are_known), cmocka_unit_test(others_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
