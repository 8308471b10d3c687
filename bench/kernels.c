/*
 * Speed of the kernels on one thread, against peak loops of the same process. For each product the
 * peak is measured again right before it, so that a moving clock does not spoil the percentages.
 *
 * usage: bench_kernels [ISA list, default native [part, default all]]
 */
#include "bench/kernels.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  bench_part_fn *run;
} parts[] = {
    {"i8", bench_products_i8},     {"i16", bench_products_i16},    {"f32", bench_products_f32},
    {"bf16", bench_products_bf16}, {"stored", bench_products_stored}, {"depthwise", bench_depthwise}, {"recurrent", bench_recurrent},
    {"elements", bench_elements},  {"bytes", bench_bytes},         {"observe", bench_observe}};
enum { N_PARTS = sizeof parts / sizeof *parts };

static int usage(const char *program) {
  fprintf(stderr, "usage: %s [ISA list, e.g. avx2 [part]], parts:", program);
  for (int i = 0; i < N_PARTS; i++) {
    fprintf(stderr, " %s", parts[i].name);
  }
  fprintf(stderr, "\n");
  return 2;
}

int main(int argc, char **argv) {
  unsigned isa = TAREI_ISA_ALL;
  if (argc > 3 || (argc > 1 && !tarei_isa_parse(argv[1], &isa))) {
    return usage(argv[0]);
  }
  tarei_kernels kernels;
  tarei_kernels_select(isa, &kernels);
  bool found = false;
  for (int i = 0; i < N_PARTS; i++) {
    if (argc < 3 || !strcmp(argv[2], parts[i].name)) {
      parts[i].run(&kernels, isa);
      found = true;
    }
  }
  return found ? 0 : usage(argv[0]);
}
