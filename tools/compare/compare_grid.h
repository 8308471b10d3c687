/* The strategies that `tare compare` tries, and how they came out. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_GRID_H
#define TAREI_TOOLS_COMPARE_COMPARE_GRID_H

#include "tools/compare/length_buckets.h"
#include "tools/compare/scale_ratios.h"
#include "tools/json_out.h"
#include "tools/options/options.h"
#include "tools/compare/worst.h"

/* One calibration run; strategies that differ only in the table share it. */
typedef struct grid_pass {
  tare_fit fit;
  bool count_padding;
  int64_t samples, peak;
  double seconds;
  tare_fit_counts fitted;
  range_drift drift; /* of the ranges from profile to profile */
} grid_pass;

typedef struct grid_strategy {
  const char *fit;    /* as the user named it; "own": a file of the user */
  const char *own;    /* that file (compare_own.h), which `method` names too; NULL: a strategy */
  const char *method; /* as tables show it: "percentile:99.9", "minmax, int8-rows" */
  char *label;        /* memory of that, where it has more than a method */
  int pass, method_number; /* pass -1: of a file */
  int precision;           /* number of compare_precisions.h */
  bool done;               /* evaluated, or failed */
  int n_raised;            /* layers that trials raised above 8 bits (compare_raise.h) */
  double raised_share;     /* of the multiply-adds, in these */
  double percentile;       /* that it applies; 0: it takes none */
  bool per_profile;
  tare_error error;  /* status OK when it went well */
  tare_table *table; /* of a row with raised layers: that of the row that they are raised in */
  tare_eval_result result;
  tare_difference to_fp32, to_best;    /* of the metric, where there is one */
  tare_interval sqnr;                  /* NAN where samples do not tell */
  tare_difference sqnr_to_first;       /* of the SQNR in dB, to the strategy that ranks first */
  bool equal;                          /* not distinguishable from the best */
  length_figure *lengths;              /* for each length of the grid; NULL where there are none */
  int64_t weight_bytes, context_bytes; /* of its plan */
  double int8_share;                   /* of its multiply-adds; NAN where the plan has none */
} grid_strategy;

typedef struct grid {
  grid_pass *passes;
  int n_passes;
  grid_strategy *items;
  int n;
  int n_left; /* behind these n: what a time budget left out */
  tare_eval_result fp32;
  int *order;   /* of the strategies that went well: the first is the one to take */
  int n_ranked; /* in order */
  int n_equal;  /* of them, those not distinguishable from the best */
  length_buckets lengths;
  length_figure *fp32_lengths; /* as lengths of a strategy */
} grid;

/* Fits that a strategy may have, and those that are tried by default. */
cli_family grid_fits(void);
void grid_add_default_fits(cli_list *fits);
/* Those of them that keep the lengths of samples. */
void grid_add_keeping_fits(cli_list *fits);

/* Names of what is combined: fits, paddings and precisions of their families, and methods
 * (compare_methods.h). */
typedef struct grid_axes {
  const cli_list *fits, *paddings, *methods, *precisions;
  double percentile; /* of methods without one of their own; 0: the default */
} grid_axes;

/* Makes every combination, each once. Padding only matters to fits that pad. */
void grid_make(const grid_axes *axes, grid *out);
void grid_fini(grid *g);

/* A difference of the SQNR that decides nothing by itself: a tenth more noise. */
#define GRID_MARGIN_DB 1.0

/* Ranks what went well. With a metric: first those whose interval of the difference to the best
 * holds 0, by SQNR, then the others by the metric. Without one (-1): by SQNR, whose difference to
 * the first says which are equal. The simplest of those that are equal and have no less SQNR than
 * the first within GRID_MARGIN_DB moves to the front: none of the user's files, one table rather
 * than one per profile, samples as they are rather than fitted, padding excluded, the method that
 * is listed first. */
tare_status grid_rank(grid *g, int metric, tare_error *err);

/* The strategy that ranks first, without files of the user, which are there already; -1: there is
 * none. */
int grid_first(const grid *g);

bool grid_counts_padding(const grid *g, const grid_strategy *s);

/* Whether two strategies compute thresholds in the same way. */
bool grid_same_method(const grid_strategy *a, const grid_strategy *b);

/* A strategy's fit, with what it did with padding where that is not the default; caller frees. */
char *grid_fit_text(const grid *g, int strategy);

/* What the reports need to know beside the grid. */
typedef struct grid_context {
  const tare_profiles *profiles;
  int metric; /* -1: none */
  bool peaks_by_row;
  const char *model;
  const worst *worst; /* samples of the strategy that ranks first */
  const struct provenance *provenance;
  const cli_list *written; /* tables and plans */
  const cli_list *reports;
  const struct requirement *requirements;
  int n_requirements;
  const struct compare_budget *budget;
  const struct verdict *verdict;
} grid_context;

/* Prints tables of text. */
void grid_print(const grid *g, const grid_context *context);

/* All that there is to tell, as --json prints it; the caller frees it. */
cJSON *grid_document(const grid *g, const grid_context *context);

#endif
