/*
 * Plans and contexts: the engine.
 *
 * A plan is a model lowered for a set of profiles: fused operators, packed weights, and for each
 * layer the precision that was asked, the one it got, and why. A context runs a plan: it plans its
 * memory once for the largest shape of the profiles, then runs any shape inside them.
 *
 * Calls: tare_model_load, tare_profiles_*, [tare_table_read], tare_plan_build, then
 * tare_context_new and tare_context_run. tare_plan_save and tare_plan_load keep a plan on disk.
 */
#ifndef TARE_PLAN_H
#define TARE_PLAN_H

#include <tare/model.h>
#include <tare/profile.h>
#include <tare/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_plan tare_plan;
typedef struct tare_context tare_context;

/** What to do when a layer cannot have the precision that was asked for. */
typedef enum tare_constraints {
  TARE_CONSTRAINTS_PREFER = 0, /* build in float, and say so in the layer's record */
  TARE_CONSTRAINTS_OBEY = 1,   /* fail the build, naming the layers */
  TARE_CONSTRAINTS_NONE = 2,   /* requests by name are ignored */
} tare_constraints;

/** How the build rounds int8 weights. The numbers are part of plan files. */
typedef enum tare_rounding {
  TARE_ROUNDING_NONE = 0,    /* of a layer: it has no int8 weights, or those of the model */
  TARE_ROUNDING_NEAREST = 1, /* each to nearest */
  TARE_ROUNDING_TABLE = 2,   /* as the calibration table says: some down and some up, so that their
                                errors cancel out on the data of the calibration */
} tare_rounding;

typedef struct tare_build_options {
  const tare_table *table;      /* scales; NULL builds a float plan, or for a model that is
                                   quantized already, one with the scales that it states */
  bool any_table;               /* take the table even where it carries the hash of another model */
  const char *layer_precisions; /* "GLOB:fp32,@Conv:bf16", matched against the name of a node, the
                                   names it was fused from, its outputs', and behind @ its operator,
                                   in the graph and in subgraphs; the last match wins; or NULL. All
                                   precisions but fp16. A comma in a name is written "\\,"
                                   (tare_layer_glob) */
  const char *layer_weight_types; /* "GLOB:int8", in what layers store constant weights, matched
                                     likewise; or NULL. fp32, fp16, bf16 or int8; float layers
                                     compute with floats of these values */
  const char *layer_output_types; /* "GLOB:fp32,GLOB:int8", what layers write, matched likewise;
                                     or NULL. fp32: the layer writes floats, which a step of its
                                     own quantizes where an int8 layer reads them, and no residual
                                     is stored as bytes. int8: it writes nothing but bytes */
  tare_constraints constraints;
  tare_rounding weight_rounding; /* NEAREST: of all layers; else of those of which the table says
                                    nothing */
  bool no_smoothing;             /* leave out the smoothing of tensors of which the table says
                                    something (tare_smoothing) */
  bool observable;               /* keep every tensor of the model visible to calibration: no
                                    fusion that makes one disappear */
  bool fold_norms;               /* with observable: fold BatchNormalization into the weights of the
                                    Conv before it all the same, which makes the output of that
                                    disappear */
  bool symmetric;                /* activations always s8 with zero point 0, as TensorRT has it;
                                    else tensors without negative values use all of u8 */
  bool int8_when_small;          /* int8 also for layers so small that they are faster in float
                                    (TARE_REASON_SMALL) */
  bool fp32;                     /* a float plan even of a model that states scales */
  bool tensor_scales;            /* without effect: layers that a model quantizes at run time have one
                                    scale for the whole tensor, as ONNX and other engines have it,
                                    unless layer_precisions asks for one for each row */
  const char *isa;               /* features the kernels may use, e.g. "avx2"; NULL: what the
                                    environment variable TARE_ISA says, or all. Layers that these
                                    run faster in float stay so (TARE_REASON_NO_VNNI): "any" builds
                                    for every machine, NULL for this one */
  void *reserved[8];             /* for later versions; NULL */
} tare_build_options;

