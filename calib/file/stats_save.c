/* Writes statistics as HDF5. Everything is written in one order, without times, in fixed chunks, so
 * that the same statistics give the same bytes. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <tare/tare.h>

#include "base/mem.h"
#include "calib/file/stats_file.h"
#include "calib/file/stats_origins.h"
#include "calib/file/stats_parts.h"
#include "calib/file/stats_sums.h"
#include "datasets/hdf5/hdf5_lock.h"
#include "datasets/hdf5/hdf5_outfile.h"
#include "graph/table/layer_numbers.h"

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

/* Counts of an accumulator; false when there are none, and nothing is stored. */
typedef bool fill_counts(const tarei_accumulator *a, int64_t *out);

static bool fill_rows(const tarei_accumulator *const a, int64_t *const out) {
  memcpy(out, a->rows, sizeof a->rows);
  return a->count != 0;
}

static bool fill_bins(const tarei_counts *const c, int64_t *const out) {
  bool any = false;
  for (int p = 0; p < TAREI_COUNTS_PAGES; p++) {
    tarei_counts_get(c, p, out + p * TAREI_COUNTS_PAGE);
    any = any || c->pages[p];
  }
  return any;
}
static bool fill_positive(const tarei_accumulator *const a, int64_t *const out) {
  return fill_bins(&a->histogram.positive, out);
}
static bool fill_negative(const tarei_accumulator *const a, int64_t *const out) {
  return fill_bins(&a->histogram.negative, out);
}

/* The data sets of counts, each with room for one cell. */
typedef struct stats_save_count_set {
  const char *path;
  int n; /* counts in a cell */
  fill_counts *fill;
} stats_save_count_set;

static const stats_save_count_set count_sets[] = {
    {"/tensors/rows", TAREI_ROW_BINS, fill_rows},
    {"/tensors/positive", TAREI_HISTOGRAM_BINS, fill_positive},
    {"/tensors/negative", TAREI_HISTOGRAM_BINS, fill_negative},
};

static int64_t largest_count(const tare_stats *const stats, const stats_save_count_set *const set,
                             int64_t *const counts) {
  int64_t most = 0;
  for (int i = 0; i < stats->n_tensors * stats->n_profiles; i++) {
    const tarei_stats_tensor *const tensor = &stats->tensors[i / stats->n_profiles];
    const bool any = set->fill(&tensor->buckets[i % stats->n_profiles], counts);
    for (int k = 0; any && k < set->n; k++) {
      most = counts[k] > most ? counts[k] : most;
    }
  }
  return most;
}

/* Compressing zeros takes time too. */
static hid_t narrowest_type(const int64_t most) {
  return most <= UINT16_MAX ? H5T_STD_U16LE : most <= UINT32_MAX ? H5T_STD_U32LE : H5T_STD_I64LE;
}

