#include "datasets/hdf5/hdf5_lock.h"

#include <errno.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

#include "base/mem.h"
#include "base/refusals.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Guarded by the mutex, as HDF5 itself. */
static H5E_auto2_t printer;
static void *printer_data;
static struct {
  bool no_memory;
  int reason; /* errno; 0 */
} seen;       /* since the lock */

/* BROKEN once an allocation failed inside the library, as it started or later. What it has in
 * memory cannot be trusted then: it calls good files damaged, and crashes in later calls. */
static enum { NEW, STARTED, BROKEN } state;

static bool usable;                /* the library may be entered under this lock */
static unsigned refusals;          /* of memory to our own code, before this lock */
static _Thread_local bool holding; /* the lock */

/* Closes what the program itself may have left open in HDF5, and nothing else: the library crashes
 * in H5close when memory runs out there, and it has no need of it when all files are closed. After
 * it met a damaged file it prints "infinite loop closing library", unless printing is off. */
static void close_rest(void) {
  if (state == STARTED && tarei_memory_is_left() &&
      H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) > 0) {
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)H5close(); /* nobody is left to tell */
  }
}

/* Where the library has no memory to register an object, it calls exit(-1) and says nothing. */
static void at_exit(void) {
  if (holding) {
    tare_abandon_outputs();
    fputs("tare: HDF5 ran out of memory and ended the program\n", stderr);
  } else if (pthread_mutex_trylock(&mutex) == 0) { /* or else another thread is in the library */
    close_rest();
    (void)pthread_mutex_unlock(&mutex);
  }
}

/* Starts the library, once. It tidies up when we tell it to, unless somebody else has started it
 * before. H5open succeeds after some of its allocations failed. */
static bool hdf5_lock_start(void) {
  if (state == NEW) {
    (void)H5dont_atexit(); /* fails when the library runs already */
    errno = 0;
    state = atexit(at_exit) == 0 && H5open() >= 0 && errno != ENOMEM ? STARTED : BROKEN;
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

/* Inside the library; what base/mem.h is refused does not stay in errno. */
static bool ran_out_of_memory(void) {
  return seen.no_memory || errno == ENOMEM;
}

/* Takes the lock and enters the library, if it can be. */
static void hdf5_lock_enter(void) {
  (void)pthread_mutex_lock(&mutex);
  holding = true;
  usable = tarei_memory_is_left() && hdf5_lock_start();
  seen.no_memory = false;
  seen.reason = 0;
  refusals = tarei_refusals();
  errno = 0;
  if (usable) { /* when HDF5 cannot even do this, the next real call fails and says so */
    (void)H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
    (void)H5Eset_auto2(H5E_DEFAULT, note_errors, NULL);
  }
}

static void hdf5_lock_leave(void) {
  if (ran_out_of_memory()) {
    state = BROKEN;
  }
  if (usable) {
    (void)H5Eset_auto2(H5E_DEFAULT, printer, printer_data);
  }
  holding = false;
  (void)pthread_mutex_unlock(&mutex);
}

tare_status tarei_hdf5_lock(tare_error *const err) {
  hdf5_lock_enter();
  if (usable) {
    return TARE_OK;
  }
  const bool broken = state == BROKEN;
  hdf5_lock_leave();
  return broken ? tarei_fail(err, TARE_E_MEMORY,
                             "HDF5 ran out of memory earlier: restart the program to use it again")
                : tarei_fail(err, TARE_E_MEMORY, "no memory for HDF5");
}

void tarei_hdf5_lock_to_close(void) {
  hdf5_lock_enter();
}

bool tarei_hdf5_is_usable(void) {
  return usable && !ran_out_of_memory();
}

bool tarei_hdf5_in_trouble(void) {
  return seen.reason || ran_out_of_memory() || refusals != tarei_refusals();
}

static void append_reason(tare_error *const err, const int reason) {
  const size_t n = strlen(err->message);
  (void)snprintf(err->message + n, sizeof err->message - n, " (%s)", strerror(reason));
}

tare_status tarei_hdf5_unlock(const tare_status status, tare_error *const err) {
  const bool no_memory = ran_out_of_memory();
  const int reason = seen.reason;
  const unsigned before = refusals;
  hdf5_lock_leave();
  if (no_memory && status != TARE_E_MEMORY) {
    return tarei_fail(err, TARE_E_MEMORY, "no memory for HDF5");
  }
  if (tarei_refusals() != before) {
    return tarei_settle(before, status, "reading or writing HDF5", err);
  }
  if (status != TARE_OK && reason && err) {
    append_reason(err, reason);
  }
  return status;
}
