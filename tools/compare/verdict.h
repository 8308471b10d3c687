/* What a comparison says, in words, from its evidence alone. */
#ifndef TAREI_TOOLS_COMPARE_VERDICT_H
#define TAREI_TOOLS_COMPARE_VERDICT_H

#include "tools/compare/compare_grid.h"
#include "tools/compare/scale_ratios.h"
#include "tools/json_out.h"

typedef enum verdict_kind {
  VERDICT_NONE,      /* no strategy could be measured */
  VERDICT_SINGLE,    /* nothing to compare with */
  VERDICT_UNDECIDED, /* the samples do not tell */
  VERDICT_EQUAL,     /* one table serves all lengths, and it does not matter how it is made */
  VERDICT_METHOD,    /* the method decides, lengths do not */
  VERDICT_PRECISION, /* the form of the plan decides, lengths do not */
  VERDICT_LENGTHS,   /* ranges depend on the length */
  VERDICT_PADDING,   /* padding spoils the statistics, counted or not */
  N_VERDICTS
} verdict_kind;

/* In what two strategies differ. */
typedef enum verdict_axis {
  AXIS_PADDING,
  AXIS_PER_PROFILE,
  AXIS_FIT,
  AXIS_METHOD,
  AXIS_PRECISION,
  N_AXES,
  AXIS_OWN = N_AXES /* a file of the user, which decides nothing about strategies */
} verdict_axis;

typedef enum verdict_effect {
  EFFECT_UNDECIDED, /* it might gain more than GRID_MARGIN_DB, or nothing */
  EFFECT_EQUAL,     /* the whole interval is within GRID_MARGIN_DB */
  EFFECT_NO_GAIN,   /* it gains no more than that, and perhaps loses more */
  EFFECT_WORSE,
  EFFECT_BETTER
} verdict_effect;

/* A strategy beside the one that differs from it in one thing. */
typedef struct verdict_pair {
  int strategy, base;
  verdict_axis axis;
  verdict_effect effect;
  bool first_method;            /* of the method of the strategy that ranks first */
  bool by_metric;               /* the metric tells, not the SQNR */
  tare_difference sqnr, metric; /* strategy minus base; NAN where there is none */
} verdict_pair;

enum { VERDICT_REASONS = 16 };

typedef struct verdict {
  verdict_kind kind;
  bool sure;
  char *sentence;
  char *reasons[VERDICT_REASONS];
  int n_reasons;
  char *commands[2]; /* that make the table and the plan of the strategy that ranks first */
  int n_commands;
  verdict_pair *pairs;
  int n_pairs;
} verdict;

/* How far the scales of a pair of strategies differ; both have a table. */
scale_ratios pair_scale_ratios(const grid *g, const verdict_pair *p);

/* Pairs of ranked strategies: those that handle lengths otherwise than the first beside the one of
 * the same method that does as the first, and these beside each other; of precisions likewise;
 * files of the user beside the first. The caller frees them. */
tare_status verdict_pairs(const grid *g, int metric, verdict_pair **out, int *n, tare_error *err);

/* After grid_rank. */
tare_status verdict_make(const grid *g, int metric, verdict *out, tare_error *err);
void verdict_fini(verdict *v);

/* As text, and as the members "verdict" and "scales" of the document. */
void verdict_print(const verdict *v);
void verdict_json(cJSON *object, const verdict *v, const grid *g);

#endif
