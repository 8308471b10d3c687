#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/debug/debug.h"
#include "tools/options/options.h"

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} SUBCOMMANDS[] = {{"compare", debug_compare}};
enum { N_SUBCOMMANDS = sizeof SUBCOMMANDS / sizeof *SUBCOMMANDS };

static int debug_run_subcommand(const int i, const int argc, char **const argv) {
  argv[0] = cli_format("tare debug %s", SUBCOMMANDS[i].name);
  const int code = SUBCOMMANDS[i].run(argc, argv);
  free(argv[0]);
  return code;
}

/* Options before the name of a subcommand are those of the first one: --help above all. */
int cmd_debug(const int argc, char **const argv) {
  if (argc < 2 || *argv[1] == '-') {
    return debug_run_subcommand(0, argc, argv);
  }
  for (int i = 0; i < N_SUBCOMMANDS; i++) {
    if (strcmp(argv[1], SUBCOMMANDS[i].name) == 0) {
      return debug_run_subcommand(i, argc - 1, argv + 1);
    }
  }
  tare_error err = {0};
  const opt_common options = {0};
  (void)cli_fail(&err, TARE_E_USAGE, "unknown subcommand '%s', expected compare", argv[1]);
  return opt_end(argv[0], &options, TARE_E_USAGE, &err);
}
