/* What each int8 layer of a model costs in accuracy, measured by building it alone. */
#ifndef TAREI_TOOLS_DEBUG_SENSITIVITY_H
#define TAREI_TOOLS_DEBUG_SENSITIVITY_H

#include "tools/options/options.h"

/* One layer that the build would quantize. */
typedef struct sensitive_layer {
  char *name; /* of the layer in the plan; owned */
  char *glob; /* that matches its first node alone; owned */
  const char *precision;
  double sqnr_db; /* of the outputs: with this layer alone quantized, or all but this one */
  double noise;   /* relative to the signal that the layer adds by itself */
  tare_eval_level *levels;   /* n_levels of the ranking; owned */
  tare_error_tally *errors;  /* of the samples; owned */
  tare_interval interval_db; /* of sqnr_db, over the samples */
  int rank; /* from 1; layers that do not differ from the first of a rank by more than noise share
               it */
} sensitive_layer;

typedef struct sensitivity {
  const opt_common *common;
  const tare_model *model;
  const tare_table *table;
  const tare_profiles *profiles;
  const tare_build_options *build; /* as given */
  tare_dataset *data;
  tare_eval_options eval; /* without a reference */
  bool all_but_one;
  const char *keep; /* precision of layers that are kept: "fp32", "bf16" */
  double target_db;
  tare_plan *reference;         /* float */
  sensitive_layer *layers;      /* most sensitive first, once measured */
  int n, n_kept;                /* the first ones are those to keep */
  double quantized_db, kept_db; /* SQNR with all layers quantized; with some kept: with a gain range
                                   that of the lowest level */
  int n_levels;                 /* 0 without a gain range */
  int64_t samples, n_errors;    /* figures; recordings that the errors of layers are of */
  int n_columns;                /* of the errors of a recording */
  char *line;                   /* for --layer-precisions; owned */
} sensitivity;

/* Finds the layers, measures each, ranks them, and keeps the first ones until the target is met.
 * Without a layer that would be quantized there is nothing to keep. */
tare_status sensitivity_measure(sensitivity *s, tare_error *err);
void sensitivity_fini(sensitivity *s);

/* Fills intervals and ranks of layers that are sorted, from their errors. */
tare_status sensitivity_rank_layers(sensitivity *s, tare_error *err);

#endif
