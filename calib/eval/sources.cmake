# Sources of the evaluation, relative to calib/. Metrics are rows.
tare_family(TARE_CALIB_METRICS ${CMAKE_CURRENT_LIST_DIR}/metrics.inc eval/metric_ID.c)
set(TARE_CALIB_EVAL_SOURCES
  eval/bootstrap.c eval/comparison.c eval/error_sums.c eval/eval.c eval/eval_fit.c eval/eval_ports.c eval/eval_rows.c eval/eval_save.c
  eval/eval_side.c eval/eval_tally.c eval/metric.c ${TARE_CALIB_METRICS})
