#include "tools/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <time.h>

tare_status cli_fail(tare_error *const err, const tare_status status, const char *const fmt, ...) {
  va_list args;
  va_start(args, fmt);
  (void)vsnprintf(err->message, sizeof err->message, fmt, args); /* a cut sentence is still one */
  va_end(args);
  tare_make_printable(err->message);
  err->status = status;
  return status;
}

tare_status cli_fail_in(tare_error *const err, const tare_status status, const char *const prefix) {
  char *const message = cli_format("%s: %s", prefix, err->message);
  (void)cli_fail(err, status, "%s", message); /* the status is returned below */
  free(message);
  return status;
}

int cli_end(const char *const command, const tare_status status, const tare_error *const err) {
  if (status == TARE_OK) {
    return 0;
  }
  const bool misused = status == TARE_E_USAGE;
  fprintf(stderr, "%s: %s\n", misused ? command : "tare",
          err->message[0] ? err->message : tare_status_name(status));
  if (misused) { /* as argp has it */
    fprintf(stderr, "Try `%s --help' or `%s --usage' for more information.\n", command, command);
  }
  return tare_status_exit_code(status);
}

/* Adds the long names of a parser and its children; with `hidden` also those that its help leaves
 * out, such as trtexec's spelling. */
static void add_options(const struct argp *const argp, const bool hidden, cli_list *const names) {
  for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
    if (o->name && (hidden || !(o->flags & OPTION_HIDDEN))) {
      cli_list_add(names, o->name);
    }
  }
  for (const struct argp_child *child = argp->children; child && child->argp; child++) {
    add_options(child->argp, hidden, names);
  }
}

static bool is_option(const cli_list *const names, const char *const text, const size_t n) {
  for (int k = 0; k < names->n; k++) {
    if (strncmp(names->items[k], text, n) == 0) { /* or the beginning of one */
      return true;
    }
  }
  return false;
}

/* argp only says that it does not know an option; the name that was meant comes before that. */
static void suggest_options(const struct argp *const argp, const int argc,
                            char *const *const argv) {
  cli_list names = {0}, all = {0};
  add_options(argp, false, &names);
  add_options(argp, true, &all);
  cli_list_add(&names, "help");
  cli_list_add(&names, "usage");
  cli_list_join(&all, &names);
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const size_t n = strcspn(argv[i], "=");
    if (strncmp(argv[i], "--", 2) == 0 && !is_option(&all, argv[i] + 2, n - 2)) {
      char *const name = cli_format("%.*s", (int)n - 2, argv[i] + 2);
      const int near = tare_nearest_name(name, names.items, names.n);
      if (near >= 0) {
        fprintf(stderr, "%s: option '--%s': did you mean '--%s'?\n", argv[0], name,
                names.items[near]);
      }
      free(name);
    }
  }
  cli_list_fini(&names);
  cli_list_fini(&all);
}

static const struct argp_option *option_of(const struct argp *const argp, const char *const text) {
  const size_t n = strcspn(text, "=");
  for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
    const bool is_long = o->name && n == strlen(o->name) + 2 && strncmp(text, "--", 2) == 0 &&
                         strncmp(text + 2, o->name, n - 2) == 0;
    if (is_long || (n == 2 && text[0] == '-' && text[1] == o->key)) {
      return o;
    }
  }
  const struct argp_option *found = NULL;
  for (const struct argp_child *c = argp->children; c && c->argp && !found; c++) {
    found = option_of(c->argp, text);
  }
  return found;
}

/* What is no value of an option is a name, and so are these. Other options judge their own. */
static bool is_name(const struct argp *const argp, const char *const before) {
  static const char *const names[] = {"FILE",  "MODEL", "PLAN", "MODEL|PLAN",
                                      "TABLE", "DATA",  "DIR"};
  const struct argp_option *const option = option_of(argp, before);
  bool named = !option || !option->arg;
  for (size_t i = 0; !named && i < sizeof names / sizeof *names; i++) {
    named = strcmp(option->arg, names[i]) == 0;
  }
  return named;
}

/* A name that is empty is mostly a variable of the shell that is not set. */
static void refuse_empty_names(const struct argp *const argp, const int argc,
                               char *const *const argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *const value = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
    const bool empty = !*argv[i] || (value && !value[1]);
    if (empty && is_name(argp, value ? argv[i] : argv[i - 1])) {
      fprintf(stderr,
              "%s: argument %d (%s) is empty: expected a name (is it a variable that is not set?)\n"
              "Try `%s --help' for more information.\n",
              argv[0], i, value ? argv[i] : "''", argv[0]);
      exit(argp_err_exit_status);
    }
  }
}

static bool values_asked;

void cli_parse(const struct argp *const argp, const int argc, char **const argv,
               void *const input) {
  argp_err_exit_status = tare_status_exit_code(TARE_E_USAGE);
  suggest_options(argp, argc, argv);
  refuse_empty_names(argp, argc, argv);
  const error_t error = argp_parse(argp, argc, argv, 0 /* flags */, NULL, input);
  if (error) {
    fprintf(stderr, "tare: %s\n", strerror(error));
    exit(tare_status_exit_code(TARE_E_MEMORY));
  }
  if (values_asked) {
    exit(0); /* there are none to tell */
  }
}

int64_t cli_int(const struct argp_state *const state, const char *const option,
                const char *const text, const int64_t min, const int64_t max) {
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno || end == text || *end || value < min || value > max) {
    argp_error(state, "%s: expected an integer from %" PRId64 " to %" PRId64 ", got '%s'", option,
               min, max, text);
  }
  return value;
}

