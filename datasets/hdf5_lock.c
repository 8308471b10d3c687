#include "datasets/hdf5_lock.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static H5E_auto2_t printer; /* guarded by mutex, as HDF5 itself */
static void *printer_data;

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

/* The results are ignored: when HDF5 cannot even do this, the next real call fails and says so. */
void tarei_hdf5_lock(void) {
  (void)pthread_mutex_lock(&mutex);
  prepare();
  (void)H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void tarei_hdf5_unlock(void) {
  (void)H5Eset_auto2(H5E_DEFAULT, printer, printer_data);
  (void)pthread_mutex_unlock(&mutex);
}