/** The precision of a layer. The numbers are part of plan files. */
typedef enum tare_precision {
  TARE_PRECISION_ANY = 0, /* as request: none; as result: the layer has no int8 form */
  TARE_PRECISION_FP32 = 1,
  TARE_PRECISION_INT8 = 2,       /* static scales, from the calibration table or the model */
  TARE_PRECISION_INT8_ROWS = 3,  /* row scales of the activations, computed at run time */
  TARE_PRECISION_BF16 = 4,       /* bfloat16 products with float sums */
  TARE_PRECISION_FP16 = 5,       /* of weights only */
  TARE_PRECISION_INT16 = 6,      /* 16-bit activations with static scales, int8 weights */
  TARE_PRECISION_INT16_ROWS = 7, /* the same with row scales */
  TARE_PRECISION_COUNT
} tare_precision;

/** Room for a number of each precision, those of later versions included. */
#define TARE_MAX_PRECISIONS 16

/** Why a layer does not have the requested precision, why it has a better one, or what it loses.
 *  `subject` and `number` are those of tare_layer. The numbers are part of plan files. */
typedef enum tare_reason {
  TARE_REASON_NONE = 0,
  TARE_REASON_NO_TABLE = 1,   /* there is no calibration table */
  TARE_REASON_TYPE = 2,       /* input `subject` has element type `number`, a tare_dtype */
  TARE_REASON_CONSTANT = 3,   /* activation `subject` is a constant */
  TARE_REASON_NO_SCALE = 4,   /* activation `subject` has no scale */
  TARE_REASON_ZERO_POINT = 5, /* attention needs zero point 128; that of `subject` is `number` */
  TARE_REASON_VARIABLE_WEIGHTS = 6,    /* weights `subject` are not constant */
  TARE_REASON_RANK = 7,                /* input `subject` has rank `number`, below 2 */
  TARE_REASON_NO_ROWS = 8,             /* row scales were requested, but the layer has no rows */
  TARE_REASON_LONG_SUM = 9,            /* sums of up to `number` products might overflow int32 */
  TARE_REASON_NOT_FINITE = 10,         /* weights `subject` contain NaN or Inf */
  TARE_REASON_FLOAT_WEIGHTS = 11,      /* the quantized model has float weights `subject` */
  TARE_REASON_WEIGHT_TYPE = 12,        /* the type of its weights is not int8 or uint8 */
  TARE_REASON_WEIGHT_ZERO_POINTS = 13, /* their zero points differ or are not constant */
  TARE_REASON_WEIGHT_RANGE = 14,       /* they exceed -128..127 around their zero point */
  TARE_REASON_WEIGHT_SCALE = 15,       /* their scales are not positive, normal and float32 */
  TARE_REASON_WEIGHT_AXIS = 16,        /* their scales are along another axis than outputs */
  TARE_REASON_RUN_TIME = 17,           /* the model quantizes `subject` at run time: row scales */
  TARE_REASON_QUIET_ROWS = 18,       /* one scale costs rows of `subject` `number` dB: row scales */
  TARE_REASON_LEVEL = 19,            /* `subject` has one channel of changing level: row scales */
  TARE_REASON_QUIET_ROWS_LOST = 20,  /* as 18, but `symmetric` excludes row scales */
  TARE_REASON_LEVEL_LOST = 21,       /* as 19, but `symmetric` excludes row scales */
  TARE_REASON_READ_AS_FLOAT = 22,    /* output `subject` is needed in float too */
  TARE_REASON_NOT_READ_AS_INT8 = 23, /* no int8 layer reads output `subject` */
  TARE_REASON_INT8_WEIGHTS = 24,     /* int8 layers have int8 weights */
  TARE_REASON_WEIGHTS_IN_PLACE = 25, /* weights `subject` can only be stored as fp32 */
  TARE_REASON_FP16_RANGE = 26,       /* weights `subject` exceed the range of fp16 */
  TARE_REASON_NO_PRODUCTS = 27,      /* bf16 is for products (linear layers, attention, ...) and
                                        dense convolutions, 16 bits for those with constant weights */
  TARE_REASON_BF16_WEIGHTS = 28,     /* layers in bf16 have bf16 weights */
  TARE_REASON_ONE_PRECISION = 29,    /* the request for the other product of attention decides that
                                        of product `subject` too */
  TARE_REASON_NOISY_OUTPUT = 30,     /* 8 bits leave output `subject` at `number` dB: 16 bits */
  TARE_REASON_OTHER_WEIGHTS = 31,    /* the table rounds other weights than `subject` */
  TARE_REASON_STATED_WEIGHTS = 32,   /* the model has int8 weights `subject`: nothing to round */
  TARE_REASON_WEIGHT_BLOCKS = 33,    /* weights `subject` have scales of blocks, not of channels */
  TARE_REASON_LOUDER = 34,           /* a louder input than in calibration would exceed the scale of
                                        `subject`: row scales, or float */
  TARE_REASON_COARSE_WEIGHTS = 35, /* 8-bit weights leave output `subject` at `number` dB: float */
  TARE_REASON_LOGARITHM = 36, /* the model takes logarithms or roots of output `subject`: float */
  TARE_REASON_SMALL = 37,     /* its products are so small that it is faster in float */
  TARE_REASON_FEW_ROWS = 38,  /* a sample has few rows of `subject`, so that others may exceed
                                 one scale: row scales, or float */
  TARE_REASON_RAISED = 39,    /* the table asks for this precision (tare_table_layer_precisions) */
  TARE_REASON_FEW_SAMPLES = 40, /* few samples were calibrated, so that others may exceed one scale
                                   of `subject`: row scales, or float */
  TARE_REASON_SPECTRUM = 41,    /* its weights are a Fourier transform: float, which is faster */
  TARE_REASON_NO_VNNI = 42,     /* the plan is built for AVX2 without VNNI, where it is faster in
                                   float */
  TARE_REASON_WIDE = 43,        /* the model quantizes `subject` to 16 bits: int16 */
  TARE_REASON_COUNT
} tare_reason;

