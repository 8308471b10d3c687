/* Instruction sets, as bits of a mask. */
#ifndef TAREI_KERNELS_FAMILIES_ISA_H
#define TAREI_KERNELS_FAMILIES_ISA_H

#include <stdbool.h>

typedef enum tarei_isa {
  TAREI_ISA_SCALAR = 0,
  TAREI_ISA_AVX2 = 1u << 0, /* with FMA and F16C */
  TAREI_ISA_AVXVNNI = 1u << 1,
  TAREI_ISA_AVX512 = 1u << 2, /* F, BW, VL, DQ */
  TAREI_ISA_AVX512VNNI = 1u << 3,
  TAREI_ISA_AVX512VBMI = 1u << 4,
  TAREI_ISA_AMXBF16 = 1u << 5,
  TAREI_ISA_AMXINT8 = 1u << 6,
  TAREI_ISA_NEON = 1u << 7,
  TAREI_ISA_NEONDOT = 1u << 8,  /* sdot, udot */
  TAREI_ISA_NEONI8MM = 1u << 9, /* usdot */
  TAREI_ISA_ANY = ~0u >> 1,     /* those of any machine */
  TAREI_ISA_ALL = ~0u,          /* those of this one */
} tarei_isa;

unsigned tarei_isa_detect(void);              /* CPU and operating system; cached, thread-safe */
const char *tarei_isa_name(unsigned one_bit); /* "avx512vnni"; "scalar" for 0 */
/* Mask for a list like "scalar", "avx2", "avx512vnni" or "native": the named ISA and all it
 * implies. False when a name is unknown. */
bool tarei_isa_parse(const char *text, unsigned *mask);
/* Whether what is built for a mask multiplies bytes as words, hardly faster than floats: AVX2
 * without VNNI. */
bool tarei_isa_widens_bytes(unsigned mask);
const char *tarei_isa_at(int number); /* the names that parse knows; NULL out of range */
const char *tarei_isa_choices(void);  /* "scalar, avx2, ...", what parse knows, for messages */

#endif
