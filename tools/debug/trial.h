/* Trials of parts of a model: whether one fails as the whole does. */
#ifndef TAREI_TOOLS_DEBUG_TRIAL_H
#define TAREI_TOOLS_DEBUG_TRIAL_H

#include "tools/debug/part.h"
#include "tools/options/options.h"

/* Where something fails. */
typedef enum failure_kind {
  FAILS_NOT,
  FAILS_BEFORE, /* a part: what is before it fails, nothing is known about the part */
  FAILS_LOAD,   /* tare refuses the model */
  FAILS_BUILD,  /* or to build the plan */
  FAILS_RUN,    /* or to run it */
  FAILS_NAN,    /* an output has values that are not a number */
  FAILS_SQNR    /* an output is too far from the float model */
} failure_kind;

typedef struct failure {
  failure_kind kind;
  tare_error error; /* of a refusal */
  char *tensor;     /* output with NaN, or with the lowest SQNR; NULL: none; owned */
  double sqnr_db;   /* its; INFINITY where it is equal */
} failure;

void failure_copy(failure *to, const failure *from);
void failure_fini(failure *f);

/* What a refusal says, without the path of the model. */
const char *failure_sentence(const failure *f);

/* Whether both are the same: the kind, for a refusal the status and the kind of sentence. */
bool failure_is_like(const failure *a, const failure *b);

/* What all trials of a model share. */
typedef struct trials {
  const opt_inputs *in;
  const tare_build_options *build; /* as given */
  const tare_table *table;         /* NULL: none */
  double min_sqnr;                 /* dB */
  whole_model *whole;
  const tare_profiles *profiles; /* of the whole, for parts too; NULL: from the data */
  bool recorded;                 /* SCRATCH_INPUTS holds the inputs of the whole model */
  int n;                         /* so far */
} trials;

/* A part as files and plans. */
typedef struct trial {
  tare_model *model;
  tare_profiles *profiles;
  tare_dataset *data;
  tare_plan *plan, *reference;
  tare_comparison *comparison;
  failure found;
} trial;

void trial_fini(trial *t);

/* Writes a settled part to SCRATCH_MODEL, its data to SCRATCH_DATA, builds and judges it. */
tare_status trial_of_part(trials *all, const model_part *part, trial *out, tare_error *err);

/* The options of the build, with the requests that find layers in a part; the texts are freed with
 * trial_requests_fini. */
tare_status trial_requests(const trials *all, const model_part *part, tare_build_options *out,
                           tare_error *err);
void trial_requests_fini(tare_build_options *requests);

/* Lets a part that can be loaded tell which types tensors have, where the whole cannot. */
tare_status trial_learn_types(const trials *all, const model_part *part, tare_error *err);

/* Loads a part, with the inputs of it set that the user set. */
tare_status trial_load(const trials *all, const char *path, tare_model **out, tare_error *err);

/* Profiles of a trial: from its data, or where trials have profiles, these for the symbols that
 * they have. */
tare_status trial_profiles(const trials *all, trial *t, tare_error *err);

#endif
