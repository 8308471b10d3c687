/* BatchNormalization behind convolutions, folded into their weights before anything is quantized:
 * engines fold it where it follows at once, and no Q/DQ may stand between. */
#ifndef TAREI_GRAPH_QDQ_FOLD_NORMS_H
#define TAREI_GRAPH_QDQ_FOLD_NORMS_H

#include "graph/pass.h"
#include "graph/qdq/onnx_file.h"

/* Folds in the graph and in its message alike: a convolution then makes what the normalization did.
 * n_folded: how many were. */
tare_status tarei_fold_norms(tarei_onnx_file *file, tarei_graph *graph,
                             const tarei_pass_options *passes, int *n_folded, tare_error *err);

#endif
