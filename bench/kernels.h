/* The parts of bench_kernels; each prints its tables. `isa` is the mask the kernels were chosen by. */
#ifndef TAREI_BENCH_KERNELS_H
#define TAREI_BENCH_KERNELS_H

#include "kernels/kernels.h"

typedef void bench_part_fn(const tarei_kernels *kernels, unsigned isa);

bench_part_fn bench_products_i8;
bench_part_fn bench_products_i16;
bench_part_fn bench_products_f32;
bench_part_fn bench_products_bf16;
bench_part_fn bench_products_stored;
bench_part_fn bench_depthwise;
bench_part_fn bench_recurrent;
bench_part_fn bench_elements;
bench_part_fn bench_bytes;
bench_part_fn bench_observe;

#endif
