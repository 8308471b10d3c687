#include "kernels/generic/histogram_direct.h"

void tare_k_histogram_f32_1__scalar(const float *x, size_t n, int exponent, int bins,
                                    int64_t *positive, int64_t *negative) {
  histogram_direct(x, n, exponent, bins, positive, negative);
}
