#include "calib/file/stats_roundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calib/file/stats_file.h"

#define TAREI_STATS_UP "/rounding/up/" /* and the number of a layer */

/* --- writing ---------------------------------------------------------------------------------- */

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

void tarei_stats_put_roundings(tarei_stats_writer *const w, const tare_stats *const stats) {
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

/* --- reading ---------------------------------------------------------------------------------- */

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

tare_status tarei_stats_read_roundings(const tarei_stats_reader *const r, tare_stats *const stats) {
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
