/* Tables of text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/report.h"

enum { WIDTH = 80 };

/* The text stands until the next call. */
static const char *printed(report *const r) {
  static char text[4096];
  memset(text, 0, sizeof text);
  FILE *const to = fmemopen(text, sizeof text - 1, "w");
  assert_non_null(to);
  report_print(r, to);
  fclose(to);
  return text;
}

static void numbers_stand_right_and_names_left(void **state) {
  (void)state;
  report *const r = report_new("name<,value>");
  report_cell(r, "a");
  report_number(r, 2, 10.5);
  report_cell(r, "longer");
  report_number(r, 2, NAN);
  report_cell(r, "b");
  report_number(r, 2, -INFINITY);
  const char *const text = printed(r);
  assert_string_equal(text,
                      "name    value\n"
                      "a       10.50\n"
                      "longer      -\n"
                      "b        -inf\n");
}

static void wide_tables_are_cut_in_the_middle_of_names(void **state) {
  (void)state;
  report *const r = report_new("layer~,ms>");
  char name[200];
  memset(name, 'x', sizeof name - 1);
  name[0] = 'A';
  name[sizeof name - 2] = 'Z';
  name[sizeof name - 1] = '\0';
  report_cell(r, "%s", name);
  report_cell(r, "%d", 7);
  const char *const text = printed(r);
  const char *const row = strchr(text, '\n') + 1;
  assert_int_equal(strlen(row), WIDTH + 1);
  assert_int_equal(row[0], 'A');
  assert_non_null(strstr(row, "x..x"));
  assert_non_null(strstr(row, "xZ"));
}

static void names_that_are_cut_stay_different(void **state) {
  (void)state;
  char same[100];
  memset(same, 'x', sizeof same - 1);
  same[sizeof same - 1] = '\0';
  report *const tails = report_new("layer~,ms>"); /* the front may go */
  for (int i = 0; i < 4; i++) {
    report_cell(tails, "%s%d_of_many/Conv_output_0_and_the_rest_of_it", same, i / 2);
    report_cell(tails, "%d", i);
  }
  const char *text = printed(tails);
  assert_non_null(strstr(text, "xx0_of_many"));
  assert_non_null(strstr(text, "xx1_of_many"));
  assert_int_equal(strcspn(text, "\n"), WIDTH);
  report *const middles = report_new("layer~,ms>"); /* only width helps */
  for (int i = 0; i < 2; i++) {
    report_cell(middles, "%s%d%s", same, i, same);
    report_cell(middles, "%d", i);
  }
  text = printed(middles);
  assert_non_null(strstr(text, "..0xx"));
  assert_non_null(strstr(text, "..1xx"));
}

/* Columns of the terminal count, not bytes: letters with marks, wide characters, what is not UTF-8.
 */
static void names_in_any_script_stand_in_line(void **state) {
  (void)state;
  report *const r = report_new("name<,ms>");
  static const char *const NAMES[] = {("Gr\xc3\xb6\xc3\x9f"
                                       "e"),
                                      "\xe9\x8c\xb2\xe9\x9f\xb3", "e\xcc\x81t", "\xff\xfe"};
  for (int i = 0; i < 4; i++) {
    report_cell(r, "%s", NAMES[i]);
    report_cell(r, "%d", i);
  }
  assert_string_equal(printed(r),
                      "name   ms\n"
                      "Gr\xc3\xb6\xc3\x9f"
                      "e   0\n"
                      "\xe9\x8c\xb2\xe9\x9f\xb3    1\n"
                      "e\xcc\x81t      2\n"
                      "\xff\xfe      3\n");
  report *const cut = report_new("name~,ms>");
  char wide[301] = "";
  for (int i = 0; i < 100; i++) {
    strcat(wide, "\xe9\x8c\xb2");
  }
  report_cell(cut, "%s", wide);
  report_cell(cut, "7");
  const char *const row = strchr(printed(cut), '\n') + 1;
  const size_t characters = (strcspn(row, " ") - 2) / 3; /* whole ones, around two dots */
  assert_int_equal((strcspn(row, " ") - 2) % 3, 0);
  assert_in_range(characters, (WIDTH - 2 - 4) / 2 - 1, (WIDTH - 2 - 4) / 2);
  assert_non_null(strstr(row, "\xe9\x8c\xb2..\xe9\x8c\xb2"));
}

static void an_empty_table_prints_nothing(void **state) {
  (void)state;
  const char *const text = printed(report_new("a<,b>"));
  assert_string_equal(text, "");
}

static void bytes_have_units(void **state) {
  (void)state;
  const struct {
    int64_t bytes;
    const char *text;
  } CASES[] = {{0, "0 B"},
               {999, "999 B"},
               {1000, "1.0 kB"},
               {1500000, "1.5 MB"},
               {INT64_C(25300000000), "25.3 GB"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char *const text = report_bytes(CASES[i].bytes);
    assert_string_equal(text, CASES[i].text);
    free(text);
  }
}

static void files_are_not_cut(void **state) {
  (void)state;
  (void)unsetenv("COLUMNS");
  report *const r = report_new("layer~,ms>");
  char name[200];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  report_cell(r, "%s", name);
  report_cell(r, "%d", 7);
  assert_non_null(strstr(printed(r), name));
  (void)setenv("COLUMNS", "80", 1);
}

/* The columns that may be left out go from the last one on, and not before they must. */
static void optional_columns_are_left_out(void **state) {
  (void)state;
  char wide[41], *const names[] = {"first/convolution/of/a/network", "second/convolution"};
  memset(wide, 'w', sizeof wide - 1);
  wide[sizeof wide - 1] = '\0';
  for (int optional = 1; optional <= 2; optional++) {
    report *const r = report_new(optional == 1 ? "layer~,n>,op?" : "layer~,n>,op?,more?");
    for (int i = 0; i < 2; i++) {
      report_cell(r, "%s", names[i]);
      report_cell(r, "%d", i);
      report_cell(r, "%s", wide);
      if (optional == 2) {
        report_cell(r, "%s", wide);
      }
    }
    const char *const text = printed(r);
    assert_non_null(strstr(text, "op\n"));
    assert_true(!strstr(text, "(a wider terminal shows more too)\n") == (optional == 1));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
      assert_true(strcspn(line, "\n") <= WIDTH);
    }
  }
}

static void sentences_wrap_between_words(void **state) {
  (void)state;
  report *const r = report_new("layer~,why^");
  report_cell(r, "layer/of/some/length");
  report_cell(r,
              "one two three four five six seven eight nine ten eleven twelve thirteen fourteen");
  report_cell(r, "short");
  report_cell(r, "%s", "");
  assert_string_equal(
      printed(r),
      "layer                 why\n"
      "layer/of/some/length  one two three four five six seven eight nine ten eleven\n"
      "                      twelve thirteen fourteen\n"
      "short                 \n");
}

int report_test(void) {
  (void)setenv("COLUMNS", "80", 1 /* overwrite */);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(optional_columns_are_left_out),
      cmocka_unit_test(sentences_wrap_between_words),
      cmocka_unit_test(files_are_not_cut),
      cmocka_unit_test(numbers_stand_right_and_names_left),
      cmocka_unit_test(wide_tables_are_cut_in_the_middle_of_names),
      cmocka_unit_test(names_that_are_cut_stay_different),
      cmocka_unit_test(names_in_any_script_stand_in_line),
      cmocka_unit_test(an_empty_table_prints_nothing),
      cmocka_unit_test(bytes_have_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
