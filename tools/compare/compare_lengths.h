/* How the strategies of `tare compare` do at each length. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_LENGTHS_H
#define TAREI_TOOLS_COMPARE_COMPARE_LENGTHS_H

#include "tools/compare/compare_grid.h"
#include "tools/json_out.h"

/* Fills the lengths of the grid and of what is ranked; after grid_rank. */
tare_status grid_measure_lengths(grid *g, tare_error *err);

/* The float plan and the strategy that ranks first at each length, and where another is better. */
void lengths_print(const grid *g, int metric);

/* Adds which lengths there are, and the figures of one plan at each. */
void lengths_json(cJSON *object, const grid *g);
void length_figures_json(cJSON *object, const length_figure *figures, int n, int metric,
                         bool compared);

#endif
