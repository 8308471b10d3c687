#include "engine/samples/sample_hash.h"

#include <xxhash.h>

/* What a hash is made of, tensor after tensor; without padding. */
typedef struct sample_record {
  tarei_sample_hash before, contents;
  int64_t dtype, rank;
  int64_t dims[TARE_MAX_RANK];
} sample_record;

static tarei_sample_hash sample_hash_bytes(const void *const data, const size_t bytes) {
  const XXH128_hash_t hash = XXH3_128bits(data, bytes);
  return (tarei_sample_hash){.high = hash.high64, .low = hash.low64};
}

tarei_sample_hash tarei_sample_hash_of(const tare_tensor *const tensors, const int n_tensors) {
  tarei_sample_hash sum = {0};
  for (int i = 0; i < n_tensors; i++) {
    const tare_tensor *const t = &tensors[i];
    const size_t bytes = (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
    sample_record r = {
        .before = sum, .contents = sample_hash_bytes(t->data, bytes), .dtype = t->dtype};
    int first = 0;
    while (first < t->rank && t->dims[first] == 1) {
      first++;
    }
    for (int d = first; d < t->rank; d++) {
      r.dims[r.rank++] = t->dims[d];
    }
    sum = sample_hash_bytes(&r, sizeof r);
  }
  return sum;
}

tarei_sample_hash tarei_sample_hash_join(const tarei_sample_hash before, const void *const data,
                                         const size_t bytes) {
  const tarei_sample_hash both[] = {before, sample_hash_bytes(data, bytes)};
  return sample_hash_bytes(both, sizeof both);
}

int tarei_sample_hash_order(const tarei_sample_hash *const a, const tarei_sample_hash *const b) {
  return a->high != b->high ? (a->high < b->high ? -1 : 1)
         : a->low != b->low ? (a->low < b->low ? -1 : 1)
                            : 0;
}
