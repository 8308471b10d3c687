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

typedef struct tare_build_options {
  const tare_table *table;        /* scales; NULL builds a float plan, or for a model that is
                                     quantized already, one with the scales that it states */
  bool any_table;                 /* take the table even where it carries the hash of another model */
  const char *layer_precisions;   /* "GLOB:fp32,GLOB:int8-rows", matched against the name of a node, the
                                     names it was fused from, and its outputs'; the last match
                                     wins; or NULL */
  tare_constraints constraints;
  bool observable;                /* keep every tensor of the model visible to calibration: no
                                     fusion that makes one disappear */
  bool symmetric;                 /* activations always s8 with zero point 0, as TensorRT has it;
                                     else tensors without negative values use all of u8 */
  bool fp32;                      /* a float plan even of a model that states scales */
  const char *isa;                /* features the kernels may use, e.g. "avx2"; NULL for all */
} tare_build_options;

/** What a layer computes in. The numbers are part of plan files. */
typedef enum tare_precision {
  TARE_PRECISION_ANY = 0,       /* asked: by nobody; got: a layer that has no int8 form */
  TARE_PRECISION_FP32 = 1,
  TARE_PRECISION_INT8 = 2,      /* static scales, from the calibration table or the model */
  TARE_PRECISION_INT8_ROWS = 3, /* the activations take one scale per row at run time */
  TARE_PRECISION_COUNT
} tare_precision;

/** Why a layer does not have the precision that was asked for, why it was given another one that is
 * better, or what it loses. `subject` and `number` are those of tare_layer. The numbers are part of
 * plan files. */
typedef enum tare_reason {
  TARE_REASON_NONE = 0,
  TARE_REASON_NO_TABLE = 1,           /* there is no calibration table */
  TARE_REASON_TYPE = 2,               /* input `subject` has element type `number`, a tare_dtype */
  TARE_REASON_CONSTANT = 3,           /* activation `subject` is a constant */
  TARE_REASON_NO_SCALE = 4,           /* activation `subject` has no scale */
  TARE_REASON_ZERO_POINT = 5,         /* that of `subject` is `number`, and attention takes 128 */
  TARE_REASON_VARIABLE_WEIGHTS = 6,   /* weights `subject` are not constant */
  TARE_REASON_RANK = 7,               /* input `subject` has rank `number`, below 2 */
  TARE_REASON_NO_ROWS = 8,            /* the layer has no row to take a scale of */
  TARE_REASON_LONG_SUM = 9,           /* sums of up to `number` products might overflow int32 */
  TARE_REASON_NOT_FINITE = 10,        /* weights `subject` hold NaN or Inf */
  TARE_REASON_FLOAT_WEIGHTS = 11,     /* a quantized model leaves weights `subject` float */
  TARE_REASON_WEIGHT_TYPE = 12,       /* it quantizes them to a type other than int8 or uint8, */
  TARE_REASON_WEIGHT_ZERO_POINTS = 13, /* with zero points that differ or are not constant, */
  TARE_REASON_WEIGHT_RANGE = 14,      /* to more than -128..127 around their zero point, */
  TARE_REASON_WEIGHT_SCALE = 15,      /* with scales that are not positive, normal and float32, */
  TARE_REASON_WEIGHT_AXIS = 16,       /* or with scales along another axis than the outputs */
  TARE_REASON_RUN_TIME = 17,          /* the model quantizes `subject` at run time: row scales */
  TARE_REASON_QUIET_ROWS = 18,        /* one scale would round rows of `subject` to 0: row scales */
  TARE_REASON_LEVEL = 19,             /* `subject` has one channel of changing level: row scales */
  TARE_REASON_QUIET_ROWS_LOST = 20,   /* as 18 and 19, but `symmetric` allows a single scale alone: */
  TARE_REASON_LEVEL_LOST = 21,        /* the layer loses accuracy */
  TARE_REASON_COUNT
} tare_reason;

/** "any", "fp32", "int8" or "int8-rows"; "unknown" for numbers out of range. */
TARE_API const char *tare_precision_name(tare_precision precision);

/** One layer of a plan, for inspection. Strings belong to the plan. */
typedef struct tare_layer {
  const char *name;      /* node name in the model, "a + b" where nodes were fused */
  const char *op;        /* e.g. "QConvLast" */
  tare_precision asked;  /* ANY: by nobody */
  tare_precision got;    /* ANY: the layer has no int8 form */
  const char *precision; /* name of what it got, else the type of its output: "fp32", "int64", ... */
  tare_reason why;
  const char *subject;   /* name of the tensor that `why` is about, or "" */
  int64_t number;        /* what `why` says of it, else 0 */
  const char *reason;    /* `why` as a sentence for people; "" for NONE */
  const char *kernel;    /* name of the kernel row; "" for data movement */
  const char *output;    /* name of the first output tensor */
  const char *shape;     /* its symbolic shape, e.g. "[batch, (samples + 2) / 5 + 1, 64]" */
} tare_layer;

/** Fills the options with defaults: everything zero. */
TARE_API void tare_build_options_init(tare_build_options *options);

/**
 * Builds a plan.
 * @param model read during the call only
 * @param profiles at least one profile; copied
 * @param options NULL for the defaults
 * @param out receives the plan; free it with tare_plan_free
 * @return TARE_OK, TARE_E_SHAPE (a profile gives an impossible shape somewhere: names node and
 *         profile), TARE_E_USAGE (layer_precisions, isa, a table of another model: names both
 *         hashes), TARE_E_UNSUPPORTED (obey), TARE_E_LIMIT (a run at the largest shape exceeds the
 *         model's limits: names profile and limit), TARE_E_MEMORY
 */
