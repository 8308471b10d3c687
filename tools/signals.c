#include "tools/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <unistd.h>

static void (*volatile also)(void); /* or NULL */

static void signals_clean(void) {
  tare_abandon_outputs();
  if (also) {
    also();
  }
}

/* Only one thread ends the program; others that come here wait for that. */
static void signals_once(atomic_flag *const begun) {
  while (atomic_flag_test_and_set(begun)) {
    (void)pause();
  }
}

/* The signal ends the program after all, but only once all is clean: it may come twice, as from
 * timeout(1), which signals the process and its group, and then reach another thread. */
static void signals_end(const int number) {
  static atomic_flag begun = ATOMIC_FLAG_INIT;
  signals_once(&begun);
  signals_clean();
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

static struct sigaction signals_ending(void) {
  struct sigaction action = {.sa_handler = signals_end};
  (void)sigfillset(&action.sa_mask);
  return action;
}

enum { MAP_LINE = 1024 };

/* Whether a line of /proc/self/maps, "BEGIN-END ...", is about an address. */
static bool map_has(const char *const line, const uintptr_t address) {
  char *rest;
  const uintptr_t begin = strtoull(line, &rest, 16);
  return *rest == '-' && begin <= address && address < strtoull(rest + 1, NULL, 16);
}

/* The path of the file that is mapped at an address, in `line`; NULL: none is. */
static const char *mapped_file(const void *const address, char line[const MAP_LINE]) {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char block[MAP_LINE];
  const char *path = NULL;
  size_t n = 0;
  for (ssize_t got; !path && (got = read(maps, block, sizeof block)) > 0;) {
    for (ssize_t i = 0; !path && i < got; i++) {
      if (block[i] != '\n') {
        line[n] = block[i];
        n += n < MAP_LINE - 1; /* the end of a longer path is lost */
        continue;
      }
      line[n] = '\0';
      n = 0;
      path = map_has(line, (uintptr_t)address) ? strchr(line, '/') : NULL;
    }
  }
  (void)close(maps); /* only read */
  return path;
}

static void signals_say(const char *const text) {
  (void)!write(STDERR_FILENO, text, strlen(text)); /* nobody is left to hear of it */
}

/* Pages behind the end of a mapped file that became shorter, which several threads may read at the
 * same time; any other cause is a crash. */
static void signals_lost(const int number, siginfo_t *const info, void *const context) {
  static atomic_flag begun = ATOMIC_FLAG_INIT;
  (void)context;
  signals_once(&begun);
  char line[MAP_LINE];
  const char *const path = mapped_file(info->si_addr, line);
  if (!path) {
    signals_end(number);
    return;
  }
  signals_clean();
  signals_say("tare: ");
  signals_say(path);
  signals_say(
      ": became shorter while it was in use, or its disk fails (replace a file in use by "
      "renaming a new one)\n");
  _exit(tare_status_exit_code(TARE_E_INPUT));
}

void signals_also(void (*const clean)(void)) {
  also = clean;
}

void signals_handle(void) {
  static const int NUMBERS[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU,
                                /* crashes, as of a library that memory runs out for */
                                SIGSEGV, SIGABRT, SIGFPE, SIGILL};
  const struct sigaction ours = signals_ending();
  struct sigaction theirs;
  struct sigaction lost = {.sa_sigaction = signals_lost, .sa_flags = SA_SIGINFO};
  sigemptyset(&lost.sa_mask);
  (void)sigaction(SIGBUS, &lost, NULL);
  for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
    const int failed = sigaction(NUMBERS[i], NULL, &theirs);
    if (!failed && theirs.sa_handler == SIG_DFL) { /* nohup has them ignored */
      (void)sigaction(NUMBERS[i], &ours, NULL);
    }
  }
  (void)signal(SIGXFSZ, SIG_IGN); /* writing then fails and says why */
}

static volatile sig_atomic_t interrupted;

static void signals_mark(const int number) {
  const struct sigaction end = signals_ending();
  (void)sigaction(number, &end, NULL);
  interrupted = 1;
}

static void signals_set_interrupt(const struct sigaction action) {
  static const int NUMBERS[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
    struct sigaction theirs;
    if (sigaction(NUMBERS[i], NULL, &theirs) == 0 && theirs.sa_handler != SIG_IGN) {
      (void)sigaction(NUMBERS[i], &action, NULL);
    }
  }
}

void signals_hold_interrupt(void) {
  signals_set_interrupt((struct sigaction){.sa_handler = signals_mark, .sa_flags = SA_RESTART});
}

void signals_release_interrupt(void) {
  signals_set_interrupt(signals_ending());
}

bool signals_interrupted(void) {
  return interrupted != 0;
}
