/*
 * Runs a command once for each point where something can fail, and checks each time that it either
 * does its work or fails in order: no signal, no sanitizer report, the exit code of the fault, a
 * sentence, no file left behind, and the output file as before or whole.
 *
 * Where one allocation inside libhdf5, libsndfile, libarchive or libsentencepiece fails, the
 * library may crash or exit at that very place: HDF5 1.10 and libarchive 3.6 do in many, the others
 * in some. Nothing may be left behind then either. That is not allowed where memory becomes short
 * in earnest
 * (`space`): the command asks for some before it enters such a library.
 *
 *   sweep [--kinds a,b] [--runs N] [--seed S] [--first POINT] [--output FILE [--beside N]] [--text]
 *         -- SHIM COMMAND...
 *
 * FILE stands alone in its folder, unless the command writes N more beside it. --text: the command
 * prints the same each time. N runs of each kind are spread over its points by a prime stride, from
 * a first point that follows from the seed (1 unless given) and is printed, and as many more over
 * the last allocations; --runs 0 runs all.
 * --first repeats one point. With TARE_FAULT_TRACE set, it is told where a fault is and where it
 * ends in a signal.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/faults.h"

#define OLD "old\n"
enum { MOST_TEXT = 1 << 20, SANITIZER_EXIT = 99, LIBRARY_EXIT = 255, ARCHIVE_EXIT = 1, END = 3 };

static const struct {
  const char *id, *text, *codes;
} KINDS[] = {
#define KIND_ROW(id, text, codes) {#id, text, codes},
    FAULT_KINDS(KIND_ROW)
#undef KIND_ROW
};

typedef struct text {
  char *bytes;
  size_t n;
} text;

typedef struct result {
  fault_reply reply;
  text out, err; /* what the command printed */
} result;

/* The command, stopped before main. */
typedef struct mould {
  pid_t pid;
  int socket, out, err;
  const char *output; /* may be NULL */
} mould;

static void die(const char *const what) {
  fprintf(stderr, "sweep: %s: %s\n", what, strerror(errno));
  exit(2);
}

static void *need(void *const p) {
  if (!p) {
    die("memory");
  }
  return p;
}

/* --- files ------------------------------------------------------------------------------------ */

static text read_file(const char *const path) {
  text t = {0};
  FILE *const file = path ? fopen(path, "rb") : NULL;
  if (!file) {
    return t;
  }
  struct stat st;
  if (fstat(fileno(file), &st) != 0) {
    die(path);
  }
  t.bytes = need(malloc((size_t)st.st_size + 1));
  t.n = fread(t.bytes, 1, (size_t)st.st_size, file);
  (void)fclose(file); /* was only read */
  return t;
}

static bool same(const text a, const text b) {
  return !a.bytes == !b.bytes && a.n == b.n && (a.n == 0 || memcmp(a.bytes, b.bytes, a.n) == 0);
}

/* The file holds something older, or is missing. */
static void place_old(const char *const path, const bool there) {
  if (!path) {
    return;
  }
  if (!there) {
    (void)unlink(path); /* mostly it is not there */
    return;
  }
  FILE *const file = fopen(path, "wb");
  if (!file || fputs(OLD, file) < 0 || fclose(file)) {
    die(path);
  }
}

/* Removes what is in the folder beside the file, and counts it. */
static int remove_strays(const char *const path) {
  if (!path) {
    return 0;
  }
  char folder[4096], base[4096], stray[8300];
  (void)snprintf(folder, sizeof folder, "%s", path);
  (void)snprintf(base, sizeof base, "%s", path);
  const char *const in = dirname(folder), *const name = basename(base);
  DIR *const d = opendir(in);
  int n = 0;
  for (const struct dirent *e; d && (e = readdir(d));) {
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, name)) {
      (void)snprintf(stray, sizeof stray, "%s/%s", in, e->d_name);
      n += unlink(stray) == 0;
    }
  }
  if (d) {
    (void)closedir(d); /* was only read */
  }
  return n;
}

/* --- one run ---------------------------------------------------------------------------------- */

/* For a sanitizer. Looking up the names of functions takes most of a run: what the loader has is a
 * leak that is left out each time. */
