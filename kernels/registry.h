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

/* Instrumented lanes inlined everywhere would take the compiler many minutes. */
#ifdef TAREI_KERNELS_INSTRUMENTED
#define TAREI_INLINE static __attribute__((noinline, unused))
#else
#define TAREI_INLINE static inline __attribute__((always_inline))
#endif

#endif
