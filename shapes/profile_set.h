/* The inside of tare_profiles, for this floor alone. */
#ifndef TAREI_SHAPES_PROFILE_SET_H
#define TAREI_SHAPES_PROFILE_SET_H

#include <stdbool.h>

#include "base/error.h"
#include "shapes/profiles.h"

typedef struct tarei_profile {
  tare_range ranges[TARE_MAX_SYMBOLS];
} tarei_profile;

struct tare_profiles {
  tare_port *inputs; /* a copy with its own strings */
  int n_inputs;
  int (*dim_symbols)[TARE_MAX_RANK];     /* per input and dim: symbol number, -1 where fixed */
  const char *symbols[TARE_MAX_SYMBOLS]; /* strings of the inputs */
  int n_symbols;
  tarei_profile items[TARE_MAX_PROFILES];
  int count;
};

/* Every symbol 1:1:1, where each specification starts. */
tarei_profile tarei_profile_ones(void);

/* Checks min <= opt <= max of every symbol and adds the profile. */
tare_status tarei_profiles_append(tare_profiles *profiles, const tarei_profile *profile,
                                  tare_error *err);

/* A decimal number without sign over the whole text from `at` up to `end`. */
bool tarei_parse_count(const char *at, const char *end, int64_t *value);

/* First `separator` from `at` on that does not stand in single quotes, else the end. NULL when a
 * quote is not closed. */
const char *tarei_find_unquoted(const char *at, char separator);

/* Moves both ends of a text over white space, inwards. */
void tarei_trim(const char **at, const char **end);

/* The text without the single quotes around it ('' inside stands for one); NULL when out of
 * memory. */
char *tarei_unquote(const char *at, const char *end);

/* TARE_E_USAGE with the names there are. */
tare_status tarei_fail_unknown_input(const tare_port *inputs, int n_inputs, const char *name,
                                     tare_error *err);

/* Size of a tensor along a port's axis; 1 along the batch axis of a single sample. */
int64_t tarei_port_dim(const tare_port *port, const tare_tensor *tensor, int axis);

#endif
