/*
 * What follows from the lengths of a run alone: position buckets, masks and biases that are made of
 * sizes, ranges and constants. Steps that read nothing else run once for each length; a context
 * keeps what others read of them for the lengths that were used last.
 */
#ifndef TAREI_ENGINE_LENGTHS_H
#define TAREI_ENGINE_LENGTHS_H

#include "engine/plan.h"

struct tarei_kept; /* engine/context_parts.h */

/* --- in a plan -------------------------------------------------------------------------------- */

/* Finds them among the steps of the root part. Even after a failure, tarei_lengths_fini frees it.
 */
tare_status tarei_lengths_find(tare_plan *plan, tare_error *err);
void tarei_lengths_fini(tarei_lengths *lengths);

/* Bytes that a context has for what it keeps, if its user allows `bound` (see
 * tare_context_options).
 */
size_t tarei_lengths_bytes(const tare_plan *plan, int64_t bound);

/* --- in a context ----------------------------------------------------------------------------- */

/* False if memory runs out; tarei_kept_fini frees what was made. */
bool tarei_kept_make(tare_context *context, int64_t bound);
void tarei_kept_fini(struct tarei_kept *kept);

/* Before the steps of a run, once its shapes are known: where the tensors of roots and views are.
 */
void tarei_kept_begin(tare_context *context);
/* After them; nothing is kept of a run that failed. */
void tarei_kept_end(tare_context *context, bool succeeded);

#endif
