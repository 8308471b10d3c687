#include "calib/row_loss.h"

#include <math.h>

enum { LEVELS = 127, UNSIGNED_LEVELS = 255 }; /* steps from zero to the threshold */

/* Rows of one power of two. */
typedef struct row_class {
  double n;
  double amax, most; /* the middle and the upper end of the class */
} row_class;

/* What the histogram tells about the elements. */
typedef struct row_elements {
  double energy;  /* sum of x^2 */
  double clipped; /* sum of (|x| - threshold)^2 over |x| > threshold */
  double zeros;   /* share of elements that are zero, whose rounding costs nothing */
} row_elements;

/* The last class ends at the amax of the tensor. Classes of zeros and of no finite value are
 * empty. */
static row_class row_loss_class(const tarei_accumulator *const a, const int bin) {
  if (bin == TAREI_ROW_BIN_ZERO || bin == TAREI_ROW_BIN_NOT_FINITE) {
    return (row_class){0};
  }
  const double low = ldexp(1, bin - 127);
  const double high = fmin(2 * low, (double)tarei_accumulator_amax(a));
  return (row_class){.n = (double)a->rows[bin], .amax = sqrt(low * high), .most = high};
}

static double row_loss_square(const double x) {
  return x * x;
}

/* Mean of (x - from)^2 for x evenly spread over a bin, as far as x is above `from`. */
static double row_loss_above(const double low, const double width, const double from) {
  const double a = fmax(low - from, 0), b = fmax(low + width - from, 0);
  return (b * b * b - a * a * a) / (3 * width);
}

/* Elements beyond those that a smooth distribution has in the first bin are zeros; so are none of
 * the rows that are as a whole in that bin. */
static double row_loss_zeros(const tarei_accumulator *const a, const double width,
                             const double first, const double second) {
  double n_rows = 0, tiny = 0;
  for (int bin = 0; bin < TAREI_ROW_BIN_NOT_FINITE; bin++) {
    const row_class c = row_loss_class(a, bin);
    n_rows += (double)a->rows[bin];
    tiny += c.amax < width ? c.n : 0;
  }
  const double elements = (double)(a->count - a->n_nan - a->n_inf);
  return fmin(fmax((first - second) / elements - tiny / n_rows, 0), 1);
}

static row_elements row_loss_elements(const tarei_accumulator *const a, const double threshold) {
  const double width = ldexp(1, a->histogram.exponent);
  row_elements e = {0};
  double first[2] = {0};
  int64_t positive[TAREI_COUNTS_PAGE], negative[TAREI_COUNTS_PAGE];
  for (int i = 0; i < TAREI_HISTOGRAM_BINS; i++) {
    const int k = i % TAREI_COUNTS_PAGE;
    if (k == 0) {
      tarei_counts_get(&a->histogram.positive, i / TAREI_COUNTS_PAGE, positive);
      tarei_counts_get(&a->histogram.negative, i / TAREI_COUNTS_PAGE, negative);
    }
    const double n = (double)(positive[k] + negative[k]);
    e.energy += n * row_loss_above(i * width, width, 0);
    e.clipped += n * row_loss_above(i * width, width, threshold);
    first[i < 2 ? i : 1] += i < 2 ? n : 0;
  }
  e.zeros = row_loss_zeros(a, width, first[0], first[1]);
  return e;
}

/* Sums over all rows. */
typedef struct row_sums {
  double n, squares; /* of amax */
  double above;      /* squares of what is above the threshold */
} row_sums;

static row_sums row_loss_sums(const tarei_accumulator *const a, const double threshold) {
  row_sums s = {0};
  for (int bin = 0; bin < TAREI_ROW_BINS; bin++) {
    const row_class c = row_loss_class(a, bin);
    s.n += c.n;
    s.squares += c.n * row_loss_square(c.amax);
    s.above += c.n * row_loss_square(fmax(c.most - threshold, 0));
  }
  return s;
}

tarei_row_loss tarei_row_loss_predict(const tarei_accumulator *const a, const double threshold) {
  const row_sums all = row_loss_sums(a, threshold);
  if (!(all.n > 0) || a->histogram.exponent == TAREI_HISTOGRAM_NO_EXPONENT) {
    return (tarei_row_loss){NAN, NAN, NAN};
  }
  const row_elements e = row_loss_elements(a, threshold);
  const double elements = (double)(a->count - a->n_nan - a->n_inf);
  const double columns = fmax(elements / all.n, 1);
  const double crest = fmax(all.squares * columns / e.energy, 1); /* amax^2 over the mean square */
  const double step = threshold / (a->min >= 0 ? UNSIGNED_LEVELS : LEVELS);
  const double rounding = step * step / 12 * (1 - e.zeros);
  tarei_row_loss loss = {.rows = fmin(crest * (1 - e.zeros) / (12.0 * LEVELS * LEVELS), 1),
                         .rms = sqrt(e.energy / elements)};
  for (int bin = 0; bin < TAREI_ROW_BINS; bin++) {
    const row_class c = row_loss_class(a, bin);
    const double share =
        all.above > 0 ? row_loss_square(fmax(c.most - threshold, 0)) / all.above : 0;
    const double noise = rounding + e.clipped * share / columns;
    loss.fixed += c.n > 0 ? c.n / all.n * fmin(noise * crest / row_loss_square(c.amax), 1) : 0;
  }
  return loss;
}
