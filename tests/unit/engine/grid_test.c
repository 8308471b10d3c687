#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/lower/products/grid.h"
#include "engine/threads.h"
#include "unit/seed.h"

enum { MOST_ROWS = 300, MOST_COLUMNS = 700 };

/* How often each element was computed. */
typedef struct sheet {
  size_t m, n;
  uint8_t *times;
  uint8_t *faults; /* per thread */
} sheet;

static void paint(const void *const user, const tarei_block *const b, const int thread) {
  const sheet *const s = user;
  s->faults[thread] |= b->m == 0 || b->n == 0 || b->row + b->m > s->m || b->column + b->n > s->n ||
                       b->column % TAREI_GRID_PANEL != 0;
  for (size_t i = b->row; !s->faults[thread] && i < b->row + b->m; i++) {
    for (size_t j = b->column; j < b->column + b->n; j++) {
      s->times[i * s->n + j]++;
    }
  }
}

static void check_grid(const tarei_run *const run, const size_t m, const size_t n,
                       const size_t row_bytes, const size_t column_bytes) {
  uint8_t faults[TAREI_TEAM_MOST_THREADS] = {0};
  const sheet s = {m, n, calloc(m * n, 1), faults};
  assert_non_null(s.times);
  tarei_grid_run(&(tarei_grid){m, n, row_bytes, column_bytes}, run, paint, &s);
  for (int i = 0; i < run->threads; i++) {
    assert_int_equal(faults[i], 0);
  }
  for (size_t i = 0; i < m * n; i++) {
    assert_int_equal(s.times[i], 1);
  }
  free(s.times);
}

static void blocks_cover_everything_once(void **const state) {
  (void)state;
  srand((unsigned)test_seed());
  static const int threads[] = {1, 2, 3, 5, 16, TAREI_TEAM_MOST_THREADS};
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
    tarei_team *team;
    assert_int_equal(tarei_team_new(threads[t], &team, NULL), TARE_OK);
    const tarei_run run = {.threads = threads[t], .team = team};
    check_grid(&run, 1, 1, 1, 1);
    check_grid(&run, 1, MOST_COLUMNS, 100000, 100000);
    check_grid(&run, MOST_ROWS, 33, 100000, 100000);
    for (int round = 0; round < 60; round++) {
      const size_t m = 1 + (size_t)rand() % MOST_ROWS, n = 1 + (size_t)rand() % MOST_COLUMNS;
      const size_t k = (size_t)1 << rand() % 14;
      check_grid(&run, m, n, k << rand() % 4, k);
    }
    tarei_team_free(team);
  }
}

typedef struct line {
  uint8_t *times;
  size_t n;
} line;

static void mark(const void *const user, const size_t first, const size_t end, const int thread) {
  (void)thread;
  const line *const l = user;
  for (size_t i = first; i < end && i < l->n; i++) {
    l->times[i]++;
  }
}

static void ranges_cover_everything_once(void **const state) {
  (void)state;
  static uint8_t times[5000];
  for (int threads = 1; threads <= 4; threads++) {
    tarei_team *team;
    assert_int_equal(tarei_team_new(threads, &team, NULL), TARE_OK);
    const tarei_run run = {.threads = threads, .team = team};
    for (size_t n = 0; n < sizeof times; n += 1 + n / 3) {
      for (size_t row = 0; row < 3000; row += 1 + row) {
        memset(times, 0, sizeof times);
        tarei_row_ranges(&run, n, row, 1024, mark, &(line){times, n});
        for (size_t i = 0; i < sizeof times; i++) {
          assert_int_equal(times[i], i < n);
        }
      }
    }
    tarei_team_free(team);
  }
}

int grid_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_cover_everything_once),
      cmocka_unit_test(ranges_cover_everything_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
