#include "conformance/pool.h"

#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 32 << 10 };

typedef struct slot {
  pid_t pid; /* 0: free */
  int job, from;
  double deadline;
  size_t length;
  char text[TEXT_BYTES + 1];
} slot;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(const bool good, const char *const what) {
  if (!good) {
    perror(what);
    exit(EXIT_FAILURE);
  }
}

static _Noreturn void be_child(const pool *const p, const int job, const int to) {
  const struct rlimit none = {0};
  (void)setrlimit(RLIMIT_CORE, &none); /* crashes are expected; dumps would only fill the disk */
  FILE *const out = fdopen(to, "w");
  must(out, "pipe");
  setvbuf(out, NULL, _IOLBF, 0);
  p->run(p->user, job, out);
  fclose(out);
  exit(EXIT_SUCCESS); /* and not _exit, so that leaks are seen */
}

static void start(const pool *const p, slot *const s, const int job) {
  int ends[2];
  must(pipe(ends) == 0, "pipe");
  fflush(NULL);
  const pid_t pid = fork();
  must(pid >= 0, "fork");
  if (pid == 0) {
    close(ends[0]);
    be_child(p, job, ends[1]);
  }
  close(ends[1]);
  s->pid = pid;
  s->job = job;
  s->from = ends[0];
  s->deadline = now() + p->seconds;
  s->length = 0;
}

static void describe(const int status, char *const text, const size_t size) {
  *text = 0;
  if (WIFSIGNALED(status)) {
    snprintf(text, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != EXIT_SUCCESS) {
    snprintf(text, size, "exit code %d", WEXITSTATUS(status));
  }
}

static void finish(const pool *const p, slot *const s, const bool late) {
  char end[100];
  int status = 0;
  if (late) {
    (void)kill(s->pid, SIGKILL);
  }
  must(waitpid(s->pid, &status, 0) == s->pid, "waitpid");
  close(s->from);
  describe(status, end, sizeof end);
  if (late) {
    snprintf(end, sizeof end, "no end within %d s", p->seconds);
  }
  s->text[s->length] = 0;
  s->pid = 0;
  p->done(p->user, s->job, s->text, end);
}

/* True at the end of what the child writes. */
static bool take(slot *const s) {
  char rest[4096];
  const size_t room = TEXT_BYTES - s->length;
  const ssize_t n =
      room ? read(s->from, s->text + s->length, room) : read(s->from, rest, sizeof rest);
  s->length += n > 0 && room ? (size_t)n : 0;
  return n <= 0;
}

static void serve(const pool *const p, slot *const slots) {
  struct pollfd polls[POOL_MOST];
  for (int i = 0; i < p->width; i++) {
    polls[i] = (struct pollfd){.fd = slots[i].pid ? slots[i].from : -1, .events = POLLIN};
  }
  (void)poll(polls, (nfds_t)p->width, 100 /* ms */);
  for (int i = 0; i < p->width; i++) {
    if (slots[i].pid && polls[i].revents && take(&slots[i])) {
      finish(p, &slots[i], false);
    } else if (slots[i].pid && now() > slots[i].deadline) {
      finish(p, &slots[i], true);
    }
  }
}

void pool_run(const pool *const p) {
  assert(p->width >= 1 && p->width <= POOL_MOST);
  slot *const slots = calloc((size_t)p->width, sizeof *slots);
  must(slots, "memory");
  int next = 0;
  bool busy = true;
  while (busy) {
    busy = false;
    for (int i = 0; i < p->width; i++) {
      if (!slots[i].pid && next < p->n) {
        start(p, &slots[i], next++);
      }
      busy = busy || slots[i].pid;
    }
    if (busy) {
      serve(p, slots);
    }
  }
  free(slots);
}
