/* Commands of the user, run by the shell, with what they print. */
#ifndef TAREI_BASE_SHELL_H
#define TAREI_BASE_SHELL_H

#include "base/str.h"

/* A variable of the command's environment; value NULL: it has none of this name. */
typedef struct tarei_shell_variable {
  const char *name, *value;
} tarei_shell_variable;

/* A command of the user, and how far it may go. */
typedef struct tarei_shell_command {
  const char *what; /* names it in messages, with its text behind it */
  const char *text;
  const tarei_shell_variable *variables;
  int n_variables;
  size_t most;        /* bytes that it may print */
  double seconds;     /* that it may take; 0: any time */
  const char *option; /* that sets the seconds, for messages */
} tarei_shell_command;

/* Runs a command and waits for it. It gets the variables, nothing to read, and the standard error
 * of the process; processes that it leaves behind are ended.
 * TARE_E_INPUT if it is not found, fails, is killed, prints too much or takes too long (it is then
 * ended); TARE_E_IO if it cannot be started; TARE_E_MEMORY. The caller frees `out` in any case. */
tare_status tarei_shell_run(const tarei_shell_command *command, tarei_str *out, tare_error *err);

/* Ends all commands that run; handlers of signals may call it. */
void tarei_shell_end_all(void);

#endif
