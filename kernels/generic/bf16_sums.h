/* Products of bf16 where no instruction makes them: in float, with results below the normal range
 * set to zero as they are rounded. */
#ifndef TAREI_KERNELS_GENERIC_BF16_SUMS_H
#define TAREI_KERNELS_GENERIC_BF16_SUMS_H

#include "kernels/registry.h"

/* The sums of row m of one panel, by the definition in kernels/kernels.h, slowly. */
void tarei_bf16_sums(const tarei_bf16_gemm *g, size_t m, size_t panel, float *sums);

#if defined(__aarch64__)
/* Arm decides before rounding whether a result is below the normal range, which differs for those
 * that round up to its border. It records that there was one at all. */
enum { FLUSH_TO_ZERO = 1 << 24, UNDERFLOWN = 1 << 3 };
typedef uint64_t float_mode;

static inline float_mode flush_begin(void) {
  uint64_t mode, state;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(mode), "=r"(state)::"memory");
  __asm__ volatile("msr fpsr, %0\n\tmsr fpcr, %1" ::"r"(state & ~(uint64_t)UNDERFLOWN),
                   "r"(mode | FLUSH_TO_ZERO)
                   : "memory");
  return mode;
}

/* Are the results certain? */
static inline bool flush_end(float_mode before) {
  uint64_t state;
  __asm__ volatile("mrs %0, fpsr\n\tmsr fpcr, %1" : "=&r"(state) : "r"(before) : "memory");
  return !(state & UNDERFLOWN);
}
#elif defined(__x86_64__)
#include <xmmintrin.h>

enum { FLUSH_TO_ZERO = 1 << 15, SUBNORMALS_ARE_ZEROS = 1 << 6 };
typedef unsigned float_mode;

static inline float_mode flush_begin(void) {
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | FLUSH_TO_ZERO | SUBNORMALS_ARE_ZEROS);
  return mode;
}

/* Are the results certain? */
static inline bool flush_end(float_mode before) {
  _mm_setcsr(before);
  return true;
}
#endif

#endif
