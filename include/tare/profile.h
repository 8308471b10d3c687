/*
 * Optimization profiles: the ranges that each symbol of a model may take.
 *
 * A profile gives min:opt:max for every symbol ("samples", "batch", ...). The profiles of a set
 * are numbered from 0 and tried in order; a shape belongs to the first profile that holds it.
 * Symbols that no specification names are fixed at 1.
 */
#ifndef TARE_PROFILE_H
#define TARE_PROFILE_H

#include <tare/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARE_MAX_SYMBOLS 16
#define TARE_MAX_PROFILES 64

/** Range of one symbol in one profile; 0 <= min <= opt <= max. */
typedef struct tare_range {
  int64_t min, opt, max;
} tare_range;

/** An ordered set of profiles over the symbols of one model. */
typedef struct tare_profiles tare_profiles;

/**
 * Starts an empty set for a model's inputs.
 * @param inputs ports whose symbols the profiles speak of; kept by copy
 * @param n_inputs number of ports, >= 0
 * @param out receives the set; free it with tare_profiles_free
 * @return TARE_OK, TARE_E_MEMORY, TARE_E_LIMIT (more than TARE_MAX_SYMBOLS symbols)
 */
TARE_API tare_status tare_profiles_new(const tare_port *inputs, int n_inputs, tare_profiles **out,
                                       tare_error *err);

/** Frees a set and clears the handle; a NULL handle is fine. */
TARE_API void tare_profiles_free(tare_profiles **profiles);

/**
 * Adds one profile from symbol ranges, e.g. "samples=1600:16000:80000,batch=1:1:4".
 * A single number N means N:N:N. Every name must be a symbol of the model.
 * @return TARE_OK, TARE_E_USAGE (syntax, unknown symbol, min > opt > max order), TARE_E_LIMIT
 */
TARE_API tare_status tare_profiles_add(tare_profiles *profiles, const char *spec, tare_error *err);

/**
 * Adds one profile in trtexec's syntax: "audio:1x1600" or "ids:1x8,mask:1x8", input names may
 * hold colons (split at the last one) and may stand in single quotes; "scalar" or an empty shape
 * is 0-D; one '*' wildcard per name.
 * @param min,opt,max the three specifications; min and max may both be NULL: all three are opt
 * @return TARE_OK, TARE_E_USAGE (syntax, unknown input, rank, fixed dim changed, two inputs that
 *         give one symbol different values, order), TARE_E_LIMIT
 */
TARE_API tare_status tare_profiles_add_shapes(tare_profiles *profiles, const char *min,
                                              const char *opt, const char *max, tare_error *err);

/**
 * Adds every profile of a text file: one specification of tare_profiles_add a line, '#' starts a
 * comment, blank lines are skipped. Nothing is added when a line is wrong.
 * @return TARE_OK, TARE_E_INPUT (names file and line), TARE_E_USAGE, TARE_E_LIMIT
 */
TARE_API tare_status tare_profiles_add_file(tare_profiles *profiles, const char *path,
                                            tare_error *err);

/** Number of profiles in the set. */
TARE_API int tare_profiles_count(const tare_profiles *profiles);

/** Number of symbols, and the name of symbol i (owned by the set, NULL out of range). */
TARE_API int tare_profiles_n_symbols(const tare_profiles *profiles);
TARE_API const char *tare_profiles_symbol(const tare_profiles *profiles, int symbol);

/** Range of a symbol in a profile; both indices must be in range (asserted). */
TARE_API tare_range tare_profiles_range(const tare_profiles *profiles, int profile, int symbol);

/**
 * The profile that holds a set of symbol values.
 * @param values one value per symbol, in the order of tare_profiles_symbol
 * @return index of the first profile with min <= value <= max for all symbols, or -1
 */
TARE_API int tare_profiles_find(const tare_profiles *profiles, const int64_t *values);

/**
 * The profile nearest to a set of symbol values: the least sum over the symbols of the relative
 * distance to the range (0 inside; |value - bound| / bound outside); ties go to the lower index.
 * @return an index, or -1 for an empty set
 */
TARE_API int tare_profiles_nearest(const tare_profiles *profiles, const int64_t *values);

/**
 * Says why no profile holds the values: names each symbol with its value and all bounds.
 * @return TARE_E_SHAPE always, with the sentence in err
 */
TARE_API tare_status tare_profiles_explain(const tare_profiles *profiles, const int64_t *values,
                                           const char *what, tare_error *err);

/**
 * Symbol values of one set of inputs.
 * @param tensors one tensor per port, in port order; a tensor of rank one less than its port is
 *        taken as a single sample without the leading (batch) dim
 * @param values receives one value per symbol
 * @return TARE_OK, TARE_E_SHAPE (rank, fixed dim, one symbol with two values: names all of them)
 */
TARE_API tare_status tare_profiles_bind(const tare_profiles *profiles, const tare_tensor *tensors,
                                        int64_t *values, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
