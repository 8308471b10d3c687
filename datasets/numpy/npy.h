/* The .npy format of NumPy, versions 1 to 3: a header in the syntax of Python, then the elements.
 */
#ifndef TAREI_DATASETS_NUMPY_NPY_H
#define TAREI_DATASETS_NUMPY_NPY_H

#include <tare/tensor.h>

#include "datasets/convert.h"
#include "datasets/numpy/unpack.h"

enum { TAREI_NPY_MAX_RANK = TARE_MAX_RANK + 1 }; /* the samples along one axis more */

typedef struct tarei_npy {
  tarei_number number; /* what elements widen to */
  const struct tarei_npy_type *type;
  size_t element_bytes;
  bool swapped; /* the byte order differs from that of the machine */
  bool fortran; /* the first axis is the fastest */
  int rank;
  int64_t dims[TAREI_NPY_MAX_RANK];
  int64_t count; /* of elements, all of which are in the file */
} tarei_npy;

/* Reads the header. TARE_E_INPUT if it is malformed, declares elements other than real numbers, or
 * declares another number of bytes than those that follow it. */
tare_status tarei_npy_open(tarei_unpack *from, tarei_npy *out, tare_error *err);

/* Whether elements are stored as the numbers that they widen to. */
bool tarei_npy_is_wide(const tarei_npy *npy);

/* Widens n elements, `stride` elements apart, to int64, uint64 or double; float32 stays. */
void tarei_npy_widen(const tarei_npy *npy, const void *raw, int64_t n, int64_t stride, void *out);

#endif
