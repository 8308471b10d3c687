#include "tools/options/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/json_out.h"

/* What argp and getopt say on stderr while they parse: they end the process themselves, have no
 * answer to control characters in what they repeat, and know nothing of --json. The stream is never
 * closed: closing asks for memory, and loses the text without. */
static struct {
  const char *command;
  bool json;
  FILE *memory, *terminal;
  char *text;
  size_t n;
} held;

/* The last line that is a message, "COMMAND: MESSAGE"; a suggestion comes before it. */
static const char *parse_message(void) {
  const size_t n = strlen(held.command);
  const char *found = NULL;
  for (const char *line = held.text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, held.command, n) == 0 && strncmp(line + n, ": ", 2) == 0) {
      found = line + n + 2;
    }
  }
  return found;
}

static void parse_print_error(void) {
  const char *const message = parse_message();
  if (message) {
    tare_error err = {0};
    (void)cli_fail(&err, TARE_E_USAGE, "%.*s", (int)strcspn(message, "\n"), message);
    json_print_error(held.command + sizeof "tare", &err);
  }
}

/* Whether all that was said could be held and is said now. */
static bool parse_release(void) {
  if (!held.terminal) {
    return true;
  }
  const bool whole = fflush(stderr) == 0 && !ferror(stderr) && held.text;
  if (whole) {
    cli_make_printable(held.text);
  }
  stderr = held.terminal;
  held.terminal = NULL;
  fputs(whole ? held.text : "tare: out of memory\n", stderr);
  return whole;
}

static void parse_at_exit(void) {
  if (held.terminal) {
    (void)parse_release(); /* has said so */
    if (held.json) {
      parse_print_error();
    }
  }
}

/* glibc's stderr is a variable, and getopt has no other place to write to. */
static void parse_hold(const char *const command, const bool json) {
  held.memory = open_memstream(&held.text, &held.n);
  if (held.memory && atexit(parse_at_exit) == 0) {
    held.command = command;
    held.json = json;
    held.terminal = stderr;
    stderr = held.memory;
  }
}

/* Whole or shortened, as getopt takes it. */
bool opt_wants_json(const int argc, char *const *const argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const size_t n = strlen(argv[i]);
    if (n > strlen("--") && strncmp("--json", argv[i], n) == 0) {
      return true;
    }
  }
  return false;
}

void opt_parse(const struct argp *const argp, const int argc, char **const argv,
               void *const input) {
  parse_hold(argv[0], opt_wants_json(argc, argv));
  cli_parse(argp, argc, argv, input);
  if (!parse_release()) {
    exit(tare_status_exit_code(TARE_E_MEMORY));
  }
}

void opt_take_one(const struct argp_state *const state, const char **const to,
                  const char *const arg, const char *const what) {
  if (*to) {
    argp_error(state, "unexpected argument '%s' (%s is enough)", arg, what);
  }
  *to = arg;
}
