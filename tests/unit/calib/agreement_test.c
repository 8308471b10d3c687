/* Agreement of a plan with its reference: edits, kinds and what is low. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "calib/eval/agreement/agreement.h"
#include "calib/eval/agreement/answers.h"
#include "calib/eval/eval_score.h"
#include "calib/eval/eval_tally.h"
#include "calib/eval/agreement/output_look.h"
#include "unit/seed.h"

/* --- edits ------------------------------------------------------------------------------------ */

enum { MOST_TOKENS = 40 };

/* By the definition, in a whole table. */
static int64_t edits_by_hand(const int64_t *const a, const int n, const int64_t *const b,
                             const int m) {
  int64_t d[MOST_TOKENS + 1][MOST_TOKENS + 1];
  for (int i = 0; i <= n; i++) {
    for (int j = 0; j <= m; j++) {
      int64_t least = i == 0 ? j : j == 0 ? i : d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (i > 0 && j > 0) {
        least = d[i - 1][j] + 1 < least ? d[i - 1][j] + 1 : least;
        least = d[i][j - 1] + 1 < least ? d[i][j - 1] + 1 : least;
      }
      d[i][j] = least;
    }
  }
  return d[n][m];
}

static void edits_are_those_of_the_definition(void **state) {
  uint32_t random = (uint32_t)test_seed();
  (void)state;
  for (int turn = 0; turn < 5000; turn++) {
    int64_t a[MOST_TOKENS], b[MOST_TOKENS], found = -1;
    int numbers[2];
    for (int k = 0; k < 2; k++) {
      random = random * 1664525U + 1013904223U;
      numbers[k] = (int)((random >> 8) % (MOST_TOKENS + 1));
    }
    const unsigned classes = 1 + (random >> 16) % 6;
    for (int i = 0; i < MOST_TOKENS; i++) {
      random = random * 1664525U + 1013904223U;
      a[i] = (int64_t)((random >> 8) % classes);
      b[i] = (random >> 24) % 8 ? a[i] : a[i] + 1; /* also sequences that are nearly equal */
    }
    assert_int_equal(tarei_answer_edits(a, numbers[0], b, numbers[1], &found, NULL), TARE_OK);
    assert_int_equal(found, edits_by_hand(a, numbers[0], b, numbers[1]));
  }
}

/* --- sequences -------------------------------------------------------------------------------- */

enum { CLASSES = 4 };

/* Frames whose largest class is that of a digit. */
static tare_tensor frames_of(const char *const digits, const int64_t batch, float *const room) {
  const int64_t n = (int64_t)strlen(digits);
  memset(room, 0, (size_t)(n * CLASSES) * sizeof *room);
  for (int64_t i = 0; i < n; i++) {
    room[i * CLASSES + digits[i] - '0'] = 9;
  }
  return (tare_tensor){
      .dtype = TARE_F32, .rank = 3, .dims = {batch, n / batch, CLASSES}, .data = room};
}

static void take(tarei_answers *const to, const char *const digits, const int64_t batch) {
  float room[64 * CLASSES];
  const tare_tensor t = frames_of(digits, batch, room);
  assert_int_equal(tarei_answers_take(to, &t, t.dims, NULL), TARE_OK);
}

static void keep(tarei_answers *const answers) {
  assert_int_equal(tarei_answers_keep(answers, NULL), TARE_OK);
}

