#include "tools/debug/scratch.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/signals.h"

enum { LONGEST = 4096 };

/* Static, and made before any file: a handler of signals may read them. */
static char folder[LONGEST], paths[SCRATCH_FILES][LONGEST + 16];

static const char *const NAMES[SCRATCH_FILES] = {
    [SCRATCH_MODEL] = "part.onnx",    [SCRATCH_MODEL_DATA] = "part.onnx.data",
    [SCRATCH_BEFORE] = "before.onnx", [SCRATCH_INPUTS] = "inputs.h5",
    [SCRATCH_DATA] = "data.h5",       [SCRATCH_OWN] = "own.stats",
    [SCRATCH_MORE] = "more.stats"};

/* Calls nothing but unlink and rmdir, which handlers may. */
void scratch_remove(void) {
  for (int i = 0; *folder && i < SCRATCH_FILES; i++) {
    (void)unlink(paths[i]);
  }
  if (*folder) {
    (void)rmdir(folder);
    *folder = '\0';
  }
}

static void scratch_note(const char *const made) {
  for (int i = 0; i < SCRATCH_FILES; i++) {
    (void)snprintf(paths[i], sizeof paths[i], "%s/%s", made, NAMES[i]);
  }
  memcpy(folder, made, sizeof folder);
  signals_also(scratch_remove);
}

static tare_status scratch_make_folder(char made[const LONGEST], tare_error *const err) {
  const char *const set = getenv("TMPDIR");
  const char *const parent = set && *set ? set : "/tmp";
  return snprintf(made, LONGEST, "%s/tare-XXXXXX", parent) < LONGEST && mkdtemp(made)
             ? TARE_OK
             : cli_fail(err, TARE_E_IO, "%s: cannot make a temporary folder: %s", parent,
                        strerror(errno));
}

tare_status scratch_make(tare_error *const err) {
  assert(!*folder);
  char made[LONGEST];
  sigset_t all, before; /* a signal between making it and noting it would leave it there */
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_BLOCK, &all, &before);
  const tare_status status = scratch_make_folder(made, err);
  if (status == TARE_OK) {
    scratch_note(made);
  }
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}

const char *scratch_path(const int file) {
  assert(file >= 0 && file < SCRATCH_FILES && *folder);
  return paths[file];
}
