/* The multiply-adds of a layer at the lengths of a run. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/layers/layers.h"
#include "engine/plan_profiles.h"

/* A length that only a run tells counts as the longest one of the profile, up to that of a sentence
 * of speech: frames follow from letters, tokens from frames. */
static void guess_measured(const tare_plan *const plan, int64_t *const symbols) {
  enum { SENTENCE = 256 };
  int64_t longest = 1;
  for (int s = 0; s < plan->n_symbols; s++) {
    longest = plan->symbols[s] >= 0 && symbols[s] > longest ? symbols[s] : longest;
  }
  for (int s = 0; s < plan->n_symbols; s++) {
    const int64_t length = longest < SENTENCE ? longest : SENTENCE;
    symbols[s] = plan->symbols[s] < 0 ? length : symbols[s];
  }
}

tare_status tare_plan_layer_operations(const tare_plan *const plan, const int i,
                                       const int64_t *const values, double *const out,
                                       tare_error *const err) {
  *out = 0;
  TAREI_TRY(tarei_check_number("layer", i, plan->n_layers, err));
  const tarei_step *const step = tarei_layer_step(&plan->layers[i]);
  if (!step->lowering->operations) {
    return TARE_OK;
  }
  int64_t *const symbols = tarei_calloc((size_t)plan->n_symbols, sizeof *symbols);
  if (!symbols) {
    return tarei_fail_memory(err, "symbols", (size_t)plan->n_symbols * sizeof *symbols);
  }
  tarei_plan_symbols(plan, values, symbols);
  guess_measured(plan, symbols);
  *out = 2 * step->lowering->operations(step->graph, step->node, symbols);
  free(symbols);
  return TARE_OK;
}
