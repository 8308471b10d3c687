/*
 * Discrete Fourier transforms of any length, in double. Lengths whose prime factors are small are
 * taken apart by them; others become a convolution of a power of two (Bluestein).
 */
#ifndef TAREI_ENGINE_LOWER_SIGNAL_FFT_H
#define TAREI_ENGINE_LOWER_SIGNAL_FFT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tarei_complex {
  double re, im;
} tarei_complex;

/* Complex numbers that the table and the work of a transform need; more for longer ones. */
size_t tarei_fft_table_size(size_t n);
size_t tarei_fft_work_size(size_t n);

/* Fills the table of a length, which any number of transforms may read. */
void tarei_fft_table(size_t n, tarei_complex *table);

/* out[k] = sum over i of in[i] * exp(-2 pi i k / n); inverse: with the other sign, and over n. in
 * and out may not overlap; n >= 1. */
void tarei_fft(size_t n, bool inverse, const tarei_complex *table, const tarei_complex *in,
               tarei_complex *out, tarei_complex *work);

#endif
