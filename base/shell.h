/* Commands of the user, run by the shell, with what they print. */
#ifndef TAREI_BASE_SHELL_H
#define TAREI_BASE_SHELL_H

#include "base/str.h"

/* A variable of the command's environment; value NULL: it has none of this name. */
typedef struct tarei_shell_variable {
  const char *name, *value;
} tarei_shell_variable;

/* Runs a command and waits for it. It gets the variables, nothing to read, and the standard error
 * of the process; processes that it leaves behind are ended. `what` names it in messages, with the
 * text of the command behind it.
 * TARE_E_INPUT if it is not found, fails, is killed, or prints more than `most` bytes (it is then
 * ended); TARE_E_IO if it cannot be started; TARE_E_MEMORY. The caller frees `out` in any case. */
tare_status tarei_shell_run(const char *what, const char *command,
                            const tarei_shell_variable *variables, int n_variables, size_t most,
                            tarei_str *out, tare_error *err);

/* Ends all commands that run; handlers of signals may call it. */
void tarei_shell_end_all(void);

#endif
