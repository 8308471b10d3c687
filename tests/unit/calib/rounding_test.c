/* Rounding by least squares, on rows made up for the layers of an example: what it changes of the
 * products of these rows, computed one by one, against rounding to nearest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/methods/rounding.h"
#include "graph/quantize/weights/weight_scale.h"
#include "graph/table/named.h"
#include "unit/calib/support/made_rows.h"

/* What was reported: from 0 to all weights, and nothing after `stop`. */
typedef struct ticks {
  int64_t done, total, stop;
  int n;
} ticks;

static bool tick(void *const user, const int64_t done, const int64_t total) {
  ticks *const t = user;
  assert_true(t->n ? done > t->done && total == t->total : done == 0);
  assert_true(done <= total && t->done < t->stop);
  *t = (ticks){done, total, t->stop, t->n + 1};
  return done < t->stop;
}

static tare_stats *round_all(const made_rows *const s, const int threads) {
  tare_stats *stats = NULL;
  ticks t = {.stop = INT64_MAX};
  tare_calibrate_options o;
  tare_calibrate_options_init(&o);
  o.rounding_progress = tick;
  o.rounding_user = &t;
  assert_int_equal(tarei_stats_new(1, 0, 0, 0, &stats, NULL), TARE_OK);
  assert_int_equal(tarei_round_weights(s->plan, &s->grams, &s->kernels, threads, &o, stats, NULL),
                   TARE_OK);
  assert_true(t.n > 1 && t.done == t.total && t.total > 0);
  return stats;
}

/* Inputs of rows go tap by tap, those of weights channel by channel. */
static int64_t weight_of_row(const tarei_weight_view *const v, const int64_t i) {
  const int64_t channels = v->k / v->taps;
  return i % channels * v->taps + i / channels;
}

/* |X (w - v)|^2 of a channel, by the decisions of `rounding`; NULL: to nearest. */
static double loss_of(const tarei_row_reader *const reader, const uint8_t *const rows,
                      const int64_t n, const tarei_rounding *const rounding) {
  const tarei_weight_view *const v = &reader->weights;
  const float *const w = reader->graph->values[v->value].data->data;
  double *const e = malloc((size_t)v->k * sizeof *e);
  float amax = 0;
  for (int64_t i = 0; i < v->k; i++) {
    amax = fmaxf(amax, fabsf(w[tarei_weight_view_at(v, n, i)]));
  }
  const float scale = tarei_weight_scale_of(amax);
  for (int64_t i = 0; i < v->k; i++) {
    const float exact = w[tarei_weight_view_at(v, n, i)];
    const int8_t q = rounding
                         ? tarei_weight_round(exact, scale, tarei_rounding_is_up(rounding, n, i))
                         : tarei_weight_quantize(exact, scale);
    e[i] = (double)exact / (double)scale - q;
    assert_true(fabs(e[i]) < 1.0001);
  }
  double loss = 0;
  for (int64_t r = 0; r < ROWS; r++) {
    double sum = 0;
    for (int64_t i = 0; i < v->k; i++) {
      sum += (rows[r * v->k + i] - TAREI_GRAM_MIDDLE) * e[weight_of_row(v, i)];
    }
    loss += sum * sum;
  }
  free(e);
  return loss;
}

static void outputs_change_less(void **const state) {
  (void)state;
  made_rows s = made_rows_open();
  tare_stats *stats = round_all(&s, 2);
  assert_int_equal(stats->roundings.n, s.grams.n);
  for (int i = 0; i < s.grams.n; i++) {
    const tarei_row_reader *const reader = tarei_plan_reader(s.plan, i);
    const uint8_t *const rows = s.rows[reader->rows_of];
    const tarei_rounding *const rounding = &stats->roundings.items[i];
    double nearest = 0, least = 0;
    assert_string_equal(rounding->layer, reader->node->name);
    assert_true(rounding->hash == tarei_weight_view_hash(reader->graph, &reader->weights));
    for (int64_t n = 0; n < reader->weights.n; n += 1 + reader->weights.n / 16) {
      nearest += loss_of(reader, rows, n, NULL);
      least += loss_of(reader, rows, n, rounding);
    }
    /* blocks do not know of each other: less is gained where there are several */
    assert_true(least < nearest * (reader->weights.k <= TAREI_GRAM_MOST ? 0.5 : 0.9));
  }
  tare_stats_free(&stats);
  made_rows_close(&s);
}

static void threads_do_not_matter(void **const state) {
  (void)state;
  made_rows s = made_rows_open();
  tare_stats *one = round_all(&s, 1), *three = round_all(&s, 3);
  assert_int_equal(one->roundings.n, three->roundings.n);
  for (int i = 0; i < one->roundings.n; i++) {
    const tarei_rounding *const r = &one->roundings.items[i];
    assert_memory_equal(r->up, three->roundings.items[i].up, tarei_rounding_bytes(r->n, r->k));
  }
  tare_stats_free(&one);
  tare_stats_free(&three);
  made_rows_close(&s);
}

/* Without rows there is nothing to decide by. */
static void layers_that_never_ran_are_left_out(void **const state) {
  (void)state;
  made_rows s = made_rows_open();
  tarei_grams_reset(&s.grams);
  tare_stats *stats = round_all(&s, 1);
  assert_int_equal(stats->roundings.n, 0);
  tare_stats_free(&stats);
  made_rows_close(&s);
}

static void progress_can_end_it(void **const state) {
  (void)state;
  made_rows s = made_rows_open();
  tare_stats *stats = NULL;
  ticks t = {.stop = 1};
  tare_error err = {0};
  tare_calibrate_options o;
  tare_calibrate_options_init(&o);
  o.rounding_progress = tick;
  o.rounding_user = &t;
  assert_int_equal(tarei_stats_new(1, 0, 0, 0, &stats, NULL), TARE_OK);
  assert_int_equal(tarei_round_weights(s.plan, &s.grams, &s.kernels, 1, &o, stats, &err),
                   TARE_E_CHECK);
  assert_non_null(strstr(err.message, " weights were rounded"));
  assert_int_equal(t.n, 2);
  tare_stats_free(&stats);
  made_rows_close(&s);
}

/* Models may give nodes one name; a table cannot. */
static void a_name_has_one_rounding(void **const state) {
  (void)state;
  made_rows s = made_rows_open();
  tarei_node *const node = (tarei_node *)tarei_plan_reader(s.plan, 1)->node;
  char *const own = node->name;
  node->name = tarei_plan_reader(s.plan, 0)->node->name;
  tare_stats *stats = round_all(&s, 1);
  tarei_named_sort(TAREI_NAMED(&stats->roundings));
  assert_int_equal(stats->roundings.n, s.grams.n - 1);
  assert_null(tarei_named_duplicate(TAREI_NAMED(&stats->roundings)));
  assert_non_null(tarei_named_find(TAREI_NAMED(&stats->roundings), node->name));
  node->name = own;
  tare_stats_free(&stats);
  made_rows_close(&s);
}

int rounding_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_change_less),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(layers_that_never_ran_are_left_out),
      cmocka_unit_test(progress_can_end_it),
      cmocka_unit_test(a_name_has_one_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
