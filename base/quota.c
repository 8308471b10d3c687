#include "base/quota.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two numbers that a file begins with; "max" is a negative one. */
static bool quota_numbers(const char *const folder, const char *const name, const int wanted,
                          double numbers[2]) {
  char path[PATH_MAX], text[64] = "";
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
    return false;
  }
  FILE *const f = fopen(path, "re");
  const bool read = f && fgets(text, sizeof text, f);
  if (f) {
    fclose(f); /* it was only read */
  }
  char *at = text;
  for (int i = 0; read && i < wanted; i++) {
    char *end = at;
    numbers[i] = strncmp(at, "max", 3) == 0 ? (end = at + 3, -1) : strtod(at, &end);
    if (end == at) {
      return false;
    }
    at = end;
  }
  return read;
}

/* What one group grants, by the files of either version. */
static double quota_of_group(const char *const folder) {
  double time[2], period[2];
  if (quota_numbers(folder, "cpu.max", 2, time)) {
    return time[0] > 0 && time[1] > 0 ? time[0] / time[1] : HUGE_VAL;
  }
  if (quota_numbers(folder, "cpu.cfs_quota_us", 1, time) &&
      quota_numbers(folder, "cpu.cfs_period_us", 1, period)) {
    return time[0] > 0 && period[0] > 0 ? time[0] / period[0] : HUGE_VAL;
  }
  return HUGE_VAL;
}

/* The least of a group and those around it. In a container the path may be one that only the host
 * knows: the groups that are seen count. */
static double quota_of_path(const char *const mount, char *const path) {
  double least = HUGE_VAL;
  for (;;) {
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s%s", mount, path) < (int)sizeof folder) {
      least = fmin(least, quota_of_group(folder));
    }
    char *const slash = strrchr(path, '/');
    if (!slash) {
      return least;
    }
    *slash = '\0';
  }
}

static bool names_cpu(char *const controllers) {
  char *place = NULL;
  for (char *one = strtok_r(controllers, ",", &place); one; one = strtok_r(NULL, ",", &place)) {
    if (strcmp(one, "cpu") == 0) {
      return true;
    }
  }
  return false;
}

/* A line is "number:controllers:path"; the second version has no controllers there. */
static double quota_of_line(const char *const root, char *const line) {
  line[strcspn(line, "\n")] = '\0';
  char *const controllers = strchr(line, ':');
  char *const path = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!path) {
    return HUGE_VAL;
  }
  *path = '\0';
  const bool second = controllers[1] == '\0';
  char mount[PATH_MAX];
  const int length =
      snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, second ? "" : "/cpu");
  return (second || names_cpu(controllers + 1)) && length < (int)sizeof mount
             ? quota_of_path(mount, path + 1)
             : HUGE_VAL;
}

double tarei_cpu_quota(const char *const root) {
  char path[PATH_MAX], line[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path) {
    return HUGE_VAL;
  }
  double least = HUGE_VAL;
  FILE *const f = fopen(path, "re");
  while (f && fgets(line, sizeof line, f)) {
    least = fmin(least, quota_of_line(root, line));
  }
  if (f) {
    fclose(f);
  }
  return least;
}
