#include "calib/file/stats_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calib/file/stats_file.h"

#define SUMS "/sums"
#define PRODUCTS SUMS "/products/%d"
#define MEANS SUMS "/means/%d"
#define LOW SUMS "/min"
#define HIGH SUMS "/max"

enum { WORDS = 2 }; /* of a sum in fixed point, the low one first */

/* --- writing ---------------------------------------------------------------------------------- */

/* One number for each reader or tensor. */
static void put_list(tarei_stats_writer *const w, const char *const path, const int n,
                     const int64_t *const values) {
  const hsize_t dims[] = {(hsize_t)n};
  tarei_stats_put_array(w, path, H5T_STD_I64LE, H5T_NATIVE_INT64, 1 /* rank */, dims, values);
}

static void put_products(tarei_stats_writer *const w, const tarei_gram *const gram, const int i) {
  const size_t count = gram->sums ? tarei_gram_count(gram->k) : 0;
  char path[TAREI_STATS_NUMBERED_PATH];
  bool narrow = true;
  for (size_t s = 0; s < count; s++) {
    narrow = narrow && gram->sums[s] >= INT32_MIN && gram->sums[s] <= INT32_MAX;
  }
  (void)snprintf(path, sizeof path, PRODUCTS, i);
  const hsize_t dims[] = {(hsize_t)count};
  if (count) {
    tarei_stats_put_array(w, path, narrow ? H5T_STD_I32LE : H5T_STD_I64LE, H5T_NATIVE_INT64,
                          1 /* rank */, dims, gram->sums);
  }
}

static void put_means(tarei_stats_writer *const w, const tarei_input_sums *const sums,
                      const int i) {
  const hsize_t dims[] = {(hsize_t)sums->k, WORDS};
  char path[TAREI_STATS_NUMBERED_PATH];
  if (!sums->k) {
    return;
  }
  uint64_t *const words =
      (uint64_t *)(void *)tarei_stats_make_block(w, sums->k, WORDS * sizeof *words);
  for (size_t s = 0; words && s < sums->k; s++) {
    words[s * WORDS] = (uint64_t)sums->sums[s];
    words[s * WORDS + 1] = (uint64_t)(sums->sums[s] >> 64);
  }
  (void)snprintf(path, sizeof path, MEANS, i);
  tarei_stats_put_array(w, path, H5T_STD_U64LE, H5T_NATIVE_UINT64, WORDS /* rank */, dims, words);
  free(words);
}

static void put_grams(tarei_stats_writer *const w, const tarei_grams *const grams) {
  const size_t n = (size_t)grams->n;
  int64_t *const numbers = (int64_t *)(void *)tarei_stats_make_block(w, 4 * n, sizeof *numbers);
  for (size_t i = 0; numbers && i < n; i++) {
    numbers[i] = grams->all[i].k;
    numbers[n + i] = grams->all[i].n_rows;
    numbers[2 * n + i] = (int64_t)grams->inputs[i].k;
    numbers[3 * n + i] = grams->inputs[i].n_rows;
  }
  if (numbers) {
    put_list(w, SUMS "/inputs", grams->n, numbers);
    put_list(w, SUMS "/rows", grams->n, numbers + n);
    put_list(w, SUMS "/mean_inputs", grams->n, numbers + 2 * n);
    put_list(w, SUMS "/mean_rows", grams->n, numbers + 3 * n);
  }
  free(numbers);
  for (int i = 0; i < grams->n; i++) {
    put_products(w, &grams->all[i], i);
    put_means(w, &grams->inputs[i], i);
  }
}

/* Zero has no sign: which one came first depends on the order of the data. */
static void put_range(tarei_stats_writer *const w, const char *const group, const int number,
                      const int n_profiles, const int64_t n, const float *const values) {
  char path[TAREI_STATS_NUMBERED_PATH];
  const size_t count = (size_t)n * (size_t)n_profiles;
  const hsize_t dims[] = {(hsize_t)n_profiles, (hsize_t)n};
  float *const block = (float *)(void *)tarei_stats_make_block(w, count, sizeof *block);
  for (size_t i = 0; block && i < count; i++) {
    block[i] = values[i] + 0.0F;
  }
  (void)snprintf(path, sizeof path, "%s/%d", group, number);
  tarei_stats_put_array(w, path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2 /* rank */, dims, block);
  free(block);
}

