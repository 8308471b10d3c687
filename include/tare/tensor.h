/*
 * Element types, tensor views and the ports (inputs, outputs) of a model.
 */
#ifndef TARE_TENSOR_H
#define TARE_TENSOR_H

#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARE_MAX_RANK 8

/* X(name, value, bytes, text). The values are those of onnx.TensorProto.DataType. */
#define TARE_DTYPE_LIST(X) \
  X(F32, 1, 4, "float32")  \
  X(U8, 2, 1, "uint8")     \
  X(I8, 3, 1, "int8")      \
  X(U16, 4, 2, "uint16")   \
  X(I16, 5, 2, "int16")    \
  X(I32, 6, 4, "int32")    \
  X(I64, 7, 8, "int64")    \
  X(BOOL, 9, 1, "bool")    \
  X(F16, 10, 2, "float16") \
  X(F64, 11, 8, "float64") \
  X(U32, 12, 4, "uint32")  \
  X(U64, 13, 8, "uint64")  \
  X(BF16, 16, 2, "bfloat16")

/** Element type of a tensor; TARE_DTYPE_NONE means unknown. */
typedef enum tare_dtype {
  TARE_DTYPE_NONE = 0,
#define TARE_DTYPE_ENUM(name, value, bytes, text) TARE_##name = (value),
  TARE_DTYPE_LIST(TARE_DTYPE_ENUM)
#undef TARE_DTYPE_ENUM
} tare_dtype;

/** View of a dense, row-major tensor. A view never owns its data. */
typedef struct tare_tensor {
  tare_dtype dtype;
  int rank;                    /* 0..TARE_MAX_RANK; 0 is a scalar with one element */
  int64_t dims[TARE_MAX_RANK]; /* elements along each axis, >= 0 */
  void *data; /* as many bytes as elements (tare_tensor_count) times tare_dtype_size */
} tare_tensor;

/** One dim of a port: a fixed size, or a symbol whose value depends on the sample. */
typedef struct tare_dim {
  int64_t value;        /* the fixed size, or -1 if there is a symbol */
  const char *symbol;   /* e.g. "samples"; NULL if the dim is fixed. For outputs an expression, in
                           which names other than plain words are in double quotes */
  const char *declared; /* of inputs: the name of the axis in the model where it is not `symbol`,
                           because operators make it one length with other axes; else NULL */
} tare_dim;

/** One input or output of a model. The strings belong to the model or plan that returned it. */
typedef struct tare_port {
  const char *name;
  tare_dtype dtype;
  int rank;
  tare_dim dims[TARE_MAX_RANK];
} tare_port;

/**
 * Size of one element.
 * @param dtype an element type
 * @return bytes; 0 for TARE_DTYPE_NONE and unknown values
 */
TARE_API size_t tare_dtype_size(tare_dtype dtype);

/**
 * Name of an element type, e.g. "float32".
 * @param dtype any value
 * @return a static string, never NULL; "none" for TARE_DTYPE_NONE and unknown values
 */
TARE_API const char *tare_dtype_name(tare_dtype dtype);

/**
 * Number of elements of a tensor.
 * @param tensor all dims must be >= 0; its data is not read
 * @return the product of the dims (1 for a scalar), or -1 if it exceeds INT64_MAX
 */
TARE_API int64_t tare_tensor_count(const tare_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
