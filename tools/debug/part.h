/* A part of a model: what is behind some nodes, back from some tensors. */
#ifndef TAREI_TOOLS_DEBUG_PART_H
#define TAREI_TOOLS_DEBUG_PART_H

#include <tare/tare.h>

#include "tools/cli.h"

/* What parts of one model have in common. */
typedef struct whole_model {
  tare_extract *extract;
  int n_nodes;
  bool *variable;    /* per node: depends on an input of the model */
  int *first_output; /* per node: how many outputs those before it have; then that of all */
  tare_model *types; /* knows the tensors at which parts may begin and end; NULL: none yet */
} whole_model;

tare_status whole_model_init(whole_model *out, const char *path, const tare_load_options *load,
                             tare_error *err);
void whole_model_fini(whole_model *whole);

/* Whether a part may begin or end at a tensor: float, and not constant. */
bool whole_model_may_cut(const whole_model *whole, const char *tensor);

/* Per output, counted through all nodes: whether a node from `begin` on reads it, of those that are
 * `needed` (NULL: all). The caller frees it. */
bool *whole_model_mark_reads(const whole_model *whole, const bool *needed, int begin);

typedef struct model_part {
  const whole_model *whole;
  bool *behind; /* per node: its float tensors are inputs of the part; none that writes outputs */
  cli_list outputs; /* names */
  bool *needed;     /* per node: the part has it; part_settle */
  cli_list inputs;  /* tensors of `behind` that it reads, in the order of the nodes; part_settle */
} model_part;

/* Without outputs, and with nothing behind. */
void part_init(model_part *out, const whole_model *whole);
void part_copy(model_part *to, const model_part *from);
void part_fini(model_part *part);

/* Follows the outputs back to the inputs, after a change of either. */
void part_settle(model_part *part);

int part_count(const model_part *part); /* nodes */

/* Tensors that nodes of the part before node `end` write, and that its other nodes read or that it
 * has as outputs: those that may be cut, or with `any` all that are not constant; where
 * types are not known, those too. */
void part_frontier(const model_part *part, int end, bool any, cli_list *out);

#endif
