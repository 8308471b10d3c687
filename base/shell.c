#include "base/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

extern char **environ;

/* Process groups of commands that run; 0: a free place. Read by handlers of signals. */
static atomic_int groups[16];
enum { N_GROUPS = sizeof groups / sizeof *groups };

/* Exit codes of the shell itself. */
enum { SHELL_CANNOT_RUN = 126, SHELL_NOT_FOUND = 127 };

/* --- environment ------------------------------------------------------------------------------ */

static bool shell_sets(const tarei_shell_variable *const variables, const int n,
                       const char *const entry) {
  for (int i = 0; i < n; i++) {
    const size_t length = strlen(variables[i].name);
    if (strncmp(entry, variables[i].name, length) == 0 && entry[length] == '=') {
      return true;
    }
  }
  return false;
}

/* The environment of the process, with the variables in place of those of their names. */
typedef struct shell_environment {
  char **entries;   /* ends with NULL */
  tarei_str *owned; /* the texts of the variables */
} shell_environment;

static void shell_environment_fini(shell_environment *const e, const int n) {
  for (int i = 0; e->owned && i < n; i++) {
    tarei_str_free(&e->owned[i]);
  }
  free(e->owned);
  free(e->entries);
}

static tare_status shell_environment_make(const tarei_shell_variable *const variables, const int n,
                                          shell_environment *const e, tare_error *const err) {
  size_t count = 0, at = 0;
  while (environ && environ[count]) {
    count++;
  }
  e->entries = tarei_calloc(count + (size_t)n + 1, sizeof *e->entries);
  e->owned = tarei_calloc((size_t)n, sizeof *e->owned);
  if (!e->entries || !e->owned) {
    return tarei_fail_memory(err, "environment", count * sizeof *e->entries);
  }
  for (size_t i = 0; i < count; i++) {
    if (!shell_sets(variables, n, environ[i])) {
      e->entries[at++] = environ[i];
    }
  }
  for (int i = 0; i < n; i++) {
    if (!variables[i].value) {
      continue;
    }
    tarei_str_add(&e->owned[i], "%s=%s", variables[i].name, variables[i].value);
    if (e->owned[i].failed) {
      return tarei_fail_memory(err, variables[i].name, e->owned[i].length);
    }
    e->entries[at++] = e->owned[i].text;
  }
  return TARE_OK;
}

/* --- processes -------------------------------------------------------------------------------- */

static int shell_hold(const pid_t group) {
  for (int i = 0; i < N_GROUPS; i++) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&groups[i], &expected, (int)group)) {
      return i;
    }
  }
  return -1; /* a signal then leaves it running */
}

void tarei_shell_end_all(void) {
  for (int i = 0; i < N_GROUPS; i++) {
    const int group = atomic_load(&groups[i]);
    if (group > 0) {
      (void)kill(-(pid_t)group, SIGKILL);
    }
  }
}

/* A group of its own, so that all its processes can be ended at once. */
static int shell_start(const char *const command, char *const *const entries, const int printed,
                       pid_t *const pid) {
  char shell[] = "sh", option[] = "-c";
  char *const copy = tarei_strdup(command);
  char *const arguments[] = {shell, option, copy, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (!copy || posix_spawn_file_actions_init(&actions) != 0) {
    free(copy);
    return ENOMEM;
  }
  int failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    failed = failed ? failed : posix_spawnattr_setpgroup(&attributes, 0);
    failed =
        failed ? failed
               : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, printed, STDOUT_FILENO);
    failed =
        failed ? failed : posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, entries);
    (void)posix_spawnattr_destroy(&attributes);
  }
  (void)posix_spawn_file_actions_destroy(&actions);
  free(copy);
  return failed;
}

/* How reading what a command prints ended. */
typedef enum shell_end { SHELL_ENDED, SHELL_TOO_MUCH, SHELL_TOO_LATE } shell_end;

/* Milliseconds to a time, -1 for one that never comes. */
static int shell_left(const double deadline) {
  static const double MOST = 1000000;
  const double left = deadline > 0 ? ceil(1000 * (deadline - tarei_now())) : -1;
  return deadline > 0 ? (int)fmax(0, fmin(left, MOST)) : -1;
}

/* Whether there is something to read, or the end, before the deadline. */
static bool shell_is_ready(const int from, const double deadline) {
  struct pollfd poll_for = {.fd = from, .events = POLLIN};
  for (;;) {
    const int left = shell_left(deadline);
    const int n = poll(&poll_for, 1, left);
    if (n > 0) {
      return true;
    }
    if (left == 0 || (n < 0 && errno != EINTR)) {
      return n < 0; /* read says what is wrong */
    }
  }
}

