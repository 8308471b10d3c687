/*
 * The samples that statistics have counted, each as a 128-bit hash of its tensors. Samples with the
 * same contents have the same hash, as often as they were counted: statistics depend on contents
 * alone, so that it does not matter which of them they were.
 */
#ifndef TAREI_CALIB_PARTS_LEDGER_H
#define TAREI_CALIB_PARTS_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/samples/sample_hash.h"

typedef struct tarei_ledger {
  tarei_sample_hash *items; /* as many of one as samples have it */
  size_t n, cap;
} tarei_ledger;

void tarei_ledger_fini(tarei_ledger *ledger);
tare_status tarei_ledger_add(tarei_ledger *ledger, tarei_sample_hash sample, tare_error *err);
/* By hash. The following functions need sorted ledgers. */
void tarei_ledger_sort(tarei_ledger *ledger);
bool tarei_ledger_is_sorted(const tarei_ledger *ledger);
/* Adds all samples of another one. */
tare_status tarei_ledger_join(tarei_ledger *ledger, const tarei_ledger *other, tare_error *err);
/* Whether it lists a sample. */
bool tarei_ledger_has(const tarei_ledger *ledger, tarei_sample_hash sample);
/* Samples that are in both, each as often as in the one that has fewer of it. */
size_t tarei_ledger_common(const tarei_ledger *a, const tarei_ledger *b);

/* Samples of a ledger that data are expected to have. */
typedef struct tarei_ledger_rest {
  tarei_ledger ledger; /* sorted */
  uint32_t *n_left;    /* at the first of equal ones: how many were not met yet */
  size_t left;         /* in all */
} tarei_ledger_rest;

void tarei_ledger_rest_fini(tarei_ledger_rest *rest);
/* Adds a copy of a sorted ledger; all are left. */
tare_status tarei_ledger_rest_add(tarei_ledger_rest *rest, const tarei_ledger *ledger,
                                  tare_error *err);
/* All are left again. */
void tarei_ledger_rest_reset(tarei_ledger_rest *rest);
/* Whether a sample was left, which it then is not. */
bool tarei_ledger_rest_take(tarei_ledger_rest *rest, tarei_sample_hash sample);

#endif
