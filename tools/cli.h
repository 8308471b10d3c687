/* What all commands share: the table of commands, how they fail, and small helpers. */
#ifndef TAREI_TOOLS_CLI_H
#define TAREI_TOOLS_CLI_H

#include <argp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

/* Each command takes its own arguments, argv[0] being "tare <command>", and gives an exit code. */
#define TAREI_COMMAND(name, summary) int cmd_##name(int argc, char **argv);
#include "tools/commands/commands.inc"
#undef TAREI_COMMAND

/* Returns early when a call failed. */
#define CLI_TRY(call)                       \
  do {                                      \
    const tare_status cli_status_ = (call); \
    if (cli_status_ != TARE_OK) {           \
      return cli_status_;                   \
    }                                       \
  } while (0)

/* Goes to a cleanup label when a call failed; `status` must be in scope. */
#define CLI_TRY_GOTO(call, label) \
  do {                            \
    status = (call);              \
    if (status != TARE_OK) {      \
      goto label;                 \
    }                             \
  } while (0)

/* Writes status and sentence into err and returns status. */
tare_status cli_fail(tare_error *err, tare_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the message of an error that is already set; returns its status. */
tare_status cli_fail_in(tare_error *err, tare_status status, const char *prefix);

/* Says on stderr what went wrong, with a hint to the command's help where it was misused. Returns
 * the exit code. */
int cli_end(const char *command, tare_status status, const tare_error *err);

/* Parses a program's arguments into input; does not return when they are wrong (exit 2) or when
 * help was asked for (exit 0). */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Text of an option as a number within bounds; ends the parse with a sentence otherwise. */
int64_t cli_int(const struct argp_state *state, const char *option, const char *text, int64_t min,
                int64_t max);
double cli_real(const struct argp_state *state, const char *option, const char *text, double min,
                double max);

/* Members of a family by number. */
typedef struct cli_family {
  const char *kind; /* what a member is, as messages call it: "method" */
  int n;
  const char *(*name)(int);
  const char *(*text)(int); /* what a name means, in a few words; NULL: it has none */
} cli_family;

/* The number of a name in a family; ends the parse with a sentence that lists all of them, and the
 * nearest one, otherwise. */
int cli_pick(const struct argp_state *state, const cli_family *family, const char *name);

/* From here on options are not taken: the one whose text ends in CLI_ASKED says what it may be, and
 * the program ends. Shells complete values so. */
#define CLI_ASKED '\t'
void cli_ask_values(void);

/* Says, if that was asked, which names of a family begin as the text does, one per line with what
 * it means. For options that the library judges; cli_pick does so too. */
void cli_offer(const cli_family *family, const char *text);

/* "native, pad or opt" with last " or "; with `texts` "pad (padded to max)" and so on. The caller
 * frees it. */
char *cli_names(const cli_family *family, bool texts, const char *last);

/* Replaces control characters by '?', but for ends of lines and tabs, which are ours. */
void cli_make_printable(char *text);

/* Memory, or the end of the program (exit 5). */
void cli_end_of_memory(void);
void *cli_realloc(void *memory, size_t count, size_t size);
char *cli_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *cli_vformat(const char *fmt, va_list args);
/* `text` (NULL: nothing yet), which is freed, with more behind it. */
char *cli_append(char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The text as one word of a shell, in single quotes where it needs them; the caller frees it. */
char *cli_quoted(const char *text);

/* A list of texts that belong to somebody else. */
typedef struct cli_list {
  const char **items;
  int n;
} cli_list;
void cli_list_add(cli_list *list, const char *text);
bool cli_list_has(const cli_list *list, const char *text);
void cli_list_join(cli_list *list, const cli_list *more);
void cli_list_fini(cli_list *list);

/* " (did you mean 'x'?)" where one of the names is near, else ""; the caller frees it. */
char *cli_meant(const char *name, const cli_list *names);

/* "a, b or c" with last " or "; "" for none. The caller frees it. */
char *cli_join(const char *const *items, int n, const char *last);

/* Splits "a,b,c" in place and adds the parts. */
void cli_list_split(cli_list *list, char *text);

/* "s" unless there is one. */
const char *cli_s(int64_t n);

bool cli_ends_with(const char *text, const char *end);
/* The part of a path behind its folders. */
const char *cli_file_name(const char *path);

double cli_now(void); /* seconds of a clock that only goes forward */

#endif
