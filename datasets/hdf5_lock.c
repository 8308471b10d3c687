#include "datasets/hdf5_lock.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Guarded by the mutex, as HDF5 itself. */
static H5E_auto2_t printer;
static void *printer_data;
static struct {
  bool no_memory;
  int reason; /* errno; 0 */
} seen;       /* since the lock */

/* After it met a damaged file the library prints "infinite loop closing library" when the process
 * ends, unless printing is off by then. */
static void be_quiet_at_exit(void) {
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Handlers run last to first: the library's own must stand before ours. */
static void prepare(void) {
  static bool prepared; /* guarded by mutex */
  if (!prepared) {
    (void)H5open();
    (void)atexit(be_quiet_at_exit);
    prepared = true;
  }
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

/* Stands where the library would print its errors: it is called for each call that failed. */
static herr_t note_errors(const hid_t stack, void *const user) {
  return H5Ewalk2(stack, H5E_WALK_UPWARD, note_entry, user);
}

/* The results are ignored: when HDF5 cannot even do this, the next real call fails and says so. */
void tarei_hdf5_lock(void) {
  (void)pthread_mutex_lock(&mutex);
  prepare();
  (void)H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
  (void)H5Eset_auto2(H5E_DEFAULT, note_errors, NULL);
  seen.no_memory = false;
  seen.reason = 0;
}

bool tarei_hdf5_in_trouble(void) {
  return seen.no_memory || seen.reason;
}

static void append_reason(tare_error *const err, const int reason) {
  const size_t n = strlen(err->message);
  (void)snprintf(err->message + n, sizeof err->message - n, " (%s)", strerror(reason));
}

tare_status tarei_hdf5_unlock(const tare_status status, tare_error *const err) {
  const bool no_memory = seen.no_memory;
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
