#include "graph/quantize/requested.h"

#include <tare/table.h>

tare_status tarei_requested_init(const tare_build_options *const build, tarei_requested *const out,
                                 tare_error *const err) {
  *out = (tarei_requested){.constraints = build->constraints};
  if (build->table && !build->symmetric && !build->fp32) {
    TAREI_TRY(tarei_requests_parse(&tarei_requested_precision,
                                   tare_table_layer_precisions(build->table), &out->raised, err));
  }
  if (build->constraints == TARE_CONSTRAINTS_NONE) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_requests_parse(&tarei_requested_precision, build->layer_precisions,
                                 &out->precisions, err));
  TAREI_TRY(tarei_requests_parse(&tarei_requested_output_type, build->layer_output_types,
                                 &out->output_types, err));
  return tarei_requests_parse(&tarei_requested_weight_type, build->layer_weight_types,
                              &out->weight_types, err);
}

void tarei_requested_fini(tarei_requested *const r) {
  tarei_requests_fini(&r->raised);
  tarei_requests_fini(&r->precisions);
  tarei_requests_fini(&r->output_types);
  tarei_requests_fini(&r->weight_types);
  tarei_str_free(&r->contradicted);
  tarei_str_free(&r->refused);
}

tare_status tarei_requested_mark(tarei_graph *const graph, tarei_requests *const requests,
                                 tarei_may_request_fn *const may, const char *const attribute,
                                 tare_error *const err) {
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_node *const node = &graph->nodes[n];
    const tarei_request *const request =
        may(graph, node) ? tarei_requests_match(requests, graph, node) : NULL;
    if (request && !tarei_attr_set_int(node, attribute, request->precision)) {
      return tarei_fail_memory(err, requests->kind->what, sizeof(tarei_attr));
    }
  }
  return TARE_OK;
}

void tarei_requested_refuse(tarei_requested *const r, const tarei_node *const node,
                            const char *const what, const tarei_reason *const why) {
  tarei_str_add(&r->refused, "%s'%s' %s (", r->refused.length ? ", " : "", node->name, what);
  tarei_reason_print(why, &r->refused);
  tarei_str_add(&r->refused, ")");
}

void tarei_requested_contradict(tarei_requested *const r, const tarei_node *const node,
                                const tare_precision asked) {
  tarei_str_add(&r->contradicted, "%s'%s' (%s)", r->contradicted.length ? ", " : "", node->name,
                tare_precision_name(asked));
}

tare_status tarei_requested_check(const tarei_requested *const r, const tarei_graph *const graph,
                                  tare_error *const err) {
  TAREI_TRY(tarei_requests_check_used(&r->precisions, graph, err));
  TAREI_TRY(tarei_requests_check_used(&r->output_types, graph, err));
  TAREI_TRY(tarei_requests_check_used(&r->weight_types, graph, err));
  if (r->contradicted.length) {
    return tarei_fail(err, TARE_E_USAGE,
                      "the model itself quantizes layers that another precision was asked for: %s "
                      "(tare import-qdq makes a float model of it)",
                      tarei_str_get(&r->contradicted));
  }
  if (r->constraints == TARE_CONSTRAINTS_OBEY && r->refused.length) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "these layers cannot have what was asked for: %s",
                      tarei_str_get(&r->refused));
  }
  return TARE_OK;
}
