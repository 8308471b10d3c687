/* The options of a command line as they were given, so that another command line can repeat them.
 * Parsers take texts apart and forget them. */
#ifndef TAREI_TOOLS_OPTIONS_RECORDED_H
#define TAREI_TOOLS_OPTIONS_RECORDED_H

#include <argp.h>

typedef struct recorded_option {
  const struct argp *group; /* that takes the option */
  const char *name;
  char *text; /* "--rate 8000", quoted for a shell */
} recorded_option;

typedef struct recorded {
  recorded_option *items;
  int n;
} recorded;

/* Records what `argp` and its children would be given; before the arguments are parsed. Of
 * arguments that are wrong, those before the first mistake. */
void recorded_take(const struct argp *argp, int argc, char *const *argv, recorded *out);
void recorded_fini(recorded *options);

/* Adds the options of a group, with a space before each, to a text, which is freed; `except`: the
 * name of one to leave out, or NULL. The caller frees the result. */
char *recorded_append(char *text, const recorded *options, const struct argp *group,
                      const char *except);

#endif
