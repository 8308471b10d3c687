/* Reads statistics. The numbers of every tensor must agree with each other. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/seal.h"
#include "calib/file/stats_counts.h"
#include "calib/file/stats_file.h"
#include "calib/file/stats_numbers.h"
#include "calib/file/stats_origins.h"
#include "calib/file/stats_parts.h"
#include "calib/file/stats_roundings.h"
#include "calib/file/stats_smoothings.h"
#include "calib/file/stats_sums.h"
#include "datasets/hdf5/hdf5_driver.h"
#include "datasets/hdf5/hdf5_lock.h"

#define MAX_LIST (1 << 28) /* tensors, aliases, samples, ...; the square of it fits 64 bits */

typedef struct lists {
  tarei_stats_texts specs, inputs, alias_names, alias_sources, tensors;
} lists;

static void free_lists(lists *const l) {
  tarei_stats_texts *const all[] = {&l->specs, &l->inputs, &l->alias_names, &l->alias_sources,
                                    &l->tensors};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    free(all[i]->block);
  }
}

static tare_status read_lists(const tarei_stats_reader *const r, lists *const l) {
  TAREI_TRY(tarei_stats_read_texts(r, "/profiles/spec", -1, &l->specs));
  TAREI_TRY(tarei_stats_read_texts(r, "/inputs", -1, &l->inputs));
  TAREI_TRY(tarei_stats_read_texts(r, "/aliases/name", -1, &l->alias_names));
  TAREI_TRY(tarei_stats_read_texts(r, "/aliases/source", l->alias_names.n, &l->alias_sources));
  TAREI_TRY(tarei_stats_read_texts(r, "/tensors/name", -1, &l->tensors));
  if (l->specs.n < 1 || l->specs.n > TARE_MAX_PROFILES) {
    return tarei_stats_bad(r, "/profiles/spec", "must hold 1..64 profiles");
  }
  const hsize_t n_cells = (hsize_t)l->specs.n * (hsize_t)l->tensors.n;
  return n_cells * sizeof(int64_t) <= r->file_size
             ? TARE_OK
             : tarei_stats_bad(r, "/tensors/name", "holds more tensors than the file has room for");
}

static tare_status take_lists(const tarei_stats_reader *const r, const lists *const l,
                              tare_stats *const stats) {
  for (int i = 0; i < l->specs.n; i++) {
    TAREI_TRY(tarei_stats_take_text(r, &l->specs, i, &stats->profiles[i].spec));
  }
  for (int i = 0; i < l->inputs.n; i++) {
    TAREI_TRY(tarei_stats_take_text(r, &l->inputs, i, &stats->inputs[i]));
  }
  for (int i = 0; i < l->alias_names.n; i++) {
    TAREI_TRY(tarei_stats_take_text(r, &l->alias_names, i, &stats->aliases[i].name));
    TAREI_TRY(tarei_stats_take_text(r, &l->alias_sources, i, &stats->aliases[i].source));
  }
  for (int i = 0; i < l->tensors.n; i++) {
    TAREI_TRY(tarei_stats_take_text(r, &l->tensors, i, &stats->tensors[i].name));
  }
  return TARE_OK;
}

static tare_status stats_load_check_names(const tarei_stats_reader *const r,
                                          const tare_stats *const stats) {
  for (int i = 1; i < stats->n_tensors; i++) {
    if (strcmp(stats->tensors[i - 1].name, stats->tensors[i].name) >= 0) {
      return tarei_stats_bad(r, "/tensors/name", "must be sorted and without duplicates");
    }
  }
  for (int i = 0; i < stats->n_aliases; i++) {
    const tarei_stats_alias *const alias = &stats->aliases[i];
    if (i > 0 && strcmp(stats->aliases[i - 1].name, alias->name) >= 0) {
      return tarei_stats_bad(r, "/aliases/name", "must be sorted and without duplicates");
    }
    if (tarei_stats_find_tensor(stats, alias->name) ||
        !tarei_stats_find_tensor(stats, alias->source)) {
      return tarei_stats_bad(r, "/aliases",
                             "must map names without statistics to names with statistics");
    }
  }
  return TARE_OK;
}