double cli_real(const struct argp_state *const state, const char *const option,
                const char *const text, const double min, const double max) {
  char *end = NULL;
  const double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value) || value < min || value > max) {
    argp_error(state, "%s: expected a number from %g to %g, got '%s'", option, min, max, text);
  }
  return value;
}

void cli_ask_values(void) {
  values_asked = true;
}

void cli_offer(const cli_family *const family, const char *const text) {
  const size_t n = strlen(text);
  if (!values_asked || n == 0 || text[n - 1] != CLI_ASKED) {
    return;
  }
  for (int i = 0; i < family->n; i++) {
    const char *const name = family->name(i), *const means = family->text ? family->text(i) : NULL;
    if (strncmp(name, text, n - 1) == 0) {
      printf("%s%s%s\n", name, means ? "\t" : "", means ? means : "");
    }
  }
  exit(0);
}

int cli_pick(const struct argp_state *const state, const cli_family *const family,
             const char *const name) {
  cli_offer(family, name);
  cli_list known = {0};
  int found = -1;
  for (int i = 0; i < family->n; i++) {
    cli_list_add(&known, family->name(i));
    found = strcmp(family->name(i), name) == 0 ? i : found;
  }
  if (found < 0) {
    char *const list = cli_names(family, false, ", ");
    char *const meant = cli_meant(name, &known);
    argp_error(state, "unknown %s '%s', expected one of %s%s", family->kind, name, list, meant);
    free(meant);
    free(list);
  }
  cli_list_fini(&known);
  return found;
}

void cli_make_printable(char *const text) {
  for (char *line = text, *end; line; line = end) {
    end = strpbrk(line, "\n\t");
    const char between = end ? *end : '\0';
    if (end) {
      *end = '\0';
    }
    tare_make_printable(line);
    if (end) {
      *end++ = between;
    }
  }
}

char *cli_meant(const char *const name, const cli_list *const names) {
  const int near = tare_nearest_name(name, names->items, names->n);
  return near < 0 ? cli_format("%s", "") : cli_format(" (did you mean '%s'?)", names->items[near]);
}

void cli_end_of_memory(void) {
  fputs("tare: out of memory\n", stderr);
  exit(tare_status_exit_code(TARE_E_MEMORY));
}

void *cli_realloc(void *const memory, const size_t count, const size_t size) {
  void *const result = reallocarray(memory, count ? count : 1, size);
  if (!result) {
    cli_end_of_memory();
  }
  return result;
}

char *cli_vformat(const char *const fmt, va_list args) {
  char *text = NULL;
  if (vasprintf(&text, fmt, args) < 0) {
    cli_end_of_memory();
  }
  return text;
}

char *cli_format(const char *const fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *const text = cli_vformat(fmt, args);
  va_end(args);
  return text;
}

char *cli_append(char *const text, const char *const fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *const more = cli_vformat(fmt, args);
  va_end(args);
  char *const all = text ? cli_format("%s%s", text, more) : more;
  if (text) {
    free(text);
    free(more);
  }
  return all;
}

char *cli_quoted(const char *const text) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-";
  if (*text && !text[strspn(text, plain)]) {
    return cli_format("%s", text);
  }
  char *quoted = cli_format("'");
  for (const char *c = text; *c; c++) {
    quoted = *c == '\'' ? cli_append(quoted, "'\\''") : cli_append(quoted, "%c", *c);
  }
  return cli_append(quoted, "'");
}

void cli_list_add(cli_list *const list, const char *const text) {
  list->items = cli_realloc(list->items, (size_t)list->n + 1, sizeof *list->items);
  list->items[list->n++] = text;
}

bool cli_list_has(const cli_list *const list, const char *const text) {
  for (int i = 0; i < list->n; i++) {
    if (strcmp(list->items[i], text) == 0) {
      return true;
    }
  }
  return false;
}

void cli_list_join(cli_list *const list, const cli_list *const more) {
  for (int i = 0; i < more->n; i++) {
    cli_list_add(list, more->items[i]);
  }
}

void cli_list_fini(cli_list *const list) {
  free(list->items);
  *list = (cli_list){0};
}

char *cli_join(const char *const *const items, const int n, const char *const last) {
  char *text = cli_format("%s", "");
  for (int i = 0; i < n; i++) {
    text = cli_append(text, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : last, items[i]);
  }
  return text;
}

char *cli_names(const cli_family *const family, const bool texts, const char *const last) {
  char **const items = cli_realloc(NULL, (size_t)family->n, sizeof *items);
  for (int i = 0; i < family->n; i++) {
    const char *const text = texts && family->text ? family->text(i) : NULL;
    items[i] =
        text ? cli_format("%s (%s)", family->name(i), text) : cli_format("%s", family->name(i));
  }
  char *const all = cli_join((const char *const *)items, family->n, last);
  for (int i = 0; i < family->n; i++) {
    free(items[i]);
  }
  free(items);
  return all;
}

void cli_list_split(cli_list *const list, char *const text) {
  char *place = NULL;
  for (char *part = strtok_r(text, ",", &place); part; part = strtok_r(NULL, ",", &place)) {
    cli_list_add(list, part);
  }
}

const char *cli_s(const int64_t n) {
  return n == 1 ? "" : "s";
}

bool cli_ends_with(const char *const text, const char *const end) {
  const size_t n = strlen(text), m = strlen(end);
  return n > m && strcmp(text + n - m, end) == 0;
}

const char *cli_file_name(const char *const path) {
  const char *const slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

double cli_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
