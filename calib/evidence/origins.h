/*
 * Where the range of a tensor comes from: the samples that set its ends, and the ranges of nested
 * parts of the data.
 *
 * Parts are made by the hashes of samples: the hashes are divided into slices, and the first k
 * slices are a part of the data that grows with k, whatever the order of the samples. Of several
 * samples with the same extreme, the one with the smallest hash counts. Both depend on contents
 * alone, and can be merged in any order.
 */
#ifndef TAREI_CALIB_EVIDENCE_ORIGINS_H
#define TAREI_CALIB_EVIDENCE_ORIGINS_H

#include "calib/parts/ledger.h"

enum { TAREI_SLICES = 16 };

typedef struct tarei_origins {
  tarei_sample_hash min, max; /* zero while there are no values */
  /* Extremes of the samples of each slice; INFINITY and -INFINITY without values. */
  float slice_min[TAREI_SLICES], slice_max[TAREI_SLICES];
} tarei_origins;

void tarei_origins_init(tarei_origins *origins);

/* The slice of a sample. The first ones are small, so that a part of the data has about 1/256 of
 * its samples, and then up to twice as many as the one before. */
int tarei_slice_of(tarei_sample_hash sample);

/* Notes the extremes of a sample, or of a piece of it; nothing if min > max. */
void tarei_origins_note(tarei_origins *origins, tarei_sample_hash sample, float min, float max);

void tarei_origins_merge(tarei_origins *origins, const tarei_origins *other);

/* Whether they belong to a tensor with this range, as required of a file. */
bool tarei_origins_are_sound(const tarei_origins *origins, float min, float max);

#endif
