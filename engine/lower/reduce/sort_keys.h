/*
 * Keys that compare as the elements they stand for, whatever their type: one sort serves all.
 * Larger elements have larger keys; zeros of both signs are equal, and a NaN is larger than any
 * number.
 */
#ifndef TAREI_ENGINE_LOWER_REDUCE_SORT_KEYS_H
#define TAREI_ENGINE_LOWER_REDUCE_SORT_KEYS_H

#include "engine/step.h"

/* Keys of n elements of a tensor, the first at `at`, each `stride` elements behind the last. */
typedef void tarei_sort_keys_fn(const void *data, size_t at, size_t stride, size_t n,
                                uint64_t *keys);

/* The function for a type; NULL where there is none (16-bit floats). */
tarei_sort_keys_fn *tarei_sort_keys_of(tare_dtype dtype);

#endif
