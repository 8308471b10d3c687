#include "graph/ops/conv/fourier_basis.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define LEAST_TAPS 32
#define MOST_LENGTH ((size_t)1 << 20)
/* What the rounding of floats leaves between weights and the transform: of the largest of a row. */
#define ROUNDING 3e-7
/* Rows of zeros, as sin(pi t) in double gives them: of the largest weight. */
#define NOTHING 1e-10
#define SEEN 0.2  /* of the window: samples that show the frequency of a row */
#define APART 0.1 /* of a bin: a row is of another length of transform */
#define MOST_WINDOWS 4

static const double PI = 3.14159265358979323846;

bool tarei_fourier_length_serves(const size_t n) {
  size_t rest = n / 2;
  for (size_t p = 2; p <= 5 && rest; p++) {
    while (rest % p == 0) {
      rest /= p;
    }
  }
  return n >= LEAST_TAPS && n <= MOST_LENGTH && n % 2 == 0 && rest == 1;
}

double tarei_fourier_cost(const size_t n, const size_t outputs) {
  return 1.5 * (double)n * log2((double)n) + 8.0 * (double)outputs;
}

/* What a search has to look at. */
typedef struct fourier_rows {
  const float *w;
  size_t outputs, taps, n;
  const double *waves; /* [n][2]: cos and sin of 2 pi i / n */
} fourier_rows;

/* NaN or Inf where one of them is. */
static double largest_of(const float *const x, const size_t n) {
  double most = 0;
  for (size_t i = 0; i < n && isfinite(most); i++) {
    const double size = fabs((double)x[i]);
    most = size <= most ? most : size;
  }
  return most;
}

/* --- the window ------------------------------------------------------------------------------- */

/* The window is what bin 0 is, a row of one sign; false for others. */
static bool window_of_row(const fourier_rows *const r, const float *const w, double *const window) {
  double sum = 0, size = 0;
  for (size_t t = 0; t < r->taps; t++) {
    window[t] = (double)w[t];
    sum += window[t];
    size += fabs(window[t]);
  }
  return size > 0 && fabs(sum) >= size * (1 - ROUNDING);
}

/* Squares of cosines and sines of all bins add up to the same for each sample. */
static void window_of_squares(const fourier_rows *const r, double *const window) {
  for (size_t t = 0; t < r->taps; t++) {
    double sum = 0;
    for (size_t o = 0; o < r->outputs; o++) {
      const double w = (double)r->w[o * r->taps + t];
      sum += w * w;
    }
    window[t] = sqrt(2 * sum / (double)r->outputs);
  }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The cosine and the sine of a bin. */
static const double *wave_at(const fourier_rows *const r, const size_t bin, const size_t t) {
  return r->waves + 2 * (bin * t % r->n);
}

/* The frequency of a row, in bins: its neighbours' sum is 2 cos(frequency) times a sample. */
static double frequency_of(const fourier_rows *const r, const float *const w,
                           const double *const window, const double least) {
  double both = 0, squares = 0;
  for (size_t t = 1; t + 1 < r->taps; t++) {
    if (fabs(window[t - 1]) < least || fabs(window[t]) < least || fabs(window[t + 1]) < least) {
      continue;
    }
    const double x = (double)w[t] / window[t];
    both += x * ((double)w[t - 1] / window[t - 1] + (double)w[t + 1] / window[t + 1]);
    squares += 2 * x * x;
  }
  const double cosine = both / squares;
  return acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) * (double)r->n / (2 * PI);
}

/* Least squares of a row by the cosine and the sine of a bin under the window. */
static void fit_parts(const fourier_rows *const r, const float *const w, const double *const window,
                      const size_t bin, double parts[2]) {
  double cc = 0, cs = 0, ss = 0, cw = 0, sw = 0;
  for (size_t t = 0; t < r->taps; t++) {
    const double *const wave = wave_at(r, bin, t);
    const double c = window[t] * wave[0], s = -window[t] * wave[1];
    cc += c * c;
    cs += c * s;
    ss += s * s;
    cw += c * (double)w[t];
    sw += s * (double)w[t];
  }
  const double det = cc * ss - cs * cs;
  const bool alone = bin == 0 || 2 * bin == r->n || det <= NOTHING * cc * ss;
  parts[0] = alone ? cw / cc : (cw * ss - sw * cs) / det;
  parts[1] = alone ? 0 : (sw * cc - cw * cs) / det;
  for (int i = 0; i < 2; i++) { /* rounding alone */
    parts[i] = fabs(parts[i]) < ROUNDING * fabs(parts[1 - i]) ? 0 : parts[i];
  }
}

static bool row_agrees(const fourier_rows *const r, const float *const w,
                       const double *const window, const size_t bin, const double parts[2]) {
  const double most = ROUNDING * largest_of(w, r->taps);
  for (size_t t = 0; t < r->taps; t++) {
    const double *const wave = wave_at(r, bin, t);
    const double fitted = window[t] * (parts[0] * wave[0] - parts[1] * wave[1]);
    if (!(fabs(fitted - (double)w[t]) <= most)) {
      return false;
    }
  }
  return true;
}

