/* What a strategy must reach, as --require says: "accuracy>=fp32-0.5%", "sqnr>=30". */
#ifndef TAREI_TOOLS_COMPARE_REQUIREMENT_H
#define TAREI_TOOLS_COMPARE_REQUIREMENT_H

#include "tools/compare/compare_grid.h"
#include "tools/json_out.h"

typedef enum requirement_figure {
  REQUIREMENT_METRIC,
  REQUIREMENT_SQNR,
  REQUIREMENT_TOP1
} requirement_figure;

typedef struct requirement {
  const char *text; /* as the user wrote it */
  requirement_figure figure;
  bool at_least; /* >=; else <= */
  bool to_fp32;  /* the bound is a difference to the float plan */
  double bound;  /* in the figure's unit: percent, dB */
} requirement;

/* How the strategy that ranks first came out. */
typedef struct requirement_outcome {
  bool fulfilled;
  bool has_interval;   /* of 95 % */
  bool sure;           /* it lies on the same side */
  double value, bound; /* in the figure's unit */
} requirement_outcome;

/* Reads one requirement; ends the parse with a sentence where it is wrong. `metric`: the one that
 * is computed, or -1. */
requirement requirement_parse(const struct argp_state *state, const char *text, int metric);

/* The outcomes as text, and as JSON. */
void requirements_print(const requirement *list, int n, const grid *g, int metric);
void requirements_json(cJSON *object, const requirement *list, int n, const grid *g, int metric);

/* Says on stderr what is not fulfilled; returns how many that are. */
int requirements_complain(const requirement *list, int n, const grid *g, int metric);

#endif
