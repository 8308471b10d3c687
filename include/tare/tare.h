/*
 * tare: INT8 calibration for models whose inputs change length, and the engine that uses it.
 *
 * The usual order of calls:
 *   tare_model_load      an ONNX file
 *   tare_profiles_*      the lengths it will run at
 *   tare_dataset_open    recordings or token tensors
 *   tare_calibrate       one pass: statistics
 *   tare_table_from_stats, tare_table_write_*   a table per method
 *   tare_plan_build      an INT8 plan from model, table and profiles
 *   tare_context_run     any length inside the profiles
 *   tare_eval            accuracy beside the float model
 * Every handle is opaque; every call that can fail returns a tare_status (tare/status.h).
 * Objects are not locked: share one between threads only for reading.
 */
#ifndef TARE_TARE_H
#define TARE_TARE_H

#define TARE_VERSION_MAJOR 0
#define TARE_VERSION_MINOR 1
#define TARE_VERSION_PATCH 0
#define TARE_VERSION "0.1.0"

#include <tare/calib.h>
#include <tare/dataset.h>
#include <tare/eval.h>
#include <tare/limits.h>
#include <tare/model.h>
#include <tare/plan.h>
#include <tare/profile.h>
#include <tare/status.h>
#include <tare/streaming.h>
#include <tare/table.h>
#include <tare/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library that is linked, e.g. "0.1.0"; compare it with TARE_VERSION. */
TARE_API const char *tare_version(void);

/** Removes the temporary files of outputs that are being written, for a program that must end at
 *  once; their writers fail with TARE_E_IO if it goes on. Async-signal-safe: call it from a signal
 *  handler. */
TARE_API void tare_abandon_outputs(void);

#ifdef __cplusplus
}
#endif
#endif
