/* Writes statistics as HDF5. Everything is written in one order, without times, in fixed chunks, so
 * that the same statistics give the same bytes. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <tare/tare.h>

#include "base/mem.h"
#include "calib/stats_file.h"
#include "datasets/hdf5/hdf5_lock.h"
#include "datasets/hdf5/hdf5_outfile.h"
#include "graph/table/layer_numbers.h"

enum { DEFLATE_LEVEL = 1 };

/* `ok` goes false with the first step that fails; the following ones then do nothing. */
typedef struct writer {
  hid_t file;
  bool ok;
  bool no_memory; /* of ours */
} writer;

static void stats_save_check(writer *const w, const herr_t result) {
  w->ok = w->ok && result >= 0;
}

/* Zeroed memory; NULL makes the writer fail. */
static char *stats_save_make_block(writer *const w, const size_t count, const size_t size) {
  char *const block = tarei_calloc(count, size);
  w->no_memory |= !block;
  w->ok = w->ok && block;
  return block;
}

static void put_attribute(writer *const w, const char *const name, const hid_t file_type,
                          const hid_t memory_type, const void *const value) {
  if (!w->ok) {
    return;
  }
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(w->file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
  stats_save_check(w, attribute < 0 ? -1 : H5Awrite(attribute, memory_type, value));
  if (attribute >= 0) {
    stats_save_check(w, H5Aclose(attribute));
  }
  stats_save_check(w, H5Sclose(space));
}

static hid_t make_text_type(const size_t bytes) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  const bool ok = type >= 0 && H5Tset_size(type, bytes ? bytes : 1) >= 0 &&
                  H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                  H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  return ok ? type : H5I_INVALID_HID;
}

static void put_text(writer *const w, const char *const name, const char *const text) {
  const hid_t type = make_text_type(strlen(text));
  put_attribute(w, name, type, type, text);
  (void)H5Tclose(type); /* a type that was not made fails above */
}

