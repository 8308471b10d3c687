/* As much of cmocka as the tests of the kernels need, for machines that have no cmocka: a failed
 * assertion ends its test, all tests run, and the program fails when one of them did. */
#ifndef TAREI_TESTS_CROSS_CMOCKA_H
#define TAREI_TESTS_CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
  const char *name;
  void (*run)(void **state);
};
#define cmocka_unit_test(f) {#f, f}

static jmp_buf cm_end_of_test;

#define fail_msg(...)                        \
  do {                                       \
    printf("%s:%d: ", __FILE__, __LINE__);   \
    printf(__VA_ARGS__);                     \
    printf("\n");                            \
    longjmp(cm_end_of_test, 1);              \
  } while (0)
#define CM_ASSERT(c, text)  \
  do {                      \
    if (!(c)) {             \
      fail_msg("%s", text); \
    }                       \
  } while (0)
#define assert_true(c) CM_ASSERT(c, #c)
#define assert_false(c) CM_ASSERT(!(c), "not " #c)
#define assert_non_null(p) CM_ASSERT((p) != NULL, #p)
#define assert_null(p) CM_ASSERT((p) == NULL, #p)
#define assert_int_equal(a, b) CM_ASSERT((long long)(a) == (long long)(b), #a " == " #b)
#define assert_string_equal(a, b) CM_ASSERT(!strcmp(a, b), #a " is " #b)
#define assert_memory_equal(a, b, n) CM_ASSERT(!memcmp(a, b, n), #a " holds " #b)

static inline int cm_run(const struct CMUnitTest *test) {
  void *state = NULL;
  printf("%s\n", test->name);
  if (setjmp(cm_end_of_test)) {
    printf("FAILED: %s\n", test->name);
    return 1;
  }
  test->run(&state);
  return 0;
}

static inline int cm_run_all(const char *group, const struct CMUnitTest *tests, size_t n,
                             int (*setup)(void **state)) {
  void *state = NULL;
  if (setup && setup(&state)) {
    return 1;
  }
  int failed = 0;
  for (size_t i = 0; i < n; i++) {
    failed += cm_run(&tests[i]);
  }
  printf("%s: %zu tests, %d failed\n", group, n, failed);
  return failed;
}
/* Nothing needs a teardown here: it must be NULL. */
#define cmocka_run_group_tests_name(group, tests, setup, teardown) \
  ((void)(teardown), cm_run_all(group, tests, sizeof tests / sizeof *tests, setup))

#endif
