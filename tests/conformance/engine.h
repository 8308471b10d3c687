/* One model, one plan, one set of inputs: does the engine give what it should? */
#ifndef TAREI_TESTS_CONFORMANCE_ENGINE_H
#define TAREI_TESTS_CONFORMANCE_ENGINE_H

#include <tare/plan.h>

#include "conformance/compare.h"

enum { MAX_PORTS = 64, REASON_BYTES = 160 };

/* Inputs and what the outputs should be then; data belongs to the set. */
typedef struct data_set {
  int n_in, n_out;
  char *in_names[MAX_PORTS], *out_names[MAX_PORTS]; /* a NULL among the outputs: taken by place */
  tare_tensor in[MAX_PORTS], out[MAX_PORTS];
} data_set;

void data_set_free(data_set *set);

/* What comes of a trial, the worst first. */
typedef enum outcome { OUTCOME_FAILED, OUTCOME_REFUSED, OUTCOME_PASSED } outcome;

/* The profile around the sizes of some sets, for each symbol. */
typedef enum span {
  SPAN_WIDE,  /* from 1 to the largest + 3 */
  SPAN_ABOVE, /* from the least to the largest + 3 */
  SPAN_EXACT, /* from the least to the largest */
  SPAN_COUNT
} span;

typedef struct trial {
  const char *path; /* of the model */
  span span;
  const data_set *sets; /* that the profile spans */
  int n_sets;
  tolerance limit;
  bool reload; /* plans must give the same bits from a file (conformance/reload.h) */
} trial;

/* A model's plan, for the profile of a trial, and a context of one thread. */
typedef struct engine {
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan;
  tare_context *context;
} engine;

/* To be closed in any case. `options` NULL: a float plan. */
tare_status engine_open(const trial *t, const tare_build_options *options, engine *e,
                        tare_error *err);
void engine_close(engine *e);

/* The set's tensors in the order of the plan's inputs. False when the plan asks for others. */
bool engine_inputs(const tare_plan *plan, const data_set *set, tare_tensor *in, char *why,
                   size_t size);

/* Copies a message about a model without the folder that the model lies in, cut at size. */
void copy_message(const char *message, const char *model, char *out, size_t size);

/* Builds a float plan and runs one of the sets, twice. `why` gets a sentence unless it passes. */
outcome engine_try(const trial *t, const data_set *set, char *why, size_t size);

#endif
