/* Divisors of integers. */
#ifndef TAREI_ENGINE_LOWER_ELEMENTWISE_DIVISOR_H
#define TAREI_ENGINE_LOWER_ELEMENTWISE_DIVISOR_H

#include "engine/step.h"

/* TARE_E_INPUT where integers are divided by a divisor (input i of the run) that holds a 0. */
tare_status tarei_want_divisor(const tarei_step *step, const tarei_run *run, int i,
                               tare_error *err);

#endif