static void stats_save_put_number(writer *const w, const char *const name, const uint64_t value) {
  put_attribute(w, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

/* Makes a data set; chunk NULL for a contiguous one. */
static hid_t make_set(writer *const w, const char *const path, const hid_t type, const int rank,
                      const hsize_t *const dims, const hsize_t *const chunk) {
  const hid_t space = H5Screate_simple(rank, dims, NULL);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  stats_save_check(w, H5Pset_obj_track_times(list, false));
  if (chunk && dims[0] && dims[1]) {
    stats_save_check(w, H5Pset_chunk(list, rank, chunk));
    /* H5Pset_deflate makes a filter that is left out when it has no memory. */
    const unsigned level = DEFLATE_LEVEL;
    stats_save_check(w, H5Pset_filter(list, H5Z_FILTER_SHUFFLE, H5Z_FLAG_MANDATORY, 0, NULL));
    stats_save_check(w, H5Pset_filter(list, H5Z_FILTER_DEFLATE, H5Z_FLAG_MANDATORY, 1, &level));
  }
  const hid_t set = H5Dcreate2(w->file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  w->ok = w->ok && set >= 0;
  stats_save_check(w, H5Pclose(list));
  stats_save_check(w, H5Sclose(space));
  return set;
}

static void close_set(writer *const w, const hid_t set) {
  if (set >= 0) {
    stats_save_check(w, H5Dclose(set));
  }
}

static void put_array(writer *const w, const char *const path, const hid_t file_type,
                      const hid_t memory_type, const int rank, const hsize_t *const dims,
                      const void *const data) {
  if (!w->ok) {
    return;
  }
  const hid_t set = make_set(w, path, file_type, rank, dims, NULL);
  if (w->ok && dims[0] && (rank < 2 || dims[1])) {
    stats_save_check(w, H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  }
  close_set(w, set);
}

/* Texts of one length, filled up with zero bytes; the i-th text stands at first + i * stride. */
static void put_texts(writer *const w, const char *const path, const int n,
                      const char *const *const first, const size_t stride) {
  size_t longest = 1;
  for (int i = 0; i < n; i++) {
    const char *const text = *(const char *const *)((const char *)first + (size_t)i * stride);
    longest = strlen(text) > longest ? strlen(text) : longest;
  }
  char *const block = stats_save_make_block(w, (size_t)n, longest);
  for (int i = 0; block && i < n; i++) {
    const char *const text = *(const char *const *)((const char *)first + (size_t)i * stride);
    memcpy(block + (size_t)i * longest, text, strlen(text));
  }
  const hid_t type = make_text_type(longest);
  const hsize_t dims[] = {(hsize_t)n};
  put_array(w, path, type, type, 1, dims, block);
  (void)H5Tclose(type); /* a type that was not made fails above */
  free(block);
}

static void put_group(writer *const w, const char *const path) {
  if (!w->ok) {
    return;
  }
  const hid_t list = H5Pcreate(H5P_GROUP_CREATE);
  stats_save_check(w, H5Pset_obj_track_times(list, false));
  const hid_t group = H5Gcreate2(w->file, path, H5P_DEFAULT, list, H5P_DEFAULT);
  stats_save_check(w, group < 0 ? -1 : H5Gclose(group));
  stats_save_check(w, H5Pclose(list));
}

static void stats_save_put_header(writer *const w, const tare_stats *const stats) {
  put_text(w, "format", TAREI_STATS_FORMAT);
  stats_save_put_number(w, "version_major", TAREI_STATS_MAJOR);
  stats_save_put_number(w, "version_minor", TAREI_STATS_MINOR);
  put_text(w, "tare_version", TARE_VERSION);
  put_text(w, "model_name", stats->model_name);
  stats_save_put_number(w, "model_hash", stats->model_hash);
  put_text(w, "fit", tare_fit_name(stats->fit));
  stats_save_put_number(w, "counts_padding", stats->counts_padding);
  stats_save_put_number(w, "all_tensors", stats->all_tensors);
  if (stats->gain_range) {
    put_text(w, "gain_range", stats->gain_range);
  }
}

static void stats_save_put_lists(writer *const w, const tare_stats *const stats) {
  put_group(w, "/profiles");
  put_texts(w, "/profiles/spec", stats->n_profiles, (const char *const *)&stats->profiles[0].spec,
            sizeof *stats->profiles);
  int64_t samples[TARE_MAX_PROFILES] = {0};
  for (int p = 0; p < stats->n_profiles; p++) {
    samples[p] = stats->profiles[p].n_samples;
  }
  const hsize_t dims[] = {(hsize_t)stats->n_profiles};
  put_array(w, "/profiles/samples", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, dims, samples);
  put_texts(w, "/inputs", stats->n_inputs, (const char *const *)stats->inputs,
            sizeof *stats->inputs);
  put_group(w, "/aliases");
  put_texts(w, "/aliases/name", stats->n_aliases, (const char *const *)&stats->aliases[0].name,
            sizeof *stats->aliases);
  put_texts(w, "/aliases/source", stats->n_aliases, (const char *const *)&stats->aliases[0].source,
            sizeof *stats->aliases);
}

static void put_cell_numbers(writer *const w, const tare_stats *const stats,
                             const tarei_stats_array *const array) {
  const hid_t file_types[] = {H5T_STD_I64LE, H5T_STD_I32LE, H5T_IEEE_F32LE};
  const hid_t memory_types[] = {H5T_NATIVE_INT64, H5T_NATIVE_INT32, H5T_NATIVE_FLOAT};
  const size_t size = tarei_stats_kind_size(array->kind);
  const size_t n_profiles = (size_t)stats->n_profiles;
  char *const block = stats_save_make_block(w, (size_t)stats->n_tensors * n_profiles, size);
  for (size_t i = 0; block && i < (size_t)stats->n_tensors * n_profiles; i++) {
    const tarei_accumulator *const a = &stats->tensors[i / n_profiles].buckets[i % n_profiles];
    memcpy(block + i * size, (const char *)a + array->offset, size);
  }
  const hsize_t dims[] = {(hsize_t)stats->n_tensors, (hsize_t)stats->n_profiles};
  put_array(w, array->path, file_types[array->kind], memory_types[array->kind], 2, dims, block);
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

static void put_cell(writer *const w, const hid_t set, const hid_t space,
                     const hsize_t *const start, const hsize_t *const count,
                     const int64_t *const data) {
  const hid_t memory = H5Screate_simple(1, &count[2], NULL);
  stats_save_check(w, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
  stats_save_check(w, H5Dwrite(set, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, data));
  stats_save_check(w, H5Sclose(memory));
}

static void put_counts(writer *const w, const tare_stats *const stats,
                       const stats_save_count_set *const counts, int64_t *const cell) {
  if (!w->ok) {
    return;
  }
  const hsize_t dims[] = {(hsize_t)stats->n_tensors, (hsize_t)stats->n_profiles,
                          (hsize_t)counts->n};
  const hsize_t chunk[] = {1, 1, (hsize_t)counts->n};
  const hid_t type = narrowest_type(largest_count(stats, counts, cell));
  const hid_t set = make_set(w, counts->path, type, 3, dims, chunk);
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
    stats_save_check(w, H5Sclose(space));
  }
  close_set(w, set);
}

static void put_all_counts(writer *const w, const tare_stats *const stats) {
  int64_t *const cell = tarei_calloc(TAREI_HISTOGRAM_BINS, sizeof *cell);
  w->ok = w->ok && cell;
  for (size_t i = 0; i < sizeof count_sets / sizeof *count_sets; i++) {
    put_counts(w, stats, &count_sets[i], cell);
  }
  free(cell);
}

static void put_tensors(writer *const w, const tare_stats *const stats) {
  put_group(w, "/tensors");
  put_texts(w, "/tensors/name", stats->n_tensors, (const char *const *)&stats->tensors[0].name,
            sizeof *stats->tensors);
  for (int i = 0; i < TAREI_STATS_N_ARRAYS; i++) {
    put_cell_numbers(w, stats, &tarei_stats_arrays[i]);
  }
  put_all_counts(w, stats);
}

/* --- roundings -------------------------------------------------------------------------------- */

/* Bits of a channel begin with a byte of their own. */
static void put_ups(writer *const w, const tarei_rounding *const r, const int number) {
  const size_t bytes = (size_t)(r->k + 7) / 8;
  uint8_t *const block = (uint8_t *)stats_save_make_block(w, (size_t)r->n, bytes);
  for (int64_t j = 0; block && j < r->n; j++) {
    for (int64_t i = 0; i < r->k; i++) {
      uint8_t *const to = &block[(size_t)j * bytes + (size_t)i / 8];
      *to = (uint8_t)(*to | tarei_rounding_is_up(r, j, i) << i % 8);
    }
  }
  char path[TAREI_STATS_NUMBERED_PATH];
  (void)snprintf(path, sizeof path, TAREI_STATS_UP "%d", number);
  const hsize_t dims[] = {(hsize_t)r->n, (hsize_t)bytes};
  put_array(w, path, H5T_STD_U8LE, H5T_NATIVE_UINT8, 2 /* rank */, dims, block);
  free(block);
}

static void put_roundings(writer *const w, const tare_stats *const stats) {
  const int n = stats->roundings.n;
  const hsize_t dims[] = {(hsize_t)n};
  if (n == 0) {
    return;
  }
  put_group(w, "/rounding");
  put_texts(w, "/rounding/layer", n, (const char *const *)&stats->roundings.items[0].layer,
            sizeof *stats->roundings.items);
  int64_t *const inputs = (int64_t *)stats_save_make_block(w, (size_t)n, sizeof *inputs);
  uint64_t *const hashes = (uint64_t *)stats_save_make_block(w, (size_t)n, sizeof *hashes);
  for (int i = 0; inputs && hashes && i < n; i++) {
    inputs[i] = stats->roundings.items[i].k;
    hashes[i] = stats->roundings.items[i].hash;
  }
  put_array(w, "/rounding/inputs", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, dims, inputs);
  put_array(w, "/rounding/hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, dims, hashes);
  free(inputs);
  free(hashes);
  put_group(w, "/rounding/up");
  for (int i = 0; i < n; i++) {
    put_ups(w, &stats->roundings.items[i], i);
  }
}

/* --- smoothed tensors --------------------------------------------------------------------------
 */

static void put_limits(writer *const w, const tare_stats *const stats) {
  const size_t n = (size_t)stats->smoothings.n, p = (size_t)stats->n_profiles;
  const hsize_t dims[] = {(hsize_t)n, (hsize_t)p};
  float *const min = (float *)stats_save_make_block(w, n * p, sizeof *min);
  float *const max = (float *)stats_save_make_block(w, n * p, sizeof *max);
  for (size_t i = 0; min && max && i < n * p; i++) {
    min[i] = (float)stats->smoothings.items[i / p].min[i % p];
    max[i] = (float)stats->smoothings.items[i / p].max[i % p];
  }
  put_array(w, "/smoothing/min", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2, dims, min);
  put_array(w, "/smoothing/max", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2, dims, max);
  free(min);
  free(max);
}

static void put_smoothed_levels(writer *const w, const tare_stats *const stats) {
  const size_t n = (size_t)stats->smoothings.n;
  const hsize_t dims[] = {(hsize_t)n};
  float *const rms = (float *)stats_save_make_block(w, n, sizeof *rms);
  for (size_t i = 0; rms && i < n; i++) {
    rms[i] = (float)stats->smoothings.items[i].rms;
  }
  put_array(w, "/smoothing/rms", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1, dims, rms);
  free(rms);
}

static void put_smoothings(writer *const w, const tare_stats *const stats) {
  const int n = stats->smoothings.n;
  if (n == 0) {
    return;
  }
  put_group(w, "/smoothing");
  put_texts(w, "/smoothing/tensor", n, (const char *const *)&stats->smoothings.items[0].tensor,
            sizeof *stats->smoothings.items);
  put_limits(w, stats);
  put_smoothed_levels(w, stats);
  put_group(w, "/smoothing/exponents");
  for (int i = 0; i < n; i++) {
    const tarei_smoothing *const s = &stats->smoothings.items[i];
    const hsize_t dims[] = {(hsize_t)s->channels};
    char path[TAREI_STATS_NUMBERED_PATH];
    (void)snprintf(path, sizeof path, TAREI_STATS_EXPONENTS "%d", i);
    put_array(w, path, H5T_STD_I8LE, H5T_NATIVE_INT8, 1 /* rank */, dims, s->exponents);
  }
}

/* --- numbers of layers ------------------------------------------------------------------------ */

static void put_numbers(writer *const w, const char *const member,
                        const tarei_numbers *const list) {
  const hsize_t dims[] = {(hsize_t)list->n};
  char path[TAREI_STATS_NUMBERED_PATH];
  if (list->n == 0) {
    return;
  }
  (void)snprintf(path, sizeof path, "/%s", member);
  put_group(w, path);
  (void)snprintf(path, sizeof path, "/%s/layer", member);
  put_texts(w, path, list->n, (const char *const *)&list->items[0].layer, sizeof *list->items);
  uint64_t *const hashes = (uint64_t *)stats_save_make_block(w, (size_t)list->n, sizeof *hashes);
  for (int i = 0; hashes && i < list->n; i++) {
    hashes[i] = list->items[i].hash;
  }
  (void)snprintf(path, sizeof path, "/%s/hash", member);
  put_array(w, path, H5T_STD_U64LE, H5T_NATIVE_UINT64, 1 /* rank */, dims, hashes);
  free(hashes);
  (void)snprintf(path, sizeof path, "/%s/values", member);
  put_group(w, path);
  for (int i = 0; i < list->n; i++) {
    const hsize_t n[] = {(hsize_t)list->items[i].n};
    (void)snprintf(path, sizeof path, TAREI_STATS_VALUES, member, i);
    put_array(w, path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1 /* rank */, n, list->items[i].values);
  }
}

static tare_status save(const tare_stats *const stats, const char *const path,
                        tare_error *const err) {
  tarei_h5_outfile h;
  TAREI_TRY(tarei_h5_outfile_open(path, H5F_LIBVER_V18, &h, err));
  writer w = {.file = h.file, .ok = true};
  stats_save_put_header(&w, stats);
  stats_save_put_lists(&w, stats);
  put_tensors(&w, stats);
  put_roundings(&w, stats);
  put_smoothings(&w, stats);
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    put_numbers(&w, tarei_numbers_about_of((tarei_numbers_kind)k)->member, &stats->numbers[k]);
  }
  const tare_status status = w.no_memory ? tarei_fail_memory(err, path, sizeof(tarei_accumulator))
                                         : tarei_h5_outfile_check(&h, w.ok, err);
  if (status != TARE_OK) {
    tarei_h5_outfile_abort(&h);
    return status;
  }
  return tarei_h5_outfile_commit(&h, err);
}

tare_status tare_stats_save(const tare_stats *const stats, const char *const path,
                            tare_error *const err) {
  TAREI_TRY(tarei_hdf5_lock(err));
  const tare_status status = save(stats, path, err);
  return tarei_hdf5_unlock(status, err);
}