static void set_options(const char *const name, const char *const options) {
  char value[200];
  (void)snprintf(value, sizeof value, "%s:symbolize=%d", options,
                 getenv("TARE_FAULT_TRACE") != NULL);
  (void)setenv(name, value, 1);
}

static mould start(const char *const shim, char **const command, const char *const output) {
  int ends[2], out[2], err[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pipe(out) || pipe(err)) {
    die("pipes");
  }
  const pid_t pid = fork();
  if (pid < 0) {
    die("fork");
  }
  if (pid == 0) {
    char number[16];
    (void)snprintf(number, sizeof number, "%d", ends[1]);
    (void)close(ends[0]);
    (void)dup2(open("/dev/null", O_RDONLY), 0);
    (void)dup2(out[1], 1);
    (void)dup2(err[1], 2);
    (void)setenv("LD_PRELOAD", shim, 1);
    set_options("ASAN_OPTIONS", "exitcode=99:verify_asan_link_order=0:allocator_may_return_null=1");
    set_options("LSAN_OPTIONS", "exitcode=99:print_suppressions=0");
    set_options("UBSAN_OPTIONS", "exitcode=99");
    (void)setenv(FAULT_SOCKET, number, 1);
    execv(command[0], command);
    _exit(127);
  }
  (void)close(ends[1]);
  (void)close(out[1]);
  (void)close(err[1]);
  return (mould){pid, ends[0], out[0], err[0], output};
}

static void take(text *const t, const int fd) {
  char block[65536];
  const ssize_t n = read(fd, block, sizeof block);
  if (n > 0 && t->n + (size_t)n < MOST_TEXT) {
    t->bytes = need(realloc(t->bytes, t->n + (size_t)n + 1));
    memcpy(t->bytes + t->n, block, (size_t)n);
    t->n += (size_t)n;
    t->bytes[t->n] = '\0';
  }
}

static result run(const mould *const m, const int kind, const long point) {
  result r = {0};
  const fault_request request = {kind, point};
  if (write(m->socket, &request, sizeof request) != sizeof request) {
    die("the command did not start");
  }
  struct pollfd fds[] = {{.fd = m->socket, .events = POLLIN},
                         {.fd = m->out, .events = POLLIN},
                         {.fd = m->err, .events = POLLIN}};
  for (bool done = false; !done || fds[1].revents & POLLIN || fds[2].revents & POLLIN;) {
    if (poll(fds, 3, done ? 0 : -1) < 0) {
      die("poll");
    }
    if (fds[1].revents & POLLIN) {
      take(&r.out, m->out);
    }
    if (fds[2].revents & POLLIN) {
      take(&r.err, m->err);
    }
    if (!done && fds[0].revents) {
      if (read(m->socket, &r.reply, sizeof r.reply) != sizeof r.reply) {
        die("the command ended before main");
      }
      done = true;
      fds[0].fd = -1;
      fds[1].revents = fds[2].revents = POLLIN;
      (void)poll(fds, 3, 0);
    }
  }
  return r;
}

static void free_result(result *const r) {
  free(r->out.bytes);
  free(r->err.bytes);
}

/* --- a sweep ---------------------------------------------------------------------------------- */

typedef struct sweep {
  mould m;
  text output;      /* as it is without faults */
  text out;         /* likewise what is printed */
  bool compare_out; /* it is the same each time */
  int beside;       /* files that a whole run leaves beside the output */
  long points[FAULT_COUNT];
  long ended[256];
  long swept, bad, killed, in_library;
} sweep;

/* As a fragile library does; AddressSanitizer sees it use memory that it has freed. */
static bool has_crashed(const int status) {
  return !WIFEXITED(status) || WEXITSTATUS(status) == LIBRARY_EXIT ||
         WEXITSTATUS(status) == ARCHIVE_EXIT || WEXITSTATUS(status) == SANITIZER_EXIT;
}

/* Files beside the output that are wrong: all or none are right, and a crash comes anywhere. */
static bool has_strays(const sweep *const s, const int status, const int files, const bool whole) {
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? files != s->beside
         : has_crashed(status)                         ? files > s->beside
                                                       : files != (whole ? s->beside : 0);
}

