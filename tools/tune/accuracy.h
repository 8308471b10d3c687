/* Whether an int8 plan keeps the accuracy of its float model, on a few samples: a bad one is never
 * handed out without a word. */
#ifndef TAREI_TOOLS_TUNE_ACCURACY_H
#define TAREI_TOOLS_TUNE_ACCURACY_H

#include "tools/debug/sensitivity.h"
#include "tools/json_out.h"
#include "tools/options/length_inputs.h"
#include "tools/options/options.h"
#include "tools/score.h"

/* Below this SQNR of the outputs, in dB, a plan is bad. */
#define ACCURACY_LIMIT SCORE_LOW_SQNR

/* Of a check, also where lengths of outputs follow from values, and of the ranking of layers that
 * follows where the plan is bad, if that takes no longer as far as it can be foreseen. */
enum {
  ACCURACY_SAMPLES = 8,
  ACCURACY_LENGTH_SAMPLES = 32,
  ACCURACY_RANKED_SAMPLES = 2,
  ACCURACY_NAMED_LAYERS = 3
};

/* What is checked. */
typedef struct accuracy_case {
  const opt_inputs *in; /* with the data of the calibration */
  const tare_model *model;
  const tare_table *table;
  tare_table *kept; /* the same table, if it gets a warning where it is bad, and requests where
                       layers are raised; NULL: it stays as it is */
  bool raises;      /* layers may be raised */
  double seconds;   /* that the search for these may take; 0: any time */
  double processor_seconds;        /* that each search may take on a processor; 0: the default */
  const char *time_option;         /* that allows more time; NULL: none */
  const tare_build_options *build; /* requests of the user; NULL: none */
  const tare_profiles *profiles;
  const length_inputs *lengths;
  tare_streaming *streaming; /* NULL: samples are runs */
} accuracy_case;

typedef struct accuracy {
  int64_t samples; /* 0: not checked */
  double sqnr_db;
  char worst[256];               /* score_worst_text, cut */
  tare_agreement agreement_kind; /* as in tare_eval_score */
  double agreement, agreement_tenth;
  int agreement_output;
  char of[320];            /* the samples, and of several outputs the worst: "8 samples; ..." */
  int n_raised;            /* layers */
  double share;            /* of the multiply-adds in these, 0..1 */
  double standard_sqnr_db; /* of the worst output without them */
} accuracy;

/* Compares the plan of the table with the float plan on the first samples. If it is bad, raises
 * layers, where they may be; if it still is, warns and names the layers that cost most. A failure
 * is one of the command only where memory, a file or the data failed, and there is a table that
 * would be another without it; else it is a warning. With --quiet, and without --json or `kept`,
 * nothing is done. */
tare_status accuracy_check(const accuracy_case *c, accuracy *out, tare_error *err);

/* Warns of an SQNR that was measured already; the layers are not named. `worst`: of what outputs it
 * is (score_worst_text). */
void accuracy_warn(const opt_common *common, const char *what, double sqnr_db, const char *worst,
                   int64_t samples);

/* Notes what a result says. */
void accuracy_note(accuracy *out, const tare_eval_result *result, const tare_eval_score *score);

/* Prints "accuracy   32.1 dB, top-1 98.2 % (8 samples)" if it was checked. */
void accuracy_print(const accuracy *a);

/* What the ranking of layers may take, if the user gave so much; 0: none. */
double accuracy_ranking_seconds(double given);

/* "layers that cost most: ...": the first of n layers; to be freed. */
char *accuracy_costly_layers(const sensitive_layer *layers, int n);

/* Notes what a search has raised. */
void accuracy_take_raised(accuracy *out, const tare_raised *raised);

/* Adds "accuracy" if it was checked. */
void accuracy_json(cJSON *object, const accuracy *a);

#endif