static void sequences_are_read_as_by_ctc(void **state) {
  tarei_answers got = {0}, want = {0};
  tarei_answers_seen seen;
  tare_error_tally sums[3] = {{0}};
  (void)state;
  take(&want, "00110120", 1); /* 1, 1, 2 */
  take(&got, "00100120", 1);  /* the same in other frames */
  keep(&want), keep(&got);
  take(&want, "0033", 1), take(&got, "0033", 1);
  tarei_answers_discard(&want), tarei_answers_discard(&got); /* a sample that does not count */
  take(&want, "0011", 1), take(&want, "1030", 1);            /* parts of a stream: 1, 3 */
  take(&got, "0000", 1), take(&got, "3030", 1);              /* 3, 3 */
  keep(&want), keep(&got);
  take(&want, "01000010", 2), take(&got, "00100100", 2); /* 1 and 1, in two sequences */
  keep(&want), keep(&got);
  const tarei_answers *const lists[] = {&want};
  assert_int_equal(tarei_answers_see(lists, 1, &seen, NULL), TARE_OK);
  assert_true(seen.blank == 0 && seen.frames == 24 && seen.of_blank == 14);
  assert_true(seen.tokens == 7 && seen.most_alike == 5);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(tarei_answers_compare(&got, &want, i, seen.blank, &sums[i], NULL), TARE_OK);
  }
  assert_true(sums[0].tokens == 3 && sums[0].edits == 0);
  assert_true(sums[1].tokens == 2 && sums[1].edits == 1);
  assert_true(sums[2].tokens == 2 && sums[2].edits == 0);
  tarei_answers_fini(&got);
  tarei_answers_fini(&want);
}

static void integers_are_read_one_by_one(void **state) {
  int64_t a[] = {7, 7, 8, 9}, b[] = {7, 8, 8, 9, 9};
  const tare_tensor got = {.dtype = TARE_I64, .rank = 2, .dims = {1, 4}, .data = a};
  const tare_tensor want = {.dtype = TARE_I64, .rank = 2, .dims = {1, 5}, .data = b};
  tarei_answers g = {0}, w = {0};
  tare_error_tally sums = {0};
  (void)state;
  assert_int_equal(tarei_answers_take(&g, &got, got.dims, NULL), TARE_OK);
  assert_int_equal(tarei_answers_take(&w, &want, want.dims, NULL), TARE_OK);
  keep(&g), keep(&w);
  assert_int_equal(tarei_answers_compare(&g, &w, 0, TAREI_ANSWER_END, &sums, NULL), TARE_OK);
  assert_true(sums.tokens == 5 && sums.edits == 2);
  tarei_answers_fini(&g);
  tarei_answers_fini(&w);
}

/* --- kinds ------------------------------------------------------------------------------------ */

enum { ROWS = 16, MOST_WIDTH = 64 };

/* What fills a row: its number, and that of the element. */
typedef double row_value(int row, int i, int width);

static double value_probability(const int row, const int i, const int width) {
  return i == row % width ? 0.7 : 0.3 / (width - 1);
}
static double value_logarithm(const int row, const int i, const int width) {
  return log(value_probability(row, i, width));
}
static double value_logits(const int row, const int i, const int width) {
  return i == row % width ? 9 : sin(7.3 * i + row);
}
static double value_unit(const int row, const int i, const int width) {
  return ((i * 7 + row * 3) % 5 < 2 ? -1 : 1) / sqrt(width);
}
static double value_wave(const int row, const int i, const int width) {
  (void)width;
  return 9 * sin(0.2 * i + row);
}
static double value_vector(const int row, const int i, const int width) {
  (void)width;
  return (i * i * 7 + row * 31 + i * row) % 41 / 20.0 - 1;
}
static double value_outlier(const int row, const int i, const int width) {
  return i == 3 ? 12 : value_vector(row, i, width);
}

static tare_port float_port(const char *const name, const int rank, const int64_t width) {
  tare_port p = {.name = name, .dtype = TARE_F32, .rank = rank};
  for (int d = 0; d < rank; d++) {
    p.dims[d] = (tare_dim){-1, d == 0 ? "batch" : "frames"};
  }
  if (width > 0) {
    p.dims[rank - 1] = (tare_dim){width, NULL};
  }
  return p;
}

static tare_agreement kind_of(const tare_port *const output, row_value *const value,
                              const int width) {
  const tare_port input = {
      .name = "ids", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "tokens"}}};
  const tarei_look_ports ports = {&input, output, 1};
  tarei_output_look look = {0};
  for (int row = 0; row < ROWS; row++) {
    float x[MOST_WIDTH];
    tare_tensor t = {.dtype = TARE_F32, .rank = output->rank, .dims = {1, 1, 1, 1}, .data = x};
    t.dims[output->rank - 1] = width;
    for (int i = 0; i < width; i++) {
      x[i] = (float)value(row, i, width);
    }
    tarei_look_take(&look, &t, t.dims);
  }
  return tarei_look_kind(&ports, &look, NULL, ROWS);
}

