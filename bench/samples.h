/* Made-up data to calibrate with: a file of samples like those that `tare bench` runs on. */
#ifndef TAREI_BENCH_SAMPLES_H
#define TAREI_BENCH_SAMPLES_H

#include <tare/tare.h>

/* Writes one sample for each row of symbol values, as groups of an HDF5 file. */
tare_status samples_write(const char *path, const tare_port *ports, int n_ports,
                          const tare_profiles *symbols, const int64_t (*values)[TARE_MAX_SYMBOLS],
                          int n, tare_error *err);

#endif
