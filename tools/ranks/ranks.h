/*
 * A calibration by several processes that mpirun has started, its ranks.
 *
 * Each rank runs the command. Rank 0 also gives samples to all ranks, a few at a time, until there
 * are none, and then all add up their statistics along a binary tree whose root is rank 0. Nothing
 * depends on who counts what: the sum has the bytes of a single process.
 */
#ifndef TAREI_TOOLS_RANKS_RANKS_H
#define TAREI_TOOLS_RANKS_RANKS_H

#include "tools/json_out.h"
#include "tools/options/options.h"

typedef struct ranks ranks;

/* Joins the other ranks if there are any; otherwise *out is NULL, which all functions below take.
 * A rank that is silent for `silence` seconds is given up. Ranks other than 0 are quiet from now
 * on: `common` is changed. TARE_E_USAGE: there are several, which cannot reach each other. */
tare_status ranks_open(opt_common *common, double silence, ranks **out, tare_error *err);

/* Has the data of the options give what this rank is to count. */
void ranks_set_data(ranks *r, opt_data *data);

/* Has them give all samples again. */
void ranks_free_data(const ranks *r, opt_data *data);

/* Says how many samples the data have before any are chosen; ranks take them by their number. */
void ranks_set_total(ranks *r, int64_t total);

/* What all ranks have done. */
typedef struct ranks_work {
  const tare_model *model;
  tare_dataset *dataset;
  const tare_profiles *profiles;
  const tare_calibrate_options *options; /* also of what rank 0 decides */
  tare_calibrate_times times;
  tare_fit_counts fitted;
} ranks_work;

/* Calibrates with all ranks. On rank 0 *out receives the statistics, on others it stays NULL. */
tare_status ranks_calibrate(ranks *r, ranks_work *work, tare_stats **out, tare_error *err);

/* Says what say_data does, for the data of all ranks, of which `dataset` has the options; returns
 * the number of samples skipped, and adds those that were left out. */
int64_t ranks_say_data(const ranks *r, const tare_dataset *dataset, tare_left_out *left_out);

/* Leaves, after `status`: a failure ends all ranks, and rank 0 gets the message of whichever was
 * the first and returns its status. Others return TARE_OK, unless rank 0 does not answer. */
tare_status ranks_leave(ranks *r, tare_status status, tare_error *err);

/* Who has counted how much; nothing without ranks. */
void ranks_print(const ranks *r);
void ranks_json(const ranks *r, cJSON *object);

void ranks_free(ranks **r);

#endif
