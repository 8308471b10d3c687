/* Which rank counts which samples: ranks take them as they go. */
#ifndef TAREI_TOOLS_RANKS_ASSIGNMENT_H
#define TAREI_TOOLS_RANKS_ASSIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Samples from `first` to below `end`. */
typedef struct sample_range {
  int64_t first, end;
  int rank; /* who counts them; -1: nobody yet */
} sample_range;

typedef struct assignment {
  sample_range *items; /* ascending, without gaps */
  int n;
  int64_t n_free;
} assignment;

/* Samples 0 to below `total`, all free. */
void assignment_init(assignment *a, int64_t total);
void assignment_fini(assignment *a);

/* Gives free samples, at most `most`, the first of them not before `from`; false: there are none
 * there. */
bool assignment_take(assignment *a, int rank, int64_t from, int64_t most, sample_range *out);

/* Makes the samples of a rank free; returns how many these are. */
int64_t assignment_return(assignment *a, int rank);

#endif
