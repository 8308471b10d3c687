/*
 * Speed of the kernels on one thread, against peak loops of the same process. For each product the
 * peak is measured again right before it, so that a moving clock does not spoil the percentages.
 *
 * usage: bench_kernels [ISA list, default native]
 */
#include "bench/kernels.h"

#include <stdio.h>

int main(int argc, char **argv) {
  unsigned isa = TAREI_ISA_ALL;
  if (argc > 2 || (argc == 2 && !tarei_isa_parse(argv[1], &isa))) {
    fprintf(stderr, "usage: %s [ISA list, e.g. avx2]\n", argv[0]);
    return 2;
  }
  tarei_kernels kernels;
  tarei_kernels_select(isa, &kernels);
  bench_products(&kernels, isa, true);
  bench_products(&kernels, isa, false);
  bench_depthwise(&kernels, isa, true);
  bench_depthwise(&kernels, isa, false);
  bench_elements(&kernels);
  return 0;
}
