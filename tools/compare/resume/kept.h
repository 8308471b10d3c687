/*
 * A folder that keeps what a comparison has finished, so that it can go on: comparison.json with
 * the settings and the facts of each calibration, FIT.stats with the statistics of each, and a
 * result file for the float plan and for each strategy (docs/formats.md). Each file appears whole
 * or not at all.
 */
#ifndef TAREI_TOOLS_COMPARE_RESUME_KEPT_H
#define TAREI_TOOLS_COMPARE_RESUME_KEPT_H

#include "tools/compare/compare_grid.h"

typedef struct kept {
  const char *folder; /* NULL: nothing is kept, and the functions do nothing */
  const opt_common *common;
  cJSON *settings; /* kept_settings.h */
  cJSON *passes;   /* by name, of those that are kept */
} kept;

/* Before any work: makes the folder. TARE_E_USAGE if it has a comparison and `resume` is not set;
 * TARE_E_IO. */
tare_status kept_prepare(const char *folder, bool resume, tare_error *err);

/* Takes what the folder has, or begins anew. TARE_E_USAGE where its settings are others, which the
 * message names; TARE_E_INPUT for malformed files. `settings` then belong to `out`, in any case. */
tare_status kept_open(const char *folder, const opt_common *common, cJSON *settings, kept *out,
                      tare_error *err);
void kept_fini(kept *k);

/* Calibrations of the grid that are kept. */
int kept_n_passes(const kept *k, const grid *g);

/* *stats is NULL if the calibration is not kept; otherwise the facts in `pass` are filled too. */
tare_status kept_take_pass(const kept *k, grid_pass *pass, tare_stats **stats, tare_error *err);
tare_status kept_keep_pass(kept *k, const grid_pass *pass, const tare_stats *stats,
                           tare_error *err);

/* Where a calibration writes its checkpoints, and what an earlier one has written (NULL: nothing);
 * the caller frees both. */
tare_status kept_checkpoint(const kept *k, const grid_pass *pass, char **path, tare_stats **stats,
                            tare_error *err);

/* Takes the results of the float plan and of all strategies that are kept, which are then done;
 * *n says how many strategies. */
tare_status kept_take_results(const kept *k, grid *g, int *n, tare_error *err);
/* Keeps that of a strategy, or of the float plan (-1). */
tare_status kept_keep_result(const kept *k, const grid *g, int strategy, tare_error *err);

#endif
