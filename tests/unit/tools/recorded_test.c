/* Options as they were given, for another command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/options/recorded.h"

static error_t never_called(const int key, char *const arg, struct argp_state *const state) {
  (void)key;
  (void)arg;
  (void)state;
  fail_msg("options are only recorded");
  return 0;
}

static const struct argp_option INNER_OPTIONS[] = {
    {"rate", 'r', "HZ", 0, "", 0}, {"rows", 'w', NULL, 0, "", 0}, {0}};
static const struct argp INNER = {.options = INNER_OPTIONS, .parser = never_called};
static const struct argp_option OUTER_OPTIONS[] = {
    {"output", 'o', "FILE", 0, "", 0}, {"out", 'o', NULL, OPTION_ALIAS, NULL, 0}, {0}};
static const struct argp_child CHILDREN[] = {{&INNER, 0, NULL, 0}, {0}};
static const struct argp OUTER = {
    .options = OUTER_OPTIONS, .parser = never_called, .children = CHILDREN};

static void expect(const recorded *const r, const struct argp *const group,
                   const char *const except, const char *const wanted) {
  char *const text = recorded_append(NULL, r, group, except);
  assert_string_equal(text ? text : "", wanted);
  free(text);
}

static void options_go_to_their_groups(void **state) {
  (void)state;
  char *argv[] = {"tare x", "model", "--rat", "8000", "--out=a b's", "data",
                  "-w",     "-r",    "-1",    "--",   "-r",          NULL};
  recorded r;
  recorded_take(&OUTER, 11, argv, &r);
  expect(&r, &INNER, NULL, " --rate 8000 --rows --rate -1");
  expect(&r, &INNER, "rate", " --rows");
  expect(&r, &OUTER, NULL, " --output 'a b'\\''s'");
  assert_string_equal(argv[2], "--rat"); /* not moved: the command parses them next */
  recorded_fini(&r);
}

static void mistakes_end_the_record(void **state) {
  (void)state;
  char *argv[] = {"tare x", "-w", "--nonsense", "--help", NULL};
  recorded r;
  recorded_take(&OUTER, 4, argv, &r);
  expect(&r, &INNER, NULL, " --rows");
  recorded_fini(&r);
}

int recorded_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_go_to_their_groups),
                                     cmocka_unit_test(mistakes_end_the_record)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
