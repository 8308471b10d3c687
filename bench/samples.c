#include "bench/samples.h"

#include <hdf5.h>

#include "tools/cli.h"
#include "tools/feed.h"

static hid_t file_type(const tare_dtype dtype) {
  switch (dtype) {
    case TARE_F32:
      return H5T_NATIVE_FLOAT;
    case TARE_F64:
      return H5T_NATIVE_DOUBLE;
    case TARE_I32:
      return H5T_NATIVE_INT32;
    case TARE_I64:
      return H5T_NATIVE_INT64;
    default:
      return tare_dtype_size(dtype) == 1 ? H5T_NATIVE_UINT8 : -1;
  }
}

static tare_status write_tensor(const hid_t group, const tare_port *const port,
                                const tare_tensor *const t, tare_error *const err) {
  const hid_t type = file_type(t->dtype);
  if (type < 0) {
    return cli_fail(err, TARE_E_UNSUPPORTED, "input '%s': no samples are made up for %s",
                    port->name, tare_dtype_name(t->dtype));
  }
  hsize_t dims[TARE_MAX_RANK] = {0};
  for (int d = 0; d < t->rank; d++) {
    dims[d] = (hsize_t)t->dims[d];
  }
  const hid_t space = H5Screate_simple(t->rank, dims, NULL);
  const hid_t set =
      H5Dcreate2(group, port->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->data) >= 0;
  H5Sclose(space);
  H5Dclose(set);
  return ok ? TARE_OK : cli_fail(err, TARE_E_IO, "input '%s': cannot write a sample", port->name);
}

static tare_status write_sample(const hid_t parent, const int i, const tare_port *const ports,
                                const feed *const f, tare_error *const err) {
  char name[16];
  snprintf(name, sizeof name, "%05d", i);
  const hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  tare_status status = TARE_OK;
  for (int k = 0; k < f->n && status == TARE_OK; k++) {
    status = write_tensor(group, &ports[k], &f->tensors[k], err);
  }
  H5Gclose(group);
  return status;
}

tare_status samples_write(const char *const path, const tare_port *const ports, const int n_ports,
                          const tare_profiles *const symbols,
                          const int64_t (*const values)[TARE_MAX_SYMBOLS], const int n,
                          tare_error *const err) {
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) {
    return cli_fail(err, TARE_E_IO, "%s: cannot be written", path);
  }
  const hid_t parent = H5Gcreate2(file, "samples", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  tare_status status = TARE_OK;
  for (int i = 0; i < n && status == TARE_OK; i++) {
    feed f = {0};
    status = feed_new(ports, n_ports, symbols, values[i], &f, err);
    status = status == TARE_OK ? write_sample(parent, i, ports, &f, err) : status;
    feed_fini(&f);
  }
  H5Gclose(parent);
  H5Fclose(file);
  return status;
}