static void put_channels(tarei_stats_writer *const w, const tarei_channels *const channels) {
  int64_t *const sizes =
      (int64_t *)(void *)tarei_stats_make_block(w, (size_t)channels->n, sizeof *sizes);
  for (int i = 0; sizes && i < channels->n; i++) {
    sizes[i] = channels->items[i].n;
  }
  put_list(w, SUMS "/channels", channels->n, sizes);
  free(sizes);
  for (int i = 0; i < channels->n; i++) {
    const tarei_channel_range *const range = &channels->items[i];
    put_range(w, LOW, i, channels->n_profiles, range->n, range->min);
    put_range(w, HIGH, i, channels->n_profiles, range->n, range->max);
  }
}

void tarei_stats_put_sums(tarei_stats_writer *const w, const tarei_sums *const sums) {
  static const char *const groups[] = {SUMS, SUMS "/products", SUMS "/means", LOW, HIGH};
  if (!sums) {
    return;
  }
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    tarei_stats_put_group(w, groups[i]);
  }
  put_grams(w, &sums->grams);
  put_channels(w, &sums->channels);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* *n: of the first list read -1, and then its length. */
static tare_status stats_sums_read_list(const tarei_stats_reader *const r, const char *const path,
                                        int64_t *const n, int64_t **const out) {
  hid_t set = H5I_INVALID_HID;
  TAREI_TRY(tarei_stats_open_set(r, path, H5T_INTEGER, 1 /* rank */, n, &set));
  (void)H5Dclose(set); /* was only looked at */
  char *block = NULL;
  const tare_status status = tarei_stats_read_array(r, path, H5T_INTEGER, H5T_NATIVE_INT64,
                                                    sizeof(int64_t), 1 /* rank */, n, &block);
  *out = (int64_t *)(void *)block;
  return status;
}

/* In the type that the file has, which cannot be larger than the file. */
static tare_status read_triangles(const tarei_stats_reader *const r, const char *const path,
                                  const size_t count, int64_t **const out) {
  hid_t set = H5I_INVALID_HID;
  const int64_t dims[] = {(int64_t)count};
  int64_t found[] = {(int64_t)count};
  TAREI_TRY(tarei_stats_open_set(r, path, H5T_INTEGER, 1 /* rank */, found, &set));
  const hid_t type = H5Dget_type(set);
  const bool narrow = H5Tget_size(type) <= sizeof(int32_t);
  (void)H5Tclose(type); /* were only looked at */
  (void)H5Dclose(set);
  char *block = NULL;
  const tare_status status = tarei_stats_read_array(
      r, path, H5T_INTEGER, narrow ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64,
      narrow ? sizeof(int32_t) : sizeof(int64_t), 1 /* rank */, dims, &block);
  if (status != TARE_OK || !narrow) {
    *out = (int64_t *)(void *)block;
    return status;
  }
  *out = tarei_calloc(count, sizeof **out);
  for (size_t i = 0; *out && i < count; i++) {
    int32_t sum;
    memcpy(&sum, block + i * sizeof sum, sizeof sum);
    (*out)[i] = sum;
  }
  free(block);
  return *out ? TARE_OK : tarei_fail_memory(r->err, path, count * sizeof **out);
}

static tare_status read_products(const tarei_stats_reader *const r, const int i, const int64_t k,
                                 const int64_t n_rows, tarei_gram *const gram) {
  char path[TAREI_STATS_NUMBERED_PATH];
  (void)snprintf(path, sizeof path, PRODUCTS, i);
  const size_t count = k > 0 && k <= INT32_MAX ? tarei_gram_count(k) : 0;
  if (k != 0 && (!count || count > INT64_MAX / sizeof(int64_t) || n_rows < 0)) {
    return tarei_stats_bad(r, SUMS "/inputs", "must be positive and below 2^31");
  }
  if (k == 0) {
    return TARE_OK;
  }
  gram->k = k;
  gram->n_rows = n_rows;
  return read_triangles(r, path, count, &gram->sums);
}

