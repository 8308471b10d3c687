/*
 * Runs fuzz targets without a fuzzer: over files, or over their seeds and mutations of them, which
 * follow from a number. It also serves AFL++ (CONTRIBUTING.md).
 */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/harness.h"

enum { MOST_BYTES = 1 << 20, SECONDS_OF_ONE = 60 };

typedef struct replay_seed {
  uint8_t *data;
  size_t size;
} replay_seed;

typedef struct replay_corpus {
  replay_seed *items;
  size_t n;
} replay_corpus;

/* What runs, for the message of a crash. */
static char running[512];

static void replay_died(const int signal_number) {
  static const char hung[] = " takes too long\n", died[] = " failed\n";
  const char *const what = signal_number == SIGALRM ? hung : died;
  (void)!write(STDERR_FILENO, running, strlen(running));
  (void)!write(STDERR_FILENO, what, strlen(what));
  signal(SIGABRT, SIG_DFL);
  abort();
}

static void replay_take(void *const user, const void *const data, const size_t size) {
  replay_corpus *const corpus = user;
  if (size > MOST_BYTES) {
    return;
  }
  corpus->items = realloc(corpus->items, (corpus->n + 1) * sizeof *corpus->items);
  uint8_t *const copy = malloc(size + 1);
  if (!corpus->items || !copy) {
    abort();
  }
  memcpy(copy, data, size);
  corpus->items[corpus->n++] = (replay_seed){copy, size};
}

/* false: it cannot be read. */
static bool replay_read(replay_corpus *const corpus, FILE *const f) {
  uint8_t *const data = malloc(MOST_BYTES + 1);
  if (!f || !data) {
    free(data);
    return false;
  }
  const size_t size = fread(data, 1, MOST_BYTES + 1, f);
  const bool ok = !ferror(f);
  if (ok) {
    replay_take(corpus, data, size);
  }
  free(data);
  return ok;
}

static bool replay_add(replay_corpus *const corpus, const char *const path) {
  FILE *const f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  const bool ok = replay_read(corpus, f);
  if (!ok) {
    perror(path);
  }
  if (f && f != stdin) {
    fclose(f);
  }
  return ok;
}

static bool replay_globs(replay_corpus *const corpus, const char *const pattern) {
  glob_t found = {0};
  bool ok = glob(pattern, 0, NULL, &found) != GLOB_NOSPACE;
  for (size_t i = 0; ok && i < found.gl_pathc; i++) {
    ok = replay_add(corpus, found.gl_pathv[i]);
  }
  globfree(&found);
  return ok;
}

/* The seeds of a target, and inputs that once failed. */
static bool replay_seeds(replay_corpus *const corpus, const fuzz_target *const target) {
  char pattern[1024];
  for (size_t i = 0; target->seeds && target->seeds[i]; i++) {
    snprintf(pattern, sizeof pattern, TARE_SOURCE_DIR "/%s", target->seeds[i]);
    const size_t before = corpus->n;
    if (!replay_globs(corpus, pattern) || corpus->n == before) {
      fprintf(stderr, "%s: no file %s\n", target->name, target->seeds[i]);
      return false;
    }
  }
  replay_take(corpus, "", 0);
  if (target->make) {
    target->make(replay_take, corpus);
  }
  snprintf(pattern, sizeof pattern, TARE_SOURCE_DIR "/tests/fixtures/fuzz/%s-*", target->name);
  return replay_globs(corpus, pattern);
}

static void replay_run(const fuzz_target *const target, const uint8_t *const data,
                       const size_t size) {
  uint8_t *const exact = malloc(size); /* so that sanitizers see its end */
  if (!exact && size) {
    abort();
  }
  if (size) {
    memcpy(exact, data, size);
  }
  alarm(SECONDS_OF_ONE);
  target->test(exact, size);
  alarm(0);
  free(exact);
}

