#include "calib/parts/shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static tare_status add_shard(tarei_shards *const shards, const int64_t shard,
                             tare_error *const err) {
  if (!TAREI_GROW(shards->items, shards->n, shards->cap)) {
    return tarei_fail_memory(err, "shards", shards->n * sizeof *shards->items);
  }
  size_t at = shards->n++;
  for (; at > 0 && shards->items[at - 1] > shard; at--) {
    shards->items[at] = shards->items[at - 1];
  }
  shards->items[at] = shard;
  return TARE_OK;
}

static void drop_complete(tarei_shards *const shards) {
  if ((int64_t)shards->n == shards->count) {
    free(shards->items);
    *shards = (tarei_shards){0};
  }
}

tare_status tarei_stats_set_shard(tare_stats *const stats, const int64_t shard, const int64_t count,
                                  const uint64_t data, tare_error *const err) {
  stats->shards.count = count;
  stats->shards.data = data;
  TAREI_TRY(add_shard(&stats->shards, shard, err));
  drop_complete(&stats->shards);
  return TARE_OK;
}

tare_status tarei_shards_copy(tarei_shards *const to, const tarei_shards *const from,
                              tare_error *const err) {
  to->count = from->count;
  to->data = from->data;
  for (size_t i = 0; i < from->n; i++) {
    TAREI_TRY(add_shard(to, from->items[i], err));
  }
  return TARE_OK;
}

bool tarei_shards_belong(const tarei_shards *const a, const tarei_shards *const b) {
  return a->count == b->count && a->data == b->data;
}

int64_t tarei_shards_common(const tarei_shards *const a, const tarei_shards *const b) {
  for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
    if (a->items[i] == b->items[k]) {
      return a->items[i];
    }
    const bool first = a->items[i] < b->items[k];
    i += first;
    k += !first;
  }
  return -1;
}

static int by_shard_number(const void *const a, const void *const b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

bool tarei_shards_has(const tarei_shards *const shards, const int64_t shard) {
  return shards->n &&
         bsearch(&shard, shards->items, shards->n, sizeof *shards->items, by_shard_number) != NULL;
}

tare_status tarei_shards_join(tarei_shards *const shards, const tarei_shards *const more,
                              tare_error *const err) {
  for (size_t i = 0; i < more->n; i++) {
    TAREI_TRY(add_shard(shards, more->items[i], err));
  }
  drop_complete(shards);
  return TARE_OK;
}