TARE_API tare_status tare_plan_build(const tare_model *model, const tare_profiles *profiles,
                                     const tare_build_options *options, tare_plan **out,
                                     tare_error *err);

/**
 * Writes a plan file (docs/formats.md); the file appears whole or not at all, and only after it was
 * loaded back.
 * @return TARE_OK, TARE_E_IO, TARE_E_MEMORY, TARE_E_UNSUPPORTED (it does not load back: a fault of
 *         this library)
 */
TARE_API tare_status tare_plan_save(const tare_plan *plan, const char *path, tare_error *err);

/**
 * Maps a plan file. A plan whose runs exceed the limits is loaded, but gets no context.
 * @param options NULL for the defaults; external_folder is for models and not looked at
 * @return TARE_OK, TARE_E_INPUT (missing, truncated, checksum, other version: says which),
 *         TARE_E_USAGE (a limit out of range), TARE_E_MEMORY, and what tare_plan_build returns where the
 *         file does not fit together
 */
TARE_API tare_status tare_plan_load_with(const char *path, const tare_load_options *options,
                                         tare_plan **out, tare_error *err);

/** tare_plan_load_with under the default options. */
TARE_API tare_status tare_plan_load(const char *path, tare_plan **out, tare_error *err);

/**
 * Reads a whole plan file and holds it against its checksum, which tare_plan_load does for small
 * files only (docs/formats.md).
 * @return TARE_OK, TARE_E_INPUT as tare_plan_load, TARE_E_MEMORY
 */
TARE_API tare_status tare_plan_check_file(const char *path, tare_error *err);

/** True when the file begins like a plan file. A missing file gives false. */
TARE_API bool tare_plan_is_plan_file(const char *path);

/** Frees a plan and clears the handle; NULL is fine. Its contexts must be gone. */
TARE_API void tare_plan_free(tare_plan **plan);

TARE_API int tare_plan_inputs(const tare_plan *plan, const tare_port **ports);
TARE_API int tare_plan_outputs(const tare_plan *plan, const tare_port **ports);
TARE_API const tare_profiles *tare_plan_profiles(const tare_plan *plan);
TARE_API int tare_plan_n_layers(const tare_plan *plan);
TARE_API tare_layer tare_plan_layer(const tare_plan *plan, int i);
/**
 * Operations of a layer at given lengths: two for each multiply-add of a convolution, linear layer
 * or matrix product, 0 for other layers.
 * @param i 0.. tare_plan_n_layers - 1 (asserted)
 * @param values one per symbol of tare_plan_profiles, in its order; within a profile
 * @param operations result; a double, as sums over layers may pass 2^63. 0 on failure
 * @return TARE_OK or TARE_E_MEMORY
 */
TARE_API tare_status tare_plan_layer_operations(const tare_plan *plan, int i, const int64_t *values,
                                                double *operations, tare_error *err);
TARE_API const char *tare_plan_model_name(const tare_plan *plan);
/** Bytes: constants in the plan, and what one context allocates. */
TARE_API int64_t tare_plan_weight_bytes(const tare_plan *plan);
TARE_API int64_t tare_plan_context_bytes(const tare_plan *plan);

typedef struct tare_context_options {
  int threads;     /* 0: all cores */
  int profile;     /* pin this profile; -1: the first that holds the shape */
} tare_context_options;

/** Fills the options with defaults: threads 0, profile -1. */
TARE_API void tare_context_options_init(tare_context_options *options);

/**
 * Makes a context. The plan must outlive it. One context serves one thread at a time.
 * @return TARE_OK, TARE_E_USAGE (profile out of range), TARE_E_LIMIT (a run at the largest shape exceeds
 *         the limits that the model or plan was loaded with), TARE_E_MEMORY
 */
TARE_API tare_status tare_context_new(const tare_plan *plan, const tare_context_options *options,
                                      tare_context **out, tare_error *err);
TARE_API void tare_context_free(tare_context **context);

/**
 * Runs the plan on one set of inputs.
 * @param inputs one tensor per plan input, in order, of the port's dtype; a tensor of rank one
 *        less than its port is one sample without the leading batch dim; kept only during the call
 * @param outputs receives one view per plan output; they belong to the context and hold until the
 *        next run
 * @return TARE_OK, TARE_E_SHAPE (no profile holds the shape: names symbol and bounds; or a node
 *         cannot run at this length: names it), TARE_E_USAGE (dtype), TARE_E_INPUT (an index in the
 *         data is out of range), TARE_E_LIMIT (a size or a number of turns that only the run tells
 *         exceeds a limit)
 */
TARE_API tare_status tare_context_run(tare_context *context, const tare_tensor *inputs,
                                      tare_tensor *outputs, tare_error *err);

/** Profile of the last run, or -1. */
TARE_API int tare_context_profile(const tare_context *context);

/** Wall seconds per layer, summed over the runs since profiling was switched on. */
TARE_API void tare_context_set_profiling(tare_context *context, bool on);
TARE_API double tare_context_layer_seconds(const tare_context *context, int layer);

/** CPU features found and the kernel that each family gets, one a line; free with tare_free. */
TARE_API char *tare_cpu_report(const char *isa);

#ifdef __cplusplus
}
#endif
#endif