static void replay_mutations(const fuzz_target *const target, const replay_corpus *const corpus,
                             const unsigned seed, const unsigned first, const unsigned n,
                             const char *const keep) {
  uint8_t *const data = malloc(MOST_BYTES);
  if (!data || !corpus->n) {
    abort();
  }
  for (unsigned turn = first; turn - first < n; turn++) {
    uint64_t state = ((uint64_t)seed << 32 | turn) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    const replay_seed *const from = &corpus->items[fuzz_random(&state, (uint32_t)corpus->n)];
    const unsigned number = fuzz_random(&state, 1u << 30);
    memcpy(data, from->data, from->size);
    const size_t size = fuzz_mutate(target, data, from->size, MOST_BYTES, number);
    snprintf(running, sizeof running, "%s --seed %u --first %u --turns 1", target->name, seed,
             turn);
    if (keep) {
      FILE *const f = fopen(keep, "wb");
      if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
        perror(keep);
        exit(1);
      }
    }
    replay_run(target, data, size);
  }
  free(data);
}

static int replay_write(const fuzz_target *const target, const replay_corpus *const corpus,
                        const char *const folder) {
  for (size_t i = 0; i < corpus->n; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s-%zu", folder, target->name, i);
    FILE *const f = fopen(path, "wb");
    if (!f || fwrite(corpus->items[i].data, 1, corpus->items[i].size, f) != corpus->items[i].size ||
        fclose(f) != 0) {
      perror(path);
      return 1;
    }
  }
  return 0;
}

static int replay_usage(void) {
  fputs(
      "fuzz_replay TARGET [--seed N] [--first N] [--turns N] [--keep FILE]   its seeds and "
      "mutations\n"
      "fuzz_replay TARGET FILE...                  these files; - is the standard input\n"
      "fuzz_replay TARGET --write-seeds FOLDER     a corpus for a fuzzer\n"
      "targets:",
      stderr);
  for (int i = 0; fuzz_target_at(i); i++) {
    fprintf(stderr, " %s", fuzz_target_at(i)->name);
  }
  fputc('\n', stderr);
  return 2;
}

int main(const int argc, char **const argv) {
  const fuzz_target *const target = argc > 1 ? fuzz_target_named(argv[1]) : NULL;
  if (!target) {
    return replay_usage();
  }
  signal(SIGABRT, replay_died);
  signal(SIGALRM, replay_died);
  unsigned seed = 1, first = 0, turns = 0;
  const char *folder = NULL, *keep = NULL;
  replay_corpus corpus = {0};
  for (int i = 2; i < argc; i++) {
    unsigned *const number = strcmp(argv[i], "--seed") == 0    ? &seed
                             : strcmp(argv[i], "--first") == 0 ? &first
                             : strcmp(argv[i], "--turns") == 0 ? &turns
                                                               : NULL;
    const char **const text = strcmp(argv[i], "--write-seeds") == 0 ? &folder
                              : strcmp(argv[i], "--keep") == 0      ? &keep
                                                                    : NULL;
    if (number || text) {
      if (++i == argc) {
        return replay_usage();
      }
      if (number) {
        *number = (unsigned)strtoul(argv[i], NULL, 10);
      } else {
        *text = argv[i];
      }
    } else if (!replay_add(&corpus, argv[i])) {
      return 1;
    }
  }
  const bool files = corpus.n > 0;
  if (!files && !replay_seeds(&corpus, target)) {
    return 1;
  }
  int result = 0;
  if (folder) {
    result = replay_write(target, &corpus, folder);
  } else {
    for (size_t i = 0; !first && i < corpus.n; i++) {
      snprintf(running, sizeof running, "%s: seed %zu", target->name, i);
      replay_run(target, corpus.items[i].data, corpus.items[i].size);
    }
    if (!files && turns) {
      replay_mutations(target, &corpus, seed, first, turns, keep);
    }
  }
  for (size_t i = 0; i < corpus.n; i++) {
    free(corpus.items[i].data);
  }
  free(corpus.items);
  return result;
}
