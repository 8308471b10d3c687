/* Ranks of strategies whose figures are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"
#include "tools/compare/compare_grid.h"

enum { STRATEGIES = 3 };

/* All plans share states without samples. */
static void no_states(grid *const g) {
  const tarei_metric *metric = NULL;
  tarei_metric_settings read;
  assert_int_equal(tarei_metric_pick("accuracy", NULL, 0, &metric, &read, NULL), TARE_OK);
  assert_int_equal(tarei_metric_states_new(metric, &read, &g->fp32.states, NULL), TARE_OK);
  for (int i = 0; i < g->n; i++) {
    g->items[i].result.states = g->fp32.states;
  }
}

/* Ranks strategies with these values of a metric, which no sample tells apart. */
static void rank_by(const double *const metrics, const double *const sqnr,
                    grid_strategy *const items, grid *const g) {
  for (int i = 0; i < STRATEGIES; i++) {
    items[i] = (grid_strategy){0};
    items[i].result.total.metric = metrics[i];
    items[i].result.total.sqnr_db = sqnr[i];
  }
  static grid_pass pass;
  *g = (grid){.items = items, .n = STRATEGIES, .passes = &pass, .n_passes = 1};
  no_states(g);
  assert_int_equal(grid_rank(g, 0, NULL), TARE_OK);
  tarei_metric_states_free(&g->fp32.states);
}

static void a_metric_without_a_value_ranks_last(void **state) {
  (void)state;
  const double metrics[][STRATEGIES] = {{NAN, 0.5, 0.5}, {0.5, NAN, 0.5}, {0.5, 0.5, NAN}};
  const double sqnr[] = {40, 30, 35};
  for (int none = 0; none < STRATEGIES; none++) {
    grid_strategy items[STRATEGIES];
    grid g;
    rank_by(metrics[none], sqnr, items, &g);
    assert_int_equal(g.order[STRATEGIES - 1], none);
    assert_false(items[none].equal);
    assert_int_equal(g.n_equal, STRATEGIES - 1);
    assert_true(sqnr[g.order[0]] > sqnr[g.order[1]]);
    free(g.order);
  }
}

static void an_sqnr_without_a_value_ranks_last(void **state) {
  (void)state;
  const double metrics[] = {0.5, 0.5, 0.5}, sqnr[] = {NAN, 30, 35};
  grid_strategy items[STRATEGIES];
  grid g;
  rank_by(metrics, sqnr, items, &g);
  assert_int_equal(g.order[0], 2);
  assert_int_equal(g.order[1], 1);
  free(g.order);
}

int compare_rank_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_metric_without_a_value_ranks_last),
      cmocka_unit_test(an_sqnr_without_a_value_ranks_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