/** Name of a precision, static: "any", "fp32", "int8", "int8-rows", "bf16", "fp16", "int16" or
 *  "int16-rows"; NULL for other numbers. */
TARE_API const char *tare_precision_name(tare_precision precision);

/** Name of a rounding, static: "none", "nearest" or "table"; NULL for other numbers. */
TARE_API const char *tare_rounding_name(tare_rounding rounding);

/** Whether products in a precision are on integers: int8 and int16, with static or row scales. */
TARE_API bool tare_precision_is_integer(tare_precision precision);

/**
 * A glob for layer_precisions and the other requests by name that matches this name alone: what
 * globs and lists of requests give a meaning is behind a backslash.
 * @param out receives the text; free it with tare_free
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_layer_glob(const char *name, char **out, tare_error *err);

/** A tensor that a layer reads or writes. What it points to belongs to the plan. */
typedef struct tare_layer_tensor {
  const char *name;   /* that of the model; a suffix such as "__u8" marks what the build added */
  const char *memory; /* name of the tensor that it is a view of (Reshape, ...), or its own name */
  tare_dtype dtype;   /* element type in memory: TARE_U8 for quantized activations, TARE_I8 for the
                         weights of an int8 layer */
  int rank;
  const char *shape; /* symbolic, e.g. "[batch, (samples + 2) / 5 + 1, 64]" */
  bool constant;     /* weights, biases, parameters */
  bool stated;       /* the scales are those of the model (Q/DQ), not of a calibration table */
  int n_scales;      /* of quantized activations: 1 for all profiles, or one for each; otherwise 0.
                        The value is (stored - zero_point) * scale */
  const float *scales;
  int32_t zero_point;
  bool row_scales; /* quantized, and each row has a scale of its own, in the tensor whose name ends
                      in "__row_scales"; the value is (stored - zero_point) * scale, or */
  float lower_bound; /* where this is below 0, stored * scale + lower_bound */
  void *reserved[4]; /* for later versions */
} tare_layer_tensor;

