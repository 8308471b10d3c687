#include "datasets/hdf5/hdf5_outfile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/seal.h"
#include "datasets/hdf5/hdf5_lock.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct tarei_h5_sink {
  tarei_outfile out;
  hid_t driver; /* the library uses its class after it has let go of it: it is kept until the end */
  bool held;    /* the library has the file open */
  bool ended;   /* what it still writes goes nowhere, what it reads is zero */
};

/* --- the driver ------------------------------------------------------------------------------- */

typedef struct driver_file {
  H5FD_t base; /* the library's part comes first */
  tarei_h5_sink *sink;
  haddr_t allocated; /* bytes that the library has given out */
} driver_file;

/* What a property list carries to driver_open. */
typedef struct driver_info {
  tarei_h5_sink *sink;
} driver_info;

static H5FD_t *driver_open(const char *const name, const unsigned flags, const hid_t access,
                           const haddr_t most) {
  (void)name; /* the file is open already */
  (void)flags;
  (void)most;
  const driver_info *const info = H5Pget_driver_info(access);
  driver_file *const file = info ? tarei_calloc(1, sizeof *file) : NULL;
  if (!file) {
    return NULL;
  }
  file->sink = info->sink;
  file->sink->held = true;
  return &file->base;
}

static herr_t driver_close(H5FD_t *const base) {
  ((driver_file *)base)->sink->held = false;
  free(base);
  return 0;
}

/* As the library's own driver for plain files, so that files are laid out in the same way. */
static herr_t driver_query(const H5FD_t *const base, unsigned long *const flags) {
  (void)base;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t driver_get_allocated(const H5FD_t *const base, const H5FD_mem_t type) {
  (void)type;
  return ((const driver_file *)base)->allocated;
}

static herr_t driver_set_allocated(H5FD_t *const base, const H5FD_mem_t type, const haddr_t bytes) {
  (void)type;
  ((driver_file *)base)->allocated = bytes;
  return 0;
}

static haddr_t driver_get_size(const H5FD_t *const base, const H5FD_mem_t type) {
  (void)type;
  return ((const driver_file *)base)->sink->out.size;
}

/* The library comes back to what it wrote before; what lies behind the end is zero. */
static herr_t driver_read(H5FD_t *const base, const H5FD_mem_t type, const hid_t transfer,
                          const haddr_t at, const size_t bytes, void *const to) {
  (void)type;
  (void)transfer;
  tarei_h5_sink *const sink = ((driver_file *)base)->sink;
  memset(to, 0, bytes);
  if (!sink->ended) {
    tarei_outfile_read_at(&sink->out, at, to, bytes);
  }
  return 0;
}

static herr_t driver_write(H5FD_t *const base, const H5FD_mem_t type, const hid_t transfer,
                           const haddr_t at, const size_t bytes, const void *const from) {
  (void)type;
  (void)transfer;
  tarei_h5_sink *const sink = ((driver_file *)base)->sink;
  if (!sink->ended) {
    tarei_outfile_write_at(&sink->out, at, from, bytes);
  }
  return 0;
}

/* Called when the file is closed: it has as many bytes as the library has given out. */
static herr_t driver_truncate(H5FD_t *const base, const hid_t transfer, const hbool_t closing) {
  (void)transfer;
  (void)closing;
  const driver_file *const file = (const driver_file *)base;
  if (!file->sink->ended) {
    tarei_outfile_resize(&file->sink->out, file->allocated);
  }
  return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)350, /* of those for drivers that are not registered */
#endif
    .name = "tare_outfile",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_info),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_allocated,
    .set_eoa = driver_set_allocated,
    .get_eof = driver_get_size,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* --- files ------------------------------------------------------------------------------------ */

/* A property list that leads to the sink; -1 when HDF5 has no memory. */
static hid_t make_access(tarei_h5_sink *const sink, const H5F_libver_t earliest) {
  const driver_info info = {.sink = sink};
  const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  sink->driver = H5FDregister(&driver);
  const bool ok = list >= 0 && sink->driver >= 0 && H5Pset_driver(list, sink->driver, &info) >= 0 &&
                  H5Pset_libver_bounds(list, earliest, H5F_LIBVER_V18) >= 0;
  if (!ok && list >= 0) {
    (void)H5Pclose(list); /* is not used */
  }
  return ok ? list : H5I_INVALID_HID;
}

static hid_t create_file(tarei_h5_sink *const sink, const H5F_libver_t earliest) {
  const hid_t access = make_access(sink, earliest);
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = H5I_INVALID_HID;
  if (access >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0) {
    file = H5Fcreate(sink->out.path, H5F_ACC_TRUNC, creation, access);
  }
  if (creation >= 0) {
    (void)H5Pclose(creation); /* the file has copies of both */
  }
  if (access >= 0) {
    (void)H5Pclose(access);
  }
  return file;
}

/* A sink that the library did not let go of stays: it writes to it when the process ends. */
static void hdf5_outfile_end(tarei_h5_outfile *const h) {
  tarei_outfile_abort(&h->sink->out); /* fine after commit */
  h->sink->ended = true;
  if (!h->sink->held) {
    if (h->sink->driver >= 0 && tarei_hdf5_is_usable()) {
      (void)H5FDunregister(h->sink->driver); /* no file needs it */
    }
    free(h->sink);
  }
  *h = (tarei_h5_outfile){.file = H5I_INVALID_HID};
}

tare_status tarei_h5_outfile_open(const char *const path, const H5F_libver_t earliest,
                                  tarei_h5_outfile *const h, tare_error *const err) {
  *h = (tarei_h5_outfile){.file = H5I_INVALID_HID};
  h->sink = tarei_calloc(1, sizeof *h->sink);
  if (!h->sink) {
    return tarei_fail_memory(err, path, sizeof *h->sink);
  }
  h->sink->driver = H5I_INVALID_HID;
  tare_status status = tarei_outfile_open(path, &h->sink->out, err);
  if (status == TARE_OK) {
    h->file = create_file(h->sink, earliest);
    status = tarei_h5_outfile_check(h, h->file >= 0, err);
  }
  if (status != TARE_OK) {
    tarei_h5_outfile_abort(h);
  }
  return status;
}

tare_status tarei_h5_outfile_check(const tarei_h5_outfile *const h, const bool good,
                                   tare_error *const err) {
  TAREI_TRY(tarei_outfile_check(&h->sink->out, err));
  return good ? TARE_OK : tarei_fail(err, TARE_E_IO, "%s: HDF5 cannot write", h->sink->out.path);
}

tare_status tarei_h5_outfile_commit(tarei_h5_outfile *const h, const bool seal,
                                    tare_error *const err) {
  const bool closed = H5Fclose(h->file) >= 0;
  tare_status status = tarei_h5_outfile_check(h, closed && !tarei_hdf5_in_trouble(), err);
  if (status == TARE_OK && seal) {
    status = tarei_seal_add(&h->sink->out, err);
  }
  if (status == TARE_OK) {
    status = tarei_outfile_commit(&h->sink->out, err);
  }
  hdf5_outfile_end(h);
  return status;
}

void tarei_h5_outfile_abort(tarei_h5_outfile *const h) {
  if (!h->sink) {
    return;
  }
  if (h->file >= 0 && tarei_hdf5_is_usable()) {
    (void)H5Fclose(h->file); /* what it says of the file does not matter any more */
  }
  hdf5_outfile_end(h);
}
