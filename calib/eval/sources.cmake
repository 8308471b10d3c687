# Sources of the evaluation, relative to calib/.
set(TARE_CALIB_EVAL_SOURCES
  eval/agreement/agreement.c eval/agreement/answers.c eval/agreement/eval_agreement.c eval/agreement/output_look.c eval/bootstrap.c eval/command_files.c eval/comparison.c eval/comparison_match.c eval/comparison_watch.c eval/error_sums.c eval/eval.c eval/eval_constants.c eval/eval_fit.c eval/eval_measure.c eval/eval_ports.c
  eval/eval_samples.c eval/eval_save.c eval/eval_score.c eval/eval_side.c eval/eval_take.c eval/eval_tally.c eval/kept_tensor.c eval/measure.c eval/result_file.c
  eval/result_load.c eval/result_save.c)
