/* Reads statistics. The numbers of every tensor must agree with each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/seal.h"
#include "calib/file/stats_file.h"
#include "calib/file/stats_numbers.h"
#include "calib/file/stats_origins.h"
#include "calib/file/stats_parts.h"
#include "calib/file/stats_sums.h"
#include "datasets/hdf5/hdf5_chunks.h"
#include "datasets/hdf5/hdf5_driver.h"
#include "datasets/hdf5/hdf5_lock.h"
#include "graph/table/smoothing.h"

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

/* The three data sets with counts per tensor and bucket. */
enum { ROWS, POSITIVE, NEGATIVE, N_SETS };
typedef struct stats_load_count_set {
  hid_t set, space;
  tarei_h5_chunks *chunks; /* owned */
  int n;                   /* counts */
} stats_load_count_set;
typedef struct count_sets {
  stats_load_count_set all[N_SETS];
  int64_t *cell; /* [TAREI_HISTOGRAM_BINS] */
} count_sets;

static const char *const set_paths[N_SETS] = {"/tensors/rows", "/tensors/positive",
                                              "/tensors/negative"};

static tare_status read_cell(const tarei_stats_reader *const r, const count_sets *const sets,
                             const int which, const hsize_t *const start, int64_t *const data) {
  const stats_load_count_set *const set = &sets->all[which];
  const hsize_t count[] = {1, 1, (hsize_t)set->n};
  const tare_status chunks = tarei_h5_chunks_check(set->chunks, start, count, r->err);
  if (chunks != TARE_OK) {
    return tarei_fail_in(r->err, chunks, "%s: %s", r->path, set_paths[which]);
  }
  const hid_t memory = H5Screate_simple(1, &count[2], NULL);
  const bool ok = H5Sselect_hyperslab(set->space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                  H5Dread(set->set, H5T_NATIVE_INT64, memory, set->space, H5P_DEFAULT, data) >= 0;
  (void)H5Sclose(memory); /* was only used for reading */
  return ok ? TARE_OK
            : tarei_stats_bad(r, set_paths[which],
                              "cannot be read: the file is corrupt or truncated");
}

/* A histogram gets memory where the extremes say that there is one, and its exponent must follow
 * from them. */
static tare_status make_histogram(const tarei_stats_reader *const r, tarei_accumulator *const a) {
  const int32_t exponent = a->histogram.exponent;
  const int64_t zeros = a->histogram.zeros;
  tarei_histogram_init(&a->histogram);
  const float amax = tarei_accumulator_amax(a);
  if (amax > 0 && isfinite(amax) && !tarei_histogram_reserve(&a->histogram, amax)) {
    return tarei_fail_memory(r->err, "a histogram", TAREI_HISTOGRAM_BYTES);
  }
  a->histogram.zeros = zeros;
  return a->histogram.exponent == exponent
             ? TARE_OK
             : tarei_stats_bad(r, "/tensors/exponent", "does not follow from min and max");
}

static tare_status bad_counts(const tarei_stats_reader *const r, const hsize_t *const start,
                              const tarei_stats_tensor *const tensor) {
  return tarei_fail(r->err, TARE_E_INPUT, "%s: inconsistent counts of tensor '%s' in profile %d",
                    r->path, tensor->name, (int)start[1]);
}

static tare_status read_bins(const tarei_stats_reader *const r, const count_sets *const sets,
                             const int which, const hsize_t *const start,
                             const tarei_stats_tensor *const tensor, tarei_counts *const out) {
  TAREI_TRY(read_cell(r, sets, which, start, sets->cell));
  for (int i = 0; i < TAREI_HISTOGRAM_BINS; i++) {
    if (sets->cell[i] < 0) {
      return bad_counts(r, start, tensor);
    }
  }
  for (int p = 0; p < TAREI_COUNTS_PAGES; p++) {
    if (!tarei_counts_add(out, p, sets->cell + p * TAREI_COUNTS_PAGE)) {
      return tarei_fail_memory(r->err, "a histogram", TAREI_HISTOGRAM_BYTES);
    }
  }
  return TARE_OK;
}

/* One accumulator at a time, so that a wrong file is refused before it has taken much memory. */
static tare_status read_accumulator(const tarei_stats_reader *const r, const count_sets *const sets,
                                    const hsize_t *const start, tarei_stats_tensor *const tensor) {
  tarei_accumulator *const a = &tensor->buckets[start[1]];
  TAREI_TRY(make_histogram(r, a));
  TAREI_TRY(read_cell(r, sets, ROWS, start, a->rows));
  if (a->histogram.exponent != TAREI_HISTOGRAM_NO_EXPONENT) {
    TAREI_TRY(read_bins(r, sets, POSITIVE, start, tensor, &a->histogram.positive));
    TAREI_TRY(read_bins(r, sets, NEGATIVE, start, tensor, &a->histogram.negative));
  }
  return tarei_accumulator_is_sound(a) ? TARE_OK : bad_counts(r, start, tensor);
}

static tare_status open_counts(const tarei_stats_reader *const r, const tare_stats *const stats,
                               count_sets *const sets) {
  for (int i = 0; i < N_SETS; i++) {
    stats_load_count_set *const set = &sets->all[i];
    set->n = i == ROWS ? TAREI_ROW_BINS : TAREI_HISTOGRAM_BINS;
    int64_t dims[] = {stats->n_tensors, stats->n_profiles, set->n};
    TAREI_TRY(tarei_stats_open_set(r, set_paths[i], H5T_INTEGER, 3 /* rank */, dims, &set->set));
    set->space = H5Dget_space(set->set);
    if (set->space < 0) {
      return tarei_stats_bad(r, set_paths[i], "has no shape");
    }
    TAREI_TRY(tarei_h5_chunks_new(set->set, set_paths[i], &set->chunks, r->err));
  }
  sets->cell = tarei_calloc(TAREI_HISTOGRAM_BINS, sizeof *sets->cell);
  return sets->cell ? TARE_OK : tarei_fail_memory(r->err, "a histogram", TAREI_HISTOGRAM_BYTES);
}

static void close_counts(count_sets *const sets) {
  for (int i = 0; i < N_SETS; i++) {
    tarei_h5_chunks_free(&sets->all[i].chunks);
    if (sets->all[i].space >= 0) {
      (void)H5Sclose(sets->all[i].space); /* were only read */
    }
    if (sets->all[i].set >= 0) {
      (void)H5Dclose(sets->all[i].set);
    }
  }
  free(sets->cell);
}

static tare_status read_accumulators(const tarei_stats_reader *const r, tare_stats *const stats) {
  count_sets sets = {0};
  for (int i = 0; i < N_SETS; i++) {
    sets.all[i] = (stats_load_count_set){.set = H5I_INVALID_HID, .space = H5I_INVALID_HID};
  }
  tare_status status = open_counts(r, stats, &sets);
  for (int t = 0; t < stats->n_tensors && status == TARE_OK; t++) {
    for (int p = 0; p < stats->n_profiles && status == TARE_OK; p++) {
      const hsize_t start[] = {(hsize_t)t, (hsize_t)p, 0};
      status = read_accumulator(r, &sets, start, &stats->tensors[t]);
    }
  }
  close_counts(&sets);
  return status;
}

/* --- roundings -------------------------------------------------------------------------------- */

static tare_status read_ups(const tarei_stats_reader *const r, const int number,
                            const char *const layer, const int64_t inputs, const uint64_t hash,
                            tare_stats *const stats) {
  char path[TAREI_STATS_NUMBERED_PATH];
  (void)snprintf(path, sizeof path, TAREI_STATS_UP "%d", number);
  hid_t set = H5I_INVALID_HID;
  int64_t dims[] = {-1, (inputs + 7) / 8};
  TAREI_TRY(tarei_stats_open_set(r, path, H5T_INTEGER, 2 /* rank */, dims, &set));
  (void)H5Dclose(set); /* was only looked at */
  char *block = NULL;
  tare_status status = dims[0] > 0 && dims[1] > 0
                           ? tarei_stats_read_array(r, path, H5T_INTEGER, H5T_NATIVE_UINT8, 1,
                                                    2 /* rank */, dims, &block)
                           : tarei_stats_bad(r, path, "must have bits of at least one weight");
  uint8_t *const up = tarei_calloc(tarei_rounding_bytes(dims[0], inputs), 1);
  if (status == TARE_OK && !up) {
    status = tarei_fail_memory(r->err, path, (size_t)(dims[0] * dims[1]));
  }
  for (int64_t bit = 0; status == TARE_OK && bit < dims[0] * inputs; bit++) {
    const int64_t j = bit / inputs, i = bit % inputs;
    const uint8_t byte = (uint8_t)block[j * dims[1] + i / 8];
    up[bit / 8] = (uint8_t)(up[bit / 8] | (byte >> i % 8 & 1) << bit % 8);
  }
  if (status == TARE_OK) {
    status = tarei_roundings_add(&stats->roundings, layer, dims[0], inputs, hash, up, r->err);
  }
  free(block);
  free(up);
  return status;
}

static tare_status read_layers(const tarei_stats_reader *const r,
                               const tarei_stats_texts *const layers, const char *const inputs,
                               const char *const hashes, tare_stats *const stats) {
  for (int i = 0; i < layers->n; i++) {
    int64_t k;
    uint64_t hash;
    char *layer = NULL;
    memcpy(&k, inputs + (size_t)i * sizeof k, sizeof k);
    memcpy(&hash, hashes + (size_t)i * sizeof hash, sizeof hash);
    TAREI_TRY(tarei_stats_take_text(r, layers, i, &layer));
    const bool ordered = i == 0 || strcmp(stats->roundings.items[i - 1].layer, layer) < 0;
    const tare_status status =
        !ordered ? tarei_stats_bad(r, "/rounding/layer", "must be sorted and without duplicates")
        : k < 1 || k > INT32_MAX
            ? tarei_stats_bad(r, "/rounding/inputs", "must be positive and below 2^31")
            : read_ups(r, i, layer, k, hash, stats);
    free(layer);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

/* Files of version 2.0 have none. */
static tare_status read_roundings(const tarei_stats_reader *const r, tare_stats *const stats) {
  if (H5Lexists(r->file, "/rounding", H5P_DEFAULT) <= 0) {
    return TARE_OK;
  }
  tarei_stats_texts layers;
  TAREI_TRY(tarei_stats_read_texts(r, "/rounding/layer", -1, &layers));
  const int64_t dims[] = {layers.n};
  char *inputs = NULL, *hashes = NULL;
  tare_status status = tarei_stats_read_array(r, "/rounding/inputs", H5T_INTEGER, H5T_NATIVE_INT64,
                                              sizeof(int64_t), 1 /* rank */, dims, &inputs);
  if (status == TARE_OK) {
    status = tarei_stats_read_array(r, "/rounding/hash", H5T_INTEGER, H5T_NATIVE_UINT64,
                                    sizeof(uint64_t), 1 /* rank */, dims, &hashes);
  }
  if (status == TARE_OK) {
    status = read_layers(r, &layers, inputs, hashes, stats);
  }
  free(layers.block);
  free(inputs);
  free(hashes);
  return status;
}

/* --- smoothed tensors --------------------------------------------------------------------------
 */

/* Finite, or of a profile without data, as not all are. */
static bool limits_are_sound(const double *const min, const double *const max, const int n) {
  int n_empty = 0;
  for (int p = 0; p < n; p++) {
    const bool empty = min[p] == (double)INFINITY && max[p] == (double)-INFINITY;
    n_empty += empty;
    if (!empty && !(isfinite(min[p]) && isfinite(max[p]) && min[p] <= max[p])) {
      return false;
    }
  }
  return n_empty < n;
}

static tare_status read_exponents(const tarei_stats_reader *const r, const int number,
                                  char **const out, int64_t *const channels) {
  char path[TAREI_STATS_NUMBERED_PATH];
  (void)snprintf(path, sizeof path, TAREI_STATS_EXPONENTS "%d", number);
  hid_t set = H5I_INVALID_HID;
  *channels = -1;
  TAREI_TRY(tarei_stats_open_set(r, path, H5T_INTEGER, 1 /* rank */, channels, &set));
  (void)H5Dclose(set); /* was only looked at */
  TAREI_TRY(*channels > 0 ? tarei_stats_read_array(r, path, H5T_INTEGER, H5T_NATIVE_INT8, 1,
                                                   1 /* rank */, channels, out)
                          : tarei_stats_bad(r, path, "must have an exponent for each channel"));
  for (int64_t c = 0; c < *channels; c++) {
    if (abs((signed char)(*out)[c]) > TAREI_SMOOTHING_MOST) {
      return tarei_stats_bad(r, path, "must be from -24 to 24");
    }
  }
  return TARE_OK;
}

/* limits: min[n][n_profiles], max of the same size, and rms[n]. */
static tare_status read_smoothing(const tarei_stats_reader *const r, const int number,
                                  const char *const tensor, const float *const *const limits,
                                  tare_stats *const stats) {
  double min[TARE_MAX_PROFILES], max[TARE_MAX_PROFILES];
  char *exponents = NULL;
  int64_t channels = 0;
  for (int p = 0; p < stats->n_profiles; p++) {
    min[p] = (double)limits[0][number * stats->n_profiles + p];
    max[p] = (double)limits[1][number * stats->n_profiles + p];
  }
  const double rms = (double)limits[2][number];
  tare_status status =
      !(rms > 0 && isfinite(rms)) ? tarei_stats_bad(r, "/smoothing/rms", "must be positive")
      : limits_are_sound(min, max, stats->n_profiles)
          ? read_exponents(r, number, &exponents, &channels)
          : tarei_stats_bad(r, "/smoothing/min", "must be finite and not above /smoothing/max");
  if (status == TARE_OK) {
    status = tarei_smoothings_add(&stats->smoothings, tensor, channels, (int8_t *)exponents,
                                  stats->n_profiles, min, max, rms, r->err);
  }
  free(exponents);
  return status;
}

static tare_status read_smoothed(const tarei_stats_reader *const r,
                                 const tarei_stats_texts *const tensors,
                                 const float *const *const limits, tare_stats *const stats) {
  for (int i = 0; i < tensors->n; i++) {
    char *tensor = NULL;
    TAREI_TRY(tarei_stats_take_text(r, tensors, i, &tensor));
    const bool ordered = i == 0 || strcmp(stats->smoothings.items[i - 1].tensor, tensor) < 0;
    const tare_status status =
        ordered ? read_smoothing(r, i, tensor, limits, stats)
                : tarei_stats_bad(r, "/smoothing/tensor", "must be sorted and without duplicates");
    free(tensor);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

/* Statistics without smoothed tensors have no such group. */
static tare_status read_smoothings(const tarei_stats_reader *const r, tare_stats *const stats) {
  if (H5Lexists(r->file, "/smoothing", H5P_DEFAULT) <= 0) {
    return TARE_OK;
  }
  tarei_stats_texts tensors;
  TAREI_TRY(tarei_stats_read_texts(r, "/smoothing/tensor", -1, &tensors));
  const int64_t dims[] = {tensors.n, stats->n_profiles};
  char *min = NULL, *max = NULL, *rms = NULL;
  tare_status status = tarei_stats_read_array(r, "/smoothing/min", H5T_FLOAT, H5T_NATIVE_FLOAT,
                                              sizeof(float), 2 /* rank */, dims, &min);
  if (status == TARE_OK) {
    status = tarei_stats_read_array(r, "/smoothing/max", H5T_FLOAT, H5T_NATIVE_FLOAT, sizeof(float),
                                    2 /* rank */, dims, &max);
  }
  if (status == TARE_OK) {
    status = tarei_stats_read_array(r, "/smoothing/rms", H5T_FLOAT, H5T_NATIVE_FLOAT, sizeof(float),
                                    1 /* rank */, dims, &rms);
  }
  if (status == TARE_OK) {
    const float *const limits[] = {(const float *)(const void *)min,
                                   (const float *)(const void *)max,
                                   (const float *)(const void *)rms};
    status = read_smoothed(r, &tensors, limits, stats);
  }
  free(tensors.block);
  free(min);
  free(max);
  free(rms);
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
  TAREI_TRY(read_accumulators(r, stats));
  TAREI_TRY(read_roundings(r, stats));
  TAREI_TRY(read_smoothings(r, stats));
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
