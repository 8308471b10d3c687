/* Whether an array that feeds no input was meant to feed one. */
#ifndef TAREI_DATASETS_NAMES_SPARE_CHECK_H
#define TAREI_DATASETS_NAMES_SPARE_CHECK_H

#include "datasets/names/spare.h"

/* TARE_E_USAGE where an array has the name of an input that was taken for a state. TARE_E_INPUT
 * where an array seems to be meant for an input that was taken for a state: by its name, or where
 * names alone made the state, by its shape. */
tare_status tarei_spares_check(const tarei_spares *spares, const tarei_data_spec *spec,
                               tare_error *err);

/* The error for inputs without data, which says what there is. `missing` has a flag per input. */
tare_status tarei_spares_fail(const tarei_spares *spares, const tarei_data_spec *spec,
                              const bool *missing, tare_error *err);

#endif
