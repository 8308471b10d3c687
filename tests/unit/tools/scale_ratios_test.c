/* Ratios between the scales of tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/compare/scale_ratios.h"

typedef struct line {
  char name[8];
  double amax[2]; /* per profile; the first is the merged one */
} line;

static void write_lines(FILE *const file, const line *const lines, const int n,
                        const bool per_profile) {
  for (int i = 0; i < n; i++) {
    const double *const a = lines[i].amax;
    if (per_profile) {
      fprintf(file,
              "%s{\"name\": \"%s\", \"amax\": [%g, %g], \"min\": [0, 0], \"max\": [%g, %g], "
              "\"count\": [9, 9], \"energy_lost\": [0, 0]}",
              i ? ", " : "", lines[i].name, a[0], a[1], a[0], a[1]);
    } else {
      fprintf(file,
              "%s{\"name\": \"%s\", \"amax\": [%g], \"min\": [0], \"max\": [%g], \"count\": [9], "
              "\"energy_lost\": [0]}",
              i ? ", " : "", lines[i].name, a[0], a[0]);
    }
  }
}

static tare_table *make_table(const line *const lines, const int n, const bool per_profile) {
  char path[] = "scale_ratios_test_XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *const file = fdopen(fd, "w");
  assert_non_null(file);
  fprintf(file,
          "{\"format\": \"tare.calib\", \"version\": {\"major\": 1, \"minor\": 1}, \"method\": "
          "\"minmax\", \"parameters\": {}, \"model\": {\"name\": \"m\", \"hash\": "
          "\"0000000000000001\"}, \"fit\": \"native\", \"pad_stats\": \"exclude\", "
          "\"per_profile\": %s, \"profiles\": [{\"spec\": \"n=1:2:3\", \"samples\": 1}, "
          "{\"spec\": \"n=4:5:6\", \"samples\": 1}], \"warnings\": [], \"tensors\": [",
          per_profile ? "true" : "false");
  write_lines(file, lines, n, per_profile);
  fputs("]}", file);
  assert_int_equal(fclose(file), 0);
  tare_table *table = NULL;
  tare_error err = {0};
  const tare_status status = tare_table_read(path, &table, &err);
  (void)unlink(path);
  if (status != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return table;
}

static tare_table *merged(void) {
  const line lines[] = {{"a", {1}}, {"b", {8}}, {"d", {4}}, {"old", {2}}};
  return make_table(lines, 4, false);
}

static void equal_tables_have_ratio_one(void **state) {
  (void)state;
  tare_table *table = merged();
  const scale_ratios r = scale_ratios_of(table, table);
  assert_int_equal(r.tensors, 4);
  assert_int_equal(r.grown + r.shrunk + r.n_most, 0);
  assert_true(r.median == 1 && r.worst == 1);
  tare_table_free(&table);
}

/* Of a tensor per profile the farthest column counts; tensors that one table lacks do not. */
static void the_farthest_tensors_come_first(void **state) {
  (void)state;
  tare_table *base = merged();
  const line lines[] = {{"a", {1.5, 3}}, {"b", {1, 8}}, {"d", {4, 4}}, {"new", {1, 1}}};
  tare_table *table = make_table(lines, 4, true);
  const scale_ratios r = scale_ratios_of(table, base);
  assert_int_equal(r.tensors, 3);
  assert_int_equal(r.grown, 1);
  assert_int_equal(r.shrunk, 1);
  assert_true(r.median == 3 && r.worst == 8);
  assert_int_equal(r.n_most, 2);
  assert_string_equal(r.most[0].tensor, "b");
  assert_true(r.most[0].ratio == 0.125 && r.most[0].profile == 0);
  assert_string_equal(r.most[1].tensor, "a");
  assert_true(r.most[1].ratio == 3 && r.most[1].profile == 1);
  const scale_ratios back = scale_ratios_of(base, table);
  assert_true(back.worst == 8 && back.grown == 1 && back.most[0].ratio == 8);
  tare_table_free(&table);
  tare_table_free(&base);
}

static void more_tensors_than_are_shown_keep_the_farthest(void **state) {
  (void)state;
  tare_table *tables[2];
  for (int t = 0; t < 2; t++) {
    line lines[9];
    for (int i = 0; i < 9; i++) { /* ratios 1 to 9, in no order */
      lines[i] = (line){{'t', (char)('0' + i)}, {t ? 1 + i * 4 % 9 : 1}};
    }
    tables[t] = make_table(lines, 9, false);
  }
  const scale_ratios r = scale_ratios_of(tables[1], tables[0]);
  assert_int_equal(r.n_most, SCALE_RATIOS_SHOWN);
  for (int i = 0; i < SCALE_RATIOS_SHOWN; i++) {
    assert_true(r.most[i].ratio == 9 - i);
  }
  assert_true(r.median == 5 && r.worst == 9 && r.grown == 7);
  tare_table_free(&tables[0]);
  tare_table_free(&tables[1]);
}

int scale_ratios_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_tables_have_ratio_one),
      cmocka_unit_test(the_farthest_tensors_come_first),
      cmocka_unit_test(more_tensors_than_are_shown_keep_the_farthest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
