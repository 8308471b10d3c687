#include "calib/file/stats_origins.h"

#include <stdlib.h>
#include <string.h>

#define ORIGINS "/origins"

/* Arrays of several numbers per tensor and bucket: those of a member of tarei_origins. */
typedef struct origin_set {
  const char *path;
  size_t offset, size; /* of the member */
  int n;               /* numbers in it */
  bool is_float;
} origin_set;

#define HASH_SET(path, member)                                                                   \
  {                                                                                              \
    path, offsetof(tarei_accumulator, origins.member), sizeof(tarei_sample_hash), 2 /* words */, \
        false                                                                                    \
  }
#define SLICE_SET(path, member)                                                                    \
  {                                                                                                \
    path, offsetof(tarei_accumulator, origins.member), TAREI_SLICES * sizeof(float), TAREI_SLICES, \
        true                                                                                       \
  }

static const origin_set origin_sets[] = {
    HASH_SET(ORIGINS "/min", min), HASH_SET(ORIGINS "/max", max),
    SLICE_SET(ORIGINS "/slice_min", slice_min), SLICE_SET(ORIGINS "/slice_max", slice_max)};
enum { N_ORIGIN_SETS = sizeof origin_sets / sizeof *origin_sets };

static void put_origin_set(tarei_stats_writer *const w, const tare_stats *const stats,
                           const origin_set *const set) {
  const size_t n_profiles = (size_t)stats->n_profiles, n = (size_t)stats->n_tensors * n_profiles;
  const hsize_t dims[] = {(hsize_t)stats->n_tensors, (hsize_t)stats->n_profiles, (hsize_t)set->n};
  char *const block = tarei_stats_make_block(w, n, set->size);
  for (size_t i = 0; block && i < n; i++) {
    const tarei_accumulator *const a = &stats->tensors[i / n_profiles].buckets[i % n_profiles];
    memcpy(block + i * set->size, (const char *)a + set->offset, set->size);
  }
  tarei_stats_put_array(w, set->path, set->is_float ? H5T_IEEE_F32LE : H5T_STD_U64LE,
                        set->is_float ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT64, 3 /* rank */, dims,
                        block);
  free(block);
}

void tarei_stats_put_origins(tarei_stats_writer *const w, const tare_stats *const stats) {
  if (!stats->has_origins) {
    return;
  }
  tarei_stats_put_group(w, ORIGINS);
  for (int i = 0; i < N_ORIGIN_SETS; i++) {
    put_origin_set(w, stats, &origin_sets[i]);
  }
}

static tare_status read_origin_set(const tarei_stats_reader *const r, const origin_set *const set,
                                   tare_stats *const stats) {
  const size_t n_profiles = (size_t)stats->n_profiles, n = (size_t)stats->n_tensors * n_profiles;
  const int64_t dims[] = {stats->n_tensors, stats->n_profiles, set->n};
  char *block = NULL;
  const tare_status status =
      tarei_stats_read_array(r, set->path, set->is_float ? H5T_FLOAT : H5T_INTEGER,
                             set->is_float ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT64,
                             set->size / (size_t)set->n, 3 /* rank */, dims, &block);
  for (size_t i = 0; i < n && status == TARE_OK; i++) {
    tarei_accumulator *const a = &stats->tensors[i / n_profiles].buckets[i % n_profiles];
    memcpy((char *)a + set->offset, block + i * set->size, set->size);
  }
  free(block);
  return status;
}

static tare_status check_origins(const tarei_stats_reader *const r, const tare_stats *const stats,
                                 const tarei_accumulator *const a) {
  const tarei_ledger *const ledger = &stats->ledger;
  if (!tarei_origins_are_sound(&a->origins, a->min, a->max)) {
    return tarei_stats_bad(r, ORIGINS, "does not agree with the ranges of the tensors");
  }
  return !(a->min <= a->max) || (tarei_ledger_has(ledger, a->origins.min) &&
                                 tarei_ledger_has(ledger, a->origins.max))
             ? TARE_OK
             : tarei_stats_bad(r, ORIGINS, "names a sample that /ledger does not have");
}

/* Files before version 2.4 have none. */
tare_status tarei_stats_read_origins(const tarei_stats_reader *const r, tare_stats *const stats) {
  if (H5Lexists(r->file, ORIGINS, H5P_DEFAULT) <= 0) {
    return TARE_OK;
  }
  for (int i = 0; i < N_ORIGIN_SETS; i++) {
    TAREI_TRY(read_origin_set(r, &origin_sets[i], stats));
  }
  for (int t = 0; t < stats->n_tensors; t++) {
    for (int p = 0; p < stats->n_profiles; p++) {
      TAREI_TRY(check_origins(r, stats, &stats->tensors[t].buckets[p]));
    }
  }
  stats->has_origins = true;
  return TARE_OK;
}
