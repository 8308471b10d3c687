/*
 * tare: INT8 calibration for models whose inputs change length, and the engine that uses it.
 *
 * The usual order of calls:
 *   tare_model_load         reads an ONNX file
 *   tare_profiles_new, ...  sets the lengths at which the model will run
 *   tare_dataset_open       opens recordings or token tensors
 *   tare_calibrate          collects statistics in one pass over the data
 *   tare_table_from_stats   computes a calibration table; tare_table_write saves it
 *   tare_plan_build         builds an INT8 plan from model, table and profiles
 *   tare_context_run        runs the plan at any length inside the profiles
 *   tare_eval               measures its accuracy compared with the float model
 *   tare_tune               searches a precision for each layer
 *   tare_export_new         quantizes the model for another engine; tare_export_save writes it
 *   tare_import_new         makes a float model and a table of a quantized one
 *
 * Conventions, unless the comment of a function says otherwise:
 *   Errors     A call that can fail returns a tare_status (tare/status.h) and explains the failure
 *              in `err`, which may be NULL. After a failure there is nothing to free.
 *   Handles    are opaque. The caller frees what it receives in `out`, with the function named
 *              there. Other pointer arguments must not be NULL and are not kept after the call.
 *   Numbers    of things begin with 0. A number out of range, such as -1, ends no program: a call
 *              that returns a status fails with TARE_E_USAGE; the others return NULL, 0, false, or
 *              a struct in which everything is that. A call that looks for a thing returns its
 *              number, or -1 if there is none.
 *   Room       Structs of options and results that may get members end with `reserved`, whose place
 *              these take: sizes stay. Set options with their tare_..._init, or to zero. A call
 *              fails with TARE_E_USAGE if `reserved` is not zero: the program was made for a newer
 *              library, or forgot to. Structs without `reserved` stay as they are.
 *   Text       is UTF-8 and ends with a zero byte. Returned text belongs to the object that it was
 *              asked of, and is valid as long as the object.
 *   Threads    Functions may be called from any thread. An object has no lock: several threads may
 *              read it at a time (const arguments), but only one may change it.
 */
#ifndef TARE_TARE_H
#define TARE_TARE_H

#define TARE_VERSION_MAJOR 0
#define TARE_VERSION_MINOR 1
#define TARE_VERSION_PATCH 0
#define TARE_VERSION "0.1.0"

#include <tare/calib.h>
#include <tare/check.h>
#include <tare/comparison.h>
#include <tare/coverage.h>
#include <tare/dataset.h>
#include <tare/eval.h>
#include <tare/evidence.h>
#include <tare/export.h>
#include <tare/extract.h>
#include <tare/feed.h>
#include <tare/import.h>
#include <tare/length_check.h>
#include <tare/limits.h>
#include <tare/merge.h>
#include <tare/model.h>
#include <tare/plan.h>
#include <tare/profile.h>
#include <tare/status.h>
#include <tare/streaming.h>
#include <tare/table.h>
#include <tare/table_model.h>
#include <tare/tensor.h>
#include <tare/tune.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the linked library, e.g. "0.1.0", as a static string. Compare it with TARE_VERSION.
 */
TARE_API const char *tare_version(void);

/** Threads that contexts and calibrations have by default: the cores that this process may run on
 *  (sched_setaffinity) and that the quota of its control group, as of a container, grants whole; at
 *  least 1. */
TARE_API int tare_cores(void);

/**
 * Removes the temporary files of all outputs that are being written, and ends the commands of
 * metrics that run, for a program that must end at once. If the program continues, these outputs
 * fail with TARE_E_IO. Async-signal-safe: may be called from a signal handler.
 */
TARE_API void tare_abandon_outputs(void);

/**
 * Replaces each control character of a text by '?', in UTF-8 each byte of it: names of files and in
 * models may have any, and a terminal would obey them. Messages of errors have none.
 * @param text changed in place. Thread-safe.
 */
TARE_API void tare_make_printable(char *text);

/**
 * Writes a file, which appears whole or not at all.
 * @param path name of the file
 * @param data its contents
 * @param bytes number of bytes
 * @return TARE_OK, TARE_E_IO, TARE_E_MEMORY
 */
TARE_API tare_status tare_write_file(const char *path, const void *data, size_t bytes,
                                     tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