static void kinds_follow_from_values(void **state) {
  const tare_port rank2 = float_port("y", 2, 10), wide = float_port("y", 2, 64);
  const tare_port rank3 = float_port("y", 3, 64), rank4 = float_port("y", 4, 10);
  tare_port span = float_port("y", 2, 0);
  (void)state;
  assert_int_equal(kind_of(&rank2, value_probability, 10), TARE_AGREEMENT_TOP1);
  assert_int_equal(kind_of(&rank2, value_logarithm, 10), TARE_AGREEMENT_TOP1);
  assert_int_equal(kind_of(&rank2, value_logits, 10), TARE_AGREEMENT_TOP1);
  assert_int_equal(kind_of(&rank2, value_vector, 10), TARE_AGREEMENT_NONE); /* regression */
  assert_int_equal(kind_of(&wide, value_unit, 64), TARE_AGREEMENT_COSINE);
  assert_int_equal(kind_of(&rank3, value_unit, 64), TARE_AGREEMENT_COSINE);
  assert_int_equal(kind_of(&wide, value_vector, 64), TARE_AGREEMENT_COSINE);
  assert_int_equal(kind_of(&wide, value_outlier, 64), TARE_AGREEMENT_COSINE);
  assert_int_equal(kind_of(&wide, value_wave, 64), TARE_AGREEMENT_NONE);
  assert_int_equal(kind_of(&rank3, value_logits, 64), TARE_AGREEMENT_TOP1);
  assert_int_equal(kind_of(&rank3, value_vector, 64), TARE_AGREEMENT_NONE); /* a state */
  assert_int_equal(kind_of(&rank4, value_logits, 10), TARE_AGREEMENT_NONE); /* a picture */
  assert_int_equal(kind_of(&span, value_logits, 64), TARE_AGREEMENT_NONE);
  span.dims[1].symbol = "tokens"; /* positions of a text */
  assert_int_equal(kind_of(&span, value_logits, 64), TARE_AGREEMENT_TOP1);
  assert_int_equal(kind_of(&rank2, value_logits, 1), TARE_AGREEMENT_NONE);
}

static void kinds_follow_from_names(void **state) {
  static const struct {
    const char *name;
    tare_agreement kind;
  } names[] = {{"logits", TARE_AGREEMENT_TOP1},
               {"Start_Logits", TARE_AGREEMENT_TOP1},
               {"last_hidden_state", TARE_AGREEMENT_COSINE},
               {"sentence_embedding", TARE_AGREEMENT_COSINE},
               {"pooler_output", TARE_AGREEMENT_COSINE},
               {"waveform", TARE_AGREEMENT_NONE},
               {"mel_spec", TARE_AGREEMENT_NONE},
               {"new_cache_3", TARE_AGREEMENT_NONE},
               {"stateN", TARE_AGREEMENT_NONE}};
  const tare_port integers = {.name = "logits", .dtype = TARE_I64, .rank = 1};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const tare_port port = float_port(names[i].name, 3, 32);
    assert_int_equal(kind_of(&port, value_logits, 32), names[i].kind);
  }
  assert_int_equal(kind_of(&integers, value_logits, 1), TARE_AGREEMENT_EQUAL);
}

/* Runs of classes between blanks, of an output that may be read. */
static tare_agreement kind_of_frames(const char *const name, const char *const frames) {
  const tare_port output = float_port(name, 3, CLASSES);
  const tarei_look_ports ports = {NULL, &output, 0};
  float room[64 * CLASSES];
  const tare_tensor t = frames_of(frames, 1, room);
  tarei_answers answers = {0};
  tarei_answers_seen seen;
  tarei_output_look look = {0};
  assert_true(tarei_look_may_be_read(&ports));
  tarei_look_take(&look, &t, t.dims);
  assert_int_equal(tarei_answers_take(&answers, &t, t.dims, NULL), TARE_OK);
  keep(&answers);
  const tarei_answers *const lists[] = {&answers};
  assert_int_equal(tarei_answers_see(lists, 1, &seen, NULL), TARE_OK);
  tarei_answers_fini(&answers);
  return tarei_look_kind(&ports, &look, &seen, 1);
}

