#include "calib/file/stats_smoothings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/file/stats_file.h"
#include "graph/table/smoothing.h"

#define TAREI_STATS_EXPONENTS "/smoothing/exponents/" /* and the number of a tensor */

/* --- writing ---------------------------------------------------------------------------------- */

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

void tarei_stats_put_smoothings(tarei_stats_writer *const w, const tare_stats *const stats) {
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

/* --- reading ---------------------------------------------------------------------------------- */

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

tare_status tarei_stats_read_smoothings(const tarei_stats_reader *const r,
                                        tare_stats *const stats) {
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