/* What is wrong with a run; NULL for nothing. */
static const char *judge(const sweep *const s, const int kind, const result *const r,
                         const text before, const text after, const int files) {
  const int status = r->reply.status;
  const bool whole = same(after, s->output) && (!s->beside || files);
  const bool strays = has_strays(s, status, files, whole);
  if (WIFSIGNALED(status) && kind == FAULT_kill && WTERMSIG(status) == SIGKILL) {
    return strays                                            ? "left a temporary file"
           : !same(after, before) && !same(after, s->output) ? "left a damaged output"
                                                             : NULL;
  }
  if (r->reply.in_library && has_crashed(status)) {
    return strays ? "left a temporary file"
           : !same(after, before) && !(s->beside && same(after, s->output))
               ? "left a damaged output"
           : WIFEXITED(status) && r->err.n == 0 ? "failed without a sentence"
                                                : NULL;
  }
  if (!WIFEXITED(status)) {
    return WTERMSIG(status) == SIGALRM ? "hangs" : "ended by a signal";
  }
  const int code = WEXITSTATUS(status);
  if (code == SANITIZER_EXIT) {
    return "has a sanitizer's report";
  }
  if (strays) {
    return "left a temporary file";
  }
  if (code == 0) {
    return !same(after, s->output) ? "exit 0, but another output"
           : s->compare_out && kind <= FAULT_allocs && !same(r->out, s->out)
               ? "exit 0, but other text"
               : NULL;
  }
  return !same(after, before) && !same(after, s->output) ? "left a damaged output"
         : !strchr(KINDS[kind].codes, '0' + code)        ? "has another exit code"
         : r->err.n == 0                                 ? "failed without a sentence"
                                                         : NULL;
}

/* The line that begins with the command's name, or else the first. */
static void print_sentence(const text err) {
  const char *const all = err.bytes ? err.bytes : "";
  const char *const found = strstr(all, "tare: "), *const line = found ? found : all;
  printf("%.*s\n", (int)strcspn(line, "\n"), line);
}

