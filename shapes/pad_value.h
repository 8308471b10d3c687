/* Pad values: checked against an element type. */
#ifndef TAREI_SHAPES_PAD_VALUE_H
#define TAREI_SHAPES_PAD_VALUE_H

#include <tare/calib.h>

/* TARE_E_USAGE, with the name of the input, if the type cannot hold the value. */
tare_status tarei_pad_value_check(const tare_pad_value *pad, tare_dtype dtype, tare_error *err);

#endif
