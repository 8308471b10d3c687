/* Prototypes of every row of kernels.inc; each kernel source includes this. */
#ifndef TAREI_KERNELS_REGISTRY_H
#define TAREI_KERNELS_REGISTRY_H

#include "kernels/kernels.h"

#define TAREI_FAMILY_TYPE(family, type) typedef type tarei_family_##family;
TAREI_KERNEL_FAMILIES(TAREI_FAMILY_TYPE)
#undef TAREI_FAMILY_TYPE

#define TAREI_KERNEL(family, name, isa) extern tarei_family_##family name;
#include "kernels/kernels.inc"
#undef TAREI_KERNEL

/* tarei_k_x and avx2 make tarei_k_x__avx2; TAREI_ISA_SUFFIX is set by the file that instantiates a
 * generic source. */
#define TAREI_K(name) TAREI_K_EXPAND(name, TAREI_ISA_SUFFIX)
#define TAREI_K_EXPAND(name, suffix) TAREI_K_PASTE(name, suffix)
#define TAREI_K_PASTE(name, suffix) name##__##suffix

/* A few instructions on registers: there is nothing to instrument, also in steps of products. */
#define TAREI_LANE static inline __attribute__((always_inline))

/* What reads and writes, instrumented and inlined everywhere, would take the compiler many minutes.
 * Portable lanes, sixteen times the code, are inlined where the compiler finds that worth it. */
#if defined(TAREI_KERNELS_INSTRUMENTED)
#define TAREI_INLINE static __attribute__((noinline, unused))
#elif defined(TAREI_V16_SCALAR)
#define TAREI_INLINE static inline
#else
#define TAREI_INLINE static inline __attribute__((always_inline))
#endif

/* The inner step of a product: where addresses are instrumented its block checks all that the steps
 * read at once, since a check of each access would take half of the time of all tests. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define TAREI_STEP static __attribute__((noinline, no_sanitize("address", "undefined")))
static inline void tarei_steps_read(const void *p, size_t bytes) {
  const volatile char *const bad =
      bytes ? __asan_region_is_poisoned((void *)(size_t)p, bytes) : NULL;
  if (bad) {
    (void)*bad; /* which is reported */
  }
}
#else
#define TAREI_STEP TAREI_INLINE
static inline void tarei_steps_read(const void *p, size_t bytes) {
  (void)p;
  (void)bytes;
}
#endif

#endif