static void put_cell(tarei_stats_writer *const w, const hid_t set, const hid_t space,
                     const hsize_t *const start, const hsize_t *const count,
                     const int64_t *const data) {
  const hid_t memory = H5Screate_simple(1, &count[2], NULL);
  tarei_stats_check_write(w, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
  tarei_stats_check_write(w, H5Dwrite(set, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, data));
  tarei_stats_check_write(w, H5Sclose(memory));
}

static void put_counts(tarei_stats_writer *const w, const tare_stats *const stats,
                       const stats_save_count_set *const counts, int64_t *const cell) {
  if (!w->ok) {
    return;
  }
  const hsize_t dims[] = {(hsize_t)stats->n_tensors, (hsize_t)stats->n_profiles,
                          (hsize_t)counts->n};
  const hsize_t chunk[] = {1, 1, (hsize_t)counts->n};
  const hid_t type = narrowest_type(largest_count(stats, counts, cell));
  const hid_t set = tarei_stats_make_set(w, counts->path, type, 3, dims, chunk);
  const hid_t space = w->ok ? H5Dget_space(set) : H5I_INVALID_HID;
  for (hsize_t t = 0; t < dims[0]; t++) {
    for (hsize_t p = 0; p < dims[1] && w->ok; p++) {
      const hsize_t start[] = {t, p, 0};
      if (counts->fill(&stats->tensors[t].buckets[p], cell)) {
        put_cell(w, set, space, start, chunk, cell);
      }
    }
  }
  if (space >= 0) {
    tarei_stats_check_write(w, H5Sclose(space));
  }
  tarei_stats_close_set(w, set);
}

static void put_all_counts(tarei_stats_writer *const w, const tare_stats *const stats) {
  int64_t *const cell = tarei_calloc(TAREI_HISTOGRAM_BINS, sizeof *cell);
  w->ok = w->ok && cell;
  for (size_t i = 0; i < sizeof count_sets / sizeof *count_sets; i++) {
    put_counts(w, stats, &count_sets[i], cell);
  }
  free(cell);
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
  put_all_counts(w, stats);
}

/* --- roundings -------------------------------------------------------------------------------- */

/* Bits of a channel begin with a byte of their own. */
static void put_ups(tarei_stats_writer *const w, const tarei_rounding *const r, const int number) {
  const size_t bytes = (size_t)(r->k + 7) / 8;
  uint8_t *const block = (uint8_t *)tarei_stats_make_block(w, (size_t)r->n, bytes);
  for (int64_t j = 0; block && j < r->n; j++) {
    for (int64_t i = 0; i < r->k; i++) {
      uint8_t *const to = &block[(size_t)j * bytes + (size_t)i / 8];
      *to = (uint8_t)(*to | tarei_rounding_is_up(r, j, i) << i % 8);
    }
  }
  char path[TAREI_STATS_NUMBERED_PATH];
  (void)snprintf(path, sizeof path, TAREI_STATS_UP "%d", number);
  const hsize_t dims[] = {(hsize_t)r->n, (hsize_t)bytes};
  tarei_stats_put_array(w, path, H5T_STD_U8LE, H5T_NATIVE_UINT8, 2 /* rank */, dims, block);
  free(block);
}

static void put_roundings(tarei_stats_writer *const w, const tare_stats *const stats) {
  const int n = stats->roundings.n;
  const hsize_t dims[] = {(hsize_t)n};
  if (n == 0) {
    return;
  }
  tarei_stats_put_group(w, "/rounding");
  tarei_stats_put_texts(w, "/rounding/layer", n,
                        (const char *const *)&stats->roundings.items[0].layer,
                        sizeof *stats->roundings.items);
  int64_t *const inputs = (int64_t *)tarei_stats_make_block(w, (size_t)n, sizeof *inputs);
  uint64_t *const hashes = (uint64_t *)tarei_stats_make_block(w, (size_t)n, sizeof *hashes);
  for (int i = 0; inputs && hashes && i < n; i++) {
    inputs[i] = stats->roundings.items[i].k;
    hashes[i] = stats->roundings.items[i].hash;
  }
  tarei_stats_put_array(w, "/rounding/inputs", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, dims, inputs);
  tarei_stats_put_array(w, "/rounding/hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, dims, hashes);
  free(inputs);
  free(hashes);
  tarei_stats_put_group(w, "/rounding/up");
  for (int i = 0; i < n; i++) {
    put_ups(w, &stats->roundings.items[i], i);
  }
}

/* --- smoothed tensors --------------------------------------------------------------------------
 */

static void put_limits(tarei_stats_writer *const w, const tare_stats *const stats) {
  const size_t n = (size_t)stats->smoothings.n, p = (size_t)stats->n_profiles;
  const hsize_t dims[] = {(hsize_t)n, (hsize_t)p};
  float *const min = (float *)tarei_stats_make_block(w, n * p, sizeof *min);
  float *const max = (float *)tarei_stats_make_block(w, n * p, sizeof *max);
  for (size_t i = 0; min && max && i < n * p; i++) {
    min[i] = (float)stats->smoothings.items[i / p].min[i % p];
    max[i] = (float)stats->smoothings.items[i / p].max[i % p];
  }
  tarei_stats_put_array(w, "/smoothing/min", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2, dims, min);
  tarei_stats_put_array(w, "/smoothing/max", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2, dims, max);
  free(min);
  free(max);
}

static void put_smoothed_levels(tarei_stats_writer *const w, const tare_stats *const stats) {
  const size_t n = (size_t)stats->smoothings.n;
  const hsize_t dims[] = {(hsize_t)n};
  float *const rms = (float *)tarei_stats_make_block(w, n, sizeof *rms);
  for (size_t i = 0; rms && i < n; i++) {
    rms[i] = (float)stats->smoothings.items[i].rms;
  }
  tarei_stats_put_array(w, "/smoothing/rms", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1, dims, rms);
  free(rms);
}

static void put_smoothings(tarei_stats_writer *const w, const tare_stats *const stats) {
  const int n = stats->smoothings.n;
  if (n == 0) {
    return;
  }
  tarei_stats_put_group(w, "/smoothing");
  tarei_stats_put_texts(w, "/smoothing/tensor", n,
                        (const char *const *)&stats->smoothings.items[0].tensor,
                        sizeof *stats->smoothings.items);
  put_limits(w, stats);
  put_smoothed_levels(w, stats);
  tarei_stats_put_group(w, "/smoothing/exponents");
  for (int i = 0; i < n; i++) {
    const tarei_smoothing *const s = &stats->smoothings.items[i];
    const hsize_t dims[] = {(hsize_t)s->channels};
    char path[TAREI_STATS_NUMBERED_PATH];
    (void)snprintf(path, sizeof path, TAREI_STATS_EXPONENTS "%d", i);
    tarei_stats_put_array(w, path, H5T_STD_I8LE, H5T_NATIVE_INT8, 1 /* rank */, dims, s->exponents);
  }
}

/* --- numbers of layers ------------------------------------------------------------------------ */

static void put_numbers(tarei_stats_writer *const w, const char *const member,
                        const tarei_numbers *const list) {
  const hsize_t dims[] = {(hsize_t)list->n};
  char path[TAREI_STATS_NUMBERED_PATH];
  if (list->n == 0) {
    return;
  }
  (void)snprintf(path, sizeof path, "/%s", member);
  tarei_stats_put_group(w, path);
  (void)snprintf(path, sizeof path, "/%s/layer", member);
  tarei_stats_put_texts(w, path, list->n, (const char *const *)&list->items[0].layer,
                        sizeof *list->items);
  uint64_t *const hashes = (uint64_t *)tarei_stats_make_block(w, (size_t)list->n, sizeof *hashes);
  for (int i = 0; hashes && i < list->n; i++) {
    hashes[i] = list->items[i].hash;
  }
  (void)snprintf(path, sizeof path, "/%s/hash", member);
  tarei_stats_put_array(w, path, H5T_STD_U64LE, H5T_NATIVE_UINT64, 1 /* rank */, dims, hashes);
  free(hashes);
  (void)snprintf(path, sizeof path, "/%s/values", member);
  tarei_stats_put_group(w, path);
  for (int i = 0; i < list->n; i++) {
    const hsize_t n[] = {(hsize_t)list->items[i].n};
    (void)snprintf(path, sizeof path, TAREI_STATS_VALUES, member, i);
    tarei_stats_put_array(w, path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1 /* rank */, n,
                          list->items[i].values);
  }
}

static tare_status save(const tare_stats *const stats, const char *const path,
                        tare_error *const err) {
  tarei_h5_outfile h;
  TAREI_TRY(tarei_h5_outfile_open(path, H5F_LIBVER_V18, &h, err));
  tarei_stats_writer w = {.file = h.file, .ok = true};
  stats_save_put_header(&w, stats);
  stats_save_put_lists(&w, stats);
  put_tensors(&w, stats);
  put_roundings(&w, stats);
  put_smoothings(&w, stats);
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    put_numbers(&w, tarei_numbers_about_of((tarei_numbers_kind)k)->member, &stats->numbers[k]);
  }
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
