#include "datasets/hdf5/hdf5_lock.h"

#include <errno.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Guarded by the mutex, as HDF5 itself. */
static H5E_auto2_t printer;
static void *printer_data;
static struct {
  bool no_memory;
  int reason; /* errno; 0 */
} seen;       /* since the lock */

/* Whether an allocation ever failed inside the library. What it has in memory cannot be trusted
 * then, and it crashes when it tidies up at the end of the process. */
static bool wounded;

/* After it met a damaged file the library prints "infinite loop closing library" when it tidies up,
 * unless printing is off by then. */
static void tidy_up(void) {
  if (!wounded && tarei_memory_is_left()) {
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)H5close(); /* nobody is left to tell */
  }
}

/* Starts the library, once: where that fails it cannot be used any more. It tidies up when we tell
 * it to, unless somebody else has started it before. */
static bool hdf5_lock_start(void) {
  static enum { NEW, STARTED, BROKEN } state; /* guarded by mutex */
  if (state == NEW) {
    (void)H5dont_atexit(); /* fails when the library runs already */
    state = H5open() >= 0 && atexit(tidy_up) == 0 ? STARTED : BROKEN;
  }
  return state == STARTED;
}

/* The library's driver for files gives errno in a text alone. */
static herr_t note_entry(const unsigned n, const H5E_error2_t *const entry, void *const user) {
  (void)n;
  (void)user;
  seen.no_memory |= entry->maj_num == H5E_RESOURCE && entry->min_num == H5E_NOSPACE;
  const char *const number = entry->desc ? strstr(entry->desc, "errno = ") : NULL;
  if (number && !seen.reason) {
    seen.reason = (int)strtol(number + strlen("errno = "), NULL, 10);
  }
  return 0; /* on to the next */
}

/* Stands where the library would print its errors: it is called for each call that failed. Not
 * every failed allocation is on the stack as one. */
static herr_t note_errors(const hid_t stack, void *const user) {
  seen.no_memory |= errno == ENOMEM;
  return H5Ewalk2(stack, H5E_WALK_UPWARD, note_entry, user);
}

tare_status tarei_hdf5_lock(tare_error *const err) {
  (void)pthread_mutex_lock(&mutex);
  if (!tarei_memory_is_left() || !hdf5_lock_start()) {
    (void)pthread_mutex_unlock(&mutex);
    return tarei_fail(err, TARE_E_MEMORY, "no memory for HDF5");
  }
  /* When HDF5 cannot even do this, the next real call fails and says so. */
  (void)H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
  (void)H5Eset_auto2(H5E_DEFAULT, note_errors, NULL);
  seen.no_memory = false;
  seen.reason = 0;
  errno = 0;
  return TARE_OK;
}

bool tarei_hdf5_in_trouble(void) {
  return seen.no_memory || seen.reason || errno == ENOMEM;
}

static void append_reason(tare_error *const err, const int reason) {
  const size_t n = strlen(err->message);
  (void)snprintf(err->message + n, sizeof err->message - n, " (%s)", strerror(reason));
}

tare_status tarei_hdf5_unlock(const tare_status status, tare_error *const err) {
  const bool no_memory = seen.no_memory || errno == ENOMEM;
  wounded |= no_memory;
  const int reason = seen.reason;
  (void)H5Eset_auto2(H5E_DEFAULT, printer, printer_data);
  (void)pthread_mutex_unlock(&mutex);
  if (no_memory) {
    return tarei_fail(err, TARE_E_MEMORY, "no memory for HDF5");
  }
  if (status != TARE_OK && reason && err) {
    append_reason(err, reason);
  }
  return status;
}
