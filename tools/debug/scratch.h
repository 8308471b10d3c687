/* A folder for files between the steps of a command, taken away at the end, also by a signal. */
#ifndef TAREI_TOOLS_DEBUG_SCRATCH_H
#define TAREI_TOOLS_DEBUG_SCRATCH_H

#include "tools/cli.h"

enum {
  SCRATCH_MODEL,
  SCRATCH_MODEL_DATA, /* its constants, where they are beside it */
  SCRATCH_BEFORE,
  SCRATCH_INPUTS,
  SCRATCH_DATA,
  SCRATCH_OWN,
  SCRATCH_MORE,
  SCRATCH_FILES
};

/* Makes the folder, in TMPDIR or /tmp; only one at a time. TARE_E_IO. */
tare_status scratch_make(tare_error *err);
void scratch_remove(void);

/* Path of one of the files, which belongs to the folder. */
const char *scratch_path(int file);

#endif
