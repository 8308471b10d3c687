/*
 * Models: an ONNX file, checked and with symbolic shapes inferred.
 */
#ifndef TARE_MODEL_H
#define TARE_MODEL_H

#include <stdbool.h>
#include <tare/limits.h>
#include <tare/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_model tare_model;

/** What a model says of itself; strings belong to the model. */
typedef struct tare_model_info {
  const char *path;
  const char *producer; /* "" when the file names none */
  int64_t ir_version;
  int opset;
  int n_nodes, n_parameters; /* nodes; constants with data */
  int64_t parameter_bytes;
  int n_stated;              /* activations that the model quantizes itself (Q/DQ, or at run time): above
                                0, it needs no calibration */
  const char *undecided;     /* why outputs and tensors are not known before profiles fix symbols,
                                see tare_model_load; "" where they are */
  uint64_t hash;             /* of the file's bytes; statistics and tables carry it */
} tare_model_info;

/** How files are read; fill it with tare_load_options_init. */
typedef struct tare_load_options {
  const tare_limits *limits;   /* copied; NULL: the defaults. Plans and contexts that are made of the
                                  model or plan keep to them too */
  const char *external_folder; /* external data of a model may lie in this folder too; or NULL */
} tare_load_options;

/** Fills the options with defaults: everything NULL. */
TARE_API void tare_load_options_init(tare_load_options *options);

/**
 * Loads an ONNX model, with external data beside it, and infers its shapes. Where that fails for reasons
 * that depend on symbols of its inputs, the model is undecided: its outputs have no element type, and
 * tare_plan_build goes on from there with the symbols that have one value in every profile.
 *
 * External data is read from regular files that, links resolved, lie inside the folder of `path`, inside
 * the folder of the file that `path` is a link to, or inside options->external_folder.
 * @param path the .onnx file
 * @param options NULL for the defaults
 * @param out receives the model; free it with tare_model_free
 * @return TARE_OK, TARE_E_INPUT (missing or not ONNX; external data outside of the folders),
 *         TARE_E_MODEL (breaks a rule), TARE_E_UNSUPPORTED (names every node in the way),
 *         TARE_E_LIMIT (names the limit), TARE_E_USAGE (a limit out of range), TARE_E_MEMORY
 */
TARE_API tare_status tare_model_load_with(const char *path, const tare_load_options *options,
                                          tare_model **out, tare_error *err);

/** tare_model_load_with under the default options. */
TARE_API tare_status tare_model_load(const char *path, tare_model **out, tare_error *err);

/** Frees a model and clears the handle; a NULL handle is fine. Plans do not need it any more. */
TARE_API void tare_model_free(tare_model **model);

/** Facts about the model. The strings live as long as the model. */
TARE_API tare_model_info tare_model_get_info(const tare_model *model);

/** Inputs and outputs in model order; the arrays live as long as the model. Output dims that are
 *  computed show their expression as symbol, e.g. "(samples + 2) / 5 + 1". */
TARE_API int tare_model_inputs(const tare_model *model, const tare_port **ports);
TARE_API int tare_model_outputs(const tare_model *model, const tare_port **ports);

/**
 * Gives an input a value for good: it is no input any more, and what depends on it alone is decided.
 * @param input name of an input without symbols in its dims
 * @param value of every element; the input's type must hold it, floats are rounded
 * @return TARE_OK, TARE_E_USAGE (no such input, its dims have symbols, or its type does not hold the
 *         value), TARE_E_MEMORY, and what the graph fails with when it is inferred again. Ports that
 *         were got before are void.
 */
TARE_API tare_status tare_model_set(tare_model *model, const char *input, double value,
                                    tare_error *err);

/** Number of times each operator stands in the model, sorted by name; returns how many operators.
 *  @param i 0..n-1  @param name,count receive operator i; either may be NULL */
TARE_API int tare_model_n_operators(const tare_model *model);
TARE_API void tare_model_operator(const tare_model *model, int i, const char **name, int *count);

/**
 * Listing of the graph, one node a line, with shapes as expressions.
 * @param optimized true: after the passes that the engine runs
 * @param out receives the text; free it with tare_free
 */
TARE_API tare_status tare_model_print(const tare_model *model, bool optimized, char **out,
                                      tare_error *err);

/** Frees text that a call returned; NULL is fine. */
TARE_API void tare_free(void *text);

#ifdef __cplusplus
}
#endif
#endif
