#include "base/machine.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Where the two versions of control groups keep the bound on memory. */
static const struct hierarchy {
  const char *mark; /* begins what follows the number of a line in /proc/self/cgroup */
  const char *root, *file;
} HIERARCHIES[] = {{"::", "/sys/fs/cgroup", "memory.max"},
                   {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"}};

/* The beginning of a file as a text; false when it cannot be read. */
static bool machine_read_text(const char *const path, char *const text, const size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
  if (fd >= 0) {
    (void)close(fd); /* only read */
  }
  text[n > 0 ? n : 0] = '\0';
  return n > 0;
}

/* The bound of one group; INT64_MAX for "max", and where there is none. */
static int64_t bound_of(const struct hierarchy *const h, const char *const group) {
  char path[PATH_MAX], text[64];
  const int n = snprintf(path, sizeof path, "%s%s/%s", h->root, group, h->file);
  if (n >= (int)sizeof path || !machine_read_text(path, text, sizeof text)) {
    return INT64_MAX;
  }
  char *end;
  const long long bytes = strtoll(text, &end, 10);
  return end > text && bytes > 0 ? bytes : INT64_MAX;
}

/* The least bound of a group and those around it. `group` is cut short. */
static int64_t least_bound(const struct hierarchy *const h, char *const group) {
  int64_t least = INT64_MAX;
  for (;;) {
    const int64_t bound = bound_of(h, group);
    least = bound < least ? bound : least;
    char *const slash = strrchr(group, '/');
    if (!slash) {
      return least;
    }
    *slash = '\0';
  }
}

static int64_t group_memory(void) {
  char text[PATH_MAX];
  int64_t least = INT64_MAX;
  if (!machine_read_text("/proc/self/cgroup", text, sizeof text)) {
    return least;
  }
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *const behind = line + strspn(line, "0123456789");
    for (size_t i = 0; i < sizeof HIERARCHIES / sizeof *HIERARCHIES; i++) {
      const size_t n = strlen(HIERARCHIES[i].mark);
      if (strncmp(behind, HIERARCHIES[i].mark, n) == 0) {
        const int64_t bound = least_bound(&HIERARCHIES[i], behind + n);
        least = bound < least ? bound : least;
      }
    }
  }
  return least;
}

/* What the limits of the process leave (ulimit -v and -d). */
static int64_t process_memory(void) {
  static const int RESOURCES[] = {RLIMIT_AS, RLIMIT_DATA};
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < sizeof RESOURCES / sizeof *RESOURCES; i++) {
    struct rlimit limit;
    if (getrlimit(RESOURCES[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < (rlim_t)least) {
      least = (int64_t)limit.rlim_cur;
    }
  }
  return least;
}

int64_t tarei_machine_memory(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  const int64_t machine = pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX;
  const int64_t group = group_memory();
  const int64_t process = process_memory(), least = group < machine ? group : machine;
  return process < least ? process : least;
}

/* --- processor -------------------------------------------------------------------------------- */

/* Appends the value of the first line "key : value" to `out`; nothing if there is none. */
static void machine_add_value(const char *const text, const char *const key, tarei_str *const out) {
  const char *line = text;
  while (line && strncmp(line, key, strlen(key)) != 0) {
    line = strchr(line, '\n');
    line += line != NULL;
  }
  const char *const colon = line ? strchr(line, ':') : NULL;
  if (colon) {
    const char *const value = colon + 1 + strspn(colon + 1, " \t");
    tarei_str_add(out, "%s%.*s", out->length ? " " : "", (int)strcspn(value, "\n"), value);
  }
}

/* Arm gives numbers of the maker and the part. */
void tarei_machine_cpu(tarei_str *const out) {
  static const char *const KEYS[] = {"model name", "CPU implementer", "CPU part"};
  char text[4096];
  const size_t before = out->length;
  (void)machine_read_text("/proc/cpuinfo", text, sizeof text);
  for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
    machine_add_value(text, KEYS[i], out);
  }
  tarei_str_add(out, "%s", out->length == before ? "unknown" : "");
}