static void frames_are_read_if_they_look_so(void **state) {
  (void)state;
  assert_int_equal(kind_of_frames("logits", "0001002200300011000"), TARE_AGREEMENT_EDITS);
  assert_int_equal(kind_of_frames("logits", "3331332233133331333"), TARE_AGREEMENT_EDITS);
  assert_int_equal(kind_of_frames("logits", "0000000000000000000"), TARE_AGREEMENT_TOP1);
  assert_int_equal(kind_of_frames("logits", "0000011111111112222222222"), TARE_AGREEMENT_TOP1);
  assert_int_equal(kind_of_frames("logits", "0102010201020102"), TARE_AGREEMENT_EDITS);
  assert_int_equal(kind_of_frames("ctc_out", "0000011111111112222222222"), TARE_AGREEMENT_EDITS);
}

/* Labels of words have blanks between them, too, but nobody reads them so. */
static void texts_are_not_read(void **state) {
  tare_port output = float_port("logits", 3, CLASSES);
  const tare_port ids = {
      .name = "ids", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "frames"}}};
  const tarei_look_ports ports = {&ids, &output, 1};
  (void)state;
  assert_false(tarei_look_may_be_read(&ports));
  output.dims[1].symbol = "other";
  assert_true(tarei_look_may_be_read(&ports));
  output.dims[1] = (tare_dim){50, NULL};
  assert_false(tarei_look_may_be_read(&ports));
}

/* --- what is low ------------------------------------------------------------------------------ */

static bool is_low(const tare_error_tally *const errors, const int64_t samples,
                   const tare_agreement kind, tare_eval_score *const score) {
  tare_eval_score output = {.agreement_kind = kind};
  tare_eval_sample facts[32] = {{0}};
  const tare_eval_result r = {.n_outputs = 1,
                              .outputs = &output,
                              .n_errors = samples,
                              .errors = (tare_error_tally *)errors,
                              .n_columns = 1};
  tare_eval_result filled = r;
  assert_int_equal(tarei_score_result(&filled, facts, NULL), TARE_OK);
  *score = filled.total;
  assert_false(tare_agreement_is_low(&filled, 1));
  return tare_agreement_is_low(&filled, 0);
}

static void ties_are_not_low(void **state) {
  tare_eval_score score;
  tare_error_tally t = {.rows = 100, .agreed = 80, .spread = 100, .regret = 20 * 0.04 * 0.04};
  (void)state;
  assert_false(is_low(&t, 1, TARE_AGREEMENT_TOP1, &score)); /* of a network that is not trained */
  assert_true(score.agreement == 0.8 && score.agreement_output == 0);
  t.regret = 20 * 0.5 * 0.5;
  assert_true(is_low(&t, 1, TARE_AGREEMENT_TOP1, &score));
  t.agreed = 90;
  assert_false(is_low(&t, 1, TARE_AGREEMENT_TOP1, &score));
  t = (tare_error_tally){.rows = 99, .agreed = 0, .spread = 99, .regret = 99};
  assert_false(is_low(&t, 1, TARE_AGREEMENT_TOP1, &score)); /* too few */
  assert_false(is_low(&t, 1, TARE_AGREEMENT_NONE, &score));
  assert_true(isnan(score.agreement) && score.agreement_output == -1);
}

