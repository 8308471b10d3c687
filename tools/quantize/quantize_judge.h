/* Whether written models keep the accuracy of their float model, on a few samples of the
 * calibration: a bad one is never handed out without a word. */
#ifndef TAREI_TOOLS_QUANTIZE_QUANTIZE_JUDGE_H
#define TAREI_TOOLS_QUANTIZE_QUANTIZE_JUDGE_H

#include "tools/options/length_inputs.h"
#include "tools/quantize/quantize_files.h"

typedef struct quantize_judged {
  const opt_inputs *in; /* with the data of the calibration */
  const tare_model *model;
  const tare_plan *fp32;
  const length_inputs *lengths;
  tare_streaming *streaming; /* NULL: samples are runs */
  double processor_seconds;  /* that a search for layers may take; 0: the default */
  bool evaluated;            /* other data follows */
} quantize_judged;

/* Reads the files and runs them beside the float model. Warns of each that is bad, and names the
 * layers that cost most. A failure is a warning too: the files are there. With --quiet, and without
 * --json, nothing is done. */
void quantize_judge(const quantize_judged *what, const quantize_writing *how,
                    quantize_files *files);

/* Warns of files that are bad on other data, and were not on these. */
void quantize_judge_evaluation(const opt_common *common, const quantize_files *files);

#endif
