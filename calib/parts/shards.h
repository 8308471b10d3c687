/* Which parts of the data of a run statistics have counted. */
#ifndef TAREI_CALIB_PARTS_SHARDS_H
#define TAREI_CALIB_PARTS_SHARDS_H

#include "calib/stats.h"

/* Makes statistics those of one shard. The only one of 1 is no shard: it is all data. */
tare_status tarei_stats_set_shard(tare_stats *stats, int64_t shard, int64_t count, uint64_t data,
                                  tare_error *err);

tare_status tarei_shards_copy(tarei_shards *to, const tarei_shards *from, tare_error *err);
/* Whether both are parts of the same division of the same data. */
bool tarei_shards_belong(const tarei_shards *a, const tarei_shards *b);
/* A shard that both have, or -1. */
int64_t tarei_shards_common(const tarei_shards *a, const tarei_shards *b);
bool tarei_shards_has(const tarei_shards *shards, int64_t shard);
/* Adds shards of the same division, none of which are there. Once all are, it is none any more. */
tare_status tarei_shards_join(tarei_shards *shards, const tarei_shards *more, tare_error *err);

#endif
