/*
 * The way back from a quantized model: its Q/DQ and operators on integers become a float ONNX model
 * and a calibration table.
 *
 * The usual order of calls: tare_import_new, tare_import_save, and then tare_import_table, which
 * knows the saved model and is written with tare_table_write.
 */
#ifndef TARE_IMPORT_H
#define TARE_IMPORT_H

#include <stdbool.h>
#include <tare/model.h>
#include <tare/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_import tare_import;

/** What was undone. */
typedef struct tare_import_counts {
  int activations;   /* pairs of QuantizeLinear and DequantizeLinear that were removed around values
                      */
  int constants;     /* weights and biases: stored ones are float again, pairs behind float ones are
                        removed */
  int relus;         /* put in where a zero point at the lowest integer cut off negative values */
  int dynamic;       /* layers whose activation was quantized at run time: it has no threshold */
  int scales;        /* of weight channels that are not max|w| / 127: another export changes them */
  int kept;          /* nodes that could not be undone */
  void *reserved[4]; /* for later versions */
} tare_import_counts;

/** A quantized node that stays in the model. Strings belong to the import. */
typedef struct tare_kept_node {
  const char *name; /* of the node; of its first output where it has no name */
  const char *op;   /* "MatMulInteger" */
  const char *reason;
  void *reserved[4]; /* for later versions */
} tare_kept_node;

/**
 * Reads a quantized model, and undoes its Q/DQ.
 * @param path the .onnx file
 * @param load limits, and where external data may lie; NULL for the defaults
 * @param out receives the import; free it with tare_import_free
 * @return TARE_OK, what tare_model_load_with returns, TARE_E_UNSUPPORTED (there is nothing to undo:
 *         the message names a node that stays, if there is one), TARE_E_MEMORY
 */
TARE_API tare_status tare_import_new(const char *path, const tare_load_options *load,
                                     tare_import **out, tare_error *err);

/**
 * Frees an import.
 * @param out the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_import_free(tare_import **out);

/** What was undone. */
TARE_API tare_import_counts tare_import_count(const tare_import *out);

/** A node that stays quantized.
 *  @param i 0.. kept - 1 of the counts */
TARE_API tare_kept_node tare_import_kept(const tare_import *out, int i);

/** The thresholds that the scales mean, by the names of the float model. The method is "imported".
 *  Once the model is saved, the table has its hash, and the thresholds of tensors that hold the
 * same values in another order or shape. It belongs to the import. */
TARE_API const tare_table *tare_import_table(const tare_import *out);

/** The layers that were float in the quantized model although the table has what int8 needs, and
 *  those whose activation was quantized at run time, in the form of `layer_precisions` of builds
 * and exports: "a:fp32,b:int8-rows". "" if there are none, and before the model is saved. */
TARE_API const char *tare_import_precisions(const tare_import *out);

/**
 * Writes the float model; the file appears whole or not at all. Where the model would have more
 * than `most` bytes, constants go to the file PATH.data beside it.
 * @param most bytes; 0: 2 GiB, the limit of ONNX files
 * @param external receives whether there is a PATH.data
 * @return TARE_OK, TARE_E_IO, TARE_E_LIMIT (more than 2 GiB besides the constants), TARE_E_MEMORY
 */
TARE_API tare_status tare_import_save(tare_import *out, const char *path, int64_t most,
                                      bool *external, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
