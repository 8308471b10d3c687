#include "bench/peak.h"

#include <stddef.h>

#include "bench/measure.h"
#include "kernels/kernels.h"

/* Independent accumulators, no memory. */
#if defined(__x86_64__)
enum { PEAK_STEPS = 20000, PEAK_CHAINS = 12 };

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
DEFINE_PEAK(peak_i8_zmm, "vpdpbusd", "zmm")
DEFINE_PEAK(peak_i8_ymm, "%{vex%} vpdpbusd", "ymm")
DEFINE_PEAK(peak_madd_ymm, "vpmaddwd", "ymm")
DEFINE_PEAK(peak_f32_zmm, "vfmadd231ps", "zmm")
DEFINE_PEAK(peak_f32_ymm, "vfmadd231ps", "ymm")

typedef struct peak {
  bench_work_fn *loop;
  const char *name;
  unsigned isa;
  double operations; /* of one instruction */
} peak;

static const peak i8_peaks[] = {{peak_i8_zmm, "vpdpbusd zmm", TAREI_ISA_AVX512VNNI, 128},
                                {peak_i8_ymm, "vpdpbusd ymm", TAREI_ISA_AVXVNNI, 64},
                                {peak_madd_ymm, "vpmaddwd ymm", TAREI_ISA_AVX2, 32}};
static const peak f32_peaks[] = {{peak_f32_zmm, "fma zmm", TAREI_ISA_AVX512, 32},
                                 {peak_f32_ymm, "fma ymm", TAREI_ISA_AVX2, 16}};
#endif

double bench_peak_rate(bool bytes, unsigned isa, const char **name) {
  *name = "unknown";
#if defined(__x86_64__)
  const peak *const peaks = bytes ? i8_peaks : f32_peaks;
  const int n = bytes ? 3 : 2;
  for (int i = 0; i < n; i++) {
    if (peaks[i].isa & isa & tarei_isa_detect()) {
      *name = peaks[i].name;
      const double step = peaks[i].operations * PEAK_CHAINS;
      return step * PEAK_STEPS / bench_best_time(peaks[i].loop, NULL);
    }
  }
#else
  (void)bytes;
  (void)isa;
#endif
  return 0;
}