/* Reads to the end; also ended where memory runs out. */
static shell_end shell_read(const int from, const size_t most, const double deadline,
                            tarei_str *const out) {
  char part[4096];
  while (shell_is_ready(from, deadline)) {
    const ssize_t n = read(from, part, sizeof part - 1);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return SHELL_ENDED;
    }
    for (ssize_t i = 0; i < n; i++) {
      part[i] = part[i] ? part[i] : '?'; /* a text cannot hold it */
    }
    part[n] = '\0';
    tarei_str_add(out, "%s", part);
    if (out->failed || out->length > most) {
      return SHELL_TOO_MUCH;
    }
  }
  return SHELL_TOO_LATE;
}

/* Whether the shell ends before the deadline; it still is to be waited for. */
static bool shell_ends(const pid_t pid, const double deadline) {
  static const struct timespec PAUSE = {.tv_nsec = 5000000};
  const int options = WEXITED | WNOWAIT | (deadline > 0 ? WNOHANG : 0);
  for (;;) {
    siginfo_t info = {.si_pid = 0};
    const int failed = waitid(P_PID, (id_t)pid, &info, options);
    if ((failed && errno != EINTR) || (!failed && info.si_pid == pid)) {
      return true;
    }
    if (shell_left(deadline) == 0) {
      return false;
    }
    if (deadline > 0) {
      (void)nanosleep(&PAUSE, NULL);
    }
  }
}

/* Ends what is left of the group of the shell, while the number of the group cannot be that of
 * another one. */
static int shell_wait(const pid_t pid, const int place) {
  int state = 0;
  if (place >= 0) {
    atomic_store(&groups[place], 0);
  }
  (void)kill(-pid, SIGKILL);
  while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {
  }
  return state;
}

static tare_status shell_judge(const char *const what, const char *const command, const int state,
                               tare_error *const err) {
  if (WIFSIGNALED(state)) {
    return tarei_fail(err, TARE_E_INPUT, "%s '%s' was killed by signal %d (%s)", what, command,
                      WTERMSIG(state), strsignal(WTERMSIG(state)));
  }
  const int code = WEXITSTATUS(state);
  const char *const why = code == SHELL_NOT_FOUND    ? ": the shell did not find a program of it"
                          : code == SHELL_CANNOT_RUN ? ": the shell could not run a program of it"
                                                     : "";
  return code == 0 ? TARE_OK
                   : tarei_fail(err, TARE_E_INPUT, "%s '%s' ended with exit code %d%s", what,
                                command, code, why);
}

static tare_status shell_conclude(const tarei_shell_command *const c, const shell_end end,
                                  const int state, tare_error *const err) {
  if (end == SHELL_TOO_LATE) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s '%s' took longer than %g s and was ended (%s gives it more)", c->what,
                      c->text, c->seconds, c->option);
  }
  return end == SHELL_ENDED ? shell_judge(c->what, c->text, state, err)
                            : tarei_fail(err, TARE_E_INPUT, "%s '%s' printed more than %zu bytes",
                                         c->what, c->text, c->most);
}

static tare_status shell_run_with(const tarei_shell_command *const c,
                                  const shell_environment *const e, tarei_str *const out,
                                  tare_error *const err) {
  int ends[2];
  pid_t pid = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return tarei_fail(err, TARE_E_IO, "%s '%s': cannot make a pipe: %s", c->what, c->text,
                      strerror(errno));
  }
  const double deadline = c->seconds > 0 ? tarei_now() + c->seconds : 0;
  const int failed = shell_start(c->text, e->entries, ends[1], &pid);
  (void)close(ends[1]); /* nothing was written */
  if (failed) {
    (void)close(ends[0]);
    return tarei_fail(err, TARE_E_IO, "%s '%s' cannot be started: %s", c->what, c->text,
                      strerror(failed));
  }
  const int place = shell_hold(pid);
  shell_end end = shell_read(ends[0], c->most, deadline, out);
  (void)close(ends[0]); /* nothing was written */
  if (end == SHELL_ENDED && !shell_ends(pid, deadline)) {
    end = SHELL_TOO_LATE;
  }
  const int state = shell_wait(pid, place);
  return out->failed ? tarei_fail_memory(err, c->what, out->length)
                     : shell_conclude(c, end, state, err);
}

tare_status tarei_shell_run(const tarei_shell_command *const command, tarei_str *const out,
                            tare_error *const err) {
  shell_environment e = {NULL, NULL};
  const int n = command->n_variables;
  tare_status status = shell_environment_make(command->variables, n, &e, err);
  if (status == TARE_OK) {
    status = shell_run_with(command, &e, out, err);
  }
  shell_environment_fini(&e, n);
  return status;
}
