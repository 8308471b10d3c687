/* What `tare debug reduce` is asked for, and what it works on. */
#ifndef TAREI_TOOLS_DEBUG_REDUCE_WORK_H
#define TAREI_TOOLS_DEBUG_REDUCE_WORK_H

#include "tools/debug/reduce.h"
#include "tools/debug/reduce_show.h"
#include "tools/options/length_inputs.h"
#include "tools/options/options.h"

typedef struct reduce_arguments {
  opt_inputs in;
  tare_build_options build;
  const char *calib, *output;
  char *tensor; /* NULL: the outputs; owned */
  double min_sqnr;
} reduce_arguments;

typedef struct reduce_work {
  whole_model whole;
  tare_table *table;
  tare_dataset *dataset;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  reduction r;
  tare_build_options requests; /* of the part */
  trial last;                  /* of the part */
  reduced_files files;
} reduce_work;

#endif
