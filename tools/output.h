/* Where a command writes; looked at before long work, not after it. */
#ifndef TAREI_TOOLS_OUTPUT_H
#define TAREI_TOOLS_OUTPUT_H

#include "tools/cli.h"

/* TARE_E_USAGE when path is one of the inputs, under whatever name; TARE_E_IO when no file can be
 * made there. Inputs may be NULL or missing. */
tare_status output_check(const char *path, const cli_list *inputs, tare_error *err);

/* Whether a command finds something there, if only a link to nothing: it may not remove that. */
bool output_is_there(const char *path);

/* The same for n outputs (NULL: none), which may not be one file under several names either. */
tare_status output_check_all(const char *const *paths, int n, const cli_list *inputs,
                             tare_error *err);

/* A kind of file, e.g. "a plan", whose names end in ".plan". */
typedef struct output_kind {
  const char *noun, *end;
} output_kind;

extern const output_kind OUTPUT_ONNX, OUTPUT_PLAN, OUTPUT_HDF5, OUTPUT_JSON;

/* TARE_E_USAGE when the name ends as those of another kind of file do. */
tare_status output_check_name(const char *path, const output_kind *kind, tare_error *err);

/* output_check_all, where the first output is of that kind. */
tare_status output_check_kind(const output_kind *kind, const char *const *paths, int n,
                              const cli_list *inputs, tare_error *err);

/* TARE_E_INPUT when the file is missing or cannot be read. */
tare_status input_check(const char *path, tare_error *err);

#endif
