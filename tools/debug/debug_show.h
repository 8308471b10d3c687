/* Errors of tensors, as text and as JSON. */
#ifndef TAREI_TOOLS_DEBUG_DEBUG_SHOW_H
#define TAREI_TOOLS_DEBUG_DEBUG_SHOW_H

#include "tools/debug/tensor_limits.h"
#include "tools/json_out.h"

typedef struct debug_results {
  const tare_plan *plan;
  const tare_comparison *comparison;
  const tensor_limits *limits;
  const tare_eval_result *eval;
  const char *tensor; /* whose errors are shown in a histogram; NULL: none */
} debug_results;

/* Numbers of the tensors that fail their limits. */
int debug_count_failures(const debug_results *r);

void debug_print(const debug_results *r);
void debug_json(cJSON *object, const debug_results *r);

#endif
