/*
 * The files of a metric command: the outputs of each plan, those of the reference, and the labels,
 * in the layout of eval_save.h, in a temporary folder. Files have no name while they are written
 * (base/outfile.h), and one only while a command reads them.
 */
#ifndef TAREI_CALIB_EVAL_COMMAND_FILES_H
#define TAREI_CALIB_EVAL_COMMAND_FILES_H

#include "calib/metrics/metric.h"

typedef struct tarei_command_files tarei_command_files;

/* What the files are of. */
typedef struct tarei_command_case {
  int n_sides, reference; /* the number of a side; -1: none */
  int64_t count;          /* maximum number of runs */
  int n_levels;           /* 1 without a gain range */
} tarei_command_case;

/* Makes the folder in TMPDIR or /tmp. TARE_E_IO. */
tare_status tarei_command_files_new(const tarei_command_case *about, tarei_command_files **out,
                                    tare_error *err);

/* Begins a run, whose number is that of its group, with the label of its sample. */
tare_status tarei_command_files_begin(tarei_command_files *files, int64_t number,
                                      const tare_sample *sample, tare_error *err);
tare_status tarei_command_files_output(tarei_command_files *files, int side, int64_t number,
                                       const char *output, const tare_tensor *tensor,
                                       const int64_t *extents, tare_error *err);

/* Takes the runs of a sample out again. */
tare_status tarei_command_files_drop(tarei_command_files *files, int64_t sample, tare_error *err);

/* Once all runs are there: names the files that all commands read. */
tare_status tarei_command_files_finish(tarei_command_files *files, tare_error *err);

/* Has the command compute the metric of a side, after _finish. `output` is the name of the output
 * that the user chose. TARE_E_INPUT, TARE_E_IO. */
tare_status tarei_command_files_run(tarei_command_files *files, int side, const char *command,
                                    const char *output, tare_metric_states *states,
                                    tare_error *err);

/* Removes files and folder. NULL is allowed. */
void tarei_command_files_free(tarei_command_files **files);

#endif
