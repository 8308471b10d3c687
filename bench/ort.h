/* ONNX Runtime as a peer, opened at run time: nothing of it is needed to build. */
#ifndef TAREI_BENCH_ORT_H
#define TAREI_BENCH_ORT_H

#include <tare/tare.h>

typedef struct ort ort;
typedef struct ort_session ort_session;

/* Opens libonnxruntime.so.1 at this path. */
tare_status ort_open(const char *library, ort **out, tare_error *err);
void ort_close(ort **library);

/* A model with all of its optimizations, 8-bit fusions for signed activations among them. */
tare_status ort_session_new(ort *library, const char *model, int threads, ort_session **out,
                            tare_error *err);
/* Writes the model as the library would run it, fused, to `path`. */
tare_status ort_write_optimized(ort *library, const char *model, const char *path, tare_error *err);
void ort_session_free(ort_session **session);

/* Takes the tensors as inputs, found by the ports' names; a model with one input takes the only
 * one, whatever its name. Where the model wants bytes for floats, made-up bytes are given. The
 * tensors must outlive the runs. */
tare_status ort_session_feed(ort_session *session, const tare_port *ports,
                             const tare_tensor *tensors, int n, tare_error *err);
tare_status ort_session_run(ort_session *session, tare_error *err);

/* Output i of the last run; a view that is good until the next. The place of an output by name: -1
 * where the model has none of it. */
tare_status ort_session_output(const ort_session *session, int i, tare_tensor *out,
                               tare_error *err);
int ort_session_find_output(const ort_session *session, const char *name);

#endif
