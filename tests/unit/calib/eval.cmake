# Tests of the evaluation. All but the last need no engine.
set(eval_folder ${PROJECT_SOURCE_DIR}/calib/eval)
tare_family(metrics ${eval_folder}/metrics.inc ${eval_folder}/metric_ID.c)
tare_test(calib eval_metric FLOORS base shapes SOURCES
  ${eval_folder}/eval_rows.c ${eval_folder}/metric.c ${metrics})
tare_test(calib eval_tally FLOORS base shapes SOURCES
  ${eval_folder}/error_sums.c ${eval_folder}/eval_rows.c ${eval_folder}/eval_tally.c)
tare_test(calib error_sums FLOORS base SOURCES ${eval_folder}/error_sums.c)
tare_test(calib eval_bootstrap FLOORS base SOURCES ${eval_folder}/bootstrap.c)
tare_test(calib eval FLOORS base shapes kernels datasets graph engine calib LIBRARIES tare_hdf5)

