/* The combinations that `tare compare` tries, and how they came out. */
#ifndef TARE_TOOLS_COMPARE_GRID_H
#define TARE_TOOLS_COMPARE_GRID_H

#include "tools/options.h"

/* One calibration run; combinations that differ only in the table share it. */
typedef struct grid_pass {
  tare_fit fit;
  bool count_padding;
  int64_t samples, peak;
  double seconds;
} grid_pass;

typedef struct grid_combination {
  const char *fit; /* as the user named it */
  const char *method;
  int pass;
  bool per_profile;
  tare_error error; /* status OK when it went well */
  tare_eval_result result;
  double seconds; /* table, build and evaluation */
  int64_t peak;
} grid_combination;

typedef struct grid {
  grid_pass *passes;
  int n_passes;
  grid_combination *items;
  int n;
} grid;

/* Add all that there are to a list. */
void grid_add_fits(cli_list *fits);
void grid_add_paddings(cli_list *paddings);

/* Makes every combination of fits, paddings ("exclude", "count") and methods, each once. Padding
 * only matters to fits that pad. TARE_E_USAGE names what is not known. */
tare_status grid_make(const cli_list *fits, const cli_list *paddings, const cli_list *methods,
                      grid *out, tare_error *err);
void grid_fini(grid *g);

/* The combination that keeps the most: by the metric where there is one, then by SQNR. -1 when none
 * went well. */
int grid_best(const grid *g, const char *metric);

/* Text tables and JSON. reference is the float plan's own result. */
void grid_print(const grid *g, const tare_eval_result *reference, const tare_profiles *profiles,
                const char *metric, bool peaks_by_row);
void grid_json(const grid *g, const tare_eval_result *reference, const tare_profiles *profiles,
               const char *metric, bool peaks_by_row, const char *model);

#endif
