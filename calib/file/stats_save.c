/* Writes statistics as HDF5. Everything is written in one order, without times, in fixed chunks, so
 * that the same statistics give the same bytes. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

#include "calib/file/stats_counts.h"
#include "calib/file/stats_file.h"
#include "calib/file/stats_numbers.h"
#include "calib/file/stats_origins.h"
#include "calib/file/stats_parts.h"
#include "calib/file/stats_roundings.h"
#include "calib/file/stats_smoothings.h"
#include "calib/file/stats_sums.h"
#include "datasets/hdf5/hdf5_lock.h"
#include "datasets/hdf5/hdf5_outfile.h"

static void stats_save_put_header(tarei_stats_writer *const w, const tare_stats *const stats) {
  tarei_stats_put_text(w, "format", TAREI_STATS_FORMAT);
  tarei_stats_put_number(w, "version_major", TAREI_STATS_MAJOR);
  tarei_stats_put_number(w, "version_minor", TAREI_STATS_MINOR);
  tarei_stats_put_text(w, "tare_version", TARE_VERSION);
  tarei_stats_put_text(w, "model_name", stats->model_name);
  tarei_stats_put_number(w, "model_hash", stats->model_hash);
  tarei_stats_put_text(w, "fit", tare_fit_name(stats->fit));
  tarei_stats_put_number(w, "counts_padding", stats->counts_padding);
  tarei_stats_put_number(w, "all_tensors", stats->all_tensors);
  if (stats->gain_range) {
    tarei_stats_put_text(w, "gain_range", stats->gain_range);
  }
}

static void stats_save_put_lists(tarei_stats_writer *const w, const tare_stats *const stats) {
  tarei_stats_put_group(w, "/profiles");
  tarei_stats_put_texts(w, "/profiles/spec", stats->n_profiles,
                        (const char *const *)&stats->profiles[0].spec, sizeof *stats->profiles);
  int64_t samples[TARE_MAX_PROFILES] = {0};
  for (int p = 0; p < stats->n_profiles; p++) {
    samples[p] = stats->profiles[p].n_samples;
  }
  const hsize_t dims[] = {(hsize_t)stats->n_profiles};
  tarei_stats_put_array(w, "/profiles/samples", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, dims, samples);
  tarei_stats_put_texts(w, "/inputs", stats->n_inputs, (const char *const *)stats->inputs,
                        sizeof *stats->inputs);
  tarei_stats_put_group(w, "/aliases");
  tarei_stats_put_texts(w, "/aliases/name", stats->n_aliases,
                        (const char *const *)&stats->aliases[0].name, sizeof *stats->aliases);
  tarei_stats_put_texts(w, "/aliases/source", stats->n_aliases,
                        (const char *const *)&stats->aliases[0].source, sizeof *stats->aliases);
}

static void put_cell_numbers(tarei_stats_writer *const w, const tare_stats *const stats,
                             const tarei_stats_array *const array) {
  const hid_t file_types[] = {H5T_STD_I64LE, H5T_STD_I32LE, H5T_IEEE_F32LE};
  const hid_t memory_types[] = {H5T_NATIVE_INT64, H5T_NATIVE_INT32, H5T_NATIVE_FLOAT};
  const size_t size = tarei_stats_kind_size(array->kind);
  const size_t n_profiles = (size_t)stats->n_profiles;
  char *const block = tarei_stats_make_block(w, (size_t)stats->n_tensors * n_profiles, size);
  for (size_t i = 0; block && i < (size_t)stats->n_tensors * n_profiles; i++) {
    const tarei_accumulator *const a = &stats->tensors[i / n_profiles].buckets[i % n_profiles];
    memcpy(block + i * size, (const char *)a + array->offset, size);
  }
  const hsize_t dims[] = {(hsize_t)stats->n_tensors, (hsize_t)stats->n_profiles};
  tarei_stats_put_array(w, array->path, file_types[array->kind], memory_types[array->kind], 2, dims,
                        block);
  free(block);
}

static void put_read(tarei_stats_writer *const w, const tare_stats *const stats) {
  const hsize_t dims[] = {(hsize_t)stats->n_tensors};
  uint8_t *const block = (uint8_t *)tarei_stats_make_block(w, (size_t)stats->n_tensors, 1);
  for (int t = 0; block && t < stats->n_tensors; t++) {
    block[t] = stats->tensors[t].is_read;
  }
  tarei_stats_put_array(w, TAREI_STATS_READ, H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, dims, block);
  free(block);
}

static void put_tensors(tarei_stats_writer *const w, const tare_stats *const stats) {
  tarei_stats_put_group(w, "/tensors");
  tarei_stats_put_texts(w, "/tensors/name", stats->n_tensors,
                        (const char *const *)&stats->tensors[0].name, sizeof *stats->tensors);
  for (int i = 0; i < TAREI_STATS_N_ARRAYS; i++) {
    put_cell_numbers(w, stats, &tarei_stats_arrays[i]);
  }
  put_read(w, stats);
  tarei_stats_put_counts(w, stats);
}

static tare_status save(const tare_stats *const stats, const char *const path,
                        tare_error *const err) {
  tarei_h5_outfile h;
  TAREI_TRY(tarei_h5_outfile_open(path, H5F_LIBVER_V18, &h, err));
  tarei_stats_writer w = {.file = h.file, .ok = true};
  stats_save_put_header(&w, stats);
  stats_save_put_lists(&w, stats);
  put_tensors(&w, stats);
  tarei_stats_put_roundings(&w, stats);
  tarei_stats_put_smoothings(&w, stats);
  tarei_stats_put_numbers(&w, stats);
  tarei_stats_put_parts(&w, stats);
  tarei_stats_put_origins(&w, stats);
  tarei_stats_put_sums(&w, stats->sums);
  const tare_status status = w.no_memory ? tarei_fail_memory(err, path, sizeof(tarei_accumulator))
                                         : tarei_h5_outfile_check(&h, w.ok, err);
  if (status != TARE_OK) {
    tarei_h5_outfile_abort(&h);
    return status;
  }
  return tarei_h5_outfile_commit(&h, true /* seal */, err);
}

tare_status tare_stats_save(const tare_stats *const stats, const char *const path,
                            tare_error *const err) {
  TAREI_TRY(tarei_hdf5_lock(err));
  const tare_status status = save(stats, path, err);
  return tarei_hdf5_unlock(status, err);
}
