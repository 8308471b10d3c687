/*
 * What is found out about the lengths of data, for all data sets that the options open: at which
 * the model cannot run, and which are outside its profiles.
 */
#ifndef TAREI_TOOLS_OPTIONS_JUDGE_H
#define TAREI_TOOLS_OPTIONS_JUDGE_H

#include "tools/options/options.h"

/* Zeroed: nothing is known, and all samples are taken. */
struct judge {
  tare_length_check *check; /* NULL: none */
  tare_profiles *symbols;   /* of the inputs, for names and values */
  bool skips;               /* bad samples are skipped: nothing has to be said about what helps */
  bool no_outside;          /* --outside does not help */
  bool applies;             /* samples that fail are bad */
  int64_t least[TARE_MAX_SYMBOLS], most[TARE_MAX_SYMBOLS]; /* of all samples together; 0: none */
  bool fits; /* samples outside of the profile of the others need not run at their lengths: they are
                brought to it, or left out */
  tare_range ranges[TARE_MAX_SYMBOLS]; /* of that profile */
  tare_profiles *covered;              /* NULL: all samples stay */
};

/* Whether values are outside of the profile of samples at which the model can run. */
bool judge_is_outside(const judge *j, const int64_t *values);

/* Whether the model can run at the values of a sample. The message says how long it should be. */
tare_status judge_at(judge *j, const int64_t *values, tare_error *err);

/* Hands what is known to a data set. */
tare_status judge_apply(judge *j, tare_dataset *dataset, tare_error *err);

void judge_free(judge **j);

#endif
