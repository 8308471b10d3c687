/* Imports, with the engine's arithmetic for their constants. */
#include <tare/import.h>

#include "engine/evaluate.h"
#include "graph/qdq/undo/import.h"
#include "kernels/kernels.h"

tare_status tare_import_new(const char *const path, const tare_load_options *const load,
                            tare_import **const out, tare_error *const err) {
  tarei_kernels kernels;
  tarei_evaluation evaluation;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  tarei_evaluation_start(&evaluation, &kernels);
  const tarei_pass_options passes = {.evaluate = tarei_evaluate, .evaluate_user = &evaluation};
  return tarei_import_new(path, load, &passes, out, err);
}

tare_status tare_import_save(tare_import *const out, const char *const path, const int64_t most,
                             bool *const external, tare_error *const err) {
  tarei_kernels kernels;
  tarei_evaluation evaluation;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  tarei_evaluation_start(&evaluation, &kernels);
  const tarei_pass_options passes = {.evaluate = tarei_evaluate, .evaluate_user = &evaluation};
  return tarei_import_save(out, path, most, &passes, external, err);
}
