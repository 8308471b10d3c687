/* The program of a part: runs the tests of the files that its arguments name. */
#include <stdio.h>
#include <string.h>

#define TEST(name) int name##_test(void);
#include "tests.inc"
#undef TEST

static const struct {
  const char *name;
  int (*run)(void);
} TESTS[] = {
#define TEST(name) {#name, name##_test},
#include "tests.inc"
#undef TEST
};
enum { N_TESTS = sizeof TESTS / sizeof *TESTS };

static int run_named(const char *name) {
  for (size_t i = 0; i < N_TESTS; i++) {
    if (strcmp(name, TESTS[i].name) == 0) {
      return TESTS[i].run();
    }
  }
  fprintf(stderr, "no tests are called '%s'\n", name);
  return 2;
}

int main(int argc, char **argv) {
  int status = argc > 1 ? 0 : 2;
  for (int i = 1; i < argc && status == 0; i++) {
    status = run_named(argv[i]);
  }
  return status;
}
