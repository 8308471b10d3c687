/* The files that `tare debug reduce` writes: the part, its data and its table. */
#ifndef TAREI_TOOLS_DEBUG_REDUCE_FILES_H
#define TAREI_TOOLS_DEBUG_REDUCE_FILES_H

#include "tools/debug/reduce_work.h"

/* Names the files after the output; reduce_files_fini() frees the names. */
void reduce_files_name(const reduce_arguments *arguments, reduced_files *files);
void reduce_files_fini(reduced_files *files);

/* Whether they may be written. TARE_E_USAGE, TARE_E_IO */
tare_status reduce_files_check(const reduce_arguments *arguments, const reduced_files *files,
                               tare_error *err);

/* Tries the part once more and writes it. The names of files that it does not need are forgotten.
 * If one cannot be written, those that are new are removed. */
tare_status reduce_files_write(const reduce_arguments *arguments, reduce_work *work,
                               tare_error *err);

#endif
