#include "calib/file/stats_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/file/stats_file.h"
#include "graph/table/layer_numbers.h"

#define TAREI_STATS_VALUES "/%s/values/%d" /* member of a list (layer_numbers.inc), and number */

/* --- writing ---------------------------------------------------------------------------------- */

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

void tarei_stats_put_numbers(tarei_stats_writer *const w, const tare_stats *const stats) {
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    put_numbers(w, tarei_numbers_about_of((tarei_numbers_kind)k)->member, &stats->numbers[k]);
  }
}

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status accept_numbers(const tarei_stats_reader *const r, const char *const path,
                                  const tarei_numbers_kind kind, const float *const values,
                                  const int64_t n) {
  const char *rule;
  for (int64_t c = 0; c < n; c++) {
    if (!tarei_numbers_accept(kind, (double)values[c], &rule)) {
      return tarei_stats_bad(r, path, rule);
    }
  }
  return TARE_OK;
}

static tare_status read_values(const tarei_stats_reader *const r, const tarei_numbers_kind kind,
                               const int number, const char *const layer, const uint64_t hash,
                               tarei_numbers *const to) {
  char path[TAREI_STATS_NUMBERED_PATH];
  (void)snprintf(path, sizeof path, TAREI_STATS_VALUES, tarei_numbers_about_of(kind)->member,
                 number);
  hid_t set = H5I_INVALID_HID;
  int64_t n = -1;
  TAREI_TRY(tarei_stats_open_set(r, path, H5T_FLOAT, 1 /* rank */, &n, &set));
  (void)H5Dclose(set); /* was only looked at */
  char *block = NULL;
  tare_status status = n > 0 ? tarei_stats_read_array(r, path, H5T_FLOAT, H5T_NATIVE_FLOAT,
                                                      sizeof(float), 1 /* rank */, &n, &block)
                             : tarei_stats_bad(r, path, "must have a number for each channel");
  const float *const values = (const float *)(const void *)block;
  if (status == TARE_OK) {
    status = accept_numbers(r, path, kind, values, n);
  }
  if (status == TARE_OK) {
    status = tarei_numbers_add(to, layer, n, hash, values, r->err);
  }
  free(block);
  return status;
}

static tare_status read_layer_numbers(const tarei_stats_reader *const r,
                                      const tarei_numbers_kind kind, const char *const path,
                                      const tarei_stats_texts *const layers,
                                      const char *const hashes, tarei_numbers *const to) {
  for (int i = 0; i < layers->n; i++) {
    char *layer = NULL;
    uint64_t hash;
    memcpy(&hash, hashes + (size_t)i * sizeof hash, sizeof hash);
    TAREI_TRY(tarei_stats_take_text(r, layers, i, &layer));
    const bool ordered = i == 0 || strcmp(to->items[i - 1].layer, layer) < 0;
    const tare_status status =
        ordered ? read_values(r, kind, i, layer, hash, to)
                : tarei_stats_bad(r, path, "must be sorted and without duplicates");
    free(layer);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

static tare_status read_list(const tarei_stats_reader *const r, const tarei_numbers_kind kind,
                             tarei_numbers *const to) {
  const char *const member = tarei_numbers_about_of(kind)->member;
  char path[TAREI_STATS_NUMBERED_PATH], hash[TAREI_STATS_NUMBERED_PATH];
  (void)snprintf(path, sizeof path, "/%s", member);
  if (H5Lexists(r->file, path, H5P_DEFAULT) <= 0) {
    return TARE_OK;
  }
  (void)snprintf(path, sizeof path, "/%s/layer", member);
  (void)snprintf(hash, sizeof hash, "/%s/hash", member);
  tarei_stats_texts layers;
  TAREI_TRY(tarei_stats_read_texts(r, path, -1, &layers));
  const int64_t dims[] = {layers.n};
  char *hashes = NULL;
  tare_status status = tarei_stats_read_array(r, hash, H5T_INTEGER, H5T_NATIVE_UINT64,
                                              sizeof(uint64_t), 1 /* rank */, dims, &hashes);
  if (status == TARE_OK) {
    status = read_layer_numbers(r, kind, path, &layers, hashes, to);
  }
  free(layers.block);
  free(hashes);
  return status;
}

tare_status tarei_stats_read_numbers(const tarei_stats_reader *const r, tare_stats *const stats) {
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    TAREI_TRY(read_list(r, (tarei_numbers_kind)k, &stats->numbers[k]));
  }
  return TARE_OK;
}
