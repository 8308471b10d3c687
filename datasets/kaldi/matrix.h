/* Matrices and vectors of floats in Kaldi's binary archives, also compressed ones. */
#ifndef TAREI_DATASETS_KALDI_MATRIX_H
#define TAREI_DATASETS_KALDI_MATRIX_H

#include "base/source.h"
#include "datasets/convert.h"
#include "datasets/slot.h"
#include "datasets/data_spec.h"
#include "datasets/kaldi/compressed.h"

typedef struct tarei_matrix {
  tarei_number number; /* TAREI_NUMBER_F32 or TAREI_NUMBER_F64 */
  int rank;            /* 1 for a vector */
  int64_t dims[2];
  const tarei_compression *compression; /* or NULL */
  float least, range;                   /* of compressed elements */
  size_t at, bytes;                     /* of the elements, row by row unless they are compressed */
} tarei_matrix;

/* Reads the header of the matrix at byte `at`, behind its key. TARE_E_INPUT: it is text,
 * of another kind, malformed, or beyond the end of the file. */
tare_status tarei_matrix_open(const tarei_source *source, size_t at, tarei_matrix *out,
                              tare_error *err);

/* Checks that matrices can feed the inputs: one with floats, and perhaps one for lengths.
 * TARE_E_USAGE names `path`. */
tare_status tarei_matrix_check_inputs(const char *path, const tarei_data_spec *spec,
                                      tare_error *err);

/* Fills the tensors of a slot. TARE_E_INPUT, TARE_E_MEMORY. */
tare_status tarei_matrix_read(const tarei_source *source, const tarei_matrix *matrix,
                              const tarei_data_spec *spec, tarei_slot *out, tare_error *err);

#endif
