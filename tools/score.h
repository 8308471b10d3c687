/* Scores of an evaluation, as text and as JSON. */
#ifndef TAREI_TOOLS_SCORE_H
#define TAREI_TOOLS_SCORE_H

#include "tools/json_out.h"
#include "tools/options/options.h"

#define SCORE_LOW_SQNR 25 /* dB: a plan or an output below is bad */

/* Metrics are given by number, -1 for none. */

/* A value of a metric as people read it, and the head of a column of such values: "NAME %". */
double metric_shown(int metric, double value);
char *metric_column(int metric, const char *name); /* free() it */

/* Decimals that show a value of a metric: three of shares and decibels; of plain numbers, which may
 * be of any size, at least four digits. */
int metric_decimals(int metric, double value);

/* Adds the figures of a score. Comparison figures only with a reference; "equal" says that both
 * gave the same values, where the SQNR has no number and is null. */
void score_json(cJSON *object, const tare_eval_score *score, int metric, bool compared);

/* Adds "output", the name of the worst one, where several were compared. */
void score_worst_json(cJSON *object, const tare_eval_result *result, const tare_eval_score *score);

/* Adds the samples that were cut and padded, and the share that the cut ones lost. */
void fitted_json(cJSON *object, const tare_fit_counts *counts);

/* Prints a table of scores by profile: one for each of the profiles. */
void score_print_profiles(const tare_eval_score *const *scores, const tare_profiles *profiles,
                          int metric);

/* A gain in decibels as people read it: "+10", "0", "-20". */
char *gain_text(double db); /* free() it */

/* Appends a column for each level of the gain range, "-20 dB", to those of a report; the result
 * replaces `columns`. */
char *level_columns(char *columns, const tare_eval_result *result);

/* Adds "levels" if the data have a gain range. */
void levels_json(cJSON *object, const tare_eval_result *result, int metric, bool compared);

/* Prints a list of figures for the total, and a table by profile where there is more than one, and
 * by level with a gain range; without profiles (NULL) none by profile. With a difference of the
 * metric to that of the reference, unless it is NULL. */
void score_print(const tare_eval_result *result, const tare_profiles *profiles, int metric,
                 bool compared, const tare_difference *difference);

/* Where several outputs were compared: prints a table of the figures of each, or adds them as
 * "outputs". */
void score_print_outputs(const tare_eval_result *result, const tare_plan *plan);
void score_outputs_json(cJSON *object, const tare_eval_result *result, const tare_plan *plan);

/* " in output 'logits' (the worst of 2)": what an SQNR is of, "" where there is one output. */
char *score_worst_text(const tare_eval_result *result, const tare_eval_score *score); /* free() */

/* Warns of outputs whose lengths are not those of the reference. */
void score_warn_shapes(const opt_common *common, const tare_eval_result *result,
                       const tare_plan *plan);

/* Warns of values that are not finite in the reference, and names the samples, unless they are not
 * known (NULL). */
void score_warn_undefined(const opt_common *common, const tare_eval_result *result,
                          const tare_eval_sample *samples);

/* Both, and of answers that are not those of the reference. */
void score_warn_outputs(const opt_common *common, const tare_eval_result *result,
                        const tare_plan *plan);

/* Adds an interval under a name. */
void interval_json(cJSON *object, const char *name, const tare_interval *interval);

/* Adds a difference of metrics under a name. */
void difference_json(cJSON *object, const char *name, const tare_difference *difference);

#endif
