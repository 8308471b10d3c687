/* The time that a comparison may take. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_BUDGET_H
#define TAREI_TOOLS_COMPARE_COMPARE_BUDGET_H

#include "tools/compare/compare_grid.h"

typedef struct compare_budget {
  double seconds;                    /* 0: no limit */
  bool slices;                       /* results are kept: plans run in small groups */
  double start;                      /* as of cli_now */
  bool armed;                        /* the first strategy is there; before, nothing is stopped */
  bool over;                         /* something was left out */
  double fp32_seconds, plan_seconds; /* that the float plan and another took for the data */
} compare_budget;

/* "90", "90s", "10m" or "2h" in seconds; ends the parse otherwise. */
double compare_budget_parse(const struct argp_state *state, const char *text);

/* When to stop, as of cli_now; 0: never. */
double compare_budget_deadline(const compare_budget *b);

/* Whether a step that takes so many seconds may begin; if not, the budget is over. */
bool compare_budget_allows(compare_budget *b, double seconds);

/* How many plans, of n, to evaluate in the next pass over the data; 0: the budget is over. With
 * slices as many as take about a minute, or twice as long as the float plan. */
int compare_budget_plans(compare_budget *b, int n);

/* Seconds that are left for a search whose plan is then evaluated, as compare_budget_plans has it;
 * 0 or less: none are. INFINITY without a limit. */
double compare_budget_spare(const compare_budget *b);

/* Notes what a pass over the data took, of which `runs` were those of n plans. */
void compare_budget_note(compare_budget *b, double seconds, double runs, int n);

/* Strategies that were left out, as a text; NULL: none. The caller frees it. */
char *compare_budget_left(const grid *g);

/* Says on stderr, even with --quiet, which strategies the budget left out; `next` (may be NULL) is
 * the command that goes on. */
void compare_budget_complain(const compare_budget *b, const grid *g, const char *next);

/* As a line of text, and as "time_budget" and "interrupted" of the document. */
void compare_budget_print(const compare_budget *b, const grid *g);
void compare_budget_json(cJSON *object, const compare_budget *b, const grid *g);

#endif
