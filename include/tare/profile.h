/*
 * Optimization profiles: the ranges of the symbols of a model.
 *
 * A profile gives min:opt:max for every symbol ("samples", "batch", ...). The profiles of a set are
 * numbered from 0 and tried in order: a shape belongs to the first profile that covers it. A symbol
 * that a profile does not name is 1, unless its name is a sum of others ("past + seq"): its range
 * is the sum of theirs.
 */
#ifndef TARE_PROFILE_H
#define TARE_PROFILE_H

#include <stdbool.h>
#include <tare/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARE_MAX_SYMBOLS 1024
#define TARE_MAX_PROFILES 64

/** Range of one symbol in one profile; 0 <= min <= opt <= max. */
typedef struct tare_range {
  int64_t min, opt, max;
} tare_range;

/** An ordered set of profiles for the symbols of one model. */
typedef struct tare_profiles tare_profiles;

/**
 * Creates an empty set for the inputs of a model.
 * @param inputs ports whose symbols the profiles give ranges for; copied
 * @param n_inputs number of ports, >= 0
 * @param out receives the set; free it with tare_profiles_free
 * @return TARE_OK, TARE_E_MEMORY, TARE_E_LIMIT (more than TARE_MAX_SYMBOLS symbols)
 */
TARE_API tare_status tare_profiles_new(const tare_port *inputs, int n_inputs, tare_profiles **out,
                                       tare_error *err);

/**
 * Frees a set of profiles.
 * @param profiles the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_profiles_free(tare_profiles **profiles);

/**
 * Adds a profile given by ranges of symbols.
 * @param spec e.g. "samples=1600:16000:80000,batch=1:1:4"; a single number N means N:N:N, and every
 *        name must be a symbol of the inputs, or an axis as in tare_profiles_pick. A fixed axis may
 *        have its size as range
 * @return TARE_OK, TARE_E_USAGE (syntax, unknown symbol, not min <= opt <= max), TARE_E_LIMIT (more
 *         than TARE_MAX_PROFILES profiles)
 */
TARE_API tare_status tare_profiles_add(tare_profiles *profiles, const char *spec, tare_error *err);

/**
 * Adds a profile given by shapes in the syntax of trtexec, e.g. "audio:1x1600" or
 * "ids:1x8,mask:1x8". Names of inputs may contain colons (a shape follows the last one), one '*' as
 * wildcard, and may be in single quotes; "scalar" or an empty shape means rank 0.
 * @param min,opt,max the shapes; min and max may both be NULL, and are then the same as opt
 * @return TARE_OK, TARE_E_USAGE (syntax, unknown input, wrong rank, another size for a fixed dim,
 *         two values for one symbol, not min <= opt <= max), TARE_E_LIMIT
 */
TARE_API tare_status tare_profiles_add_shapes(tare_profiles *profiles, const char *min,
                                              const char *opt, const char *max, tare_error *err);

/**
 * Adds the profiles of a text file with one specification of tare_profiles_add per line. '#' starts
 * a comment; blank lines are skipped. If a line is wrong, nothing is added.
 * @param path the file
 * @return TARE_OK, TARE_E_INPUT (the message names file and line), TARE_E_USAGE, TARE_E_LIMIT
 */
TARE_API tare_status tare_profiles_add_file(tare_profiles *profiles, const char *path,
                                            tare_error *err);

/** Number of profiles in the set. */
TARE_API int tare_profiles_count(const tare_profiles *profiles);

/** Number of symbols of the inputs. */
TARE_API int tare_profiles_n_symbols(const tare_profiles *profiles);

/** Name of a symbol, which belongs to the set; NULL if the number is out of range. */
TARE_API const char *tare_profiles_symbol(const tare_profiles *profiles, int symbol);

/**
 * Whether a symbol is a sum of others by its name, as "past + seq" is where other inputs have
 * "past" and "seq": then its ranges follow from theirs, and profiles need not give them.  */
TARE_API bool tare_profiles_is_sum(const tare_profiles *profiles, int symbol);

