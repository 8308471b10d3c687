/*
 * Fit policies: how a sample's tensors are padded or cut to a profile's shape.
 *
 * shapes/policies.inc has one row per policy; a policy only determines the value of each symbol.
 */
#ifndef TAREI_SHAPES_FIT_H
#define TAREI_SHAPES_FIT_H

#include <tare/calib.h>

#include "shapes/expr.h"

/* A sample fitted to a profile: tensors in the shape of the model (with a batch dim, even if the
 * sample had none), the values of the symbols at which it runs, and those of the sample itself.
 * Buffers are reused from call to call. */
typedef struct tarei_fitted {
  int profile;                     /* bucket: profile of the shape of the sample, or the nearest */
  int64_t own[TARE_MAX_SYMBOLS];   /* symbol values of the original sample */
  int64_t run[TARE_MAX_SYMBOLS];   /* symbol values after padding or cutting */
  int64_t valid[TARE_MAX_SYMBOLS]; /* min(run, own): the part that is real data */
  int n_tensors;
  tare_tensor *tensors; /* in port order */
  void **buffers;       /* owned; NULL if the memory of the sample is used in place */
  size_t *capacities;
} tarei_fitted;

typedef struct tarei_fit_options {
  tare_fit fit;
  tare_outside outside;
  const tare_pad_value *pad_values; /* checked once by tarei_fit_check */
  int n_pad_values;
  const tare_length_input *length_inputs; /* checked too */
  int n_length_inputs;
  const tare_streaming *streaming; /* of the caller; excludes length inputs */
} tarei_fit_options;

/* TARE_E_USAGE if a pad value or a length input names no input, or does not match its type. */
tare_status tarei_fit_check(const tarei_fit_options *options, const tare_port *inputs, int n_inputs,
                            tare_error *err);

/* Fits one sample: tensors in the order of the inputs of the profiles, with or without batch dim.
 * `what` names the sample in messages. TARE_E_SHAPE if it is outside all profiles and `outside` is
 * ERROR. `fitted` stays usable after any status; zero-initialize it first, and free it with
 * tarei_fitted_fini. */
tare_status tarei_fit_sample(const tare_profiles *profiles, const tarei_fit_options *options,
                             const char *what, const tare_tensor *tensors, tarei_fitted *fitted,
                             tare_error *err);
/* Adds what fitting did to the sample to the counts. */
void tarei_fit_count(const tare_profiles *profiles, const tarei_fitted *fitted,
                     tare_fit_counts *counts);
void tarei_fitted_fini(tarei_fitted *fitted);

#endif
