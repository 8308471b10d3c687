/*
 * Parts of ONNX models: the nodes between some tensors and others, written as a model of their own.
 *
 * A part is cut from the user's file: names, attributes, bodies, constants, operator sets and
 * metadata are those of the file. What the part does not need is left out.
 */
#ifndef TARE_EXTRACT_H
#define TARE_EXTRACT_H

#include <stdbool.h>
#include <tare/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An ONNX file from which parts are cut. */
typedef struct tare_extract tare_extract;

/** A node. The strings belong to the tare_extract. */
typedef struct tare_extract_node {
  const char *name; /* as models and plans call it */
  const char *op;
  const char *const *inputs; /* tensors that it and its bodies read, each once, without constants of
                                the file */
  int n_inputs;
  const char *const *outputs; /* "" for one that is left out */
  int n_outputs;
  void *reserved[4]; /* for later versions */
} tare_extract_node;

/**
 * Reads an ONNX file. Operators need not be supported.
 * @param load limits, and where external data may be; NULL for the defaults
 * @param out receives the handle; free it with tare_extract_free
 * @return TARE_OK, TARE_E_INPUT (missing or not ONNX), TARE_E_MODEL (no graph, or a cycle),
 *         TARE_E_LIMIT, TARE_E_MEMORY
 */
TARE_API tare_status tare_extract_new(const char *path, const tare_load_options *load,
                                      tare_extract **out, tare_error *err);

/**
 * Frees the handle.
 * @param extract the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_extract_free(tare_extract **extract);

/** Number of nodes of the graph, those of bodies not counted. */
TARE_API int tare_extract_n_nodes(const tare_extract *extract);

/** A node by number; nodes stand behind those whose outputs they read.
 *  @param i 0 .. tare_extract_n_nodes - 1 */
TARE_API tare_extract_node tare_extract_node_at(const tare_extract *extract, int i);

/** Number of outputs of the model. */
TARE_API int tare_extract_n_outputs(const tare_extract *extract);

/** Name of an output of the model by number, 0 .. tare_extract_n_outputs - 1. */
TARE_API const char *tare_extract_output(const tare_extract *extract, int i);

/** Number of the node that writes a tensor; -1 for inputs, constants and unknown names. */
TARE_API int tare_extract_maker(const tare_extract *extract, const char *tensor);

/** Which part to write. */
typedef struct tare_extract_part {
  /** Tensors that become inputs, with their types and dims; a symbol is written as it is. Inputs of
   *  the model that the part needs are kept, and need not be named. Tensors that the part does not
   *  read are left out. */
  const tare_port *inputs;
  int n_inputs;
  /** Tensors that become outputs. What the file says about them is kept, otherwise type and fixed
   *  sizes are those of the port. */
  const tare_port *outputs;
  int n_outputs;
  bool all_inputs;   /* keep all inputs of the model */
  void *reserved[8]; /* for later versions; NULL */
} tare_extract_part;

/**
 * Writes the nodes on which the outputs depend, back to the inputs of the part. The file appears
 * whole or not at all. A float32 port of a tensor that is float16 or bfloat16 in the file gets that
 * type.
 * @param part at least one output
 * @return TARE_OK, TARE_E_USAGE (a tensor that no node writes), TARE_E_IO, TARE_E_LIMIT,
 *         TARE_E_MEMORY
 */
TARE_API tare_status tare_extract_save(tare_extract *extract, const tare_extract_part *part,
                                       const char *path, tare_error *err);

/**
 * The items of a list of requests by name (tare_build_options.layer_precisions and the like) that a
 * build of a part finds layers for: those that name one of its nodes, and if it has bodies, those
 * that name none of the file.
 * @param in_part per node: whether the part has it
 * @param requests the list; NULL gives NULL
 * @param out receives the list, to be freed with tare_free
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_extract_requests(const tare_extract *extract, const bool *in_part,
                                           const char *requests, char **out, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
