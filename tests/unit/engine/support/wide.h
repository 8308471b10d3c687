/* Integers of every type as numbers of 128 bits. */
#ifndef TAREI_TESTS_UNIT_ENGINE_SUPPORT_WIDE_H
#define TAREI_TESTS_UNIT_ENGINE_SUPPORT_WIDE_H

#include <string.h>

#include "unit/engine/support/one_node.h"

typedef __int128 wide;

static const tare_dtype integers[] = {TARE_I8, TARE_I16, TARE_I32, TARE_I64,
                                      TARE_U8, TARE_U16, TARE_U32, TARE_U64};
enum { N_INTEGERS = sizeof integers / sizeof *integers };

static inline bool is_signed(const tare_dtype dtype) {
  return dtype == TARE_I8 || dtype == TARE_I16 || dtype == TARE_I32 || dtype == TARE_I64;
}

static inline wide integer_at(const tare_tensor *const x, const size_t i) {
  const size_t size = tare_dtype_size(x->dtype);
  uint64_t bits = 0;
  memcpy(&bits, (const char *)x->data + i * size, size);
  const bool negative = is_signed(x->dtype) && bits >> (8 * size - 1);
  return (wide)bits - (negative ? (wide)1 << (8 * size) : 0);
}

static inline void put_integer(const tare_tensor *const x, const size_t i, const wide value) {
  const size_t size = tare_dtype_size(x->dtype);
  const uint64_t bits = (uint64_t)value;
  memcpy((char *)x->data + i * size, &bits, size); /* little endian */
}

/* What is left of a result in this type. */
static inline wide wrapped(const tare_dtype dtype, const wide value) {
  uint64_t bits = 0;
  const tare_tensor one = {.dtype = dtype, .data = &bits};
  put_integer(&one, 0, value);
  return integer_at(&one, 0);
}

/* Small numbers, and the ends of the type. */
static inline wide some_integer(const tare_dtype dtype) {
  const wide half = (wide)1 << (8 * tare_dtype_size(dtype) - 1);
  const wide ends[] = {0, 1, -1, half, half - 1, half + 1};
  return wrapped(dtype,
                 one_node_between(0, 3) ? one_node_between(-9, 9) : ends[one_node_between(0, 5)]);
}

static inline void fill_integers(const tare_tensor *const x, const bool with_zero) {
  for (size_t i = 0; i < (size_t)tare_tensor_count(x); i++) {
    const wide value = some_integer(x->dtype);
    put_integer(x, i, value == 0 && !with_zero ? 1 : value);
  }
}

#endif
