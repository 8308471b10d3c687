/*
 * The calls of ONNX Runtime's C interface that are used here. Its table of functions only ever
 * grows at the end, so that a call is known by its place; handles are opaque.
 */
#ifndef TAREI_BENCH_ORT_API_H
#define TAREI_BENCH_ORT_API_H

#include <stddef.h>
#include <stdint.h>

typedef void *ort_handle;
typedef ort_handle ort_result; /* a status object, NULL for success */

/* X(name, place in the table, result, parameters) */
#define ORT_CALLS(X)                                                                               \
  X(error_message, 2, const char *, (ort_result status))                                           \
  X(new_env, 3, ort_result, (int log_level, const char *name, ort_handle *out))                    \
  X(new_session, 7, ort_result,                                                                    \
    (ort_handle env, const char *path, ort_handle options, ort_handle *out))                       \
  X(run, 9, ort_result,                                                                            \
    (ort_handle session, ort_handle options, const char *const *in_names, const ort_handle *in,    \
     size_t n_in, const char *const *out_names, size_t n_out, ort_handle *out))                    \
  X(new_options, 10, ort_result, (ort_handle * out))                                               \
  X(set_optimized_path, 11, ort_result, (ort_handle options, const char *path))                    \
  X(set_optimization, 23, ort_result, (ort_handle options, int level))                             \
  X(set_threads, 24, ort_result, (ort_handle options, int n))                                      \
  X(set_parallel_nodes, 25, ort_result, (ort_handle options, int n))                               \
  X(count_inputs, 30, ort_result, (ort_handle session, size_t * out))                              \
  X(count_outputs, 31, ort_result, (ort_handle session, size_t * out))                             \
  X(input_type, 33, ort_result, (ort_handle session, size_t i, ort_handle * out))                  \
  X(input_name, 36, ort_result, (ort_handle session, size_t i, ort_handle allocator, char **out))  \
  X(output_name, 37, ort_result, (ort_handle session, size_t i, ort_handle allocator, char **out)) \
  X(new_tensor, 49, ort_result,                                                                    \
    (ort_handle memory, void *data, size_t bytes, const int64_t *dims, size_t rank, int type,      \
     ort_handle *out))                                                                             \
  X(tensor_data, 51, ort_result, (ort_handle value, void **out))                                   \
  X(tensor_info, 55, ort_result, (ort_handle type, ort_handle * out))                              \
  X(element_type, 60, ort_result, (ort_handle tensor_info, int *out))                              \
  X(count_dims, 61, ort_result, (ort_handle tensor_info, size_t * out))                            \
  X(get_dims, 62, ort_result, (ort_handle tensor_info, int64_t * dims, size_t rank))               \
  X(value_info, 65, ort_result, (ort_handle value, ort_handle * out))                              \
  X(cpu_memory, 69, ort_result, (int allocator, int kind, ort_handle *out))                        \
  X(free_text, 76, ort_result, (ort_handle allocator, void *text))                                 \
  X(default_allocator, 78, ort_result, (ort_handle * out))                                         \
  X(free_env, 92, void, (ort_handle env))                                                          \
  X(free_status, 93, void, (ort_result status))                                                    \
  X(free_memory, 94, void, (ort_handle memory))                                                    \
  X(free_session, 95, void, (ort_handle session))                                                  \
  X(free_value, 96, void, (ort_handle value))                                                      \
  X(free_type, 98, void, (ort_handle type))                                                        \
  X(free_tensor_info, 99, void, (ort_handle tensor_info))                                          \
  X(free_options, 100, void, (ort_handle options))                                                 \
  X(set_entry, 130, ort_result, (ort_handle options, const char *key, const char *value))

typedef struct ort_calls {
#define ORT_CALL(name, place, result, parameters) result(*name) parameters;
  ORT_CALLS(ORT_CALL)
#undef ORT_CALL
} ort_calls;

enum {
  ORT_VERSION = 17, /* of the interface that is asked for */
  ORT_LOG_ERRORS = 3,
  ORT_PORTABLE_OPTIMIZATIONS = 2, /* those whose result is no layout of this machine */
  ORT_ALL_OPTIMIZATIONS = 99,
  ORT_ARENA = 1, /* an allocator's kind */
  ORT_DEFAULT_MEMORY = 0
};

/* What the library's only exported call gives. */
typedef struct ort_base {
  void *const *(*table)(uint32_t version); /* NULL when it does not know the version */
  const char *(*version)(void);
} ort_base;

#endif