static tare_status stats_load_read_header(const tarei_stats_reader *const r,
                                          tare_stats *const stats) {
  uint64_t padding = 0, all = 0;
  char *fit = NULL;
  TAREI_TRY(tarei_stats_need_text(r, "model_name", &stats->model_name));
  TAREI_TRY(tarei_stats_need_number(r, "model_hash", &stats->model_hash));
  TAREI_TRY(tarei_stats_need_number(r, "counts_padding", &padding));
  stats->counts_padding = padding != 0;
  tarei_stats_find_number(r, "all_tensors", &all); /* older files have none: not known to be all */
  stats->all_tensors = all != 0;
  if (H5Aexists(r->file, "gain_range") > 0) {
    TAREI_TRY(tarei_stats_need_text(r, "gain_range", &stats->gain_range));
  }
  TAREI_TRY(tarei_stats_need_text(r, "fit", &fit));
  const bool known = tare_fit_parse(fit, &stats->fit, NULL) == TARE_OK;
  free(fit);
  return known ? TARE_OK : tarei_stats_bad(r, "fit", "is not a known fit");
}

static tare_status read_samples(const tarei_stats_reader *const r, tare_stats *const stats) {
  char *block = NULL;
  const int64_t dims[] = {stats->n_profiles};
  tare_status status = tarei_stats_read_array(r, "/profiles/samples", H5T_INTEGER, H5T_NATIVE_INT64,
                                              sizeof(int64_t), 1 /* rank */, dims, &block);
  for (int p = 0; p < stats->n_profiles && status == TARE_OK; p++) {
    memcpy(&stats->profiles[p].n_samples, block + (size_t)p * sizeof(int64_t), sizeof(int64_t));
    if (stats->profiles[p].n_samples < 0) {
      status = tarei_stats_bad(r, "/profiles/samples", "must not be negative");
    }
  }
  free(block);
  return status;
}

static tare_status read_cell_numbers(const tarei_stats_reader *const r,
                                     const tarei_stats_array *const array,
                                     tare_stats *const stats) {
  const hid_t types[] = {H5T_NATIVE_INT64, H5T_NATIVE_INT32, H5T_NATIVE_FLOAT};
  const H5T_class_t class = array->kind == TAREI_STATS_F32 ? H5T_FLOAT : H5T_INTEGER;
  const size_t size = tarei_stats_kind_size(array->kind);
  const size_t n_profiles = (size_t)stats->n_profiles;
  const size_t n = (size_t)stats->n_tensors * n_profiles;
  const int64_t dims[] = {stats->n_tensors, stats->n_profiles};
  char *block = NULL;
  const tare_status status = tarei_stats_read_array(r, array->path, class, types[array->kind], size,
                                                    2 /* rank */, dims, &block);
  for (size_t i = 0; i < n && status == TARE_OK; i++) {
    tarei_accumulator *const a = &stats->tensors[i / n_profiles].buckets[i % n_profiles];
    memcpy((char *)a + array->offset, block + i * size, size);
  }
  free(block);
  return status;
}

/* Older files do not say it: any tensor may be read. */
static tare_status read_reads(const tarei_stats_reader *const r, tare_stats *const stats) {
  const int64_t dims[] = {stats->n_tensors};
  const bool known = H5Lexists(r->file, TAREI_STATS_READ, H5P_DEFAULT) > 0;
  char *block = NULL;
  const tare_status status =
      known ? tarei_stats_read_array(r, TAREI_STATS_READ, H5T_INTEGER, H5T_NATIVE_UINT8,
                                     1 /* byte */, 1 /* rank */, dims, &block)
            : TARE_OK;
  for (int t = 0; t < stats->n_tensors && status == TARE_OK; t++) {
    stats->tensors[t].is_read = !known || block[t] != 0;
  }
  free(block);
  return status;
}

