/* Layers of a plan: by precision, one by one, and why some stay float. */
#ifndef TAREI_TOOLS_SHOW_LAYERS_H
#define TAREI_TOOLS_SHOW_LAYERS_H

#include "tools/json_out.h"
#include "tools/options/options.h"

/* "15: int8 12, fp32 3", in order of first use; the caller frees it. NULL after a failure. */
tare_status layers_counts(const tare_plan *plan, char **text, tare_error *err);
tare_status layers_print_counts(const tare_plan *plan, tare_error *err);

/* A table of the precisions: layers, multiply-adds and bytes of weights. Here and below `ms` has
 * the times of the layers, or is NULL. */
tare_status layers_print_sums(const tare_plan *plan, const double *ms, tare_error *err);

/* How many layers have weights rounded as a table says, and to nearest; nothing where no table says
 * anything. */
void roundings_print(int by_table, int nearest);

/* How many layers have clipped weights and corrected biases, and how many read smoothed tensors;
 * nothing for none. */
void methods_print(int clipped, int corrected, int smoothed);

/* Warns of the n tensors that a table smooths, but a plan or file does not. */
typedef const char *unused_name_fn(const void *of, int i);
void smoothings_warn(const opt_common *common, const char *file, const void *of, int n,
                     unused_name_fn *name);

/* Warns of the n layers of which a table says something about their weights or bias, `noun`, that a
 * plan cannot use. */
void weights_warn(const opt_common *common, const char *file, const char *noun, const void *of,
                  int n, unused_name_fn *name);

/* A table of the layers that did not get what was asked, with the reason; nothing if there are
 * none. */
void layers_print_reasons(const tare_plan *plan);

/* A line for each short float and precision: the nodes that the model computes in the one, and the
 * layers in the other; nothing if there are none. */
tare_status layers_print_short_floats(const tare_plan *plan, tare_error *err);

/* A table of all layers. */
tare_status layers_print(const tare_plan *plan, const double *ms, tare_error *err);

/* TARE_E_USAGE if no layer has a name, or a node with a name, that matches the glob. */
tare_status layers_find(const tare_plan *plan, const char *glob, tare_error *err);

/* Everything about the layers that match. */
tare_status layers_print_details(const tare_plan *plan, const double *ms, const char *glob,
                                 tare_error *err);

/* Adds "precisions", "by_precision", "int8_share", "passes" and "layers". */
tare_status layers_json(cJSON *object, const tare_plan *plan, const double *ms, tare_error *err);

/* The layers with the keys of TensorRT's engine inspector, as one object. */
tare_status layers_trt(const tare_plan *plan, cJSON *object, tare_error *err);

/* A drawing of the layers in the language of Graphviz, on the standard output. */
void layers_dot(const tare_plan *plan);

#endif
