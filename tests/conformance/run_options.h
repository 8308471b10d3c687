/* What both runners take on their command lines. */
#ifndef TAREI_TESTS_CONFORMANCE_RUN_OPTIONS_H
#define TAREI_TESTS_CONFORMANCE_RUN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

enum { MOST_FOLDERS = 16 };

typedef struct run_options {
  const char *folders[MOST_FOLDERS], *table, *filter;
  int n_folders, jobs, seconds;
  bool update, reload;
} run_options;

/* An argp child whose input is a run_options; takes the folders, too. */
extern const struct argp run_options_argp;

#endif
