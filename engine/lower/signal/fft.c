#include "engine/lower/signal/fft.h"

#include <math.h>
#include <string.h>

enum { LARGEST_FACTOR = 31 };

static const double PI = 3.14159265358979323846;

static size_t smallest_factor(const size_t n) {
  if (n % 4 == 0) {
    return 4;
  }
  for (size_t p = 2; p <= LARGEST_FACTOR; p++) {
    if (n % p == 0) {
      return p;
    }
  }
  return n;
}

static bool has_small_factors(size_t n) {
  while (n > 1) {
    const size_t p = smallest_factor(n);
    if (p > LARGEST_FACTOR) {
      return false;
    }
    n /= p;
  }
  return true;
}

/* Length of the convolution that stands for a transform. */
static size_t around(const size_t n) {
  size_t m = 1;
  while (m < 2 * n) {
    m *= 2;
  }
  return m;
}

/* Both bounds hold for either way, so that they grow with the length. */
size_t tarei_fft_table_size(const size_t n) {
  return n + 2 * around(n);
}
size_t tarei_fft_work_size(const size_t n) {
  return 3 * around(n);
}

static tarei_complex unit(const double turns) {
  return (tarei_complex){cos(2 * PI * turns), sin(2 * PI * turns)};
}

static tarei_complex times(const tarei_complex a, const tarei_complex b) {
  return (tarei_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-2 pi i k / n) for all k */
static void roots(const size_t n, tarei_complex *const to) {
  for (size_t k = 0; k < n; k++) {
    to[k] = unit(-(double)k / (double)n);
  }
}

typedef struct fft_plan {
  size_t n;
  const tarei_complex *root; /* [n] */
} fft_plan;

static void butterfly2(const fft_plan *const p, const size_t m, const size_t step,
                       tarei_complex *const x) {
  for (size_t k = 0; k < m; k++) {
    const tarei_complex t = times(x[k + m], p->root[k * step]);
    x[k + m] = (tarei_complex){x[k].re - t.re, x[k].im - t.im};
    x[k] = (tarei_complex){x[k].re + t.re, x[k].im + t.im};
  }
}

static void butterfly4(const fft_plan *const p, const size_t m, const size_t step,
                       tarei_complex *const x) {
  for (size_t k = 0; k < m; k++) {
    const tarei_complex a = x[k], b = times(x[k + m], p->root[k * step]);
    const tarei_complex c = times(x[k + 2 * m], p->root[2 * k * step]);
    const tarei_complex d = times(x[k + 3 * m], p->root[3 * k * step]);
    const tarei_complex ac = {a.re + c.re, a.im + c.im}, a_c = {a.re - c.re, a.im - c.im};
    const tarei_complex bd = {b.re + d.re, b.im + d.im}, b_d = {b.re - d.re, b.im - d.im};
    x[k] = (tarei_complex){ac.re + bd.re, ac.im + bd.im};
    x[k + m] = (tarei_complex){a_c.re + b_d.im, a_c.im - b_d.re};
    x[k + 2 * m] = (tarei_complex){ac.re - bd.re, ac.im - bd.im};
    x[k + 3 * m] = (tarei_complex){a_c.re - b_d.im, a_c.im + b_d.re};
  }
}

static void butterfly(const fft_plan *const p, const size_t factor, const size_t m,
                      const size_t step, tarei_complex *const x) {
  tarei_complex part[LARGEST_FACTOR + 1];
  for (size_t k = 0; k < m; k++) {
    for (size_t q = 0; q < factor; q++) {
      part[q] = times(x[k + q * m], p->root[q * k * step]);
    }
    for (size_t r = 0; r < factor; r++) {
      tarei_complex sum = part[0];
      for (size_t q = 1; q < factor; q++) {
        const tarei_complex t = times(part[q], p->root[q * r * m * step % p->n]);
        sum = (tarei_complex){sum.re + t.re, sum.im + t.im};
      }
      x[k + r * m] = sum;
    }
  }
}

/* The transform of n / step numbers, `step` apart in `in`. */
static void transform(const fft_plan *const p, const size_t step, const tarei_complex *const in,
                      tarei_complex *const out) {
  const size_t n = p->n / step;
  if (n == 1) {
    *out = *in;
    return;
  }
  const size_t factor = smallest_factor(n), m = n / factor;
  for (size_t q = 0; q < factor; q++) {
    transform(p, step * factor, in + q * step, out + q * m);
  }
  if (factor == 2) {
    butterfly2(p, m, step, out);
  } else if (factor == 4) {
    butterfly4(p, m, step, out);
  } else {
    butterfly(p, factor, m, step, out);
  }
}

/* exp(-pi i k^2 / n); the square is taken modulo 2 n, where it stays exact. */
static tarei_complex chirp(const size_t n, const size_t k) {
  const size_t square = (size_t)((unsigned __int128)k * k % (2 * n));
  return unit(-(double)square / (2 * (double)n));
}

/* Roots of the convolution's length, its kernel transformed, and the chirp. */
void tarei_fft_table(const size_t n, tarei_complex *const table) {
  if (has_small_factors(n)) {
    roots(n, table);
    return;
  }
  const size_t m = around(n);
  tarei_complex *const kernel = table + m, *const chirps = table + 2 * m;
  roots(m, table);
  for (size_t k = 0; k < n; k++) {
    chirps[k] = chirp(n, k);
  }
  memset(kernel, 0, m * sizeof *kernel);
  for (size_t k = 0; k < n; k++) {
    const tarei_complex c = {chirps[k].re, -chirps[k].im};
    kernel[k] = c;
    if (k) {
      kernel[m - k] = c;
    }
  }
}

/* x transformed, by way of `spare`; both of the convolution's length. */
static void fft_convolve(const fft_plan *const p, const tarei_complex *const kernel,
                         tarei_complex *const x, tarei_complex *const spare,
                         tarei_complex *const spectrum) {
  transform(p, 1, kernel, spectrum);
  transform(p, 1, x, spare);
  for (size_t k = 0; k < p->n; k++) { /* conjugated: the way back is a transform too */
    const tarei_complex y = times(spare[k], spectrum[k]);
    spare[k] = (tarei_complex){y.re, -y.im};
  }
  transform(p, 1, spare, x);
}

static void bluestein(const size_t n, const tarei_complex *const table,
                      const tarei_complex *const in, tarei_complex *const out,
                      tarei_complex *const work) {
  const size_t m = around(n);
  const tarei_complex *const chirps = table + 2 * m;
  const fft_plan p = {m, table};
  memset(work, 0, m * sizeof *work);
  for (size_t k = 0; k < n; k++) {
    work[k] = times(in[k], chirps[k]);
  }
  fft_convolve(&p, table + m, work, work + m, work + 2 * m);
  for (size_t k = 0; k < n; k++) {
    const tarei_complex y = {work[k].re / (double)m, -work[k].im / (double)m};
    out[k] = times(y, chirps[k]);
  }
}

void tarei_fft(const size_t n, const bool inverse, const tarei_complex *const table,
               const tarei_complex *const in, tarei_complex *const out, tarei_complex *const work) {
  if (has_small_factors(n)) {
    transform(&(fft_plan){n, table}, 1, in, out);
  } else {
    bluestein(n, table, in, out, work);
  }
  if (!inverse) {
    return;
  }
  for (size_t k = 0; k < n; k++) { /* turned around, each is the one of the other sign */
    out[k] = (tarei_complex){out[k].re / (double)n, out[k].im / (double)n};
  }
  for (size_t k = 1; k < n - k; k++) {
    const tarei_complex t = out[k];
    out[k] = out[n - k];
    out[n - k] = t;
  }
}
