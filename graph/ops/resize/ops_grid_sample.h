/* The attributes of GridSample. */
#ifndef TAREI_GRAPH_OPS_RESIZE_OPS_GRID_SAMPLE_H
#define TAREI_GRAPH_OPS_RESIZE_OPS_GRID_SAMPLE_H

#include "graph/ir/ir.h"

#define TAREI_GRID_MOST_AXES 3

typedef enum tarei_grid_mode {
  TAREI_GRID_LINEAR,
  TAREI_GRID_NEAREST,
  TAREI_GRID_CUBIC
} tarei_grid_mode;

/* What stands outside of X. */
typedef enum tarei_grid_padding {
  TAREI_GRID_ZEROS,
  TAREI_GRID_BORDER,
  TAREI_GRID_REFLECTION
} tarei_grid_padding;

typedef struct tarei_grid_sample_form {
  tarei_grid_mode mode;
  tarei_grid_padding padding;
  bool align_corners; /* -1 and 1 are the centers of the outer elements, not their edges */
} tarei_grid_sample_form;

/* False where an attribute has a value that is not known. */
bool tarei_grid_sample_form_of(const tarei_node *node, tarei_grid_sample_form *out);

#endif
