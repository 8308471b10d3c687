/* Weights of a convolution over one channel that are a Fourier transform under a window, as
 * exporters write spectra: each output is a multiple of a cosine or sine, or of a sum of both. */
#ifndef TAREI_GRAPH_OPS_CONV_FOURIER_BASIS_H
#define TAREI_GRAPH_OPS_CONV_FOURIER_BASIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* w[o][t] = window[t] * (parts[o][0] * cos a - parts[o][1] * sin a), a = 2 pi bins[o] t / n: output
 * o is parts[o][0] * Re X + parts[o][1] * Im X of bin bins[o] of a transform of n samples. */
typedef struct tarei_fourier_basis {
  size_t n;       /* even; n / 2 has no prime factors above 5 */
  double *window; /* [taps] */
  int32_t *bins;  /* [outputs], 0..n / 2 */
  double *parts;  /* [outputs][2] */
} tarei_fourier_basis;

/* Whether w[outputs][taps] is one of any length, up to the rounding of floats. Free `out` if so. */
bool tarei_fourier_basis_find(const float *w, size_t outputs, size_t taps,
                              tarei_fourier_basis *out);
/* The same for one length. */
bool tarei_fourier_basis_fit(const float *w, size_t outputs, size_t taps, size_t n,
                             tarei_fourier_basis *out);
void tarei_fourier_basis_free(tarei_fourier_basis *basis);

/* Whether there are transforms of that length. */
bool tarei_fourier_length_serves(size_t n);
/* Multiply-adds of a frame, to compare with outputs * taps of a product. */
double tarei_fourier_cost(size_t n, size_t outputs);

#endif
