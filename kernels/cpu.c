/* What the CPU offers and the operating system saves on a context switch. */
#include <stdatomic.h>
#include <string.h>

#include "kernels/kernels.h"

/* X(name, bit of the ISA itself, bits of all it implies) */
#define ISAS(X)                                                                                   \
  X("scalar", TAREI_ISA_SCALAR, 0)                                                                \
  X("avx2", TAREI_ISA_AVX2, 0)                                                                    \
  X("avxvnni", TAREI_ISA_AVXVNNI, TAREI_ISA_AVX2)                                                 \
  X("avx512", TAREI_ISA_AVX512, TAREI_ISA_AVX2)                                                   \
  X("avx512vnni", TAREI_ISA_AVX512VNNI, TAREI_ISA_AVX2 | TAREI_ISA_AVX512)                        \
  X("avx512vbmi", TAREI_ISA_AVX512VBMI, TAREI_ISA_AVX2 | TAREI_ISA_AVX512 | TAREI_ISA_AVX512VNNI) \
  X("amxbf16", TAREI_ISA_AMXBF16, TAREI_ISA_AVX2 | TAREI_ISA_AVX512)                              \
  X("amxint8", TAREI_ISA_AMXINT8,                                                                 \
    TAREI_ISA_AVX2 | TAREI_ISA_AVX512 | TAREI_ISA_AVX512VNNI | TAREI_ISA_AVX512VBMI)              \
  X("neon", TAREI_ISA_NEON, 0)                                                                    \
  X("neondot", TAREI_ISA_NEONDOT, TAREI_ISA_NEON)                                                 \
  X("neoni8mm", TAREI_ISA_NEONI8MM, TAREI_ISA_NEON | TAREI_ISA_NEONDOT)                           \
  X("any", TAREI_ISA_ANY, 0)                                                                      \
  X("native", TAREI_ISA_ALL, 0)

static const struct {
  const char *name;
  unsigned bit, mask;
} isas[] = {
#define ISA(name, bit, implied) {name, bit, (unsigned)bit | (implied)},
    ISAS(ISA)
#undef ISA
};
enum { N_ISAS = sizeof isas / sizeof *isas };

#if defined(__x86_64__)
#include <cpuid.h>
#ifndef bit_AMX_TILE /* the names of clang 14 */
#define bit_AMX_TILE bit_AMXTILE
#define bit_AMX_BF16 bit_AMXBF16
#define bit_AMX_INT8 bit_AMXINT8
#endif

#include <sys/syscall.h>
#include <unistd.h>

enum { STATE_YMM = 0x06, STATE_ZMM = 0xe6, STATE_TILES = 0x60000 };
enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 }; /* of <asm/prctl.h>, Linux 5.16 */

/* Register states the operating system has switched on; 0 when it cannot be asked. */
static unsigned os_states(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) {
    return 0;
  }
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static bool has_all(unsigned flags, unsigned wanted) {
  return (flags & wanted) == wanted;
}

static unsigned detect_avx512(unsigned states, unsigned leaf7_ebx, unsigned leaf7_ecx) {
  const unsigned base = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ;
  if (!has_all(states, STATE_ZMM) || !has_all(leaf7_ebx, base)) {
    return 0;
  }
  const unsigned with_vbmi = bit_AVX512VNNI | bit_AVX512VBMI;
  return TAREI_ISA_AVX512 | (leaf7_ecx & bit_AVX512VNNI ? TAREI_ISA_AVX512VNNI : 0) |
         (has_all(leaf7_ecx, with_vbmi) ? TAREI_ISA_AVX512VBMI : 0);
}

/* Linux gives the tiles' registers only to processes that ask. */
static bool may_use_tiles(unsigned states) {
  return has_all(states, STATE_TILES) &&
         syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}

static unsigned detect(void) {
  const unsigned states = os_states();
  unsigned a, b, c, d, b7, c7;
  if (!has_all(states, STATE_YMM) || !__get_cpuid(1, &a, &b, &c, &d) ||
      !has_all(c, bit_FMA | bit_F16C) || !__get_cpuid_count(7, 0, &a, &b7, &c7, &d) ||
      !(b7 & bit_AVX2)) {
    return TAREI_ISA_SCALAR;
  }
  unsigned found = TAREI_ISA_AVX2 | detect_avx512(states, b7, c7);
  if (found & TAREI_ISA_AVX512 && d & bit_AMX_TILE && may_use_tiles(states)) {
    found |= d & bit_AMX_BF16 ? TAREI_ISA_AMXBF16 : 0;
    found |= found & TAREI_ISA_AVX512VBMI && d & bit_AMX_INT8 ? TAREI_ISA_AMXINT8 : 0;
  }
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) && a & bit_AVXVNNI) {
    found |= TAREI_ISA_AVXVNNI;
  }
  return found;
}
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

static unsigned detect(void) {
  unsigned found = TAREI_ISA_NEON;
  if (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) {
    found |= TAREI_ISA_NEONDOT;
    found |= getauxval(AT_HWCAP2) & HWCAP2_I8MM ? TAREI_ISA_NEONI8MM : 0;
  }
  return found;
}
#else
static unsigned detect(void) {
  return TAREI_ISA_SCALAR;
}
#endif

unsigned tarei_isa_detect(void) {
  static _Atomic unsigned cached; /* the mask plus one; detecting twice does no harm */
  const unsigned seen = atomic_load_explicit(&cached, memory_order_relaxed);
  if (seen) {
    return seen - 1;
  }
  const unsigned found = detect();
  atomic_store_explicit(&cached, found + 1, memory_order_relaxed);
  return found;
}

bool tarei_isa_widens_bytes(const unsigned mask) {
  const unsigned isa = mask == TAREI_ISA_ALL ? tarei_isa_detect() : mask;
  const unsigned dots = TAREI_ISA_AVXVNNI | TAREI_ISA_AVX512VNNI | TAREI_ISA_AMXINT8;
  return isa & TAREI_ISA_AVX2 && !(isa & dots);
}

const char *tarei_isa_choices(void) {
#define CHOICE(name, bit, implied) ", " name
  static const char choices[] = ISAS(CHOICE);
#undef CHOICE
  return choices + 2;
}

const char *tarei_isa_at(const int number) {
  return number >= 0 && number < N_ISAS ? isas[number].name : NULL;
}

const char *tarei_isa_name(unsigned one_bit) {
  for (int i = 0; i < N_ISAS; i++) {
    if (isas[i].bit == one_bit) {
      return isas[i].name;
    }
  }
  return "unknown";
}

static bool parse_one(const char *text, size_t length, unsigned *mask) {
  for (int i = 0; i < N_ISAS; i++) {
    if (strlen(isas[i].name) == length && !memcmp(isas[i].name, text, length)) {
      *mask |= isas[i].mask;
      return true;
    }
  }
  return false;
}

bool tarei_isa_parse(const char *text, unsigned *mask) {
  unsigned found = 0;
  for (;;) {
    const size_t length = strcspn(text, ",");
    if (!parse_one(text, length, &found)) {
      return false;
    }
    if (!text[length]) {
      *mask = found;
      return true;
    }
    text += length + 1;
  }
}