/** One layer of a plan. What it points to belongs to the plan. */
typedef struct tare_layer {
  const char *name;               /* node name in the model, "a + b" for fused nodes */
  const char *op;                 /* e.g. "QConvLast" */
  int n_origins;                  /* at least 1 */
  const char *const *origins;     /* the nodes that the layer computes: "a" and "b" */
  const tare_dtype *origin_types; /* of each origin: TARE_F16 or TARE_BF16 if the model computes it
                                     in this type, which the layer does not; or TARE_DTYPE_NONE */
  int n_passes;                   /* how many passes of the build made what the layer is */
  const char *const *passes;      /* their names, e.g. "fuse_bias", as tare_plan_pass has them */
  int parent;                     /* the layer whose subgraph contains this one; -1: none */
  tare_precision asked;           /* the requested precision; ANY: no request */
  tare_precision got;             /* the actual precision; ANY: the layer has no int8 form */
  const char *precision; /* what the layer computes in: the name of `got`; without int8 form "fp32",
                            "int8" for quantized bytes, or another type, e.g. "int64" */
  tare_reason why;
  const char *subject;         /* name of the tensor that `why` refers to, or "" */
  int64_t number;              /* number that `why` refers to, else 0 */
  const char *reason;          /* `why` as a sentence; "" for NONE */
  const char *kernel;          /* name of the kernel; "" for none */
  bool moves;                  /* it only moves data: reorders, cuts, joins or picks elements */
  const char *output;          /* name of the first output tensor */
  tare_precision output_asked; /* the requested type of what it writes; ANY: no request */
  const char *output_type;     /* what it writes: "fp32", "int8", both as "fp32 + int8", or another
                                  element type, e.g. "int64" */
  const char *output_reason;   /* why that is not what was requested, as a sentence; or "" */
  const char *shape;           /* its symbolic shape */
  int n_inputs, n_outputs;     /* without absent optional ones */
  const tare_layer_tensor *inputs, *outputs;
  tare_dtype weights; /* element type of its weights in memory; TARE_DTYPE_NONE: it has none */
  tare_precision weights_asked; /* the requested type of its weights; ANY: no request */
  const char *weights_reason;   /* why they have another type, as a sentence; or "" */
  tare_rounding rounding;       /* how its int8 weights were rounded */
  const char *rounding_reason;  /* why not as the table says, although it says something; or "" */
  bool clipped;                 /* its int8 weights have scales of the table (tare_clipping) */
  bool corrected;               /* its bias makes up for the rounding of its weights */
  bool smoothed;                /* the channels of its first input have other scales than in the
                                   model, which its weights make up for */
  bool decides_length;          /* the length of an output of the model follows from what it
                                   computes: another rounding may make another length */
  int64_t weight_bytes;  /* of all constants that it reads, packed ones included. The sum over all
                            layers is tare_plan_weight_bytes */
  int64_t output_bytes;  /* of its outputs at the largest shape of all profiles; outputs whose size
                            only a run tells count 0 */
  int64_t scratch_bytes; /* memory used while it runs on one thread */
  void *reserved[8];     /* for later versions */
} tare_layer;

/** A pass of the build: a step that rewrites the graph of the model. What it points to belongs to
 * the plan. */
typedef struct tare_pass {
  const char *name;    /* e.g. "fuse_bias" */
  const char *summary; /* what it does; "" for a pass of another version of the library */
  int64_t n_changed;   /* nodes that it made or changed, summed over its runs */
  int64_t n_removed;   /* nodes that it removed or fused into others */
  void *reserved[4];   /* for later versions */
} tare_pass;

/** Sets the options to the defaults: everything zero. */
TARE_API void tare_build_options_init(tare_build_options *options);

/**
 * Builds a plan.
 * @param model the model, which may be freed afterwards
 * @param profiles at least one profile; copied
 * @param options NULL for the defaults
 * @param out receives the plan; free it with tare_plan_free
 * @return TARE_OK, TARE_E_SHAPE (a profile leads to an impossible shape; the message names node and
 *         profile), TARE_E_USAGE (malformed requests or isa, or a table of another model),
 *         TARE_E_UNSUPPORTED (a request cannot be met, with TARE_CONSTRAINTS_OBEY), TARE_E_LIMIT (a
 *         run at the largest shape exceeds the limits of the model), TARE_E_MEMORY
 */
TARE_API tare_status tare_plan_build(const tare_model *model, const tare_profiles *profiles,
                                     const tare_build_options *options, tare_plan **out,
                                     tare_error *err);

/**
 * Writes a plan file (docs/formats.md). The file appears whole or not at all, and only after it was
 * successfully loaded.
 * @param path name of the file
 * @return TARE_OK, TARE_E_IO, TARE_E_MEMORY, TARE_E_UNSUPPORTED (the file cannot be loaded, because
 *         of an error in this library)
 */
