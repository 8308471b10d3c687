/* Choosing a calibration method for a model by trial. */
#ifndef TAREI_TOOLS_QUANTIZE_QUANTIZE_CHOOSE_H
#define TAREI_TOOLS_QUANTIZE_QUANTIZE_CHOOSE_H

#include "tools/quantize/quantize_writing.h"

/* What is tried, and on what. */
typedef struct quantize_trial {
  const tare_model *model;
  const tare_profiles *profiles;
  const tare_stats *stats;
  tare_dataset *data; /* read from its beginning */
  const opt_common *common;
  const char *method;              /* the only one, or NULL: all of the library */
  bool per_profile;                /* thresholds for each profile, not for all */
  bool reference;                  /* the float plan is needed afterwards */
  const quantize_writing *writing; /* models are judged as they are written so, without its table;
                                      NULL: int8 plans of the engine */
  double percentile;               /* of the method that takes one; 0: its default */
  tare_eval_options eval;
} quantize_trial;

/* A method that was tried. */
typedef struct quantize_method {
  int method;
  double sqnr_db; /* of what its table makes, compared with float, of several models the lowest;
                     NAN with a single method */
  double integer_share; /* of the multiply-adds, likewise */
} quantize_method;

typedef struct quantize_choice {
  quantize_method *tried;
  int n_tried;
  int best; /* index of the method whose table was chosen */
  tare_table *table;
  tare_plan *fp32; /* the float plan that all were compared with; NULL without a comparison */
} quantize_choice;

/* Computes a table by each method and chooses the one whose model or int8 plan has the highest SQNR
 * on the data, among those that keep about as much in integers as the others; in plans minmax,
 * unless another gains 1.5 dB below 30 dB. On failure too the choice is to be ended. */
tare_status quantize_choose(const quantize_trial *trial, quantize_choice *out, tare_error *err);
/* Whether a method lost because it leaves more in float than the others. */
bool quantize_leaves_more(const quantize_choice *choice, int tried);
void quantize_choice_fini(quantize_choice *choice);

#endif
