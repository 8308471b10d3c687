/*
 * Quantized models: a float ONNX model and a calibration table become a Q/DQ model for another
 * engine.
 *
 * What is written is the user's model: its names, metadata and dynamic axes stay, its opset where
 * it can, and nodes are not fused. QuantizeLinear and DequantizeLinear stand around the layers that
 * the engine then runs in int8.
 */
#ifndef TARE_EXPORT_H
#define TARE_EXPORT_H

#include <stdbool.h>
#include <tare/model.h>
#include <tare/plan.h>
#include <tare/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_export tare_export;

/** An engine to write for. */
typedef struct tare_export_target {
  const char *name;         /* "onnxruntime" */
  const char *engine;       /* "ONNX Runtime" */
  const char *summary;      /* what it gets, in a few words */
  const char *without_vnni; /* name of the weights that x86 processors without VNNI multiply without
                               saturation, where those of int8 saturate; NULL: they do not */
} tare_export_target;

/** Number of targets. */
TARE_API int tare_n_export_targets(void);

/** Target by number, 0..; NULL out of range. Static. */
TARE_API const tare_export_target *tare_export_target_at(int target);

/** What becomes of a layer that needs a scale for each row (include/tare/plan.h, INT8_ROWS), which
 * Q/DQ with static scales cannot express. */
typedef enum tare_row_form {
  TARE_ROWS_FLOAT = 0,   /* it stays float */
  TARE_ROWS_INT16 = 1,   /* its activations get 16 bits, its weights 8 */
  TARE_ROWS_DYNAMIC = 2, /* one scale, taken at run time: DynamicQuantizeLinear */
  TARE_ROWS_COUNT
} tare_row_form;

/** "float", "int16" or "dynamic"; NULL out of range. */
TARE_API const char *tare_row_form_name(int form);

/** In what the weights of quantized layers are stored. */
typedef enum tare_export_weights {
  TARE_EXPORT_WEIGHTS_INT8 = 0,  /* s8, zero point 0 */
  TARE_EXPORT_WEIGHTS_UINT8 = 1, /* u8, zero point 128, and so the second factors of products of
                                    activations: the same values. For engines that multiply u8 by s8
                                    with sums of 16 bits, which saturate. Not for targets that take
                                    s8 alone */
  TARE_EXPORT_WEIGHTS_FLOAT = 2, /* float, behind a Q/DQ pair */
  TARE_EXPORT_WEIGHTS_INT7 = 3,  /* s8 from -64 to 64, and so the second factors of products of
                                    activations: sums of two products with u8 fit into 16 bits.
                                    Half as fine as int8 */
  TARE_EXPORT_WEIGHTS_COUNT
} tare_export_weights;

/** "int8", "uint8", "float" or "int7"; NULL out of range. */
TARE_API const char *tare_export_weights_name(int weights);

/** An input that becomes a constant of the model that is written, as tare_model_set_values makes
 * it. */
typedef struct tare_export_set {
  const char *input;
  const double *values; /* one, or one for each element */
  int n_values;
} tare_export_set;

typedef struct tare_export_options {
  const tare_table *table; /* scales, and what layers are raised to; read during the call only */
  bool any_table;          /* take the table even where it carries the hash of another model */
  int target;              /* its number */
  tare_row_form rows;
  int profile; /* column of a table with thresholds for each profile; -1: the largest
                  of all columns */
  tare_export_weights weights;
  const char *layer_precisions;  /* "GLOB:fp32,...", as tare_build_options has it; int8-rows means
                                    `rows`; or NULL. Layers that no request names follow the
                                    table's (tare_table_layer_precisions): int8-rows as `rows`, 16
                                    bits as int16 where that is `rows`, what is left as fp32 */
  const tare_load_options *load; /* limits, and where external data may lie; or NULL */
  const tare_export_set *sets;   /* inputs that the model has no more. An If that they decide is
                                    replaced by its branch, whose layers are quantized as any */
  int n_sets;
  void *reserved[6]; /* for later versions; NULL */
} tare_export_options;

