/*
 * Models: an ONNX file, checked, with inferred symbolic shapes.
 */
#ifndef TARE_MODEL_H
#define TARE_MODEL_H

#include <stdbool.h>
#include <tare/limits.h>
#include <tare/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A loaded model. */
typedef struct tare_model tare_model;

/** Properties of a model. The strings belong to the model. */
typedef struct tare_model_info {
  const char *path;
  const char *producer; /* "" if the file names none */
  int64_t ir_version;
  int opset;
  int n_nodes;
  int n_parameters; /* constants with data */
  int64_t parameter_bytes;
  /** Activations that the model itself quantizes, by Q/DQ or at run time. A model with any needs no
   *  calibration. */
  int n_stated;
  /** Why outputs and tensors are unknown until profiles fix symbols (see tare_model_load_with); ""
   *  if they are known. */
  const char *undecided;
  uint64_t hash;     /* of the bytes of the file; statistics and tables contain it too */
  void *reserved[8]; /* for later versions */
} tare_model_info;

/** Options for reading models and plans; set the defaults with tare_load_options_init. */
typedef struct tare_load_options {
  /** Limits, which are copied and also apply to the plans and contexts made from the model or plan;
   *  NULL for the defaults. */
  const tare_limits *limits;
  /** Another folder in which external data of a model may be; or NULL. */
  const char *external_folder;
  void *reserved[8]; /* for later versions; NULL */
} tare_load_options;

/** Sets the options to the defaults: everything NULL. */
TARE_API void tare_load_options_init(tare_load_options *options);

/**
 * Loads an ONNX model with its external data, and infers its shapes. If inference fails only
 * because symbols of the inputs have no value, the model is undecided: its outputs have no element
 * type, and tare_plan_build infers them with the symbols that have a single value in every profile.
 *
 * External data must be in regular files that, after all links are resolved, are inside the folder
 * of `path`, inside the folder of the file to which `path` links, or inside
 * options->external_folder.
 * @param path the .onnx file
 * @param options NULL for the defaults
 * @param out receives the model; free it with tare_model_free
 * @return TARE_OK, TARE_E_INPUT (missing or not ONNX, or external data outside these folders),
 *         TARE_E_MODEL (the model is malformed), TARE_E_UNSUPPORTED (the message names every
 *         unsupported node), TARE_E_LIMIT (the message names the limit), TARE_E_USAGE (a limit is
 *         out of range), TARE_E_MEMORY
 */
TARE_API tare_status tare_model_load_with(const char *path, const tare_load_options *options,
                                          tare_model **out, tare_error *err);

/** tare_model_load_with with the default options. */
TARE_API tare_status tare_model_load(const char *path, tare_model **out, tare_error *err);

/**
 * Frees a model. Plans built from it remain valid.
 * @param model the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_model_free(tare_model **model);

/** Properties of a model. */
TARE_API tare_model_info tare_model_get_info(const tare_model *model);

/**
 * Inputs of a model, in the order of the file. Initializers are not inputs.
 * @param ports receives an array that belongs to the model and is valid until tare_model_set
 * @return the number of inputs
 */
TARE_API int tare_model_inputs(const tare_model *model, const tare_port **ports);

/**
 * Outputs of a model, as tare_model_inputs. A computed dim has its expression as symbol, e.g.
 * "(samples + 2) / 5 + 1".
 */
TARE_API int tare_model_outputs(const tare_model *model, const tare_port **ports);

/** Number of nodes of a model that draw random numbers (RandomNormal, Dropout in training, ...),
 *  those of subgraphs included. 0: seeds do not matter. */
TARE_API int tare_model_n_random(const tare_model *model);

/** Element type of a tensor of a model by name, with float16 and bfloat16 as the float32 in which
 *  they are computed; TARE_DTYPE_NONE if the model has no such tensor or does not know it yet. */
TARE_API tare_dtype tare_model_tensor_type(const tare_model *model, const char *tensor);

/**
 * Turns an input into a constant. It is no longer an input, and nodes that depend only on it are
 * resolved: branches that it decides take the place of their If. Ports returned before this call
 * become invalid.
 * @param input name of an input without symbols in its dims, or of a vector
 * @param value value of every element; its type must be able to hold it, floats are rounded. A
 *        vector whose length is a symbol is as long as other inputs that have it, else 1
 * @return TARE_OK, TARE_E_USAGE (no such input, symbols in its dims, or a value that its type
 *         cannot hold), TARE_E_MEMORY, or an error of tare_model_load_with if the shapes cannot be
 *         inferred with this value
 */
TARE_API tare_status tare_model_set(tare_model *model, const char *input, double value,
                                    tare_error *err);

/**
 * As tare_model_set, with a value for each element.
 * @param values row-major; a single one is that of every element. A vector whose length is a symbol
 *        is as long as they are, as is whatever else has the symbol
 * @param n_values how many; at least 1
 * @return also TARE_E_USAGE if the input has another number of elements
 */
TARE_API tare_status tare_model_set_values(tare_model *model, const char *input,
                                           const double *values, int n_values, tare_error *err);

/**
 * The model by whose outputs plans are judged, if it has no float output: the same with the float
 * values behind its own outputs that decide these, such as the scores of an ArgMax, or durations
 * before they are rounded. Its plans are compared as those of any model; layers and tensors have
 * the names that they have in the model.
 * @param out receives the model; NULL if the model has a float output, or none of its outputs
 * follows from float values of the graph itself
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_model_judged(const tare_model *model, tare_model **out, tare_error *err);

/** Number of different operators in a model. */
TARE_API int tare_model_n_operators(const tare_model *model);

/**
 * One operator of a model, and how many nodes have it.
 * @param i 0 .. tare_model_n_operators - 1; operators are sorted by name
 * @param name receives its name, which belongs to the model; may be NULL
 * @param count receives the number of nodes; may be NULL
 */
TARE_API void tare_model_operator(const tare_model *model, int i, const char **name, int *count);

/**
 * Number of closed branches: branches of If nodes that cannot run at the lengths of the model, or
 * have an operator that is not supported. They refuse only runs that take them. What is closed
 * depends on the lengths that are known, so that a plan may have more or fewer
 * (tare_plan_n_closed_branches).
 */
TARE_API int tare_model_n_closed_branches(const tare_model *model);

/** Why a branch is closed, which begins with its name, "NODE/then_branch: ...";
 * i = 0 .. tare_model_n_closed_branches - 1. It belongs to the model and is valid until
 * tare_model_set. */
TARE_API const char *tare_model_closed_branch(const tare_model *model, int i);

/**
 * Prints the graph as text, one line per node, with shapes as expressions.
 * @param optimized true: the graph after the optimizations of the engine
 * @param out receives the text; free it with tare_free
 * @return TARE_OK, TARE_E_MEMORY, or for an undecided model the error of its inference
 */
TARE_API tare_status tare_model_print(const tare_model *model, bool optimized, char **out,
                                      tare_error *err);

/** Frees text that a function returned for the caller to free; NULL is allowed. */
TARE_API void tare_free(void *text);

#ifdef __cplusplus
}
#endif
#endif
