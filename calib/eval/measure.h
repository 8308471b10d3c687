/*
 * The measure of a plan beside its reference: which values count, what they add up to, and the SQNR
 * of the sums. All comparisons of values end here.
 *
 * Left out are values that no layer decides: constants of masks, which would drown the noise of
 * what a layer computes, and data that pass by unchanged. A muted run (engine/observe/muted.h)
 * tells them: it gives them as they are. Left out are also values that are not finite in the
 * reference.
 */
#ifndef TAREI_CALIB_EVAL_MEASURE_H
#define TAREI_CALIB_EVAL_MEASURE_H

#include <tare/eval.h>

/* Values of a tensor at the same places. `muted` are those of a muted run, or NULL where there was
 * none. */
enum { TAREI_MEASURE_BLOCK = 512 };
typedef struct tarei_measured {
  const double *got, *want, *muted;
  int n; /* at most TAREI_MEASURE_BLOCK */
} tarei_measured;

/* --- which values count ----------------------------------------------------------------------- */

/* Energy of the values of a tensor by their size, in eighths of octaves. */
enum { TAREI_SIZE_BINS = 2048 };
typedef struct tarei_sizes_seen {
  double all[TAREI_SIZE_BINS];
  double settled[TAREI_SIZE_BINS]; /* of what may be a constant */
  double energy;                   /* of all values */
  double same;                     /* of those that are equal in both */
  double most_open;                /* the largest size of what cannot be a constant */
  bool differs;                    /* values do */
  bool passes;                     /* some are the same in both and in the muted run, and not 0 */
  int end;                         /* of the bins that are in use */
} tarei_sizes_seen;

/* Forgets all values. Zero-initialize `seen` before the first use. */
void tarei_sizes_forget(tarei_sizes_seen *seen);

/* Adds values. */
void tarei_sizes_see(tarei_sizes_seen *seen, const tarei_measured *block);

/* Whether values may be constants, so that a muted run is worth its time: equal ones hold much of
 * the energy, or much of it is far outside of the rest. */
bool tarei_sizes_suspect(const tarei_sizes_seen *seen);

/* Size above which values that may be constants are: far outside of all others. INFINITY: none. */
double tarei_sizes_bound(const tarei_sizes_seen *seen);

/* --- sums ------------------------------------------------------------------------------------- */

/* Whether a value counts, and what it is if not. */
typedef enum tarei_standing {
  TAREI_COUNTS,
  TAREI_CONSTANT,  /* no layer decides it */
  TAREI_UNDEFINED, /* not finite in the reference */
  TAREI_BROKEN     /* it counts, but is not finite in the plan */
} tarei_standing;

tarei_standing tarei_measure_standing(double got, double want, const double *muted, double bound);

/* Adds values to the sums that follow from single values. Returns the sum of what counts of the
 * reference. */
double tarei_measure_take(tare_error_tally *sums, const tarei_measured *block, double bound);

void tarei_measure_add(tare_error_tally *into, const tare_error_tally *from);

/* --- figures ---------------------------------------------------------------------------------- */

/* SQNR in dB: INFINITY without errors, -INFINITY if a value is not finite in the plan alone; NAN if
 * no value counted, or if all were zero in the reference. */
double tarei_measure_sqnr(const tare_error_tally *sums);
double tarei_measure_cosine(const tare_error_tally *sums); /* NAN if no value counted */

/* By so many dB an SQNR may exceed that of the tenth of samples that has least. */
#define TAREI_MEASURE_SPREAD 6.0

/* The lowest of the n SQNRs after a tenth of those that are numbers was taken away; NAN if none is.
 * The numbers are sorted. */
double tarei_measure_tenth(double *sqnr_db, int64_t n);

/* What a plan is judged by, of all samples together and of the lowest tenth. */
double tarei_measure_judge(double together_db, double tenth_db);

#endif