TARE_API tare_status tare_plan_save(const tare_plan *plan, const char *path, tare_error *err);

/**
 * Loads a plan file by mapping it. A plan whose runs exceed the limits can be loaded, but
 * tare_context_new fails for it.
 * @param path the file, which must not be changed while the plan exists
 * @param options NULL for the defaults; external_folder is ignored
 * @param out receives the plan; free it with tare_plan_free
 * @return TARE_OK, TARE_E_INPUT (missing, truncated, corrupt, or of another major version),
 *         TARE_E_USAGE (a limit is out of range), TARE_E_MEMORY, or an error of tare_plan_build if
 *         the contents of the file are inconsistent
 */
TARE_API tare_status tare_plan_load_with(const char *path, const tare_load_options *options,
                                         tare_plan **out, tare_error *err);

/** tare_plan_load_with with the default options. */
TARE_API tare_status tare_plan_load(const char *path, tare_plan **out, tare_error *err);

/**
 * Reads a whole plan file and verifies its checksum. tare_plan_load only does so for small files
 * (docs/formats.md).
 * @return TARE_OK, TARE_E_INPUT (as tare_plan_load_with), TARE_E_MEMORY
 */
TARE_API tare_status tare_plan_check_file(const char *path, tare_error *err);

/** Whether a file begins like a plan file; false if it cannot be read. */
TARE_API bool tare_plan_is_plan_file(const char *path);

/**
 * Frees a plan. Its contexts must have been freed.
 * @param plan the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_plan_free(tare_plan **plan);

/**
 * Inputs of a plan, in the order of the model.
 * @param ports receives an array that belongs to the plan
 * @return the number of inputs
 */
TARE_API int tare_plan_inputs(const tare_plan *plan, const tare_port **ports);

/** Outputs of a plan, as tare_plan_inputs. */
TARE_API int tare_plan_outputs(const tare_plan *plan, const tare_port **ports);

/** Profiles of a plan, which belong to it. */
TARE_API const tare_profiles *tare_plan_profiles(const tare_plan *plan);

/** Number of layers, including those of subgraphs. */
TARE_API int tare_plan_n_layers(const tare_plan *plan);

/** A layer by number, 0 .. tare_plan_n_layers - 1. */
TARE_API tare_layer tare_plan_layer(const tare_plan *plan, int i);

/** Number of closed branches, as tare_model_n_closed_branches, at the lengths of the profiles. */
TARE_API int tare_plan_n_closed_branches(const tare_plan *plan);

/** Why a branch is closed, as tare_model_closed_branch; i = 0 .. tare_plan_n_closed_branches - 1.
 * It belongs to the plan. */
TARE_API const char *tare_plan_closed_branch(const tare_plan *plan, int i);

/** Number of layers whose weights the table of the build rounds, but no layer of the plan could use
 * it: there is none of this name, it has other weights, or cannot be rounded so. Roundings of
 * layers that stay float do not count. 0 for plans that were loaded, or built with
 * TARE_ROUNDING_NEAREST. */
TARE_API int tare_plan_n_unused_roundings(const tare_plan *plan);

/** Name of such a layer, as the table has it, i = 0 .. tare_plan_n_unused_roundings - 1.
 * It belongs to the plan. */
TARE_API const char *tare_plan_unused_rounding(const tare_plan *plan, int i);

/** Number of layers whose weights the table of the build clips (tare_clipping), but that are not in
 * the plan, have other weights or none in int8. 0 for plans that were loaded. */
TARE_API int tare_plan_n_unused_clippings(const tare_plan *plan);

/** Name of such a layer, as the table has it, i = 0 .. tare_plan_n_unused_clippings - 1.
 * It belongs to the plan. */
TARE_API const char *tare_plan_unused_clipping(const tare_plan *plan, int i);

/** Number of layers whose bias the table of the build corrects, but that are not in the plan, have
 * other weights or none in int8. 0 for plans that were loaded. */
TARE_API int tare_plan_n_unused_corrections(const tare_plan *plan);

/** Name of such a layer, as the table has it, i = 0 .. tare_plan_n_unused_corrections - 1. It
 * belongs to the plan. */
