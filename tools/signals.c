#include "tools/signals.h"

#include <signal.h>
#include <stddef.h>
#include <tare/tare.h>

static void (*volatile also)(void); /* or NULL */

/* The action is the default one again when this runs: the signal ends the program after all. */
static void signals_end(const int number) {
  tare_abandon_outputs();
  if (also) {
    also();
  }
  (void)raise(number);
}

void signals_also(void (*const clean)(void)) {
  also = clean;
}

void signals_handle(void) {
  static const int NUMBERS[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU,
                                /* crashes, as of a library that memory runs out for */
                                SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
  struct sigaction ours = {.sa_handler = signals_end, .sa_flags = (int)SA_RESETHAND}, theirs;
  sigemptyset(&ours.sa_mask);
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
  struct sigaction end = {.sa_handler = signals_end, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&end.sa_mask);
  (void)sigaction(number, &end, NULL);
  interrupted = 1;
}

static void signals_set_interrupt(struct sigaction action) {
  static const int NUMBERS[] = {SIGINT, SIGTERM};
  sigemptyset(&action.sa_mask);
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
  signals_set_interrupt(
      (struct sigaction){.sa_handler = signals_end, .sa_flags = (int)SA_RESETHAND});
}

bool signals_interrupted(void) {
  return interrupted != 0;
}
