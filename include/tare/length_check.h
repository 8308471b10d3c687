/*
 * Whether a model can run at given lengths, as far as its shapes and the limit on memory tell:
 * nothing is run, and no weights are packed unless memory is scarce.
 */
#ifndef TARE_LENGTH_CHECK_H
#define TARE_LENGTH_CHECK_H

#include <stdbool.h>
#include <tare/model.h>
#include <tare/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What lengths are asked of. It serves one thread at a time. */
typedef struct tare_length_check tare_length_check;

/** The nearest lengths at which a model can run, along one symbol. */
typedef struct tare_length_near {
  int symbol;        /* its number in the profiles; -1: none was found along any symbol */
  int64_t below;     /* the next smaller length that works; -1: none was found */
  int64_t above;     /* the next larger one; -1: none was found */
  bool ends;         /* no other length was found to work beyond the one that is missing: `above`
                        is then the least length that works, or `below` the most */
  const char *text;  /* "the least S that works is 400"; "" if none was found. Valid until the check
                        is used again */
  void *reserved[4]; /* for later versions */
} tare_length_near;

/**
 * Prepares a model to be asked.
 * @param model must outlive the check
 * @param profiles the lengths that matter, as in a plan; copied. A symbol that has the same value
 *        in all of them is taken to be that constant
 * @param out receives the check; free it with tare_length_check_free
 * @return TARE_OK, TARE_E_USAGE (no profile), TARE_E_MEMORY, or an error of tare_plan_build for the
 *         model as a whole
 */
TARE_API tare_status tare_length_check_new(const tare_model *model, const tare_profiles *profiles,
                                           tare_length_check **out, tare_error *err);

/**
 * Frees a check.
 * @param check the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_length_check_free(tare_length_check **check);

/**
 * Whether the model can run at given lengths. What only a run tells, such as measured dims and what
 * happens in loops, is not examined.
 * @param values one value per symbol of the profiles, in their order
 * @return TARE_OK, TARE_E_SHAPE (a node cannot run there), TARE_E_LIMIT (a run needs more memory
 *         than max-memory allows, with one thread), TARE_E_MEMORY
 */
TARE_API tare_status tare_length_check_at(tare_length_check *check, const int64_t *values,
                                          tare_error *err);

/**
 * Searches for the nearest lengths that work, by bisection and among the neighbours, in a bounded
 * number of steps. Where the model works at some of the lengths between and not at others, only
 * what was tried is known.
 * @param values for which tare_length_check_at fails
 * @param out receives the lengths along the symbol that has to change least
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_length_check_near(tare_length_check *check, const int64_t *values,
                                            tare_length_near *out, tare_error *err);

/**
 * tare_length_check_at with a sentence for people: the lengths, whether they are too short or too
 * long, why, and which would work, "S=300 is too short for the model: ...; the least S that works
 * is 400".
 * @param near receives the nearest lengths that work; NULL: they are only said
 * @return as tare_length_check_at
 */
TARE_API tare_status tare_length_check_explain(tare_length_check *check, const int64_t *values,
                                               tare_length_near *near, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
