/* The samples in which a plan differs most from float. */
#ifndef TAREI_TOOLS_COMPARE_WORST_H
#define TAREI_TOOLS_COMPARE_WORST_H

#include <tare/eval.h>

#include "tools/json_out.h"

typedef struct worst_sample {
  int64_t index;    /* among the samples that counted */
  const char *name; /* these three are those of tare_eval_sample */
  int64_t length;
  double sqnr_db;              /* of all float outputs; INFINITY: equal */
  double metric, reference;    /* of this sample alone, of the plan and of float; NAN: none */
  const char *answer, *wanted; /* what the metric reads in the outputs of both; NULL: nothing */
} worst_sample;

typedef struct worst {
  worst_sample *items;
  int n;
  const char *length; /* what lengths count: a symbol; "" if nothing */
} worst;

/* Finds the n worst samples, or all if there are fewer: with a metric (its number, or -1) by how
 * much worse it is than that of float, then by the SQNR. `named` is the result of the evaluation
 * that has names and lengths, `reference` the states of float (NULL without a metric). All of them
 * must live as long as the list. */
tare_status worst_find(const tare_eval_result *plan, const tare_eval_result *named,
                       const tare_metric_states *reference, int metric, int n, worst *out,
                       tare_error *err);
void worst_fini(worst *w);

/* Prints a table, and adds "worst". Nothing if the list is empty. */
void worst_print(const worst *w, int metric);
void worst_json(cJSON *object, const worst *w, int metric);

#endif
