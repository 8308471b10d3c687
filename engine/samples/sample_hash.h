/* What a sample is: a 128-bit hash of its tensors. Samples with the same contents have the same
 * hash, whatever their names and their order. */
#ifndef TAREI_ENGINE_SAMPLES_SAMPLE_HASH_H
#define TAREI_ENGINE_SAMPLES_SAMPLE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <tare/tensor.h>

typedef struct tarei_sample_hash {
  uint64_t high, low;
} tarei_sample_hash;

/* Of the tensors of a sample as it was read: element types, dims (but for leading ones, which data
 * may leave out), contents. */
tarei_sample_hash tarei_sample_hash_of(const tare_tensor *tensors, int n_tensors);

/* Of bytes behind what another hash is of. */
tarei_sample_hash tarei_sample_hash_join(tarei_sample_hash before, const void *data, size_t bytes);

/* Below 0, 0 or above 0, as for qsort. */
int tarei_sample_hash_order(const tarei_sample_hash *a, const tarei_sample_hash *b);

#endif
