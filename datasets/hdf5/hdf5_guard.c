#include "datasets/hdf5/hdf5_guard.h"

static herr_t hdf5_guard_refuse(const char *const file, const char *const group,
                                const char *const child_file, const char *const child,
                                unsigned *const flags, const hid_t access, void *const user) {
  (void)file;
  (void)group;
  (void)child_file;
  (void)child;
  (void)flags;
  (void)access;
  (void)user;
  return -1;
}

hid_t tarei_h5_inside(const hid_t access_class) {
  const hid_t list = H5Pcreate(access_class);
  (void)H5Pset_elink_cb(list, hdf5_guard_refuse, NULL); /* without a list, whoever uses it fails */
  return list;
}

bool tarei_h5_leads_away(const hid_t at, const char *const path) {
  const hid_t inside = tarei_h5_inside(H5P_LINK_ACCESS);
  H5L_info_t info;
  const bool away = H5Lget_info(at, path, &info, inside) >= 0 && info.type == H5L_TYPE_EXTERNAL;
  (void)H5Pclose(inside);
  return away;
}

hid_t tarei_h5_open_group(const hid_t at, const char *const path) {
  const hid_t inside = tarei_h5_inside(H5P_GROUP_ACCESS);
  const hid_t group = H5Gopen2(at, path, inside);
  (void)H5Pclose(inside);
  return group;
}

tare_status tarei_h5_check_storage(const hid_t set, const char *const path, tare_error *const err) {
  const hid_t list = H5Dget_create_plist(set);
  if (list < 0) {
    return tarei_fail(err, TARE_E_INPUT, "data set '%s' has an unsupported storage layout", path);
  }
  const H5D_layout_t layout = H5Pget_layout(list);
  tare_status status = TARE_OK;
  if (layout == H5D_VIRTUAL) {
    status = tarei_fail(
        err, TARE_E_INPUT,
        "data set '%s' is virtual, which may read other files: copy it into a plain one", path);
  } else if (H5Pget_external_count(list) > 0) {
    status = tarei_fail(
        err, TARE_E_INPUT,
        "data set '%s' has external storage, which is not followed: copy the data into this file",
        path);
  }
  (void)H5Pclose(list);
  return status;
}

tare_status tarei_h5_check_filters(const hid_t set, tare_error *const err) {
  const hid_t list = H5Dget_create_plist(set);
  const int n = list >= 0 ? H5Pget_nfilters(list) : 0;
  tare_status status = TARE_OK;
  for (int i = 0; i < n && status == TARE_OK; i++) {
    char name[64] = "";
    unsigned flags = 0;
    const H5Z_filter_t id =
        H5Pget_filter2(list, (unsigned)i, &flags, NULL, NULL, sizeof name, name, NULL);
    if (id >= 0 && H5Zfilter_avail(id) <= 0) {
      status = tarei_fail(err, TARE_E_INPUT,
                          "compressed by filter %d (%.63s), which this HDF5 library does not have: "
                          "store the data with gzip, or install the plugin of the filter",
                          id, name);
    }
  }
  if (list >= 0) {
    (void)H5Pclose(list);
  }
  return status;
}
