/* NumPy's files: one dense array each. */
#ifndef TAREI_TESTS_CONFORMANCE_NPY_H
#define TAREI_TESTS_CONFORMANCE_NPY_H

#include <stdbool.h>
#include <tare/tensor.h>

/* Reads an array in C order; free data. False when the file is missing or of another form. */
bool read_npy(const char *path, tare_tensor *out);

#endif
