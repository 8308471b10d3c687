/* The length of a sample, which says nothing of its unit: elements of its largest input. */
#ifndef TAREI_CALIB_SAMPLES_SAMPLE_LENGTH_H
#define TAREI_CALIB_SAMPLES_SAMPLE_LENGTH_H

#include <tare/tensor.h>

int64_t tarei_sample_length(const tare_tensor *tensors, int n);

#endif
