#include "calib/file/stats_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/hdf5/hdf5_chunks.h"

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
typedef struct stats_count_set {
  const char *path;
  int n; /* counts in a cell */
  fill_counts *fill;
} stats_count_set;

enum { ROWS, POSITIVE, NEGATIVE, N_SETS };
static const stats_count_set count_sets[N_SETS] = {
    [ROWS] = {"/tensors/rows", TAREI_ROW_BINS, fill_rows},
    [POSITIVE] = {"/tensors/positive", TAREI_HISTOGRAM_BINS, fill_positive},
    [NEGATIVE] = {"/tensors/negative", TAREI_HISTOGRAM_BINS, fill_negative},
};

/* --- writing ---------------------------------------------------------------------------------- */

static int64_t largest_count(const tare_stats *const stats, const stats_count_set *const set,
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
                       const stats_count_set *const counts, int64_t *const cell) {
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

void tarei_stats_put_counts(tarei_stats_writer *const w, const tare_stats *const stats) {
  int64_t *const cell = tarei_calloc(TAREI_HISTOGRAM_BINS, sizeof *cell);
  w->ok = w->ok && cell;
  for (int i = 0; i < N_SETS; i++) {
    put_counts(w, stats, &count_sets[i], cell);
  }
  free(cell);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The sets of a file that is read. */
typedef struct open_set {
  hid_t set, space;
  tarei_h5_chunks *chunks; /* owned */
} open_set;
typedef struct open_sets {
  open_set all[N_SETS];
  int64_t *cell; /* [TAREI_HISTOGRAM_BINS] */
} open_sets;

static tare_status read_cell(const tarei_stats_reader *const r, const open_sets *const sets,
                             const int which, const hsize_t *const start, int64_t *const data) {
  const open_set *const set = &sets->all[which];
  const hsize_t count[] = {1, 1, (hsize_t)count_sets[which].n};
  const tare_status chunks = tarei_h5_chunks_check(set->chunks, start, count, r->err);
  if (chunks != TARE_OK) {
    return tarei_fail_in(r->err, chunks, "%s: %s", r->path, count_sets[which].path);
  }
  const hid_t memory = H5Screate_simple(1, &count[2], NULL);
  const bool ok = H5Sselect_hyperslab(set->space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                  H5Dread(set->set, H5T_NATIVE_INT64, memory, set->space, H5P_DEFAULT, data) >= 0;
  (void)H5Sclose(memory); /* was only used for reading */
  return ok ? TARE_OK
            : tarei_stats_bad(r, count_sets[which].path,
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

static tare_status read_bins(const tarei_stats_reader *const r, const open_sets *const sets,
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
static tare_status read_accumulator(const tarei_stats_reader *const r, const open_sets *const sets,
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
                               open_sets *const sets) {
  for (int i = 0; i < N_SETS; i++) {
    open_set *const set = &sets->all[i];
    int64_t dims[] = {stats->n_tensors, stats->n_profiles, count_sets[i].n};
    TAREI_TRY(
        tarei_stats_open_set(r, count_sets[i].path, H5T_INTEGER, 3 /* rank */, dims, &set->set));
    set->space = H5Dget_space(set->set);
    if (set->space < 0) {
      return tarei_stats_bad(r, count_sets[i].path, "has no shape");
    }
    TAREI_TRY(tarei_h5_chunks_new(set->set, count_sets[i].path, &set->chunks, r->err));
  }
  sets->cell = tarei_calloc(TAREI_HISTOGRAM_BINS, sizeof *sets->cell);
  return sets->cell ? TARE_OK : tarei_fail_memory(r->err, "a histogram", TAREI_HISTOGRAM_BYTES);
}

static void close_counts(open_sets *const sets) {
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

tare_status tarei_stats_read_counts(const tarei_stats_reader *const r, tare_stats *const stats) {
  open_sets sets = {0};
  for (int i = 0; i < N_SETS; i++) {
    sets.all[i] = (open_set){.set = H5I_INVALID_HID, .space = H5I_INVALID_HID};
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
