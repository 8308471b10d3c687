/* Parsing the arguments of a command. */
#ifndef TAREI_TOOLS_OPTIONS_PARSE_H
#define TAREI_TOOLS_OPTIONS_PARSE_H

#include <argp.h>
#include <stdbool.h>

/* As cli_parse; with --json among the arguments, what is wrong is also printed as an object. */
void opt_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Whether --json is among the arguments; for what is wrong before they are parsed. */
bool opt_wants_json(int argc, char *const *argv);

/* Takes the only argument there may be, which messages call `what`, e.g. "one model"; a second one
 * ends the parse with a sentence. */
void opt_take_one(const struct argp_state *state, const char **to, const char *arg,
                  const char *what);

#endif
