/* The strategies that `tare compare` tries, and how they came out. */
#ifndef TAREI_TOOLS_COMPARE_GRID_H
#define TAREI_TOOLS_COMPARE_GRID_H

#include "tools/options/options.h"

/* One calibration run; strategies that differ only in the table share it. */
typedef struct grid_pass {
  tare_fit fit;
  bool count_padding;
  int64_t samples, peak;
  double seconds;
  tare_fit_counts fitted;
} grid_pass;

typedef struct grid_strategy {
  const char *fit; /* as the user named it */
  const char *method;
  int pass;
  bool per_profile;
  tare_error error; /* status OK when it went well */
  tare_table *table;
  tare_eval_result result;
  tare_difference to_fp32, to_best; /* of the metric, where there is one */
  tare_interval sqnr;               /* NAN where samples do not tell: with a gain range */
  tare_difference sqnr_to_first;    /* of the SQNR in dB, to the strategy that ranks first */
  bool equal;                       /* not distinguishable from the best */
} grid_strategy;

typedef struct grid {
  grid_pass *passes;
  int n_passes;
  grid_strategy *items;
  int n;
  tare_eval_result fp32;
  int *order;   /* of the strategies that went well: the first is the one to take */
  int n_ranked; /* in order */
  int n_equal;  /* of them, those not distinguishable from the best */
} grid;

/* Fits that a strategy may have, and those that are tried by default. */
cli_family grid_fits(void);
void grid_add_default_fits(cli_list *fits);

/* Makes every combination of fits, paddings and methods, each once, from names of their families.
 * Padding only matters to fits that pad. */
void grid_make(const cli_list *fits, const cli_list *paddings, const cli_list *methods, grid *out);
void grid_fini(grid *g);

/* Ranks what went well. With a metric: first those whose interval of the difference to the best
 * holds 0, by SQNR, then the others by the metric. Without one (-1): by SQNR, whose difference to
 * the first says which are equal. */
tare_status grid_rank(grid *g, int metric, tare_error *err);

/* A strategy's fit, with what it did with padding where that is not the default; caller frees. */
char *grid_fit_text(const grid *g, int strategy);

/* What the reports need to know beside the grid. */
typedef struct grid_context {
  const tare_profiles *profiles;
  int metric; /* -1: none */
  bool peaks_by_row;
  const char *model;
  const cli_list *written;
  const struct requirement *requirements;
  int n_requirements;
} grid_context;

/* Text tables and JSON. */
void grid_print(const grid *g, const grid_context *context);
void grid_json(const grid *g, const grid_context *context);

#endif