static tare_status read_means(const tarei_stats_reader *const r, const int i, const int64_t k,
                              const int64_t n_rows, tarei_input_sums *const sums) {
  char path[TAREI_STATS_NUMBERED_PATH];
  if (k == 0) {
    return TARE_OK;
  }
  if (k < 0 || k > INT32_MAX || n_rows < 0) {
    return tarei_stats_bad(r, SUMS "/mean_inputs", "must be positive and below 2^31");
  }
  (void)snprintf(path, sizeof path, MEANS, i);
  char *block = NULL;
  const int64_t dims[] = {k, WORDS};
  tare_status status = tarei_stats_read_array(r, path, H5T_INTEGER, H5T_NATIVE_UINT64,
                                              sizeof(uint64_t), 2 /* rank */, dims, &block);
  if (status == TARE_OK) {
    status = tarei_input_sums_init(sums, k, r->err);
  }
  for (size_t s = 0; status == TARE_OK && s < sums->k; s++) {
    uint64_t words[WORDS];
    memcpy(words, block + s * sizeof words, sizeof words);
    sums->sums[s] = (tarei_fixed)(int64_t)words[1] * ((tarei_fixed)1 << 64) + words[0];
  }
  sums->n_rows = status == TARE_OK ? n_rows : 0;
  free(block);
  return status;
}

static tare_status read_grams(const tarei_stats_reader *const r, tarei_grams *const grams) {
  static const char *const paths[] = {SUMS "/inputs", SUMS "/rows", SUMS "/mean_inputs",
                                      SUMS "/mean_rows"};
  enum { N_LISTS = sizeof paths / sizeof *paths };
  int64_t *lists[N_LISTS] = {0}, n = -1;
  tare_status status = TARE_OK;
  for (int l = 0; l < N_LISTS && status == TARE_OK; l++) {
    status = stats_sums_read_list(r, paths[l], &n, &lists[l]);
  }
  if (status == TARE_OK) {
    status = tarei_grams_init_empty(grams, (int)n, r->err);
  }
  for (int i = 0; i < n && status == TARE_OK; i++) {
    status = read_products(r, i, lists[0][i], lists[1][i], &grams->all[i]);
    if (status == TARE_OK) {
      status = read_means(r, i, lists[2][i], lists[3][i], &grams->inputs[i]);
    }
  }
  for (int l = 0; l < N_LISTS; l++) {
    free(lists[l]);
  }
  return status;
}

static tare_status read_range(const tarei_stats_reader *const r, const char *const group,
                              const int i, const int n_profiles, const int64_t n,
                              float *const out) {
  char path[TAREI_STATS_NUMBERED_PATH];
  char *block = NULL;
  const int64_t dims[] = {n_profiles, n};
  (void)snprintf(path, sizeof path, "%s/%d", group, i);
  const tare_status status = tarei_stats_read_array(r, path, H5T_FLOAT, H5T_NATIVE_FLOAT,
                                                    sizeof(float), 2 /* rank */, dims, &block);
  bool sound = true;
  for (int64_t c = 0; status == TARE_OK && c < n * n_profiles; c++) {
    memcpy(&out[c], block + (size_t)c * sizeof *out, sizeof *out);
    sound = sound && !isnan(out[c]);
  }
  free(block);
  TAREI_TRY(status);
  return sound ? TARE_OK : tarei_stats_bad(r, path, "must be numbers");
}

static tare_status stats_sums_read_channels(const tarei_stats_reader *const r,
                                            tarei_channels *const channels) {
  int64_t *sizes = NULL, n = -1;
  tare_status status = stats_sums_read_list(r, SUMS "/channels", &n, &sizes);
  for (int i = 0; i < n && status == TARE_OK; i++) {
    const int64_t size = sizes[i];
    status = size > 0 && (uint64_t)size <= r->file_size
                 ? tarei_channels_append(channels, -1 /* value */, -1 /* tensor */, size, r->err)
                 : tarei_stats_bad(r, SUMS "/channels", "must be positive and fit into the file");
    if (status == TARE_OK) {
      status = read_range(r, LOW, i, channels->n_profiles, size, channels->items[i].min);
    }
    if (status == TARE_OK) {
      status = read_range(r, HIGH, i, channels->n_profiles, size, channels->items[i].max);
    }
  }
  free(sizes);
  return status;
}

tare_status tarei_stats_read_sums(const tarei_stats_reader *const r, const int n_profiles,
                                  tarei_sums **const out) {
  if (H5Lexists(r->file, SUMS, H5P_DEFAULT) <= 0) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_sums_new(n_profiles, out, r->err));
  TAREI_TRY(read_grams(r, &(*out)->grams));
  return stats_sums_read_channels(r, &(*out)->channels);
}
