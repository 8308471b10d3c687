/* Where the figures of `tare compare` come from: what it takes to repeat them. */
#ifndef TAREI_TOOLS_COMPARE_PROVENANCE_H
#define TAREI_TOOLS_COMPARE_PROVENANCE_H

#include "tools/cli.h"
#include "tools/json_out.h"

typedef struct provenance {
  const char *command; /* as a shell takes it */
  const char *isa;     /* CPU features that were allowed; NULL: all */
  const cli_list *data, *evaluation;
} provenance;

/* The command line for a shell, before its options are parsed; the caller frees it. */
char *provenance_command(int argc, char *const *argv);

/* Adds version, date, command, data and CPU. */
void provenance_json(cJSON *object, const provenance *p);

#endif
