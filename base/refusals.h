/*
 * Memory that was refused.
 *
 * Much code answers "no" or "not known" where it has no memory to find out: a pattern does not fit,
 * a dim has no expression, a name has no second part. Nothing that was made with such an answer may
 * be used. So a job that makes something asks before and after whether its thread was refused
 * memory in between, and fails if it was, whatever came out.
 */
#ifndef TAREI_BASE_REFUSALS_H
#define TAREI_BASE_REFUSALS_H

#include "base/error.h"

/* How often this thread was refused memory by base/mem.h so far. */
unsigned tarei_refusals(void);

/* The status of a job: TARE_E_MEMORY, with `what` in the sentence, when this thread was refused
 * memory since tarei_refusals gave `before`. */
tare_status tarei_settle(unsigned before, tare_status status, const char *what, tare_error *err);

/* Notes a refusal; gives NULL. Clears errno: an ENOMEM that is found there later comes from a
 * library that was refused memory itself, and may not have survived it. */
void *tarei_refuse(void);

#endif
