/* The inside of tare_profiles, for floors above that write and read them. */
#ifndef TAREI_SHAPES_PROFILES_H
#define TAREI_SHAPES_PROFILES_H

#include <tare/profile.h>

#include "base/str.h"

tare_status tarei_profiles_clone(const tare_profiles *profiles, tare_profiles **out,
                                 tare_error *err);

/* The specification of one profile as tare_profiles_add takes it: every symbol in order,
 * "batch=1:1:1,samples=1600:16000:80000". */
void tarei_profiles_print(const tare_profiles *profiles, int profile, tarei_str *out);

/* True when a symbol has one value in every profile; there is at least one then. */
bool tarei_profiles_fix(const tare_profiles *profiles, int symbol, int64_t *value);

/* True when both sets have the same symbols and ranges. */
bool tarei_profiles_equal(const tare_profiles *a, const tare_profiles *b);

#endif
