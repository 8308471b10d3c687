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
#include <tare/model.h>

#include "calib/rounding.h"
#include "graph/quantize/weight_scale.h"
#include "graph/table/named.h"

#define MODEL TARE_SOURCE_DIR "/examples/digits-conv/digits-conv.onnx"
#define PROFILE "samples=1600:16000:24000"

enum { ROWS = 256, SHARED = 3 /* patterns that all rows are made of */ };

typedef struct setup {
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan;
  tarei_kernels kernels;
  tarei_grams grams;
  uint8_t **rows; /* per reader */
} setup;

static uint32_t random_state = 1;

static double random_unit(void) {
  random_state = random_state * 1664525 + 1013904223;
  return (double)(random_state >> 8) / (1 << 24) * 2 - 1;
}

/* Rows of few patterns and some noise, as those of networks are. */
static uint8_t *correlated_rows(const int64_t k) {
  uint8_t *const rows = malloc((size_t)(ROWS * k));
  double *const patterns = malloc((size_t)(SHARED * k) * sizeof *patterns);
  assert_true(rows && patterns);
  for (int64_t i = 0; i < SHARED * k; i++) {
    patterns[i] = random_unit();
  }
  for (int64_t r = 0; r < ROWS; r++) {
    const double by[SHARED] = {random_unit(), random_unit(), random_unit()};
    for (int64_t i = 0; i < k; i++) {
      double x = random_unit() * 0.2;
      for (int p = 0; p < SHARED; p++) {
        x += by[p] * patterns[p * k + i];
      }
      rows[r * k + i] = (uint8_t)(TAREI_GRAM_MIDDLE + rint(x * 38));
    }
  }
  free(patterns);
  return rows;
}

static void fill(setup *const s) {
  tarei_gram_work work;
  assert_int_equal(tarei_gram_work_init(&work, NULL), TARE_OK);
  s->rows = calloc((size_t)s->grams.n, sizeof *s->rows);
  for (int i = 0; i < s->grams.n; i++) {
    if (s->grams.all[i].sums) {
      s->rows[i] = correlated_rows(s->grams.all[i].k);
      tarei_gram_add(&s->grams.all[i], s->rows[i], ROWS, &work, &s->kernels);
    }
  }
  tarei_gram_work_fini(&work);
}

static setup open_all(void) {
  setup s = {0};
  tare_error err = {0};
  const tare_port *ports = NULL;
  tare_build_options build;
  tare_build_options_init(&build);
  assert_int_equal(tare_model_load(MODEL, &s.model, &err), TARE_OK);
  const int n = tare_model_inputs(s.model, &ports);
  assert_int_equal(tare_profiles_new(ports, n, &s.profiles, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(s.profiles, PROFILE, &err), TARE_OK);
  assert_int_equal(tare_plan_build(s.model, s.profiles, &build, &s.plan, &err), TARE_OK);
  tarei_kernels_select(TAREI_ISA_ALL, &s.kernels);
  assert_int_equal(tarei_plan_find_readers(s.plan, &err), TARE_OK);
  assert_int_equal(tarei_grams_init(&s.grams, s.plan, &err), TARE_OK);
  fill(&s);
  return s;
}

static void close_all(setup *const s) {
  for (int i = 0; i < s->grams.n; i++) {
    free(s->rows[i]);
  }
  free(s->rows);
  tarei_grams_fini(&s->grams);
  tare_plan_free(&s->plan);
  tare_profiles_free(&s->profiles);
  tare_model_free(&s->model);
}

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

static tare_stats *round_all(const setup *const s, const int threads) {
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
  setup s = open_all();
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
  close_all(&s);
}

static void threads_do_not_matter(void **const state) {
  (void)state;
  setup s = open_all();
  tare_stats *one = round_all(&s, 1), *three = round_all(&s, 3);
  assert_int_equal(one->roundings.n, three->roundings.n);
  for (int i = 0; i < one->roundings.n; i++) {
    const tarei_rounding *const r = &one->roundings.items[i];
    assert_memory_equal(r->up, three->roundings.items[i].up, tarei_rounding_bytes(r->n, r->k));
  }
  tare_stats_free(&one);
  tare_stats_free(&three);
  close_all(&s);
}

/* Without rows there is nothing to decide by. */
static void layers_that_never_ran_are_left_out(void **const state) {
  (void)state;
  setup s = open_all();
  tarei_grams_reset(&s.grams);
  tare_stats *stats = round_all(&s, 1);
  assert_int_equal(stats->roundings.n, 0);
  tare_stats_free(&stats);
  close_all(&s);
}

static void progress_can_end_it(void **const state) {
  (void)state;
  setup s = open_all();
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
  close_all(&s);
}

/* Models may give nodes one name; a table cannot. */
static void a_name_has_one_rounding(void **const state) {
  (void)state;
  setup s = open_all();
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
  close_all(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_change_less),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(layers_that_never_ran_are_left_out),
      cmocka_unit_test(progress_can_end_it),
      cmocka_unit_test(a_name_has_one_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
