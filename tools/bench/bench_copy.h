/* How fast the machine copies memory: the bound for layers that mostly move data. */
#ifndef TAREI_TOOLS_BENCH_BENCH_COPY_H
#define TAREI_TOOLS_BENCH_BENCH_COPY_H

#include <stddef.h>

/* Bytes a second that are read and written, when so many threads each copy their part of a block of
 * `bytes` again and again. Small blocks stay in caches, as the tensors of small layers do. */
double bench_copy_rate(size_t bytes, int threads);

#endif
