/* What errors tensors may have. */
#ifndef TAREI_TOOLS_DEBUG_TENSOR_LIMITS_H
#define TAREI_TOOLS_DEBUG_TENSOR_LIMITS_H

#include <tare/tare.h>

#include "tools/cli.h"

/* Limits as given: "VALUE" for all outputs, "TENSOR:VALUE" for one tensor; the last match wins. */
typedef struct limit_list {
  struct limit_item {
    char *tensor; /* NULL: all outputs; owned */
    double value;
  } * items;
  int n;
} limit_list;

typedef struct tensor_limits {
  limit_list atol, rtol, min_sqnr;
  double max_drop; /* dB that a layer may lose */
} tensor_limits;

/* Adds what follows an option; ends the parse if it has another form or is out of range. */
void limit_list_add(limit_list *list, const struct argp_state *state, const char *option,
                    const char *arg, double min, double max);
void tensor_limits_fini(tensor_limits *limits);

/* Hands the bounds over. TARE_E_USAGE if a limit names no tensor that is compared. */
tare_status tensor_limits_apply(const tensor_limits *limits, tare_comparison *comparison,
                                tare_error *err);

/* Which limit a tensor fails: "atol", "sqnr" or another word, or NULL. What is only suspicious in
 * the middle of the plan is judged by tensor_doubt. */
const char *tensor_failure(const tensor_limits *limits, const tare_tensor_error *e);
const char *tensor_doubt(const tensor_limits *limits, const tare_tensor_error *e);

/* TARE_E_USAGE, with near names, for a name that no compared tensor has; `option` is named. */
tare_status tensor_unknown(const tare_comparison *comparison, const char *option, const char *name,
                           tare_error *err);

#endif
