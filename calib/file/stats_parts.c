#include "calib/file/stats_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SETTINGS "/settings"
#define SAMPLES "/ledger"
#define SHARDS "/shards"

static_assert(sizeof(tarei_sample_hash) == 2 * sizeof(uint64_t), "stored as they lie in memory");

static void put_shards(tarei_stats_writer *const w, const tarei_shards *const shards) {
  if (!shards->count) {
    return;
  }
  const hsize_t dims[] = {(hsize_t)shards->n};
  tarei_stats_put_number(w, "shard_count", (uint64_t)shards->count);
  tarei_stats_put_number(w, "shard_data", shards->data);
  tarei_stats_put_array(w, SHARDS, H5T_STD_I64LE, H5T_NATIVE_INT64, 1 /* rank */, dims,
                        shards->items);
}

void tarei_stats_put_parts(tarei_stats_writer *const w, const tare_stats *const stats) {
  const tarei_settings *const s = &stats->settings;
  if (stats->partial) {
    tarei_stats_put_number(w, "partial", 1);
  }
  static const tarei_setting none;
  const tarei_setting *const first = s->n > 0 ? s->items : &none;
  tarei_stats_put_group(w, SETTINGS);
  tarei_stats_put_texts(w, SETTINGS "/name", s->n, (const char *const *)&first->name,
                        sizeof *first);
  tarei_stats_put_texts(w, SETTINGS "/value", s->n, (const char *const *)&first->value,
                        sizeof *first);
  if (stats->has_ledger) {
    const hsize_t dims[] = {(hsize_t)stats->ledger.n, 2};
    tarei_stats_put_array(w, SAMPLES, H5T_STD_U64LE, H5T_NATIVE_UINT64, 2 /* rank */, dims,
                          stats->ledger.items);
  }
  put_shards(w, &stats->shards);
}

static tare_status take_settings(const tarei_stats_reader *const r,
                                 const tarei_stats_texts *const names,
                                 const tarei_stats_texts *const values, tarei_settings *const out) {
  for (int i = 0; i < names->n; i++) {
    char *name = NULL, *value = NULL;
    tare_status status = tarei_stats_take_text(r, names, i, &name);
    if (status == TARE_OK) {
      status = tarei_stats_take_text(r, values, i, &value);
    }
    if (status == TARE_OK) {
      status =
          !*value || (i > 0 && strcmp(out->items[i - 1].name, name) >= 0)
              ? tarei_stats_bad(r, SETTINGS, "must be sorted, without duplicates or empty texts")
              : tarei_settings_add(out, name, value, r->err);
    }
    free(name);
    free(value);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

static tare_status read_settings(const tarei_stats_reader *const r, tarei_settings *const out) {
  tarei_stats_texts names = {0}, values = {0};
  tare_status status = tarei_stats_read_texts(r, SETTINGS "/name", -1, &names);
  if (status == TARE_OK) {
    status = tarei_stats_read_texts(r, SETTINGS "/value", names.n, &values);
  }
  if (status == TARE_OK) {
    status = take_settings(r, &names, &values, out);
  }
  free(names.block);
  free(values.block);
  return status;
}

/* The length of a list in the file. */
static tare_status parts_length(const tarei_stats_reader *const r, const char *const path,
                                const int rank, int64_t *const dims) {
  hid_t set = H5I_INVALID_HID;
  TAREI_TRY(tarei_stats_open_set(r, path, H5T_INTEGER, rank, dims, &set));
  (void)H5Dclose(set); /* was only looked at */
  return TARE_OK;
}

static tare_status read_ledger(const tarei_stats_reader *const r, tare_stats *const stats) {
  int64_t dims[] = {-1, 2};
  char *block = NULL;
  TAREI_TRY(parts_length(r, SAMPLES, 2 /* rank */, dims));
  const tare_status status = tarei_stats_read_array(r, SAMPLES, H5T_INTEGER, H5T_NATIVE_UINT64,
                                                    sizeof(uint64_t), 2 /* rank */, dims, &block);
  stats->ledger = (tarei_ledger){.items = (tarei_sample_hash *)(void *)block,
                                 .n = status == TARE_OK ? (size_t)dims[0] : 0,
                                 .cap = status == TARE_OK ? (size_t)dims[0] : 0};
  stats->has_ledger = true;
  TAREI_TRY(status);
  return tarei_ledger_is_sorted(&stats->ledger) ? TARE_OK
                                                : tarei_stats_bad(r, SAMPLES, "must be sorted");
}

static tare_status read_shards(const tarei_stats_reader *const r, tarei_shards *const out) {
  uint64_t count = 0;
  int64_t length = -1;
  char *block = NULL;
  TAREI_TRY(tarei_stats_need_number(r, "shard_count", &count));
  TAREI_TRY(tarei_stats_need_number(r, "shard_data", &out->data));
  TAREI_TRY(parts_length(r, SHARDS, 1 /* rank */, &length));
  const tare_status status = tarei_stats_read_array(r, SHARDS, H5T_INTEGER, H5T_NATIVE_INT64,
                                                    sizeof(int64_t), 1 /* rank */, &length, &block);
  out->items = (int64_t *)(void *)block;
  TAREI_TRY(status);
  out->n = out->cap = (size_t)length;
  out->count = (int64_t)count;
  bool sound = count >= 1 && count <= INT64_MAX;
  for (size_t i = 0; sound && i < out->n; i++) {
    sound = out->items[i] >= 0 && out->items[i] < out->count &&
            (i == 0 || out->items[i - 1] < out->items[i]);
  }
  return sound ? TARE_OK
               : tarei_stats_bad(r, SHARDS, "must be ascending, from 0 to below shard_count");
}

/* Files before version 2.3 have none of it. */
tare_status tarei_stats_read_parts(const tarei_stats_reader *const r, tare_stats *const stats) {
  uint64_t partial = 0;
  tarei_stats_find_number(r, "partial", &partial);
  stats->partial = partial != 0;
  if (H5Lexists(r->file, SETTINGS, H5P_DEFAULT) > 0) {
    TAREI_TRY(read_settings(r, &stats->settings));
  }
  if (H5Lexists(r->file, SAMPLES, H5P_DEFAULT) > 0) {
    TAREI_TRY(read_ledger(r, stats));
  }
  return H5Aexists(r->file, "shard_count") > 0 ? read_shards(r, &stats->shards) : TARE_OK;
}
