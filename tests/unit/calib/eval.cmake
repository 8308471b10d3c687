# Tests of the evaluation. All but the last need no engine.
set(eval_folder ${PROJECT_SOURCE_DIR}/calib/eval)
tare_test(calib eval_tally FLOORS base shapes SOURCES
  ${eval_folder}/error_sums.c ${eval_folder}/eval_tally.c ${PROJECT_SOURCE_DIR}/calib/metrics/rows.c)
tare_test(calib error_sums FLOORS base SOURCES ${eval_folder}/error_sums.c)
tare_test(calib eval FLOORS base shapes kernels datasets graph engine calib LIBRARIES tare_hdf5)
