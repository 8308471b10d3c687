/* The arrays of a NumPy archive. */
#ifndef TAREI_DATASETS_NUMPY_NPZ_H
#define TAREI_DATASETS_NUMPY_NPZ_H

#include "datasets/numpy/array_set.h"

/* Adds the arrays to a set; the archive must outlive it. TARE_E_INPUT if it is malformed. */
tare_status tarei_npz_add(tarei_array_set *set, const tarei_source *source, tare_error *err);

#endif
