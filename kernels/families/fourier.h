/* Fourier transforms of frames. */
#ifndef TAREI_KERNELS_FAMILIES_FOURIER_H
#define TAREI_KERNELS_FAMILIES_FOURIER_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/families/epilogue.h"

/* Sums of windowed samples times cosines and sines, several frames at a time: output o of a frame
 * is parts[o][0] * Re X + parts[o][1] * Im X of X = the sum over t of
 * window[t] * x[t] * exp(-2 pi i bins[o] t / n).
 *
 * Samples 2 j and 2 j + 1 are the parts of a complex number, whose transform of n / 2 points is
 * taken apart by the factors (decimation in time); a turn for each pair of its results gives X. A
 * complex product is (re * c) - (im * s) and (re * s) + (im * c), the second product of each in one
 * rounding with the sum. Each frame is a lane, so that its sums have the same order on every ISA. */
#define TAREI_FOURIER_FRAMES 16 /* of a call, at most */
#define TAREI_FOURIER_ROOT 3    /* floats of a root: c, s, -s */
typedef struct tarei_fourier {
  size_t n, taps;         /* n even; taps <= n */
  const float *window;    /* [taps], half of it: the last step has no other factor of 1/2 */
  size_t levels;
  const int32_t *factors; /* [levels], each 2 to 5, of n / 2; the last ones are taken first */
  const int32_t *places;  /* [n / 2], where the samples 2 j and 2 j + 1 go */
  const float *roots;     /* of each level: exp(-2 pi i k q / length), 1 <= k < length / factor,
                             1 <= q < factor, q by q */
  const float *turns;     /* exp(-2 pi i k / n), k <= n / 4 */
  size_t outputs;
  const int32_t *bins;    /* [outputs], 0..n / 2 */
  const float *parts;     /* [outputs][2] */
} tarei_fourier;

/* Floats that a call works in, aligned to vectors. */
#define TAREI_FOURIER_WORK(n) (((n) + 2) * TAREI_FOURIER_FRAMES)

typedef struct tarei_fourier_frames {
  const tarei_fourier *transform;
  const float *x; /* frame i begins at x + i * step */
  size_t step, frames;
  float *work;
  tarei_epilogue epilogue; /* of [frames][outputs] */
} tarei_fourier_frames;
typedef void tarei_fourier_fn(const tarei_fourier_frames *call);

#endif
