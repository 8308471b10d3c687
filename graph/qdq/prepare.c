#include "graph/qdq/prepare.h"

#include "graph/passes/passes.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/smooth.h"
#include "graph/table/annotate.h"
#include "graph/table/merge.h"

tare_status tarei_qdq_prepare(tarei_graph *const graph, const tare_error *const waits,
                              const tarei_pass_options *const passes, tare_error *const err) {
  bool changed;
  return waits->status == TARE_OK
             ? tarei_pass_run(graph, &tarei_pass_fold_constants, passes, &changed, err)
             : TARE_OK;
}

tare_status tarei_qdq_annotate(tarei_graph *const graph, const tare_table *const table,
                               const int profile, bool *const unused, bool *const changed,
                               tare_error *const err) {
  tare_table *merged = NULL;
  TAREI_TRY(tarei_table_merge(table, profile, &merged, err));
  tare_status status = tarei_table_annotate(merged, graph, NULL, err);
  if (status == TARE_OK && unused) {
    status = tarei_graph_smooth(graph, merged, unused, changed, err);
  }
  tare_table_free(&merged);
  return status == TARE_OK ? tarei_graph_share_scales(graph, err) : status;
}
