/* Plans that went through a file, against the same plans as they were built. */
#ifndef TAREI_TESTS_CONFORMANCE_RELOAD_H
#define TAREI_TESTS_CONFORMANCE_RELOAD_H

#include "conformance/engine.h"

/* Builds a trial's float plan, and one in int8 with made-up scales where the model has layers for
 * it, for several instruction sets; runs each on a set, writes it to a file, and has another
 * program load and run it: each output must have the same bits. Otherwise false, and `why` gets a
 * sentence. */
bool reload_equal(const trial *t, const data_set *set, char *why, size_t size);

/* What the other program reads: a file with this, then the data of each tensor. */
typedef struct reload_case {
  int n_in, n_out;
  tare_tensor in[MAX_PORTS], out[MAX_PORTS]; /* in the order of the plan; data follows */
} reload_case;

#endif