TARE_API const char *tare_plan_unused_correction(const tare_plan *plan, int i);

/** Number of tensors that the table of the build smooths, but the plan does not: there is none of
 * this name, or others read it than layers whose weights can make up for it. They keep their
 * scales. 0 for plans that were loaded, or built with no_smoothing. */
TARE_API int tare_plan_n_unused_smoothings(const tare_plan *plan);

/** Name of such a tensor, i = 0 .. tare_plan_n_unused_smoothings - 1. It belongs to the
 * plan. */
TARE_API const char *tare_plan_unused_smoothing(const tare_plan *plan, int i);

/** Number of passes that changed anything when the plan was built. */
TARE_API int tare_plan_n_passes(const tare_plan *plan);

/** A pass by number, 0 .. tare_plan_n_passes - 1, in the order in which they first
 * changed anything. */
TARE_API tare_pass tare_plan_pass(const tare_plan *plan, int i);

/**
 * Scales of weights that a layer stores as int8: one for each output channel, of recurrent layers
 * for each direction, gate and unit; one for each output channel of each block of 64 elements that
 * are summed, if the layer computes in float.
 * @param i 0 .. tare_plan_n_layers - 1
 * @param tensor number of the tensor among `inputs`
 * @param scales receives them; NULL: they are only counted
 * @return how many there are; 0 for tensors that are not such weights
 */
TARE_API int64_t tare_plan_weight_scales(const tare_plan *plan, int i, int tensor, float *scales);

/**
 * Number of operations of a layer at given lengths: two for each multiply-add of a convolution,
 * linear layer or matrix product; 0 for other layers. A length that only a run tells counts as the
 * longest of the given ones, at most 256.
 * @param i 0 .. tare_plan_n_layers - 1
 * @param values one value per symbol of tare_plan_profiles, in its order; inside a profile
 * @param operations receives the number, or 0 after a failure. It is a double because sums over
 *        layers may exceed 2^63
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_plan_layer_operations(const tare_plan *plan, int i, const int64_t *values,
                                                double *operations, tare_error *err);

/**
 * Dims of a tensor of a layer at given lengths.
 * @param i 0 .. tare_plan_n_layers - 1
 * @param tensor number of the tensor: those of `inputs`, then those of `outputs`
 * @param values one value per symbol of tare_plan_profiles, in its order; inside a profile
 * @param dims receives the dims of the tensor; -1 for those that only a run tells
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_plan_layer_dims(const tare_plan *plan, int i, int tensor,
                                          const int64_t *values, int64_t dims[TARE_MAX_RANK],
                                          tare_error *err);

/**
 * Dims of an input or output of the plan at given lengths, as tare_plan_layer_dims.
 * @param port its name
 * @return TARE_OK, TARE_E_USAGE (no such input or output), TARE_E_MEMORY
 */
TARE_API tare_status tare_plan_port_dims(const tare_plan *plan, const char *port,
                                         const int64_t *values, int64_t dims[TARE_MAX_RANK],
                                         tare_error *err);

/**
 * The tensor in whose memory an input or output of the plan lies: that of which it is a view
 * (Reshape, ...), as `memory` of tare_layer_tensor says it of the tensors of layers.
 * @param port name of an input or output
 * @return a name that belongs to the plan; that of the port itself if it is no view
 */
TARE_API const char *tare_plan_memory_of(const tare_plan *plan, const char *port);

/** Name of the model. */
TARE_API const char *tare_plan_model_name(const tare_plan *plan);

/** Bytes of constants in a plan, including packed weights. */
TARE_API int64_t tare_plan_weight_bytes(const tare_plan *plan);

/** Bytes that a context of a plan allocates for activations and, with one thread, scratch memory.
 */
TARE_API int64_t tare_plan_context_bytes(const tare_plan *plan);

/** Options of tare_context_new; set the defaults with tare_context_options_init. */
typedef struct tare_context_options {
  int threads; /* 0: tare_cores() */
  int profile; /* always run in this profile; -1: in the first one that covers the shape */
  /* What follows from lengths alone (position buckets, masks, ...) is computed once for each
   * length, and kept for the lengths used last in at most so many bytes. 0: 16 MiB; -1: nothing is
   * kept */
  int64_t kept_bytes;
  uint64_t seed;     /* of the random numbers that nodes draw, as of tare_context_set_seed */
  void *reserved[7]; /* for later versions; NULL */
} tare_context_options;

