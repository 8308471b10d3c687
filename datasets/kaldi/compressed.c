#include "datasets/kaldi/compressed.h"

enum { BYTE_MOST = 255, WORD_MOST = 65535, WORD_BYTES = 2, QUANTILES = 4 };
/* The bytes at which the second and the third quantile lie. */
enum { LOWER_QUARTILE = 64, UPPER_QUARTILE = 192 };

static unsigned compressed_take_word(const uint8_t *const at) {
  return (unsigned)at[0] | (unsigned)at[1] << 8;
}

static float interpolate(const float from, const float to, const int steps, const int n) {
  return (float)((double)from + (double)((to - from) * (float)steps) * (1.0 / n));
}

/* Between quantiles of the column: the middle half of its elements gets half of the bytes. */
static float column_element(const float *const quantiles, const int byte) {
  if (byte <= LOWER_QUARTILE) {
    return interpolate(quantiles[0], quantiles[1], byte, LOWER_QUARTILE);
  }
  if (byte <= UPPER_QUARTILE) {
    return interpolate(quantiles[1], quantiles[2], byte - LOWER_QUARTILE,
                       UPPER_QUARTILE - LOWER_QUARTILE);
  }
  return interpolate(quantiles[2], quantiles[3], byte - UPPER_QUARTILE, BYTE_MOST - UPPER_QUARTILE);
}

/* All headers of columns, then all columns. */
static void columns_unpack(const tarei_compressed *const m, const uint8_t *const bytes,
                           float *const out) {
  const uint8_t *header = bytes, *element = bytes + m->columns * QUANTILES * WORD_BYTES;
  for (int64_t column = 0; column < m->columns; column++) {
    float quantiles[QUANTILES];
    for (int q = 0; q < QUANTILES; q++, header += WORD_BYTES) {
      quantiles[q] = m->least + m->range * (1.0f / WORD_MOST) * (float)compressed_take_word(header);
    }
    for (int64_t row = 0; row < m->rows; row++) {
      out[row * m->columns + column] = column_element(quantiles, *element++);
    }
  }
}

static void words_unpack(const tarei_compressed *const m, const uint8_t *const bytes,
                         float *const out) {
  const float step = (float)((double)m->range * (1.0 / WORD_MOST));
  for (int64_t i = 0; i < m->rows * m->columns; i++) {
    out[i] = m->least + (float)compressed_take_word(bytes + i * WORD_BYTES) * step;
  }
}

static void bytes_unpack(const tarei_compressed *const m, const uint8_t *const bytes,
                         float *const out) {
  const float step = (float)((double)m->range * (1.0 / BYTE_MOST));
  for (int64_t i = 0; i < m->rows * m->columns; i++) {
    out[i] = m->least + (float)bytes[i] * step;
  }
}

const tarei_compression tarei_compression_columns = {
    .per_column = QUANTILES * WORD_BYTES, .per_element = 1, .unpack = columns_unpack};
const tarei_compression tarei_compression_words = {.per_element = WORD_BYTES,
                                                   .unpack = words_unpack};
const tarei_compression tarei_compression_bytes = {.per_element = 1, .unpack = bytes_unpack};
