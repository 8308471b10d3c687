/*
 * A record of failed allocations.
 *
 * Much code returns "no" or "not known" when an allocation fails: a pattern does not match, a dim
 * has no expression, a name has no second part. An object that was made with such an answer must
 * not be used. So the code that makes it compares the number of failed allocations of its thread
 * before and after, and fails if there were any, whatever the result.
 */
#ifndef TAREI_BASE_REFUSALS_H
#define TAREI_BASE_REFUSALS_H

#include "base/error.h"

/* Number of allocations of base/mem.h that have failed in this thread so far. */
unsigned tarei_refusals(void);

/* The status of the code that made an object: `status`, or TARE_E_MEMORY with `what` in the message
 * if allocations of this thread have failed since tarei_refusals returned `before`. */
tare_status tarei_settle(unsigned before, tare_status status, const char *what, tare_error *err);

/* Records a failed allocation and returns NULL. Clears errno, so that a later ENOMEM is known to
 * come from an allocation inside a library, which may not have survived it. */
void *tarei_refuse(void);

#endif