/** Sets the options to the defaults: threads 0, profile -1, kept_bytes 0, seed 0. */
TARE_API void tare_context_options_init(tare_context_options *options);

/**
 * Creates a context. Only one thread at a time may use it.
 * @param plan must outlive the context
 * @param options NULL for the defaults
 * @param out receives the context; free it with tare_context_free
 * @return TARE_OK, TARE_E_USAGE (threads or profile out of range), TARE_E_LIMIT (a run at the
 *         largest shape exceeds the limits with which the model or plan was loaded), TARE_E_MEMORY
 */
TARE_API tare_status tare_context_new(const tare_plan *plan, const tare_context_options *options,
                                      tare_context **out, tare_error *err);

/**
 * Frees a context.
 * @param context the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_context_free(tare_context **context);

/**
 * Runs the plan on one set of inputs.
 * @param inputs one tensor per input of the plan, in its order and of the type of the port. If the
 *        rank of a tensor is one less than that of its port, it is a single sample without the
 *        leading batch dim. Not modified
 * @param outputs array with one element per output of the plan; receives views that belong to the
 *        context and are valid until its next run
 * @return TARE_OK, TARE_E_SHAPE (no profile covers the shape, or a node cannot run at it; the
 *         message names symbols or node), TARE_E_USAGE (wrong element type), TARE_E_INPUT (an index
 *         in the data is out of range), TARE_E_LIMIT (a size or a number of iterations known only
 *         during the run exceeds a limit), TARE_E_MEMORY
 */
TARE_API tare_status tare_context_run(tare_context *context, const tare_tensor *inputs,
                                      tare_tensor *outputs, tare_error *err);

/**
 * Sets the seed of the random numbers that the nodes of a model draw (RandomNormal, Dropout in
 * training, ...) in the next runs. A run draws by the seed, the contents of its inputs and the
 * names of the nodes in the model (docs/numerics.md): the same inputs give the same outputs, in any
 * order, on any machine and in plans of any precision, until another seed is set.
 */
TARE_API void tare_context_set_seed(tare_context *context, uint64_t seed);

/** Number of nodes of a plan that draw random numbers, those of subgraphs included. 0: seeds do not
 *  matter. */
TARE_API int tare_plan_n_random(const tare_plan *plan);

/** Profile of the last run; -1 before the first one. */
TARE_API int tare_context_profile(const tare_context *context);

/** Switches the measurement of layers on or off, and sets their times to 0. */
TARE_API void tare_context_set_profiling(tare_context *context, bool on);

/**
 * Wall time of a layer, summed over the runs since tare_context_set_profiling.
 * @param layer 0 .. tare_plan_n_layers - 1
 * @return seconds
 */
TARE_API double tare_context_layer_seconds(const tare_context *context, int layer);

/** Receives the time of a layer: begin and end in seconds of a clock that only goes forward. That
 * of a layer with subgraphs contains those of the layers inside. */
typedef void tare_layer_timer(void *user, int layer, double begin, double end);

/**
 * Sets a function that is called after each layer of a run while profiling is on, by the thread
 * that runs the context.
 * @param timer NULL for none; must not call functions of the context
 * @param user passed to the function
 */
TARE_API void tare_context_set_timer(tare_context *context, tare_layer_timer *timer, void *user);

/** The number of CPU features that `isa` of options may list. */
TARE_API int tare_n_isas(void);

/** Name of one by number, e.g. "avx512vnni", static; NULL if the number is out of range. There are
 * also those of other processors, "any" (what builds for every machine take) and "native" (all
 * found). */
TARE_API const char *tare_isa_name(int number);

/**
 * Lists the CPU features found and the kernel chosen for each family, one per line.
 * @param isa features that may be used, or NULL, as in tare_build_options
 * @param out receives the text; free it with tare_free
 * @return TARE_OK, TARE_E_USAGE (unknown isa), TARE_E_MEMORY
 */
TARE_API tare_status tare_cpu_report(const char *isa, char **out, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
