/* Lengths of data, and profiles as texts. */
#ifndef TAREI_TOOLS_OPTIONS_LENGTHS_H
#define TAREI_TOOLS_OPTIONS_LENGTHS_H

#include "tools/options/options.h"
#include "tools/progress.h"

/* Lengths seen in data: one row of symbol values per sample. */
typedef struct lengths {
  tare_profiles *symbols; /* an empty set, for binding */
  int64_t *values;
  int64_t n;
} lengths;

tare_status lengths_new(const tare_port *inputs, int n_inputs, lengths *out, tare_error *err);

/* Reads the dims of a data set to its end, with progress; _scan rewinds it then. */
tare_status lengths_read(lengths *l, tare_dataset *dataset, progress *p, tare_error *err);
tare_status lengths_scan(lengths *l, tare_dataset *dataset, progress *p, tare_error *err);

/* Least, median and most of one symbol; n must be > 0. */
tare_range lengths_range(const lengths *l, int symbol);

/* "samples=1600:16000:80000": symbols that are always 1 are left out unless all are. The caller
 * frees it. */
char *lengths_spec(const lengths *l);
void lengths_fini(lengths *l);

/* Number of a symbol in a set, or -1. */
int lengths_find_symbol(const tare_profiles *profiles, const char *name);

/* Adds "name=min:opt:max" to a specification (NULL: nothing yet), which is freed; the caller frees
 * the result. */
char *lengths_append_range(char *spec, const char *name, tare_range range);

/* A symbol that is a sum of others of which more than one is not empty in some profile, as an axis
 * is that joins a cache and a chunk; NULL: there is none. */
const char *profiles_joint(const tare_profiles *profiles);

/* The specification of one profile of a set, symbols fixed at 1 left out; the caller frees it. */
char *profile_text(const tare_profiles *profiles, int profile);

/* The same as --profile takes it, even where all symbols are fixed at 1. */
char *profile_spec(const tare_profiles *profiles, int profile);

/* Adds the profiles of a set to one with other symbols: for those that the first set has not, the
 * range in the only profile of `others`, which has all symbols of `to`. */
tare_status profiles_restrict(const tare_profiles *from, const tare_profiles *others,
                              tare_profiles *to, tare_error *err);

#endif
