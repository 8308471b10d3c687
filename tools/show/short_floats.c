/* Nodes that the model computes in float16 or bfloat16, and what the plan computes them in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/layer_facts.h"
#include "tools/show/layers.h"

enum { MOST_NODES = 8 };

/* The nodes of one type that layers of one precision compute. */
static void short_nodes(const tare_plan *const plan, const tare_dtype type,
                        const char *const precision, cli_list *const out) {
  for (int l = 0; l < tare_plan_n_layers(plan); l++) {
    const tare_layer layer = tare_plan_layer(plan, l);
    for (int i = 0; strcmp(layer.precision, precision) == 0 && i < layer.n_origins; i++) {
      if (layer.origin_types[i] == type) {
        cli_list_add(out, layer.origins[i]);
      }
    }
  }
}

static void print_short_nodes(const tare_dtype type, const char *const precision,
                              const cli_list *const nodes) {
  char *const few = cli_join(nodes->items, nodes->n > MOST_NODES ? MOST_NODES : nodes->n, ", ");
  printf("%-10s %d node%s of the model, computed in %s: %s", tare_dtype_name(type), nodes->n,
         cli_s(nodes->n), precision, few);
  if (nodes->n > MOST_NODES) {
    printf(" and %d other%s", nodes->n - MOST_NODES, cli_s(nodes->n - MOST_NODES));
  }
  putchar('\n');
  free(few);
}

tare_status layers_print_short_floats(const tare_plan *const plan, tare_error *const err) {
  static const tare_dtype TYPES[] = {TARE_F16, TARE_BF16};
  precision_sum *sums = NULL;
  int n = 0;
  const tare_status status = precision_sums(plan, NULL, &sums, &n, err);
  for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++) {
    for (int i = 0; status == TARE_OK && i < n; i++) {
      cli_list nodes = {0};
      short_nodes(plan, TYPES[t], sums[i].precision, &nodes);
      if (nodes.n > 0) {
        print_short_nodes(TYPES[t], sums[i].precision, &nodes);
      }
      cli_list_fini(&nodes);
    }
  }
  free(sums);
  return status;
}
