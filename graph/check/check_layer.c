/* Layers that Q/DQ stand before and that stay float all the same. */
#include "graph/check/check.h"

static void run_layer(tarei_check *const c) {
  for (int i = 0; i < c->n_layers; i++) {
    const tarei_checked_layer *const layer = &c->layers[i];
    if (!layer->int8 && layer->severity == TARE_SEVERITY_WARNING) {
      tarei_check_add(c, TARE_SEVERITY_WARNING, layer->node,
                      "mend this, or remove its Q/DQ: they cost time and accuracy",
                      "stays float: %s", tarei_str_get(&layer->reason));
    }
  }
}

const tarei_check_rule tarei_check_layer = {"layer", run_layer};
