/* Samples in memory, so that reading them does not disturb what is measured. */
#ifndef TAREI_TOOLS_BENCH_SAMPLES_H
#define TAREI_TOOLS_BENCH_SAMPLES_H

#include <tare/tare.h>

typedef struct samples {
  tare_tensor *tensors; /* n_inputs of each sample */
  char **names;
  int n, n_inputs;
  bool cut; /* there are more, for which there was no room */
} samples;

/* Reads the samples of a data set, at most some hundred MB of them. */
tare_status samples_read(tare_dataset *dataset, int n_inputs, samples *out, tare_error *err);
void samples_fini(samples *s);

#endif
