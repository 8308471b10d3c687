#include "tools/peak.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>

bool peak_restart(void) {
  (void)malloc_trim(0); /* whether anything was given back does not matter */
  FILE *const file = fopen("/proc/self/clear_refs", "we");
  if (!file) {
    return false;
  }
  const bool written = fputs("5", file) >= 0; /* 5: reset the high-water mark */
  return fclose(file) == 0 && written;
}

/* Without /proc, as in a bare chroot: since the program began. */
static int64_t peak_since_start(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : 0;
}

int64_t peak_bytes(void) {
  FILE *const file = fopen("/proc/self/status", "re");
  if (!file) {
    return peak_since_start();
  }
  char line[256];
  int64_t kilobytes = 0;
  while (fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %" SCNd64, &kilobytes) != 1) {
  }
  (void)fclose(file); /* read only */
  return kilobytes * 1024;
}
