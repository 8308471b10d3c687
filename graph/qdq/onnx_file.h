/*
 * An ONNX file as its message, to be edited and written again.
 *
 * The message keeps what nobody here knows, such as fields of later versions of ONNX. A tensor
 * whose data lies in a file beside the model has it in raw_data, mapped. It is written into the new
 * model, or into a file beside it when the model would pass the 2 GiB that a message may have.
 */
#ifndef TAREI_GRAPH_QDQ_ONNX_FILE_H
#define TAREI_GRAPH_QDQ_ONNX_FILE_H

#include "graph/onnx/importer.h"

typedef struct tarei_onnx_file {
  Onnx__ModelProto *model;
  tarei_externals externals;
  struct tarei_onnx_mapped { /* tensors whose raw_data belongs to a buffer */
    Onnx__TensorProto *tensor;
    tarei_buffer *buffer;
  } * mapped;
  int n_mapped;
  size_t cap_mapped;
  ProtobufCMessage **dropped; /* taken out of the model, but names may still point into them */
  int n_dropped;
  size_t cap_dropped;
  uint64_t hash; /* of the bytes that were read */
} tarei_onnx_file;

/* Reads a model. A file that was opened, even without success, is closed by tarei_onnx_file_close.
 */
tare_status tarei_onnx_file_open(const char *path, const tare_load_options *options,
                                 tarei_onnx_file *out, tare_error *err);
void tarei_onnx_file_close(tarei_onnx_file *file);

/* Version of an operator set, 0 when the model does not import it. "" is the default set. */
int64_t tarei_onnx_file_opset(const tarei_onnx_file *file, const char *domain);

/* Takes a message that was part of the model over, to free it with the file; false when out of
 * memory. */
bool tarei_onnx_file_drop(tarei_onnx_file *file, ProtobufCMessage *message);

/* Writes the model; files appear whole or not at all. Data goes to PATH.data where the model would
 * have more than `most` bytes (0: 2 GiB); *external says so. The message is unchanged afterwards.
 * TARE_E_LIMIT where what stays in the model is still too much. */
tare_status tarei_onnx_file_save(tarei_onnx_file *file, const char *path, int64_t most,
                                 bool *external, tare_error *err);

#endif
