#include "engine/samples/noise.h"

#include <xxhash.h>

#include "engine/context_parts.h"

uint64_t tarei_noise_join(const uint64_t place, const uint64_t number) {
  return XXH64(&number, sizeof number, place);
}

void tarei_noise_begin(tare_context *const c, const tare_tensor *const inputs) {
  if (!c->plan->draws) {
    return;
  }
  const tarei_sample_hash sample =
      c->has_sample ? c->sample : tarei_sample_hash_of(inputs, c->plan->root.graph->n_inputs);
  const uint64_t run = c->has_sample ? (uint64_t)c->sample_run : 0;
  const uint64_t halves = tarei_noise_join(tarei_noise_join(c->seed, sample.high), sample.low);
  c->root.noise = tarei_noise_join(halves, run);
}
