/* The inside of tare_profiles, for floors above that write and read them. */
#ifndef TAREI_SHAPES_PROFILES_H
#define TAREI_SHAPES_PROFILES_H

#include <tare/profile.h>

#include "base/str.h"
#include "shapes/expr.h"

tare_status tarei_profiles_clone(const tare_profiles *profiles, tare_profiles **out,
                                 tare_error *err);

/* The specification of one profile as tare_profiles_add takes it: every symbol in order,
 * "batch=1:1:1,samples=1600:16000:80000". */
void tarei_profiles_print(const tare_profiles *profiles, int profile, tarei_str *out);

/* Number of a symbol, or -1 when no input has it. */
int tarei_profiles_find_symbol(const tare_profiles *profiles, const char *name);

/* Largest value of an expression over the lengths of all profiles, as tarei_expr_bounds has it.
 * False where there is none: it overflows, or uses a symbol that no input has, such as a measured
 * one. */
bool tarei_profiles_largest(const tare_profiles *profiles, const tarei_exprs *exprs, tarei_expr e,
                            int64_t *largest);

/* True when a symbol has one value in every profile; there is at least one then. */
bool tarei_profiles_fix(const tare_profiles *profiles, int symbol, int64_t *value);

/* True when both sets have the same symbols and ranges. */
bool tarei_profiles_equal(const tare_profiles *a, const tare_profiles *b);

#endif
