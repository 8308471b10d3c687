#include "datasets/hdf5_lock.h"

#include <hdf5.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static H5E_auto2_t printer; /* guarded by mutex, as HDF5 itself */
static void *printer_data;

/* The results are ignored: when HDF5 cannot even do this, the next real call fails and says so. */
void tarei_hdf5_lock(void) {
  (void)pthread_mutex_lock(&mutex);
  (void)H5Eget_auto2(H5E_DEFAULT, &printer, &printer_data);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void tarei_hdf5_unlock(void) {
  (void)H5Eset_auto2(H5E_DEFAULT, printer, printer_data);
  (void)pthread_mutex_unlock(&mutex);
}
