/* The internals of tare_profiles that other floors need. */
#ifndef TAREI_SHAPES_PROFILES_H
#define TAREI_SHAPES_PROFILES_H

#include <tare/profile.h>

#include "base/str.h"
#include "shapes/expr.h"

tare_status tarei_profiles_clone(const tare_profiles *profiles, tare_profiles **out,
                                 tare_error *err);

/* Appends one profile in the syntax of tare_profiles_add, with every symbol in order:
 * "batch=1:1:1,samples=1600:16000:80000". */
void tarei_profiles_print(const tare_profiles *profiles, int profile, tarei_str *out);

/* The range of a symbol in a profile in that syntax, without the inputs that it is of. False if it
 * is not in there, or memory runs out. */
bool tarei_profile_spec_range(const char *spec, const char *symbol, tare_range *out);

/* Number of a symbol, or -1 if no input has it. */
int tarei_profiles_find_symbol(const tare_profiles *profiles, const char *name);

/* Largest value of an expression over the lengths of all profiles, by tarei_expr_bounds. False if
 * it overflows, or uses a symbol that no input has, such as a measured one. */
bool tarei_profiles_largest(const tare_profiles *profiles, const tarei_exprs *exprs, tarei_expr e,
                            int64_t *largest);

/* Whether a symbol has the same single value in every profile; false without profiles. */
bool tarei_profiles_fix(const tare_profiles *profiles, int symbol, int64_t *value);

/* Name of the first input that has a symbol as a dim; "" if none has. */
const char *tarei_profiles_input_of(const tare_profiles *profiles, int symbol);

/* Sets the values of symbols that are sums of others to these sums; false where one exceeds 64
 * bits.
 */
bool tarei_profiles_add_up(const tare_profiles *profiles, int64_t *values);

/* Makes the set consist of one profile, from one value per symbol to another. */
tare_status tarei_profiles_replace(tare_profiles *profiles, const int64_t *min, const int64_t *max,
                                   tare_error *err);

/* tare_profiles_explain of the shapes of inputs, whose names it says. */
tare_status tarei_profiles_explain_inputs(const tare_profiles *profiles, const int64_t *values,
                                          tare_error *err);

#endif
