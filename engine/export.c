/* Exports, with the engine's arithmetic for their constants. */
#include <tare/export.h>

#include "engine/evaluate.h"
#include "graph/qdq/export.h"
#include "kernels/kernels.h"

tare_status tare_export_new(const char *const path, const tare_export_options *const options,
                            tare_export **const out, tare_error *const err) {
  tarei_kernels kernels;
  tarei_evaluation evaluation;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  tarei_evaluation_start(&evaluation, &kernels);
  const tarei_pass_options passes = {.evaluate = tarei_evaluate, .evaluate_user = &evaluation};
  return tarei_export_new(path, options, &passes, out, err);
}
