/* What reports of `tare compare` show beside the figures: lengths, tensors, and layers of the plan
 * that ranks first. Members of the document (docs/json.md), each of bounded size. */
#ifndef TAREI_TOOLS_COMPARE_DETAILS_DETAILS_H
#define TAREI_TOOLS_COMPARE_DETAILS_DETAILS_H

#include "tools/compare/compare_eval.h"
#include "tools/source.h"

typedef struct compare_details {
  cJSON *lengths, *tensors, *ranges, *plan; /* NULL: not there */
} compare_details;

/* Histograms of the lengths in both data sets, which are rewound. `model` has its ports.
 */
tare_status details_take_lengths(compare_details *details, const opt_common *common,
                                 const ports *model, tare_streaming *streaming,
                                 tare_dataset *calibration, tare_dataset *evaluation,
                                 const tare_profiles *profiles, tare_error *err);

/* Histograms and thresholds of the tensors on which the methods of a calibration agree least, and
 * the ranges of those that differ most by profile. */
tare_status details_take_tensors(compare_details *details, const tare_stats *stats, const grid *g,
                                 int pass, tare_error *err);

/* Layers of the plan that ranks first, and their errors over the first samples of `evaluation`,
 * which is read to its end. Says so if the errors cannot be found. */
tare_status details_take_plan(compare_details *details, const compare_eval *e, const grid *g,
                              tare_dataset *evaluation, tare_error *err);

/* Adds what there is to an object, which then owns it. */
void details_json(cJSON *object, compare_details *details);
void details_fini(compare_details *details);

#endif
