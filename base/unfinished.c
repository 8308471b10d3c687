#include "base/unfinished.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <tare/tare.h>
#include <unistd.h>

#include "base/shell.h"

enum { FREE, FILLING, HELD };

/* No memory of the heap and no lock: a signal handler reads it. */
static struct {
  atomic_int state;
  char path[PATH_MAX];
} places[16];
enum { N_PLACES = sizeof places / sizeof *places };

int tarei_unfinished_add(const char *const path) {
  const size_t size = strlen(path) + 1;
  for (int i = 0; i < N_PLACES && size <= sizeof places[i].path; i++) {
    int expected = FREE;
    if (atomic_compare_exchange_strong(&places[i].state, &expected, FILLING)) {
      memcpy(places[i].path, path, size);
      atomic_store(&places[i].state, HELD);
      return i + 1;
    }
  }
  return 0;
}

void tarei_unfinished_remove(const int mark) {
  if (mark > 0) {
    atomic_store(&places[mark - 1].state, FREE);
  }
}

bool tarei_unfinished_folder(char *const path, int *const mark) {
  static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz234567";
  enum { N_RANDOM = 6, MOST_TRIES = 100 };
  char *const end = path + strlen(path) - N_RANDOM;
  for (int i = 0; i < MOST_TRIES; i++) {
    unsigned char random[N_RANDOM];
    if (getrandom(random, sizeof random, 0 /* flags */) != sizeof random) {
      return false;
    }
    for (int n = 0; n < N_RANDOM; n++) {
      end[n] = LETTERS[random[n] % (sizeof LETTERS - 1)];
    }
    *mark = tarei_unfinished_add(path);
    if (mkdir(path, S_IRWXU) == 0) {
      return true;
    }
    tarei_unfinished_remove(*mark);
    if (errno != EEXIST) {
      return false;
    }
  }
  return false;
}

void tare_abandon_outputs(void) {
  const int saved = errno; /* of the code that the signal came upon */
  tarei_shell_end_all();   /* what they write would come after */
  for (int i = 0; i < N_PLACES; i++) {
    if (atomic_load(&places[i].state) == HELD) {
      (void)unlink(places[i].path); /* nobody is left to tell */
    }
  }
  for (int i = 0; i < N_PLACES; i++) {
    if (atomic_load(&places[i].state) == HELD) {
      (void)rmdir(places[i].path); /* folders, which are empty now */
    }
  }
  errno = saved;
}