static void each_kind_has_its_limit(void **state) {
  tare_eval_score score;
  tare_error_tally t = {.rows = 500, .agreed = 400, .spread = 500, .regret = 100};
  tare_error_tally samples[20];
  (void)state;
  t.tokens = 50, t.edits = 6;
  assert_true(is_low(&t, 1, TARE_AGREEMENT_EDITS, &score));
  assert_true(score.agreement == 0.12 && score.agreement_kind == TARE_AGREEMENT_EDITS);
  t.edits = 5;
  assert_false(is_low(&t, 1, TARE_AGREEMENT_EDITS, &score));
  assert_false(is_low(&t, 1, TARE_AGREEMENT_EQUAL, &score));
  t.agreed = 399;
  assert_true(is_low(&t, 1, TARE_AGREEMENT_EQUAL, &score));
  for (int i = 0; i < 20; i++) { /* samples count alike, whatever rows they have */
    samples[i] = (tare_error_tally){.vectors = i + 1, .cosines = (i + 1) * (i < 2 ? 0.5 : 1)};
  }
  assert_false(is_low(samples, 20, TARE_AGREEMENT_COSINE, &score)); /* a tenth */
  assert_true(fabs(score.agreement - 0.95) < 1e-12 && score.agreement_tenth == 1);
  samples[2].cosines = 2;
  assert_true(is_low(samples, 20, TARE_AGREEMENT_COSINE, &score));
}

/* The one that is worst beside what is tolerated. */
static void the_worst_output_is_given(void **state) {
  const tare_eval_score outputs[] = {{.agreement_kind = TARE_AGREEMENT_TOP1},
                                     {.agreement_kind = TARE_AGREEMENT_COSINE},
                                     {.agreement_kind = TARE_AGREEMENT_NONE}};
  tare_error_tally errors[3] = {
      {.rows = 100, .agreed = 98}, {.vectors = 1, .cosines = 0.97}, {.rows = 100, .agreed = 1}};
  const tarei_score_errors e = {
      .errors = errors, .n_columns = 3, .n_outputs = 3, .outputs = outputs, .n = 1};
  tare_eval_score score = {0};
  (void)state;
  assert_int_equal(tarei_score_fill(&e, &score, NULL), TARE_OK);
  assert_true(score.agreement_output == 1 && score.agreement == 0.97);
  errors[1].cosines = 0.995;
  assert_int_equal(tarei_score_fill(&e, &score, NULL), TARE_OK);
  assert_true(score.agreement_output == 0 && score.agreement == 0.98);
}

/* --- tally ------------------------------------------------------------------------------------ */

static void rows_have_directions_and_regrets(void **state) {
  float got[] = {2, 1, 0, 0, 3, 4, 0, 0, 0}, want[] = {1, 2, 0, 0, 6, 8, 0, 0, 0};
  const tare_tensor g = {.dtype = TARE_F32, .rank = 2, .dims = {3, 3}, .data = got};
  const tare_tensor w = {.dtype = TARE_F32, .rank = 2, .dims = {3, 3}, .data = want};
  const tarei_output_pair pair = {
      .got = &g, .want = &w, .got_extents = g.dims, .want_extents = w.dims};
  tare_error_tally t = {0};
  (void)state;
  tarei_tally_output(&t, &pair, INFINITY);
  assert_true(t.rows == 3 && t.agreed == 2);
  assert_true(t.regret == 1); /* 2 - 1 in the reference */
  assert_true(fabs(t.spread - (2.0 / 3 + 104.0 / 9)) < 1e-12);
  assert_true(t.vectors == 2 && fabs(t.cosines - 1.8) < 1e-12);
}

int agreement_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edits_are_those_of_the_definition),
      cmocka_unit_test(sequences_are_read_as_by_ctc),
      cmocka_unit_test(integers_are_read_one_by_one),
      cmocka_unit_test(kinds_follow_from_values),
      cmocka_unit_test(kinds_follow_from_names),
      cmocka_unit_test(frames_are_read_if_they_look_so),
      cmocka_unit_test(texts_are_not_read),
      cmocka_unit_test(ties_are_not_low),
      cmocka_unit_test(each_kind_has_its_limit),
      cmocka_unit_test(the_worst_output_is_given),
      cmocka_unit_test(rows_have_directions_and_regrets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
