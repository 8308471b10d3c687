/* The internals of tare_profiles, for this floor only. */
#ifndef TAREI_SHAPES_PROFILE_SET_H
#define TAREI_SHAPES_PROFILE_SET_H

#include <stdbool.h>
#include <tare/profile.h>

#include "base/error.h"
#include "shapes/symbol_sum.h"

struct tare_profiles {
  tare_port *inputs; /* a copy with its own strings */
  int n_inputs;
  int (*dim_symbols)[TARE_MAX_RANK]; /* per input and dim: number of the symbol, -1 if fixed */
  const char **symbols;              /* strings of the inputs */
  int n_symbols;
  char **axes;                          /* per symbol, for people: the axes that have it */
  char **labels;                        /* per symbol, for people */
  tarei_symbol_sum *sums;               /* of which symbols a symbol is the sum */
  tare_range *items[TARE_MAX_PROFILES]; /* a range for each symbol */
  int count;
};

/* A profile with 1:1:1 for every symbol, to be freed; NULL if memory runs out. */
tare_range *tarei_profiles_ones(const tare_profiles *profiles, tare_error *err);

/* The ranges of sums that are not given follow from those of the others. TARE_E_LIMIT where they
 * exceed 64 bits. */
tare_status tarei_profiles_derive(const tare_profiles *profiles, const bool *given,
                                  tare_range *profile, tare_error *err);

/* Writes the texts for people of all symbols. TARE_E_MEMORY. */
tare_status tarei_profiles_describe(tare_profiles *profiles, tare_error *err);

/* As tare_profiles_pick of a name of `length` characters; a fixed axis gives symbol -1 and its
 * size.
 */
tare_status tarei_profiles_pick(const tare_profiles *profiles, const char *name, int *symbol,
                                int64_t *size, tare_error *err);

/* Checks min <= opt <= max of every symbol, and that sums are sums, and adds a copy of the profile.
 */
tare_status tarei_profiles_append(tare_profiles *profiles, const tare_range *profile,
                                  tare_error *err);

/* Drops all profiles but the first n. */
void tarei_profiles_keep(tare_profiles *profiles, int n);

/* TARE_E_USAGE for an unknown input; the message lists the names. */
tare_status tarei_fail_unknown_input(const tare_port *inputs, int n_inputs, const char *name,
                                     tare_error *err);

/* Size of a tensor along a port's axis; 1 along the batch axis of a single sample. */
int64_t tarei_port_dim(const tare_port *port, const tare_tensor *tensor, int axis);

#endif