static void visit(sweep *const s, const int kind, const long point) {
  place_old(s->m.output, point % 2);
  const text before = read_file(s->m.output);
  result r = run(&s->m, kind, point);
  const int files = remove_strays(s->m.output);
  const text after = read_file(s->m.output);
  const char *const wrong = judge(s, kind, &r, before, after, files);
  const int status = r.reply.status;
  s->swept++;
  s->in_library += r.reply.in_library;
  if (WIFEXITED(status)) {
    s->ended[WEXITSTATUS(status)]++;
  } else {
    s->killed++;
  }
  if (wrong) {
    s->bad++;
    printf("  %s %ld %s (%s %d): ", KINDS[kind].id, point, wrong,
           WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    print_sentence(r.err);
    if (getenv("TARE_FAULT_TRACE")) {
      printf("%s\n", r.err.bytes ? r.err.bytes : "");
    }
  }
  free(before.bytes);
  free(after.bytes);
  free_result(&r);
}

static bool is_prime(const long n) {
  for (long d = 2; d * d <= n; d++) {
    if (n % d == 0) {
      return false;
    }
  }
  return true;
}

/* All points for 0 runs, and `first` alone unless it is 0. Runs that are spread out seldom meet the
 * end, where everything is closed: as many more visit every third of the last allocations. */
static void visit_all(sweep *const s, const int kind, const long runs, const long first) {
  const long n = kind == FAULT_size ? (long)s->output.n : s->points[kind];
  long stride = runs && n > runs ? n / runs : 1;
  while (!is_prime(stride)) {
    stride++;
  }
  const long from = first ? first : 1 + rand() % stride;
  stride = first ? n : stride;
  s->swept = s->bad = s->killed = s->in_library = 0;
  memset(s->ended, 0, sizeof s->ended);
  for (long point = 1; point <= n; point++) {
    const long left = n - point;
    const bool at_end =
        kind <= FAULT_allocs && runs && !first && left < END * runs && left % END == 0;
    if (at_end || (point - from) % stride == 0) {
      visit(s, kind, point);
    }
  }
  printf("%-6s %6ld points, from %ld by %ld: %ld runs", KINDS[kind].id, n, from, stride, s->swept);
  for (int code = 0; code < 256; code++) {
    if (s->ended[code]) {
      printf(", %ld exit %d", s->ended[code], code);
    }
  }
  printf(", %ld signals (%ld runs in libraries), %ld wrong\n", s->killed, s->in_library, s->bad);
  (void)fflush(stdout);
}

static void reference(sweep *const s) {
  result runs[2];
  (void)remove_strays(s->m.output);
  for (int i = 0; i < 2; i++) {
    place_old(s->m.output, i);
    runs[i] = run(&s->m, FAULT_NONE, 0);
    if (!WIFEXITED(runs[i].reply.status) || WEXITSTATUS(runs[i].reply.status)) {
      fprintf(stderr, "sweep: the command fails without faults: %s\n",
              runs[i].err.bytes ? runs[i].err.bytes : "");
      exit(2);
    }
  }
  s->output = read_file(s->m.output);
  (void)remove_strays(s->m.output);
  s->out = runs[0].out;
  for (int kind = 0; kind < FAULT_COUNT; kind++) { /* to replace an output takes more calls */
    const long *const a = runs[0].reply.points, *const b = runs[1].reply.points;
    s->points[kind] = a[kind] > b[kind] ? a[kind] : b[kind];
  }
  if (s->m.output && s->points[FAULT_sync] == 0) {
    fprintf(stderr, "sweep: the command does not sync its output\n");
    exit(2);
  }
  free(runs[0].err.bytes);
  free_result(&runs[1]);
}

static bool wanted(const char *const list, const char *const id) {
  if (!list) {
    return true;
  }
  const size_t n = strlen(id);
  for (const char *at = list; (at = strstr(at, id)); at += n) {
    if ((at == list || at[-1] == ',') && (at[n] == ',' || !at[n])) {
      return true;
    }
  }
  return false;
}

int main(int argc, char **argv) {
  static const struct option OPTIONS[] = {
      {"kinds", required_argument, NULL, 'k'}, {"runs", required_argument, NULL, 'r'},
      {"first", required_argument, NULL, 'f'}, {"output", required_argument, NULL, 'o'},
      {"text", no_argument, NULL, 't'},        {"beside", required_argument, NULL, 'b'},
      {"seed", required_argument, NULL, 's'},  {0}};
  const char *kinds = NULL, *output = NULL;
  long runs = 0, first = 0, seed = 1;
  int beside = 0;
  bool compare_out = false;
  for (int c; (c = getopt_long(argc, argv, "+", OPTIONS, NULL)) != -1;) {
    if (c == 'k') {
      kinds = optarg;
    } else if (c == 'r') {
      runs = strtol(optarg, NULL, 10);
    } else if (c == 's') {
      seed = strtol(optarg, NULL, 10);
    } else if (c == 'f') {
      first = strtol(optarg, NULL, 10);
    } else if (c == 'o') {
      output = optarg;
    } else if (c == 't') {
      compare_out = true;
    } else if (c == 'b') {
      beside = (int)strtol(optarg, NULL, 10);
    } else {
      return 2;
    }
  }
  if (argc - optind < 2) {
    fprintf(stderr, "sweep: see the comment in its source\n");
    return 2;
  }
  srand((unsigned)seed);
  (void)signal(SIGPIPE, SIG_IGN); /* a write then fails and says why */
  sweep s = {.m = start(argv[optind], argv + optind + 1, output),
             .compare_out = compare_out,
             .beside = beside};
  reference(&s);
  long bad = 0;
  for (int kind = 0; kind < FAULT_COUNT; kind++) {
    if (wanted(kinds, KINDS[kind].id)) {
      visit_all(&s, kind, kind == FAULT_name ? 0 : runs, first); /* names are few */
      bad += s.bad;
    }
  }
  (void)close(s.m.socket);
  (void)waitpid(s.m.pid, NULL, 0); /* ends with the socket */
  free(s.output.bytes);
  free(s.out.bytes);
  return bad ? 1 : 0;
}
