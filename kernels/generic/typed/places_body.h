/* Where indices of an axis point to. Plain loops, of which the compiler makes vectors for each ISA.
 */
#include "kernels/generic/v16.h"

/* What is outside leaves a sign in one of the two distances to the ends of the axis. */
#define PLACES_AT(place)                                                    \
  for (size_t i = 0; i < n; i++) {                                          \
    const int64_t index = indices[i];                                       \
    const uint64_t at = (uint64_t)index + ((uint64_t)(index >> 63) & size); \
    outside |= at | (size - 1 - at);                                        \
    places[i] = (int64_t)(place);                                           \
  }
/* Products of 64 bits take long where vectors have none. */
#define PLACES(name, type)                                                         \
  static bool TAREI_K(name)(const type *indices, size_t n, const tarei_placing *p, \
                            int64_t *places) {                                     \
    const uint64_t size = (uint64_t)p->size, stride = (uint64_t)p->stride;         \
    const uint64_t beside = (uint64_t)p->beside;                                   \
    uint64_t outside = 0;                                                          \
    if (stride == 1 && beside == 0) {                                              \
      PLACES_AT(at)                                                                \
    } else {                                                                       \
      PLACES_AT(at *stride + i * beside)                                           \
    }                                                                              \
    return outside >> 63 == 0;                                                     \
  }
PLACES(places_of_i32, int32_t)
PLACES(places_of_i64, int64_t)
#undef PLACES
#undef PLACES_AT

bool TAREI_K(tarei_k_places_any_1)(tare_dtype dtype, const void *indices, size_t n,
                                   const tarei_placing *p, int64_t *places) {
  return dtype == TARE_I64 ? TAREI_K(places_of_i64)(indices, n, p, places)
                           : TAREI_K(places_of_i32)(indices, n, p, places);
}
