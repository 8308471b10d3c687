/* Samples as users of the library see them. */
#include <tare/evidence.h>

#include "calib/stats.h"

static tare_sample_id sample_id_of(const tarei_sample_hash hash) {
  return (tare_sample_id){.high = hash.high, .low = hash.low};
}

tare_sample_id tare_sample_identify(const tare_sample *const sample, const int n_inputs) {
  return sample_id_of(tarei_sample_hash_of(sample->tensors, n_inputs));
}

bool tare_sample_id_equal(const tare_sample_id a, const tare_sample_id b) {
  return a.high == b.high && a.low == b.low;
}

bool tare_stats_origin(const tare_stats *const stats, const int tensor, const int profile,
                       tare_sample_id *const min, tare_sample_id *const max) {
  if (!tarei_has_number(tensor, stats->n_tensors)) {
    return false;
  }
  if (!tarei_has_number(profile, stats->n_profiles)) {
    return false;
  }
  const tarei_accumulator *const a = &stats->tensors[tensor].buckets[profile];
  *min = sample_id_of(a->origins.min);
  *max = sample_id_of(a->origins.max);
  return stats->has_origins && a->min <= a->max;
}
