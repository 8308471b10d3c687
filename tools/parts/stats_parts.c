#include "tools/parts/stats_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/cli.h"

/* "0, 2 to 5"; the caller frees it. */
static char *stats_missing_shards(const tare_stats *const stats, int64_t *const n_missing) {
  const int64_t n = tare_stats_n_shards(stats);
  *n_missing = 0;
  char *text = cli_format("%s", "");
  for (int64_t i = 0; i < n; i++) {
    int64_t last = i;
    if (tare_stats_has_shard(stats, i)) {
      continue;
    }
    while (last + 1 < n && !tare_stats_has_shard(stats, last + 1)) {
      last++;
    }
    text = cli_append(text, "%s%" PRId64, *text ? ", " : "", i);
    if (last > i) {
      text = cli_append(text, "%s%" PRId64, last > i + 1 ? " to " : ", ", last);
    }
    *n_missing += last - i + 1;
    i = last;
  }
  return text;
}

char *stats_why_partial(const tare_stats *const stats) {
  const int64_t n = tare_stats_n_shards(stats);
  if (tare_stats_is_partial(stats)) {
    return cli_format("a checkpoint of a calibration that did not end");
  }
  if (!n) {
    return NULL;
  }
  int64_t n_missing;
  char *const missing = stats_missing_shards(stats, &n_missing);
  char *const text = cli_format("shard%s %s of %" PRId64 " %s missing", cli_s(n_missing), missing,
                                n, n_missing == 1 ? "is" : "are");
  free(missing);
  return text;
}

void stats_parts_json(cJSON *const object, const tare_stats *const stats) {
  const int64_t n = tare_stats_n_shards(stats);
  json_int(object, "counted", tare_stats_n_counted(stats));
  json_bool(object, "partial", tare_stats_is_partial(stats));
  json_bool(object, "undecided", tare_stats_is_undecided(stats));
  if (n) {
    json_int(object, "shards", n);
    cJSON *const missing = json_add(object, "missing_shards", json_array());
    for (int64_t i = 0; i < n; i++) {
      if (!tare_stats_has_shard(stats, i)) {
        json_int(missing, NULL, i);
      }
    }
  }
}