static tare_status stats_load_fill(const tarei_stats_reader *const r, const lists *const l,
                                   tare_stats *const stats) {
  TAREI_TRY(take_lists(r, l, stats));
  TAREI_TRY(stats_load_check_names(r, stats));
  TAREI_TRY(stats_load_read_header(r, stats));
  TAREI_TRY(read_samples(r, stats));
  for (int i = 0; i < TAREI_STATS_N_ARRAYS; i++) {
    TAREI_TRY(read_cell_numbers(r, &tarei_stats_arrays[i], stats));
  }
  TAREI_TRY(read_reads(r, stats));
  TAREI_TRY(tarei_stats_read_counts(r, stats));
  TAREI_TRY(tarei_stats_read_roundings(r, stats));
  TAREI_TRY(tarei_stats_read_smoothings(r, stats));
  TAREI_TRY(tarei_stats_read_numbers(r, stats));
  TAREI_TRY(tarei_stats_read_parts(r, stats));
  TAREI_TRY(tarei_stats_read_origins(r, stats));
  return tarei_stats_read_sums(r, stats->n_profiles, &stats->sums);
}

static tare_status read_stats(const tarei_stats_reader *const r, tare_stats **const out) {
  lists l = {0};
  tare_status status = read_lists(r, &l);
  if (status == TARE_OK) {
    status = tarei_stats_new(l.specs.n, l.inputs.n, l.tensors.n, l.alias_names.n, out, r->err);
  }
  if (status == TARE_OK) {
    status = stats_load_fill(r, &l, *out);
  }
  free_lists(&l);
  if (status != TARE_OK) {
    tare_stats_free(out);
  }
  return status;
}

static tare_status stats_load_check_version(const tarei_stats_reader *const r, const bool sealed) {
  uint64_t major = 0, minor = 0;
  if (!tarei_stats_has_format(r->file, TAREI_STATS_FORMAT)) {
    return tarei_fail(r->err, TARE_E_INPUT, "%s is an HDF5 file, but not a statistics file",
                      r->path);
  }
  TAREI_TRY(tarei_stats_need_number(r, "version_major", &major));
  if (major != TAREI_STATS_MAJOR) {
    return tarei_fail(r->err, TARE_E_INPUT,
                      "%s: statistics format version %llu, expected %d: calibrate again", r->path,
                      (unsigned long long)major, TAREI_STATS_MAJOR);
  }
  TAREI_TRY(tarei_stats_need_number(r, "version_minor", &minor));
  return sealed || minor < TAREI_STATS_SEALED
             ? TARE_OK
             : tarei_stats_bad(r, "the file",
                               "has no checksum at its end: it is truncated, or was changed");
}

static tare_status stats_load_locked(tarei_stats_reader *const r, tare_stats **const out) {
  bool sealed;
  TAREI_TRY(tarei_seal_check(r->path, &sealed, r->err));
  r->file = tarei_h5_open_read(r->path);
  if (r->file < 0) {
    return tarei_fail(r->err, TARE_E_INPUT, "%s: not statistics: not an HDF5 file, or truncated",
                      r->path);
  }
  tare_status status = H5Fget_filesize(r->file, &r->file_size) >= 0
                           ? stats_load_check_version(r, sealed)
                           : tarei_stats_bad(r, "the file", "has no known size");
  if (status == TARE_OK) {
    status = read_stats(r, out);
  }
  (void)H5Fclose(r->file); /* was only read */
  return status;
}

tare_status tare_stats_load(const char *const path, tare_stats **const out, tare_error *const err) {
  *out = NULL;
  tarei_stats_reader r = {.path = path, .most = MAX_LIST, .err = err};
  TAREI_TRY(tarei_hdf5_lock(err));
  const tare_status status = tarei_hdf5_unlock(stats_load_locked(&r, out), err);
  if (status != TARE_OK) {
    tare_stats_free(out);
  }
  return status;
}

bool tare_stats_is_stats_file(const char *const path) {
  return tarei_stats_is_of_format(path, TAREI_STATS_FORMAT);
}