static bool fit_rows(const fourier_rows *const r, const double *const window, const double largest,
                     tarei_fourier_basis *const out) {
  double peak = 0;
  for (size_t t = 0; t < r->taps; t++) {
    peak = fabs(window[t]) > peak ? fabs(window[t]) : peak;
  }
  for (size_t o = 0; o < r->outputs; o++) {
    const float *const w = r->w + o * r->taps;
    double *const parts = out->parts + 2 * o;
    parts[0] = parts[1] = 0;
    out->bins[o] = 0;
    if (largest_of(w, r->taps) <= NOTHING * largest) {
      continue;
    }
    const double frequency = frequency_of(r, w, window, SEEN * peak);
    if (!(fabs(frequency - round(frequency)) < APART)) {
      return false;
    }
    out->bins[o] = (int32_t)lround(frequency);
    fit_parts(r, w, window, (size_t)out->bins[o], parts);
    if (!row_agrees(r, w, window, (size_t)out->bins[o], parts)) {
      return false;
    }
  }
  return true;
}

/* The largest factor becomes 1, so that most of them need no rounding. */
static void take_largest(const fourier_rows *const r, const double *const window,
                         tarei_fourier_basis *const out) {
  double most = 0;
  for (size_t i = 0; i < 2 * r->outputs; i++) {
    most = fabs(out->parts[i]) > most ? fabs(out->parts[i]) : most;
  }
  for (size_t i = 0; i < 2 * r->outputs; i++) {
    out->parts[i] /= most;
  }
  for (size_t t = 0; t < r->taps; t++) {
    out->window[t] = window[t] * most;
  }
}

/* Not only bin 0 has one sign: under a window of little more than half the transform, bin 1 has it
 * too. */
static bool fit_window(const fourier_rows *const r, double *const window, const double largest,
                       tarei_fourier_basis *const out) {
  size_t tried = 0;
  for (size_t o = 0; o < r->outputs && tried < MOST_WINDOWS; o++) {
    if (!window_of_row(r, r->w + o * r->taps, window)) {
      continue;
    }
    tried++;
    if (fit_rows(r, window, largest, out)) {
      return true;
    }
  }
  window_of_squares(r, window);
  return fit_rows(r, window, largest, out);
}

static bool fit_basis(const fourier_rows *const r, double *const window, const double largest,
                      tarei_fourier_basis *const out) {
  const bool found = fit_window(r, window, largest, out);
  if (found) {
    take_largest(r, window, out);
  }
  return found;
}

bool tarei_fourier_basis_fit(const float *const w, const size_t outputs, const size_t taps,
                             const size_t n, tarei_fourier_basis *const out) {
  const double largest = largest_of(w, outputs * taps);
  *out = (tarei_fourier_basis){.n = n};
  if (!tarei_fourier_length_serves(n) || taps < LEAST_TAPS || taps > n || !outputs ||
      !(largest > 0 && isfinite(largest))) {
    return false;
  }
  double *const waves = tarei_calloc(2 * n, sizeof *waves);
  double *const window = tarei_calloc(taps, sizeof *window);
  out->window = tarei_calloc(taps, sizeof *out->window);
  out->bins = tarei_calloc(outputs, sizeof *out->bins);
  out->parts = tarei_calloc(2 * outputs, sizeof *out->parts);
  const fourier_rows r = {w, outputs, taps, n, waves};
  bool found = waves && window && out->window && out->bins && out->parts;
  for (size_t i = 0; found && i < n; i++) {
    waves[2 * i] = cos(2 * PI * (double)i / (double)n);
    waves[2 * i + 1] = sin(2 * PI * (double)i / (double)n);
  }
  found = found && fit_basis(&r, window, largest, out);
  free(waves);
  free(window);
  if (!found) {
    tarei_fourier_basis_free(out);
  }
  return found;
}

/* Windows are as long as the transform, or shorter than a power of two; there are all bins, with
 * both parts or one, or with those sines that are not 0. */
bool tarei_fourier_basis_find(const float *const w, const size_t outputs, const size_t taps,
                              tarei_fourier_basis *const out) {
  size_t power = 1;
  while (power < taps) {
    power *= 2;
  }
  const size_t lengths[] = {taps, power, outputs * 2 - 2, outputs - 2, outputs, 2 * power};
  for (size_t i = 0; outputs > 2 && i < sizeof lengths / sizeof *lengths; i++) {
    if (tarei_fourier_basis_fit(w, outputs, taps, lengths[i], out)) {
      return true;
    }
  }
  return false;
}

void tarei_fourier_basis_free(tarei_fourier_basis *const basis) {
  free(basis->window);
  free(basis->bins);
  free(basis->parts);
  *basis = (tarei_fourier_basis){0};
}
