#include "bench/peak.h"

#include <stddef.h>

#include "bench/measure.h"
#include "kernels/kernels.h"

/* Independent accumulators, no memory. */
#if defined(__x86_64__)
enum { PEAK_STEPS = 20000, PEAK_CHAINS = 12 };

/* clang-format off */
#define CHAINS(op, a)                                                                     \
  op " %%" a "0, %%" a "0, %%" a "1\n\t" op " %%" a "0, %%" a "0, %%" a "2\n\t"           \
  op " %%" a "0, %%" a "0, %%" a "3\n\t" op " %%" a "0, %%" a "0, %%" a "4\n\t"           \
  op " %%" a "0, %%" a "0, %%" a "5\n\t" op " %%" a "0, %%" a "0, %%" a "6\n\t"           \
  op " %%" a "0, %%" a "0, %%" a "7\n\t" op " %%" a "0, %%" a "0, %%" a "8\n\t"           \
  op " %%" a "0, %%" a "0, %%" a "9\n\t" op " %%" a "0, %%" a "0, %%" a "10\n\t"          \
  op " %%" a "0, %%" a "0, %%" a "11\n\t" op " %%" a "0, %%" a "0, %%" a "12\n\t"

#define DEFINE_PEAK(name, op, registers)                                                  \
  static void name(void *unused) {                                                        \
    (void)unused;                                                                         \
    int steps = PEAK_STEPS;                                                               \
    __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0\n"                                     \
                     "1:\n\t" CHAINS(op, registers) "dec %0\n\tjnz 1b\n\tvzeroupper"      \
                     : "+r"(steps)                                                        \
                     :                                                                    \
                     : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",      \
                       "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12");                \
  }
/* clang-format on */
DEFINE_PEAK(peak_i8_zmm, "vpdpbusd", "zmm")
DEFINE_PEAK(peak_i8_ymm, "%{vex%} vpdpbusd", "ymm")
DEFINE_PEAK(peak_madd_ymm, "vpmaddwd", "ymm")
DEFINE_PEAK(peak_f32_zmm, "vfmadd231ps", "zmm")
DEFINE_PEAK(peak_f32_ymm, "vfmadd231ps", "ymm")

#define CALL_OF(operations) (1.0 * (operations)*PEAK_CHAINS * PEAK_STEPS)
static const struct {
  bench_peak peak;
  unsigned isa;
} i8_peaks[] = {{{peak_i8_zmm, "vpdpbusd zmm", CALL_OF(128)}, TAREI_ISA_AVX512VNNI},
                {{peak_i8_ymm, "vpdpbusd ymm", CALL_OF(64)}, TAREI_ISA_AVXVNNI},
                {{peak_madd_ymm, "vpmaddwd ymm", CALL_OF(32)}, TAREI_ISA_AVX2}},
  f32_peaks[] = {{{peak_f32_zmm, "fma zmm", CALL_OF(32)}, TAREI_ISA_AVX512},
                 {{peak_f32_ymm, "fma ymm", CALL_OF(16)}, TAREI_ISA_AVX2}};

const bench_peak *bench_peak_loop(bool bytes, unsigned isa) {
  const int n = bytes ? 3 : 2;
  for (int i = 0; i < n; i++) {
    const unsigned needed = bytes ? i8_peaks[i].isa : f32_peaks[i].isa;
    if (needed & isa & tarei_isa_detect()) {
      return bytes ? &i8_peaks[i].peak : &f32_peaks[i].peak;
    }
  }
  return NULL;
}
#else
const bench_peak *bench_peak_loop(bool bytes, unsigned isa) {
  (void)bytes;
  (void)isa;
  return NULL;
}
#endif

double bench_peak_rate(bool bytes, unsigned isa, const char **name) {
  const bench_peak *const peak = bench_peak_loop(bytes, isa);
  *name = peak ? peak->name : "unknown";
  return peak ? peak->operations / bench_best_time(peak->run, NULL) : 0;
}

/* Eight vectors at a time; the compiler takes the widest registers it may use here. */
typedef long long vector __attribute__((vector_size(64)));
#if defined(__x86_64__)
#define EACH_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_WIDTH
#endif

EACH_WIDTH static void peak_read_all(const vector *p, size_t n, vector *all) {
  vector sums[8] = {0};
  for (size_t i = 0; i < n; i += 8) {
    for (int j = 0; j < 8; j++) {
      sums[j] |= p[i + (size_t)j];
    }
  }
  for (int j = 1; j < 8; j++) {
    sums[0] |= sums[j];
  }
  *all = sums[0];
}

void bench_read(void *block) {
  const bench_block *const b = block;
  vector all;
  peak_read_all((const vector *)(const void *)b->p, b->bytes / sizeof all, &all);
  __asm__ volatile("" ::"m"(all));
}

EACH_WIDTH static void copy_all(const vector *from, vector *to, size_t n) {
  for (size_t i = 0; i < n; i++) {
    to[i] = from[i];
  }
}

void bench_copy(void *block) {
  const bench_block *const b = block;
  const vector *const from = (const vector *)(const void *)b->p;
  copy_all(from, (vector *)(void *)(b->p + b->bytes / 2), b->bytes / 2 / sizeof(vector));
}
