#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/debug/debug.h"
#include "tools/options/options.h"
#include "tools/options/parse.h"

static const struct {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} SUBCOMMANDS[] = {
    {"compare", "compare every tensor of a plan with its float model", debug_compare},
    {"reduce", "cut a model down to the part that fails, with the data that it needs",
     debug_reduce},
    {"sensitivity", "rank the layers of a model by what it costs to quantize each",
     debug_sensitivity}};
enum { N_SUBCOMMANDS = sizeof SUBCOMMANDS / sizeof *SUBCOMMANDS };

static int subcommands_help(void) {
  printf(
      "Usage: tare debug SUBCOMMAND [ARGUMENT...]\nFinds the layers where a plan differs from "
      "its model.\n\n");
  for (int i = 0; i < N_SUBCOMMANDS; i++) {
    printf("  %-11s  %s\n", SUBCOMMANDS[i].name, SUBCOMMANDS[i].summary);
  }
  printf("\nSee `tare debug SUBCOMMAND --help' for the options of each.\n");
  return 0;
}

static int subcommand_missing(const int argc, char **const argv) {
  const char *const given = argc > 1 ? argv[1] : NULL;
  cli_list names = {0};
  tare_error err = {0};
  for (int i = 0; i < N_SUBCOMMANDS; i++) {
    cli_list_add(&names, SUBCOMMANDS[i].name);
  }
  char *const all = cli_join(names.items, names.n, " or ");
  char *const meant = cli_meant(given ? given : "", &names);
  (void)(given ? cli_fail(&err, TARE_E_USAGE, "unknown subcommand '%s', expected %s%s", given, all,
                          meant)
               : cli_fail(&err, TARE_E_USAGE, "missing subcommand: expected %s", all));
  free(all);
  free(meant);
  cli_list_fini(&names);
  const opt_common common = {.json = opt_wants_json(argc, argv)};
  return opt_end(argv[0], &common, TARE_E_USAGE, &err);
}

static int run_subcommand(const int i, const int argc, char **const argv) {
  argv[0] = cli_format("tare debug %s", SUBCOMMANDS[i].name); /* messages begin with it */
  const int code = SUBCOMMANDS[i].run(argc, argv);
  free(argv[0]);
  return code;
}

int cmd_debug(const int argc, char **const argv) {
  const char *const name = argc > 1 ? argv[1] : NULL;
  if (name && (strcmp(name, "--help") == 0 || strcmp(name, "-?") == 0)) {
    return subcommands_help();
  }
  for (int i = 0; name && i < N_SUBCOMMANDS; i++) {
    if (strcmp(name, SUBCOMMANDS[i].name) == 0) {
      return run_subcommand(i, argc - 1, argv + 1);
    }
  }
  return subcommand_missing(argc, argv);
}
