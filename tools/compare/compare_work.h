/* What `tare compare` works on. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_WORK_H
#define TAREI_TOOLS_COMPARE_COMPARE_WORK_H

#include "tools/compare/options/compare_arguments.h"
#include "tools/compare/compare_budget.h"
#include "tools/compare/details/details.h"
#include "tools/compare/resume/kept.h"
#include "tools/compare/verdict.h"

typedef struct compare_work {
  tare_model *model;
  tare_dataset *calib, *eval;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  grid grid;
  verdict verdict;
  compare_budget budget;
  kept kept; /* what --work keeps */
  bool peaks_by_row;
  bool leaves_layers;      /* none are raised, as asked or for want of time */
  worst worst;             /* samples of the strategy that ranks first */
  compare_details details; /* for reports */
} compare_work;

/* Calibrates each fit, with the tables of its strategies, and evaluates all of them; with a time
 * budget what it allows, fit by fit, and fit by fit too where results are kept. What is kept
 * already is taken from there. A signal ends it. Strategies that were left out are behind the
 * others. */
tare_status compare_measure(const compare_arguments *a, compare_work *w, const compare_eval *e,
                            tare_error *err);

#endif
