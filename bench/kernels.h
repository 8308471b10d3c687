/* The parts of bench_kernels; each prints its tables. `isa` is the mask the kernels were chosen by,
 * `bytes` takes the int8 kernels instead of the float ones. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "kernels/kernels.h"

void bench_products(const tarei_kernels *kernels, unsigned isa, bool bytes);
void bench_depthwise(const tarei_kernels *kernels, unsigned isa, bool bytes);
void bench_elements(const tarei_kernels *kernels);

#endif
