/*
 * Checking quantized models: what a target engine will run in int8, what not, and what is wrong.
 *
 * The model may come from tare_export_new or from any other tool. It is judged by the documents of
 * the engine; the engine itself is not needed.
 */
#ifndef TARE_CHECK_H
#define TARE_CHECK_H

#include <stdbool.h>
#include <tare/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a check. */
typedef struct tare_check tare_check;

/** How bad a finding is. */
typedef enum tare_severity {
  TARE_SEVERITY_ERROR = 0,   /* the engine refuses the model or gets other results */
  TARE_SEVERITY_WARNING = 1, /* speed or accuracy is lost */
  TARE_SEVERITY_NOTE = 2,    /* may be intended */
  TARE_SEVERITY_COUNT
} tare_severity;

/** "error", "warning" or "note"; NULL out of range. */
TARE_API const char *tare_severity_name(int severity);

/** Something that a rule found. Strings belong to the check. */
typedef struct tare_finding {
  const char *rule; /* "scale", "zero_point", ...: docs/quantized-models.md */
  tare_severity severity;
  const char *node;   /* its name; of its first output where the node has no name */
  const char *op;     /* operator of the node */
  const char *text;   /* what is wrong, a sentence */
  const char *advice; /* what to do */
  void *reserved[4];  /* for later versions */
} tare_finding;

/** A convolution or matrix product, in float or integer form. Strings belong to the check. */
typedef struct tare_checked_layer {
  const char *name;   /* of the node; of its first output where the node has no name */
  const char *op;     /* "Conv", "MatMul", "Gemm", "QLinearConv", ... */
  bool int8;          /* whether the engine will run it in int8 */
  const char *reason; /* why not, a sentence; "" where it will */
  void *reserved[4];  /* for later versions */
} tare_checked_layer;

/**
 * Reads a model and checks it for a target.
 * @param path the .onnx file
 * @param target its number (include/tare/export.h)
 * @param load limits, and where external data may be; or NULL
 * @param out receives the check; free it with tare_check_free. Findings are no failure.
 * @return TARE_OK, TARE_E_INPUT (missing or not ONNX), TARE_E_MODEL (the model is malformed),
 * TARE_E_USAGE (no such target), TARE_E_LIMIT, TARE_E_MEMORY
 */
TARE_API tare_status tare_check_new(const char *path, int target, const tare_load_options *load,
                                    tare_check **out, tare_error *err);

/**
 * Frees a check.
 * @param check the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_check_free(tare_check **check);

/** Number of findings of a severity. */
TARE_API int tare_check_count(const tare_check *check, tare_severity severity);

/** Number of all findings. */
TARE_API int tare_check_n_findings(const tare_check *check);

/** One of the findings, by rule, then in model order.
 *  @param i 0.. tare_check_n_findings - 1 */
TARE_API tare_finding tare_check_finding(const tare_check *check, int i);

/** Number of QuantizeLinear and DequantizeLinear nodes, those of subgraphs included. */
TARE_API int tare_check_n_quantizers(const tare_check *check);

/** Number of layers, those of subgraphs included. */
TARE_API int tare_check_n_layers(const tare_check *check);

/** One of the layers, in model order, those in subgraphs behind their node.
 *  @param i 0.. tare_check_n_layers - 1 */
TARE_API tare_checked_layer tare_check_layer(const tare_check *check, int i);

#ifdef __cplusplus
}
#endif
#endif