/**
 * Finds a symbol by its name, or by an axis that has it: by the name that the model gives the axis,
 * "input:axis" (axis 0 is the batch), or "input" for the last axis.
 * @param symbol receives the number
 * @return TARE_OK, TARE_E_USAGE (no such symbol or axis, or the axis is fixed)
 */
TARE_API tare_status tare_profiles_pick(const tare_profiles *profiles, const char *name,
                                        int *symbol, tare_error *err);

/** Which axes have a symbol: "input_ids axis 1, position_ids axis 1 and 3 more". The text belongs
 * to the set; NULL if the number is out of range. */
TARE_API const char *tare_profiles_axes(const tare_profiles *profiles, int symbol);

/** Name of a symbol for people: names that exporters count ("s72") have the first axis behind them,
 * "s72 (input_ids axis 1)". It belongs to the set; NULL if the number is out of range. */
TARE_API const char *tare_profiles_label(const tare_profiles *profiles, int symbol);

/** Whether a specification gives a range for a symbol, by its name or by an axis. */
TARE_API bool tare_profiles_gives(const tare_profiles *profiles, const char *spec, int symbol);

/** Range of a symbol in a profile. */
TARE_API tare_range tare_profiles_range(const tare_profiles *profiles, int profile, int symbol);

/**
 * Finds the profile that covers a set of values.
 * @param values one value per symbol, in the order of tare_profiles_symbol
 * @return number of the first profile with min <= value <= max for all symbols, or -1
 */
TARE_API int tare_profiles_find(const tare_profiles *profiles, const int64_t *values);

/**
 * Finds the profile that is nearest to a set of values: the one with the smallest sum of relative
 * distances, which are 0 inside a range and |value - bound| / bound outside. Among equal ones, the
 * first is chosen.
 * @param values one value per symbol
 * @return number of the profile, or -1 if the set is empty
 */
TARE_API int tare_profiles_nearest(const tare_profiles *profiles, const int64_t *values);

/**
 * Explains why no profile covers a set of values: the message names each symbol that does not fit,
 * with its value and all ranges.
 * @param values one value per symbol
 * @param what the object to name at the beginning of the message, e.g. a file; or NULL
 * @return always TARE_E_SHAPE
 */
TARE_API tare_status tare_profiles_explain(const tare_profiles *profiles, const int64_t *values,
                                           const char *what, tare_error *err);

/**
 * Derives the values of the symbols from a set of inputs.
 * @param tensors one tensor per port, in the order of the ports; only type and dims are read. If
 *        the rank of a tensor is one less than that of its port, it is a single sample without the
 *        leading batch dim
 * @param values receives one value per symbol
 * @return TARE_OK, TARE_E_SHAPE (wrong rank, another size for a fixed dim, or two values for one
 *         symbol, which the message lists)
 */
TARE_API tare_status tare_profiles_bind(const tare_profiles *profiles, const tare_tensor *tensors,
                                        int64_t *values, tare_error *err);

/** A length, and how many samples have it. */
typedef struct tare_length_count {
  int64_t length, samples; /* >= 0; > 0 */
} tare_length_count;

/**
 * Cuts lengths into groups, so that padding each sample to the longest of its group adds as little
 * as possible. Exact: dynamic programming, whose steps are monotone because the cost is a Monge
 * array (Burkard, Klinz and Rudolf, "Perspectives of Monge properties in optimization", 1996).
 * What a run at a length costs can be given in place of the length, where it grows with it (e.g.
 * nanoseconds): then the extra cost is the least, and `padding` is its sum.
 * @param lengths distinct lengths, ascending
 * @param n number of lengths, > 0
 * @param groups number of groups, 1 to the smaller of n and TARE_MAX_PROFILES
 * @param last receives, for each group, the number of its longest length
 * @param padding receives how much padding that adds up to, in elements of the axis
 * @return TARE_OK, TARE_E_USAGE (lengths that do not ascend, or a number out of range),
 * TARE_E_MEMORY
 */
TARE_API tare_status tare_lengths_cut(const tare_length_count *lengths, int n, int groups,
                                      int *last, int64_t *padding, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
