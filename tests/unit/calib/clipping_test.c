/* Clipping of weights, on rows made up for the layers of an example: which channels get other
 * scales, and that those lose less over these rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "calib/methods/clipping.h"
#include "calib/methods/rounding.h"
#include "graph/quantize/weights/correct_bias.h"
#include "graph/quantize/weights/round_weights.h"
#include "graph/quantize/weights/weight_scale.h"
#include "graph/table/layer_numbers.h"
#include "unit/calib/support/made_rows.h"

enum { READER = 2 };

static float *weights_of(const tarei_row_reader *const reader) {
  return reader->graph->values[reader->weights.value].data->data;
}

/* All channels of a layer have weights that are multiples of a number, but for one weight that is
 * slightly above 127 times that number. */
static made_rows with_large_weights(void) {
  made_rows s = made_rows_open();
  const tarei_row_reader *const reader = tarei_plan_reader(s.plan, READER);
  const tarei_weight_view *const view = &reader->weights;
  float *const w = weights_of(reader);
  for (int64_t n = 0; n < view->n; n++) {
    const float unit = 0.01F * (float)(1 + n % 5);
    for (int64_t i = 0; i < view->k; i++) {
      w[tarei_weight_view_at(view, n, i)] = unit * (float)((i * 37 + n * 11) % 241 - 120);
    }
    w[tarei_weight_view_at(view, n, n % view->k)] = unit * 128;
  }
  return s;
}

static tare_stats *decide(const made_rows *const s, const tare_clipping mode, const int threads) {
  tare_stats *stats = NULL;
  tare_calibrate_options o;
  tare_calibrate_options_init(&o);
  assert_int_equal(tarei_stats_new(1, 0, 0, 0, &stats, NULL), TARE_OK);
  assert_int_equal(tarei_clip_weights(s->plan, &s->grams, mode, threads, stats, NULL), TARE_OK);
  assert_int_equal(tarei_round_weights(s->plan, &s->grams, &s->kernels, threads, &o, stats, NULL),
                   TARE_OK);
  tarei_stats_sort(stats);
  return stats;
}

static const tarei_layer_numbers *clipping_of(const tare_stats *const stats,
                                              const tarei_row_reader *const reader) {
  return tarei_named_find(TAREI_NAMED(&stats->numbers[TAREI_NUMBERS_CLIPPING]), reader->node->name);
}

/* |X (w - v)|^2 of a channel as the statistics say. */
static double loss_of_channel(const made_rows *const s, const tarei_row_reader *const reader,
                              const tare_stats *const stats, const int64_t n) {
  const tarei_weight_view *const v = &reader->weights;
  const uint8_t *const rows = s->rows[reader->rows_of];
  const float *const w = weights_of(reader);
  const tarei_weight_choice choice = {
      .rounding = tarei_named_find(TAREI_NAMED(&stats->roundings), reader->node->name),
      .clipping = clipping_of(stats, reader)};
  assert_non_null(choice.rounding);
  assert_true(choice.rounding->hash ==
              tarei_clipped_hash(tarei_weight_view_hash(reader->graph, v), choice.clipping));
  const float scale = tarei_chosen_scale(&choice, w, v, n);
  double loss = 0;
  for (int64_t r = 0; r < ROWS; r++) {
    double sum = 0;
    for (int64_t at = 0; at < v->k; at++) {
      const int64_t i = tarei_weight_view_input(v, at);
      const double q = tarei_chosen_weight(&choice, w, v, scale, n, i);
      sum += (rows[r * v->k + at] - TAREI_GRAM_MIDDLE) *
             ((double)w[tarei_weight_view_at(v, n, i)] - q * (double)scale);
    }
    loss += sum * sum;
  }
  return loss;
}

static void large_weights_are_clipped(void **const state) {
  (void)state;
  made_rows s = with_large_weights();
  const tarei_row_reader *const reader = tarei_plan_reader(s.plan, READER);
  tare_stats *off = decide(&s, TARE_CLIPPING_OFF, 1), *clipped = decide(&s, TARE_CLIPPING_AUTO, 2);
  const tarei_layer_numbers *const clipping = clipping_of(clipped, reader);
  double before = 0, after = 0;
  assert_int_equal(tare_stats_n_clipped(off), 0);
  assert_non_null(clipping);
  assert_int_equal(clipping->n, reader->weights.n);
  for (int64_t c = 0; c < clipping->n; c++) {
    const float widest = tarei_weight_view_scale(weights_of(reader), &reader->weights, c);
    assert_true(clipping->values[c] <= widest && clipping->values[c] > widest * 0.9F);
    before += loss_of_channel(&s, reader, off, c);
    after += loss_of_channel(&s, reader, clipped, c);
  }
  assert_true(after < before * 0.9);
  tare_stats_free(&off);
  tare_stats_free(&clipped);
  made_rows_close(&s);
}