/** One layer that could run in int8. Strings belong to the export. */
typedef struct tare_exported_layer {
  const char *name;       /* of the node; of its first output where the node has no name */
  const char *op;         /* "Conv", "MatMul" or "Gemm" */
  const char *form;       /* "int8", "int16", "dynamic" or "fp32" */
  const char *reason;     /* why it is not int8, a sentence; "" where it is */
  tare_rounding rounding; /* of its int8 weights; NONE where it has none */
  bool clipped;           /* they have scales of the table (tare_clipping) */
  bool corrected;         /* its bias makes up for the rounding of its weights */
  bool smoothed;          /* its weights make up for other scales of the channels of its input */
  tare_precision raised;  /* what the table asks for (tare_table_layer_precisions), which may have
                             no such form; ANY: nothing, or the request of the user counts */
  void *reserved[3];      /* for later versions */
} tare_exported_layer;

/** Fills the options with defaults: the first target, rows stay float, profile -1. */
TARE_API void tare_export_options_init(tare_export_options *options);

/**
 * Reads a model and quantizes it.
 * @param path the .onnx file
 * @param options the table must not be NULL
 * @param out receives the export; free it with tare_export_free
 * @return TARE_OK, what tare_model_load_with returns, TARE_E_USAGE (a table of another model: names
 * both hashes; layer_precisions; a profile out of range; a form of rows or weights that the target
 * does not take), TARE_E_UNSUPPORTED (the model is
 * quantized already; its opset has no such Q/DQ), TARE_E_MEMORY
 */
TARE_API tare_status tare_export_new(const char *path, const tare_export_options *options,
                                     tare_export **out, tare_error *err);

/**
 * Frees an export.
 * @param out the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_export_free(tare_export **out);

/** Versions of the default operator set: of the model that was read, and of the one that is
 * written. They differ where the model's had no QuantizeLinear that the target needs; its nodes
 * then have the form of the later version. */
TARE_API void tare_export_opset(const tare_export *out, int64_t *read, int64_t *written);

/** Number of layers that could run in int8. */
TARE_API int tare_export_n_layers(const tare_export *out);

/** One of these layers, in model order, those in bodies behind the others.
 *  @param i 0.. tare_export_n_layers - 1 */
TARE_API tare_exported_layer tare_export_layer(const tare_export *out, int i);

/** Number of BatchNormalization nodes that the model which is written has no more: they are folded
 * into the weights and the bias of the Conv before them, since engines take no Q/DQ between. */
TARE_API int tare_export_n_folded_norms(const tare_export *out);

/** Number of If nodes that the model which is written has no more: tare_export_options.sets decide
 * them, so that one branch took the place of each. */
TARE_API int tare_export_n_decided(const tare_export *out);

/** How many times as wide as the table's the scales of activations are: above 1 where the table is
 * of so few recordings that others exceed them. */
TARE_API double tare_export_headroom(const tare_export *out);

/** Number of tensors that the table smooths, but the model that is written does not: there is none
 * of this name, its constants are not float32, or not all that makes or reads it can make up for
 * it. They keep their scales. */
TARE_API int tare_export_n_unused_smoothings(const tare_export *out);

/** Name of such a tensor, i = 0 .. tare_export_n_unused_smoothings - 1. It belongs to
 * the export. */
TARE_API const char *tare_export_unused_smoothing(const tare_export *out, int i);

/**
 * Writes the model; the file appears whole or not at all. Where the model would have more than
 * `most` bytes, constants go to the file PATH.data beside it.
 * @param most bytes; 0: 2 GiB, the limit of ONNX files
 * @param external receives whether there is a PATH.data
 * @return TARE_OK, TARE_E_IO, TARE_E_LIMIT (more than 2 GiB besides the constants), TARE_E_MEMORY
 */
TARE_API tare_status tare_export_save(tare_export *out, const char *path, int64_t most,
                                      bool *external, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
