# Sources of the evaluation, relative to calib/.
set(TARE_CALIB_EVAL_SOURCES
  eval/bootstrap.c eval/eval.c eval/eval_fit.c eval/eval_ports.c eval/eval_rows.c eval/eval_save.c
  eval/eval_side.c eval/eval_tally.c eval/metric.c eval/metric_accuracy.c eval/metric_ctc_error.c)
