/*
 * Checks of operands that shape inference leaves open: symbolic dims that it could not compare are
 * compared when a step runs, and what a plan file says about constants and scales is not trusted.
 */
#ifndef TAREI_ENGINE_LOWER_OPERANDS_H
#define TAREI_ENGINE_LOWER_OPERANDS_H

#include "engine/step.h"

/* --- when a step is prepared ------------------------------------------------------------------ */

/* TARE_E_UNSUPPORTED: the operator does not compute with this type. */
tare_status tarei_refuse_dtype(tare_dtype dtype, tare_error *err);
/* Input i (absent ones pass) is float32, and where it is constant, its bytes are there. */
tare_status tarei_want_float(const tarei_step *step, int i, tare_error *err);
/* Input 1 is constant float32 without empty dims; its bytes may be in a blob. */
tare_status tarei_want_weights(const tarei_step *step, tare_error *err);
/* Input 2 is absent or a constant of n floats; *out is NULL when absent. Its bytes may be in a
 * blob, in which case *out must not be read. */
tare_status tarei_want_bias(const tarei_step *step, size_t n, const float **out, tare_error *err);
/* A value has a scale for every profile. */
tare_status tarei_want_scales(const tarei_step *step, int value, tare_error *err);

/* --- when it runs ----------------------------------------------------------------------------- */

/* Input i (absent ones pass) has so many elements. */
tare_status tarei_want_count(const tarei_step *step, const tarei_run *run, int i, int64_t count,
                             tare_error *err);
/* Axis of input i is so long. */
tare_status tarei_want_dim(const tarei_step *step, const tarei_run *run, int i, int axis,
                           int64_t size, tare_error *err);
/* Sums of so many int8 products stay inside int32. TARE_E_LIMIT. */
tare_status tarei_want_int8_sum(size_t n, tare_error *err);

#endif
