/* Kaldi's compressed matrices: bytes or words instead of floats, which are fractions of a range. */
#ifndef TAREI_DATASETS_KALDI_COMPRESSED_H
#define TAREI_DATASETS_KALDI_COMPRESSED_H

#include <stddef.h>
#include <stdint.h>

/* What such a matrix begins with. */
typedef struct tarei_compressed {
  float least, range; /* of all elements */
  int64_t rows, columns;
} tarei_compressed;

/* A way to compress. */
typedef struct tarei_compression {
  int64_t per_column, per_element; /* bytes */
  /* Computes all elements, row by row. */
  void (*unpack)(const tarei_compressed *matrix, const uint8_t *bytes, float *out);
} tarei_compression;

extern const tarei_compression tarei_compression_columns; /* "CM": bytes between 4 quantiles */
extern const tarei_compression tarei_compression_words;   /* "CM2": 16 bits */
extern const tarei_compression tarei_compression_bytes;   /* "CM3" */

#endif
