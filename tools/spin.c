#include "tools/spin.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Where others use the cores too, a spinning thread keeps them from the one it waits for: OpenMP's
 * own 100000 rounds made short layers 20 times slower there. Too few, and threads fall asleep
 * between two layers: on two idle cores calibration takes 1.34 s with 1000 rounds, 0.94 s with
 * 6000. */
static const char ROUNDS[] = "6000";

/* OpenMP reads the variable when it is loaded, before main: only a program started anew heeds it.
 * That the variable is then set ends the matter. Where any of it fails, the work is done all the
 * same, just slower. */
void spin_little(char **const argv) {
  if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") ||
      setenv("GOMP_SPINCOUNT", ROUNDS, 0 /* overwrite */) != 0) {
    return;
  }
  char self[PATH_MAX]; /* by its own path: the process keeps its name in lists */
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n > 0) {
    self[n] = '\0';
    (void)execv(self, argv);
  }
}
