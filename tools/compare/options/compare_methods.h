/* Methods as --methods names them: "mse", or with a percentile, "percentile:99.9". */
#ifndef TAREI_TOOLS_COMPARE_OPTIONS_COMPARE_METHODS_H
#define TAREI_TOOLS_COMPARE_OPTIONS_COMPARE_METHODS_H

#include "tools/cli.h"

typedef struct compare_method {
  int number;        /* of its family */
  double percentile; /* 0: none of its own */
} compare_method;

/* Ends the parse where there is no such method, or it takes no percentile or not this one. Without
 * `state`, the name was taken before. */
compare_method compare_method_of(const struct argp_state *state, const char *name);

/* The percentile that a method applies, where `given` is that of --percentile (0: none); 0: it
 * takes none. */
double compare_method_percentile(const compare_method *method, double given);

/* Whether any of the names applies the percentile of --percentile. */
bool compare_methods_take_percentile(const struct argp_state *state, const cli_list *names);

#endif
