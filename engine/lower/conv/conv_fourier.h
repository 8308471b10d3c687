/* Convolutions along one axis whose weights are a Fourier transform (graph/passes/find_spectra.c):
 * the transforms of several positions at a time in place of products. */
#ifndef TAREI_ENGINE_LOWER_CONV_CONV_FOURIER_H
#define TAREI_ENGINE_LOWER_CONV_CONV_FOURIER_H

#include "engine/lower/conv/conv_rows.h"

#define TAREI_FOURIER_LEVELS 20

typedef struct tarei_conv_fourier {
  tarei_fourier transform;
  int32_t factors[TAREI_FOURIER_LEVELS]; /* those of the transform */
} tarei_conv_fourier;

/* Are the weights a transform, in float? */
bool tarei_conv_fourier_serves(const tarei_node *node);
/* The multiply-adds of such a node by those of the products that it stands for. */
double tarei_conv_fourier_share(const tarei_graph *graph, const tarei_node *node);
/* Takes the blobs, for the length that the node states. w: [outputs][taps]. */
tare_status tarei_conv_fourier_take(const tarei_step *step, const tarei_conv *conv, const float *w,
                                    tarei_blobs *blobs, tarei_conv_fourier *out, tare_error *err);

size_t tarei_conv_fourier_scratch(const tarei_conv_fourier *fourier, int threads);
/* m rows, `ld` floats apart. */
void tarei_conv_fourier_rows(const tarei_conv_fourier *fourier, const tarei_conv_row_set *rows,
                             const tarei_epilogue *epilogue, const tarei_kernels *kernels,
                             void *scratch, int thread);

#endif
