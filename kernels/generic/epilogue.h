/* What every epilogue has in common. One routine an ISA finishes the tiles of all its kernels. */
#ifndef TAREI_KERNELS_GENERIC_EPILOGUE_H
#define TAREI_KERNELS_GENERIC_EPILOGUE_H

#include "kernels/registry.h"

/* Accumulators, already as float, of rows [m0, m0 + rows) and columns [n0, n0 + cols). Each row has
 * room for `cols` rounded up to 16. */
typedef struct tarei_tile {
  const float *values;
  size_t ld;
  size_t m0, rows;
  size_t n0, cols;
} tarei_tile;

void tarei_epilogue__scalar(const tarei_epilogue *e, const tarei_tile *t);
/* The same for row m of the panel of 32 columns, of n, that begins at column n0. */
void tarei_finish_panel__scalar(const tarei_epilogue *e, const float *sums, size_t m, size_t n,
                                size_t n0);
void tarei_epilogue__avx2(const tarei_epilogue *e, const tarei_tile *t);
void tarei_epilogue__avx512(const tarei_epilogue *e, const tarei_tile *t);
void tarei_epilogue__neon(const tarei_epilogue *e, const tarei_tile *t);

#endif
