/* Sequences that are read in outputs, sample by sample, and the edits between those of a plan and
 * of its reference. */
#ifndef TAREI_CALIB_EVAL_AGREEMENT_ANSWERS_H
#define TAREI_CALIB_EVAL_AGREEMENT_ANSWERS_H

#include <tare/eval.h>

/* A run of frames with one class; of integers, a single one. */
typedef struct tarei_answer_run {
  int64_t class; /* TAREI_ANSWER_END: behind the last frame of a sequence */
  int64_t frames;
} tarei_answer_run;

#define TAREI_ANSWER_END INT64_MIN

/* The sequences of an output in each sample that counted. */
typedef struct tarei_answers {
  tarei_answer_run *items;
  int64_t n;
  size_t cap;
  int64_t *ends; /* of each sample */
  int64_t n_ends;
  size_t cap_ends;
} tarei_answers;

void tarei_answers_fini(tarei_answers *answers);

/* Adds the valid part of an output of rank 2 or more to the current sample: the first largest class
 * of each frame (last axis), or integers as they are. Sequences run along the axis before the last,
 * those of integers along the last one. A frame that follows one of its class is of the same run,
 * also behind another part of the sample. */
tare_status tarei_answers_take(tarei_answers *answers, const tare_tensor *output,
                               const int64_t *extents, tare_error *err);

/* The current sample counts, or does not. */
tare_status tarei_answers_keep(tarei_answers *answers, tare_error *err);
void tarei_answers_discard(tarei_answers *answers);

/* What sequences look like: the class with most frames, and the others beside it. */
typedef struct tarei_answers_seen {
  int64_t blank;            /* the class; TAREI_ANSWER_END without frames */
  int64_t frames, of_blank; /* frames, and those of the blank */
  int64_t tokens;           /* runs of other classes */
  int64_t most_alike;       /* of these, runs of the class that has most */
} tarei_answers_seen;

/* Of all samples of n lists. */
tare_status tarei_answers_see(const tarei_answers *const *lists, int n, tarei_answers_seen *out,
                              tare_error *err);

/* Sets `tokens` of the reference and `edits` of a sample. Runs of `blank` (TAREI_ANSWER_END: none)
 * are no tokens. */
tare_status tarei_answers_compare(const tarei_answers *got, const tarei_answers *want,
                                  int64_t sample, int64_t blank, tare_error_tally *sums,
                                  tare_error *err);

/* Levenshtein distance of two sequences. */
tare_status tarei_answer_edits(const int64_t *a, int64_t n, const int64_t *b, int64_t m,
                               int64_t *out, tare_error *err);

#endif
