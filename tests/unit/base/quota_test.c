/* Quotas of control groups, in trees of files as the kernel shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/quota.h"

static void put(const char *const root, const char *const name, const char *const text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    (void)mkdir(path, 0700); /* it may be there */
    *slash = '/';
  }
  FILE *const f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

static void least_of_all_groups(void **const state) {
  (void)state;
  static const char *const FILES[] = {"proc/self/cgroup",
                                      "sys/fs/cgroup/cpu.max",
                                      "sys/fs/cgroup/a/cpu.max",
                                      "sys/fs/cgroup/a/b/cpu.max",
                                      "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                                      "sys/fs/cgroup/cpu/cpu.cfs_period_us"};
  static const struct {
    const char *files[6]; /* contents; NULL: not there */
    double quota;
  } cases[] = {
      {{NULL}, HUGE_VAL},
      {{"0::/\n", "150000 100000\n"}, 1.5},
      {{"0::/\n", "max 100000\n"}, HUGE_VAL},
      {{"0::/a/b\n", NULL, NULL, "50000 100000\n"}, 0.5},
      {{"0::/a/b\n", "max 100000\n", "200000 100000\n", "max 100000\n"}, 2},
      {{"0::/a/b\n", NULL, "200000 100000\n", "300000 100000\n"}, 2},
      {{"0::/known/to/the/host\n", "100000 50000\n"}, 2},
      {{"0::/a\n", NULL, NULL, "50000 100000\n"}, HUGE_VAL}, /* of another group */
      {{"4:cpu,cpuacct:/docker/x\n3:memory:/\n", NULL, NULL, NULL, "250000\n", "100000\n"}, 2.5},
      {{"4:cpu:/\n", NULL, NULL, NULL, "-1\n", "100000\n"}, HUGE_VAL},
      {{"4:cpuacct:/\n", NULL, NULL, NULL, "250000\n", "100000\n"}, HUGE_VAL},
      {{"4:cpu:/\n", NULL, NULL, NULL, "250000\n", NULL}, HUGE_VAL},
      {{"4:cpu:/\n", NULL, NULL, NULL, "250000\n", "0\n"}, HUGE_VAL},
      {{"0::/\n", ""}, HUGE_VAL},
      {{"0::/\n", "100000\n"}, HUGE_VAL},
      {{"0::/\n", "much 100000\n"}, HUGE_VAL},
      {{"no group\n", "100000 100000\n"}, HUGE_VAL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char root[] = "/tmp/tare_quota_XXXXXX", remove_all[64];
    assert_non_null(mkdtemp(root));
    for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++) {
      if (cases[i].files[f]) {
        put(root, FILES[f], cases[i].files[f]);
      }
    }
    assert_true(tarei_cpu_quota(root) == cases[i].quota);
    snprintf(remove_all, sizeof remove_all, "rm -r %s", root);
    assert_int_equal(system(remove_all), 0);
  }
}

int quota_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(least_of_all_groups)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
