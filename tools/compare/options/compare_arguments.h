/* What `tare compare` takes from its command line. */
#ifndef TAREI_TOOLS_COMPARE_OPTIONS_COMPARE_ARGUMENTS_H
#define TAREI_TOOLS_COMPARE_OPTIONS_COMPARE_ARGUMENTS_H

#include "tools/compare/requirement.h"
#include "tools/options/options.h"
#include "tools/options/recorded.h"

typedef struct compare_arguments {
  opt_inputs in; /* data of the calibration; the fit is that of the evaluation */
  opt_metric metric;
  opt_weight_methods weight_methods;
  tare_build_options build; /* as given */
  double percentile;
  double time_budget;    /* seconds; 0: none */
  const char *work;      /* folder that keeps what is finished; NULL: none */
  bool resume, own_fits; /* --fits was given */
  bool keep_layers;      /* raise none */
  char *command;         /* as it was called */
  cli_list eval, fits, methods, paddings, outputs, reports, also, precisions;
  cli_list requires;         /* as given */
  requirement *requirements; /* [requires.n] */
  recorded given;            /* options, for the commands that repeat a strategy */
} compare_arguments;

enum compare_keys {
  OPT_ALSO = OPT_COMMAND,
  OPT_EVAL,
  OPT_FITS,
  OPT_METHODS,
  OPT_PAD_STATS,
  OPT_PRECISIONS,
  OPT_RAISE_FIRST,
  OPT_REPORT,
  OPT_REQUIRE,
  OPT_COMPARE_RESUME,
  OPT_TIME_BUDGET,
  OPT_WORK,
  OPT_WORST
};

/* Ends the program where the arguments are wrong. */
void compare_arguments_take(compare_arguments *a, int argc, char **argv);

/* Without `in`, which opt_inputs_end frees. */
void compare_arguments_fini(compare_arguments *a);

/* The family of an option that takes a list; of kind NULL for others. */
cli_family compare_list_family(int key);

/* A filter of argp: names the members of families behind the texts of lists. */
char *compare_help(int key, const char *text, void *input);

/* An output that is a plan; others are tables. */
bool compare_is_plan(const char *path);

#endif
