/* The internals of tare_length_check that other floors need. */
#ifndef TAREI_ENGINE_CHECK_LENGTH_CHECK_H
#define TAREI_ENGINE_CHECK_LENGTH_CHECK_H

#include <tare/length_check.h>

/* The profiles that it was made for, which belong to it. */
const tare_profiles *tarei_length_check_profiles(const tare_length_check *check);

#endif
