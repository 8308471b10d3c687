/*
 * What follows from the lengths of a run alone: position buckets, masks and biases that are made of
 * sizes, ranges and constants. Steps that read nothing else run once for each length; a context
 * keeps what others read of them for the lengths that were used last.
 */
#ifndef TAREI_ENGINE_LENGTHS_H
#define TAREI_ENGINE_LENGTHS_H

#include "base/error.h"
#include <tare/plan.h>

/* --- in a plan -------------------------------------------------------------------------------- */

/* A value that other steps or the caller read, in the memory of number `root` of the roots. */
typedef struct tarei_length_value {
  int value, root;
} tarei_length_value;

typedef struct tarei_lengths {
  bool *steps; /* per step of the root part: whether it reads only what follows from lengths */
  int *roots;  /* values with memory of their own that other steps or the caller read */
  tarei_length_value *values; /* these, and views of them */
  int n_roots, n_values;
  size_t cap_roots, cap_values;
  size_t most; /* bytes of all roots at their largest dims */
} tarei_lengths;

/* Finds them among the steps of the root part. Even after a failure, tarei_lengths_fini frees it.
 */
tare_status tarei_lengths_find(tare_plan *plan, tare_error *err);
void tarei_lengths_fini(tarei_lengths *lengths);

/* Bytes that a context has for what it keeps, if its user allows `bound` (see
 * tare_context_options).
 */
size_t tarei_lengths_bytes(const tare_plan *plan, int64_t bound);

/* --- in a context ----------------------------------------------------------------------------- */

#define TAREI_KEPT_LENGTHS 32

/* The roots at one length, one behind the other from `offset` on. */
typedef struct tarei_kept_length {
  int64_t *key;  /* the profile and the symbols */
  uint64_t used; /* turn of the last run */
  size_t offset, bytes;
  bool complete; /* a run has computed all of it */
} tarei_kept_length;

typedef struct tarei_kept {
  char *memory; /* NULL: nothing is kept */
  size_t bytes;
  int64_t *keys, *key; /* of all lengths, and that of this run */
  tarei_kept_length lengths[TAREI_KEPT_LENGTHS];
  int n, current; /* current: that in which the tensors are, or below 0 */
  uint64_t turn;
  bool skips; /* steps that only read lengths need not run */
} tarei_kept;

/* False if memory runs out; tarei_kept_fini frees what was made. */
bool tarei_kept_make(tare_context *context, int64_t bound);
void tarei_kept_fini(tarei_kept *kept);

/* Before the steps of a run, once its shapes are known: where the tensors of roots and views are.
 */
void tarei_kept_begin(tare_context *context);
/* After them; nothing is kept of a run that failed. */
void tarei_kept_end(tare_context *context, bool succeeded);

#endif
