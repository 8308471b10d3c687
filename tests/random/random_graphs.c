/* random_graphs: many random graphs through the engine and a plain reading of ONNX. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random/check.h"
#include "random/operators.h"
#include "random/peer.h"

enum {
  OPT_OPERATORS = 256,
  OPT_NO_SHRINK,
  OPT_PEER,
  CHUNK = 200,
  SECONDS_EACH = 120,
  MOST_LAYERS = 256
};

static const struct argp_option options[] = {
    {"seed", 's', "N", 0, "First seed (default 1)", 0},
    {"count", 'n', "N", 0, "Number of graphs (default 100)", 0},
    {"write", 'w', "FOLDER", 0, "Write failing graphs with their inputs there", 0},
    {"verbose", 'v', NULL, 0, "Print every graph, and why it is refused", 0},
    {"onnxruntime", OPT_PEER, "LIBRARY", 0, "Compare with libonnxruntime.so.1 there too", 0},
    {"no-shrink", OPT_NO_SHRINK, NULL, 0, "Leave failing graphs as large as they are", 0},
    {"operators", OPT_OPERATORS, NULL, 0, "Print how often each row was used", 0},
    {0},
};

typedef struct settings {
  uint64_t seed, count;
  const char *folder;
  bool verbose, operators, no_shrink;
} settings;

/* What processes share. */
typedef struct tally {
  uint64_t seed; /* at work */
  long verdicts[VERDICT_COUNT], empty, nodes;
  long operators[512];
  struct layer_count {
    char op[32];
    long n;
  } layers[MOST_LAYERS];
} tally;

static tally *shared;

static void count_layer(const char *const op) {
  for (int i = 0; i < MOST_LAYERS; i++) {
    struct layer_count *const l = &shared->layers[i];
    if (!*l->op) {
      snprintf(l->op, sizeof l->op, "%s", op);
    }
    if (strcmp(l->op, op) == 0) {
      l->n++;
      return;
    }
  }
}

static error_t parse(const int key, char *const arg, struct argp_state *const state) {
  settings *const s = state->input;
  switch (key) {
    case 's':
      s->seed = strtoull(arg, NULL, 10);
      return 0;
    case 'n':
      s->count = strtoull(arg, NULL, 10);
      return 0;
    case 'w':
      s->folder = arg;
      return 0;
    case 'v':
      s->verbose = true;
      return 0;
    case OPT_PEER:
      peer_library = arg;
      return 0;
    case OPT_NO_SHRINK:
      s->no_shrink = true;
      return 0;
    case OPT_OPERATORS:
      s->operators = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static void report(const settings *const s, const uint64_t seed, random_case *const c, char *why) {
  printf("seed %" PRIu64 " fails: %s\n", seed, why);
  if (!s->no_shrink) {
    shrink_case(c, why);
    printf("  smaller: %s\n", why);
  }
  print_graph(c->model->graph, 2);
  for (int p = 0; p < c->n_specs; p++) {
    printf("  profile %s\n", c->specs[p]);
  }
  if (s->folder) {
    char path[600];
    (void)mkdir(s->folder, 0777);
    snprintf(path, sizeof path, "%s/test_seed_%" PRIu64, s->folder, seed);
    printf("  %s %s\n", random_case_write(c, path) ? "written to" : "cannot write", path);
  }
  fflush(stdout);
}

static void try_seed(const settings *const s, const uint64_t seed, tally *const t) {
  random_case c;
  char why[WHY_BYTES] = "";
  if (!random_case_make(&c, seed)) {
    t->empty++;
    random_case_free(&c);
    return;
  }
  if (s->verbose) {
    printf("seed %" PRIu64 ":\n", seed);
    print_graph(c.model->graph, 2);
    fflush(stdout);
  }
  const verdict v = check_case(&c, why);
  t->verdicts[v]++;
  t->nodes += (long)c.model->graph->n_node;
  if ((v == VERDICT_REFUSED || v == VERDICT_UNPAIRED) && s->verbose) {
    printf("seed %" PRIu64 " is refused: %s\n", seed, why);
  }
  if (v == VERDICT_FAILED) {
    report(s, seed, &c, why);
  }
  random_case_free(&c);
}

static void work(const settings *const s, const uint64_t end, tally *const t) {
  for (; t->seed < end; t->seed++) {
    (void)alarm(SECONDS_EACH);
    try_seed(s, t->seed, t);
  }
  for (int i = 0; i < n_operators(); i++) {
    t->operators[i] += operator_counts()[i];
  }
  fflush(stdout);
}

/* The seed at work ended the process: shown anew, each trial in a process of its own. */
static void show_crash(const settings *const s, tally *const t, const int status) {
  random_case c;
  char why[WHY_BYTES];
  snprintf(why, sizeof why, "ends by signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  t->verdicts[VERDICT_FAILED]++;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (random_case_make(&c, t->seed)) {
      report(s, t->seed, &c, why);
    }
    _exit(0);
  }
  int made = 0;
  (void)waitpid(child, &made, 0);
  if (!WIFEXITED(made)) {
    printf("seed %" PRIu64 " ends while it is made, by signal %d\n", t->seed, WTERMSIG(made));
  }
}

static void run_all(const settings *const s, tally *const t) {
  const uint64_t end = s->seed + s->count;
  t->seed = s->seed;
  while (t->seed < end) {
    const uint64_t stop = t->seed + CHUNK < end ? t->seed + CHUNK : end;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      work(s, stop, t);
      exit(0); /* so that leaks are looked for */
    }
    int status = 0;
    (void)waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      if (t->seed < stop) {
        show_crash(s, t, status);
        t->seed++;
      } else {
        t->verdicts[VERDICT_FAILED]++;
        printf("a process of seeds up to %" PRIu64 " ends with status %d\n", stop, status);
      }
    }
  }
}

int main(int argc, char **argv) {
  static const struct argp argp = {
      options,
      parse,
      NULL,
      "Builds random graphs, runs them at several lengths, and compares "
      "with every node computed alone.",
      NULL,
      NULL,
      NULL};
  settings s = {.seed = 1, .count = 100};
  if (argp_parse(&argp, argc, argv, 0, NULL, &s) != 0) {
    return 2;
  }
  tally *const t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t == MAP_FAILED) {
    return 2;
  }
  shared = t;
  check_saw_layer = s.operators ? count_layer : NULL;
  run_all(&s, t);
  for (int i = 0; s.operators && i < n_operators(); i++) {
    printf("%8ld %s\n", t->operators[i], operator_at(i)->op);
  }
  for (int i = 0; i < MOST_LAYERS && *t->layers[i].op; i++) {
    printf("%8ld layers %s\n", t->layers[i].n, t->layers[i].op);
  }
  printf("seeds %" PRIu64 "..%" PRIu64
         ": %ld passed, %ld refused, %ld failed, %ld empty; %ld nodes\n",
         s.seed, s.seed + s.count - 1, t->verdicts[VERDICT_PASSED] + t->verdicts[VERDICT_UNPAIRED],
         t->verdicts[VERDICT_REFUSED], t->verdicts[VERDICT_FAILED], t->empty, t->nodes);
  if (peer_library) {
    printf("of those that passed, ONNX Runtime does not take %ld\n", t->verdicts[VERDICT_UNPAIRED]);
  }
  return t->verdicts[VERDICT_FAILED] ? 1 : 0;
}
