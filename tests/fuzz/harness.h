/* What the targets share: files of a scratch folder, small limits, checks of statuses, runs. */
#ifndef TAREI_TESTS_FUZZ_HARNESS_H
#define TAREI_TESTS_FUZZ_HARNESS_H

#include <tare/dataset.h>
#include <tare/plan.h>

#include "fuzz/target.h"

/* Limits under which no input needs more than a few megabytes. */
const tare_limits *fuzz_limits(void);

/* The path of a file in the scratch folder of this process, which is removed at its end. Valid
 * until the eighth call after it. */
const char *fuzz_path(const char *name);
/* Writes such a file, and returns its path. */
const char *fuzz_file(const char *name, const void *data, size_t size);
/* Hands the contents of a file to `take`, and removes it. */
void fuzz_take_file(const char *path, fuzz_take_fn *take, void *user);

/* Choices of a test follow from its input alone. */
uint64_t fuzz_hash(const uint8_t *data, size_t size);

/* Ends the process if a failure has no message. Returns whether the status is TARE_OK. */
_Bool fuzz_ok(tare_status status, const tare_error *err);
/* For what must not fail, such as making a seed. */
void fuzz_need(tare_status status, const tare_error *err);

/* Ends the process if objects of HDF5 are still open: their memory is not seen as a leak. HDF5
 * cannot close some damaged files. */
void fuzz_need_closed(void);

/* A NUL-terminated copy, which the caller frees. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Runs a plan with numbers that follow from `seed`, some of them NaN, Inf or out of range. */
void fuzz_run_plan(const tare_plan *plan, uint64_t seed);

/* Reads at most twenty samples, and every byte of them. `choices` sets options. */
void fuzz_read_data(const char *path, tare_dataset_options *options, uint64_t choices);

/* Changes data as the target does, or else by fuzz_mutate_bytes (mutate.c). */
size_t fuzz_mutate(const fuzz_target *target, uint8_t *data, size_t size, size_t most,
                   unsigned seed);
/* Changes bytes, numbers and words at any place (mutate.c). */
size_t fuzz_mutate_bytes(const fuzz_target *target, uint8_t *data, size_t size, size_t most,
                         unsigned seed);

/* Numbers from a state that is not 0. */
static inline uint32_t fuzz_random(uint64_t *const state, const uint32_t n) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return n ? (uint32_t)((*state >> 20) % n) : 0;
}

/* Changes fields of the message of an ONNX model (mutate_onnx.c). */
fuzz_mutate_fn fuzz_mutate_onnx;

#endif
