/* Triangles of a mel filter bank: [spectrum bins, mel bins], each from one edge by its center to
 * the other. Edges are evenly spread over the mel scale. */
#include <math.h>
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"

typedef struct bank {
  int64_t bins, length; /* mel bins; of the transform */
  double rate, low, high;
} bank;

static tare_status read_bank(const tarei_step *const step, const tarei_run *const r, bank *const b,
                             tare_error *const err) {
  double bins = 0, length = 0;
  TAREI_TRY(tarei_read_real(step, r, 0, "number of mel bins", &bins, err));
  TAREI_TRY(tarei_read_real(step, r, 1, "length of the transform", &length, err));
  TAREI_TRY(tarei_read_real(step, r, 2, "sample rate", &b->rate, err));
  TAREI_TRY(tarei_read_real(step, r, 3, "lower edge", &b->low, err));
  TAREI_TRY(tarei_read_real(step, r, 4, "upper edge", &b->high, err));
  if (!(bins >= 0 && bins <= 1e6) || !(length >= 0 && length <= 1e9) || !(b->rate > 0) ||
      !(b->low >= 0) || !(b->high >= b->low && b->high <= b->rate)) {
    return tarei_fail(
        err, TARE_E_INPUT,
        "%g mel bins of a transform of length %g, from %g to %g Hz at rate %g, are out of range",
        bins, length, b->low, b->high, b->rate);
  }
  b->bins = (int64_t)bins;
  b->length = (int64_t)length;
  return TARE_OK;
}

static tare_status mel_weight_matrix_measure(const tarei_step *const step, const tarei_run *const r,
                                             int64_t *const values, tare_error *const err) {
  bank b = {0};
  TAREI_TRY(read_bank(step, r, &b, err));
  values[0] = b.length / 2 + 1;
  values[1] = b.bins;
  return TARE_OK;
}

static tare_status mel_weight_matrix_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                             tare_error *const err) {
  (void)blobs;
  for (int i = 0; i < 5; i++) {
    const tare_dtype dtype = step->graph->values[step->node->in[i]].dtype;
    if (dtype != TARE_F32 && dtype != TARE_F64 && dtype != TARE_I32 && dtype != TARE_I64) {
      return tarei_refuse_dtype(dtype, err);
    }
  }
  return TARE_OK;
}

static double mel_of(const double hertz) {
  return 2595 * log10(1 + hertz / 700);
}

/* The bin of the spectrum where edge i lies. */
static int64_t edge_of(const bank *const b, const int64_t i) {
  const double low = mel_of(b->low), step = (mel_of(b->high) - low) / (double)(b->bins + 2);
  const double hertz = 700 * (pow(10, ((double)i * step + low) / 2595) - 1);
  return (int64_t)floor((double)(b->length + 1) * hertz / b->rate);
}

static void mel_weight_matrix_put(const tare_tensor *const out, const int64_t row,
                                  const int64_t column, const double value) {
  if (row < 0 || row >= out->dims[0]) {
    return;
  }
  const int64_t at = row * out->dims[1] + column;
  if (out->dtype == TARE_F32) {
    ((float *)out->data)[at] = (float)value;
  } else {
    ((double *)out->data)[at] = value;
  }
}

static void put_triangle(const bank *const b, const int64_t i, const tare_tensor *const out) {
  const int64_t left = edge_of(b, i), center = edge_of(b, i + 1), right = edge_of(b, i + 2);
  if (left == center) {
    mel_weight_matrix_put(out, center, i, 1);
  }
  for (int64_t j = left; left < center && j <= center; j++) {
    mel_weight_matrix_put(out, j, i, (double)(j - left) / (double)(center - left));
  }
  for (int64_t j = center; j < right; j++) {
    mel_weight_matrix_put(out, j, i, (double)(right - j) / (double)(right - center));
  }
}

static tare_status mel_weight_matrix_run(const tarei_step *const step, const tarei_run *const r,
                                         tare_error *const err) {
  const tare_tensor *const out = r->out[0];
  bank b = {0};
  TAREI_TRY(read_bank(step, r, &b, err));
  if (out->dims[0] != b.length / 2 + 1 || out->dims[1] != b.bins) {
    return tarei_fail(err, TARE_E_SHAPE, "the matrix is %lld by %lld, expected %lld by %lld",
                      (long long)(b.length / 2 + 1), (long long)b.bins, (long long)out->dims[0],
                      (long long)out->dims[1]);
  }
  memset(out->data, 0, (size_t)tare_tensor_count(out) * tare_dtype_size(out->dtype));
  for (int64_t i = 0; i < b.bins; i++) {
    put_triangle(&b, i, out);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_mel_weight_matrix = {.prepare = mel_weight_matrix_prepare,
                                                      .measure = mel_weight_matrix_measure,
                                                      .run = mel_weight_matrix_run};
