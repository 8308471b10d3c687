/* The command: finds the command named first and hands over to it. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <unistd.h>

#include "tools/show/build_info.h"
#include "tools/options/options.h"
#include "tools/signals.h"
#include "tools/streams.h"

typedef struct command {
  char name[16];
  const char *summary;
  int (*run)(int argc, char **argv);
} command;

static command COMMANDS[] = {
#define TAREI_COMMAND(name, summary) {#name, summary, cmd_##name},
#include "tools/commands/commands.inc"
#undef TAREI_COMMAND
};
enum { N_COMMANDS = sizeof COMMANDS / sizeof *COMMANDS };

/* Names of functions have '_' where those of commands have '-'. */
static void spell_commands(void) {
  for (int i = 0; i < N_COMMANDS; i++) {
    for (char *c; (c = strchr(COMMANDS[i].name, '_')) != NULL;) {
      *c = '-';
    }
  }
}

static const command *main_find(const char *const name) {
  for (int i = 0; i < N_COMMANDS; i++) {
    if (strcmp(COMMANDS[i].name, name) == 0) {
      return &COMMANDS[i];
    }
  }
  return NULL;
}

static int help(FILE *const to) {
  fputs(
      "Usage: tare COMMAND [ARGUMENT...]\n"
      "INT8 calibration for models whose inputs change length, and the engine that uses it.\n\n",
      to);
  for (int i = 0; i < N_COMMANDS; i++) {
    fprintf(to, "  %-10s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
  }
  fputs(
      "  help       show the help of a command: tare help run\n"
      "  version    show the version\n\n"
      "From recordings to an INT8 plan:\n"
      "  tare calibrate model.onnx recordings/ -o model.stats\n"
      "  tare table model.stats -o model.calib.json\n"
      "  tare build model.onnx --calib model.calib.json -o model.plan\n"
      "  tare run model.plan more/ --against model.onnx\n",
      to);
  return 0;
}

static int main_unknown(char *const name) {
  tare_make_printable(name);
  if (*name == '-') {
    fprintf(stderr,
            "tare: expected a command, got option '%s' (options follow the command)\nTry `tare "
            "help' for more information.\n",
            name);
    return tare_status_exit_code(TARE_E_USAGE);
  }
  cli_list names = {0};
  for (int i = 0; i < N_COMMANDS; i++) {
    cli_list_add(&names, COMMANDS[i].name);
  }
  char *const meant = cli_meant(name, &names);
  fprintf(stderr, "tare: unknown command '%s'%s\nTry `tare help' for more information.\n", name,
          meant);
  free(meant);
  cli_list_fini(&names);
  return tare_status_exit_code(TARE_E_USAGE);
}

static int run_command(const command *const c, const int argc, char **const argv) {
  argv[0] = cli_format("tare %s", c->name); /* argp and getopt begin their messages with it */
  const int code = c->run(argc, argv);
  free(argv[0]);
  return code;
}

static int help_about(const int argc, char **const argv) {
  if (argc < 2) {
    return help(stdout);
  }
  const command *const c = main_find(argv[1]);
  if (!c) {
    return main_unknown(argv[1]);
  }
  char option[] = "--help";
  char *args[] = {NULL, option, NULL};
  return run_command(c, 2, args);
}

/* For shells: COMMAND... --OPTION=TEXT prints the values of the option that begin so. */
static int complete_values(const int argc, char **const argv) {
  if (argc < 3) {
    fprintf(stderr,
            "tare complete: a command and an option are missing: tare complete COMMAND... "
            "--OPTION=TEXT prints the values that begin with TEXT\n");
    return tare_status_exit_code(TARE_E_USAGE);
  }
  const command *const c = main_find(argv[1]);
  if (!c) {
    return main_unknown(argv[1]);
  }
  cli_ask_values();
  char *const asked = cli_format("%s%c", argv[argc - 1], CLI_ASKED);
  argv[argc - 1] = asked;
  const int code = run_command(c, argc - 1, argv + 1);
  free(asked);
  return code;
}

static int dispatch(const int argc, char **const argv) {
  if (argc < 2) {
    (void)help(stderr); /* nothing was asked for */
    return tare_status_exit_code(TARE_E_USAGE);
  }
  char *const name = argv[1];
  if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    return help_about(argc - 1, argv + 1);
  }
  if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0) {
    build_info_print();
    return 0;
  }
  if (strcmp(name, "complete") == 0) {
    return complete_values(argc - 1, argv + 1);
  }
  const command *const c = main_find(name);
  return c ? run_command(c, argc - 1, argv + 1) : main_unknown(name);
}

static int exit_code; /* of the command */

/* At the exit, for which argp does not come back to main after --help. */
static void main_check_output(void) {
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "tare: cannot write to the standard output: %s\n", strerror(errno));
    _exit(exit_code ? exit_code : tare_status_exit_code(TARE_E_IO));
  }
}

int main(const int argc, char **const argv) {
  streams_hold();
  streams_guard();
  signals_handle();
  (void)setenv("ARGP_HELP_FMT", "no-dup-args-note", 0 /* the user's wins */); /* only looks */
  (void)setlocale(LC_CTYPE, ""); /* bars of a histogram; numbers stay those of C */
  opt_prepare();
  spell_commands();
  (void)atexit(main_check_output); /* without room for it, a lost output goes unnoticed */
  exit_code = dispatch(argc, argv);
  return exit_code;
}