/* Of the layers with one block of inputs, whose losses rounding sees as a whole. */
static void no_layer_loses(void **const state) {
  (void)state;
  made_rows s = with_large_weights();
  tare_stats *off = decide(&s, TARE_CLIPPING_OFF, 1), *on = decide(&s, TARE_CLIPPING_ON, 1);
  int n_gained = 0;
  assert_true(tare_stats_n_clipped(on) > 1);
  for (int i = 0; i < s.grams.n; i++) {
    const tarei_row_reader *const reader = tarei_plan_reader(s.plan, i);
    double before = 0, after = 0;
    for (int64_t n = 0; reader->weights.k <= TAREI_GRAM_MOST && n < reader->weights.n; n++) {
      before += loss_of_channel(&s, reader, off, n);
      after += loss_of_channel(&s, reader, on, n);
    }
    assert_true(after <= before * 1.02); /* what damping adds */
    n_gained += after < before * 0.99;
  }
  assert_true(n_gained > 1);
  tare_stats_free(&off);
  tare_stats_free(&on);
  made_rows_close(&s);
}

static void clipping_does_not_depend_on_threads(void **const state) {
  (void)state;
  made_rows s = with_large_weights();
  tare_stats *one = decide(&s, TARE_CLIPPING_ON, 1), *three = decide(&s, TARE_CLIPPING_ON, 3);
  const tarei_numbers *const a = &one->numbers[TAREI_NUMBERS_CLIPPING];
  const tarei_numbers *const b = &three->numbers[TAREI_NUMBERS_CLIPPING];
  assert_int_equal(a->n, b->n);
  for (int i = 0; i < a->n; i++) {
    assert_string_equal(a->items[i].layer, b->items[i].layer);
    assert_memory_equal(a->items[i].values, b->items[i].values,
                        (size_t)a->items[i].n * sizeof(float));
  }
  tare_stats_free(&one);
  tare_stats_free(&three);
  made_rows_close(&s);
}

/* All inputs count alike then. */
static void weights_without_rows_are_clipped_too(void **const state) {
  (void)state;
  made_rows s = with_large_weights();
  tarei_grams_reset(&s.grams);
  tare_stats *stats = decide(&s, TARE_CLIPPING_AUTO, 1);
  assert_non_null(clipping_of(stats, tarei_plan_reader(s.plan, READER)));
  assert_int_equal(stats->roundings.n, 0);
  tare_stats_free(&stats);
  made_rows_close(&s);
}

/* What a bias makes up for is the mean of what the outputs lose. */
static void corrections_are_the_mean_of_the_loss(void **const state) {
  (void)state;
  made_rows s = with_large_weights();
  tare_stats *stats = decide(&s, TARE_CLIPPING_ON, 1);
  const tarei_row_reader *const reader = tarei_plan_reader(s.plan, READER);
  const tarei_weight_view *const v = &reader->weights;
  const uint8_t *const rows = s.rows[reader->rows_of];
  const float *const w = weights_of(reader);
  float *const means = calloc((size_t)v->k, sizeof *means);
  assert_non_null(means);
  for (int64_t at = 0; at < v->k; at++) {
    double sum = 0;
    for (int64_t r = 0; r < ROWS; r++) {
      sum += rows[r * v->k + at];
    }
    means[tarei_weight_view_input(v, at)] = (float)(sum / ROWS); /* with a part that all have */
  }
  const tarei_layer_numbers of_inputs = {.n = v->k, .values = means};
  const tarei_weight_choice choice = {
      .rounding = tarei_named_find(TAREI_NAMED(&stats->roundings), reader->node->name),
      .clipping = clipping_of(stats, reader),
      .means = &of_inputs};
  for (int64_t n = 0; n < v->n; n++) {
    const float scale = tarei_chosen_scale(&choice, w, v, n);
    double lost = 0;
    for (int64_t at = 0; at < ROWS * v->k; at++) {
      const int64_t i = tarei_weight_view_input(v, at % v->k);
      const double q = tarei_chosen_weight(&choice, w, v, scale, n, i);
      lost += rows[at] * ((double)w[tarei_weight_view_at(v, n, i)] - q * (double)scale);
    }
    const double correction = (double)tarei_bias_correction(&choice, w, v, scale, n);
    assert_true(fabs(correction - lost / ROWS) < 1e-4 * (1 + fabs(lost / ROWS)));
  }
  free(means);
  tare_stats_free(&stats);
  made_rows_close(&s);
}

int clipping_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_weights_are_clipped),
      cmocka_unit_test(no_layer_loses),
      cmocka_unit_test(clipping_does_not_depend_on_threads),
      cmocka_unit_test(weights_without_rows_are_clipped_too),
      cmocka_unit_test(corrections_are_the_mean_of_the_loss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
