#include <stdlib.h>
#include <string.h>

#include "graph/onnx/importer.h"
#include "graph/op.h"

enum { SHOWN_OPERATORS = 24, SHOWN_NODES = 4 };

/* One operator without descriptor. */
typedef struct missing {
  const char *name, *domain;
  int count;
  tarei_str nodes; /* the first names */
} missing;

typedef struct onnx_support_report {
  missing list[SHOWN_OPERATORS];
  int n;
  int other_nodes; /* of operators beyond the list */
  bool ours;       /* operators of domain "tare" were written by the importer */
} onnx_support_report;

/* Operators that passes write stay out of reach of files. */
static bool is_supported(const onnx_support_report *const r, const Onnx__NodeProto *const node) {
  const char *const domain = tarei_onnx_text(node->domain);
  return (r->ours || strcmp(domain, "tare") != 0) &&
         tarei_op_find(tarei_onnx_text(node->op_type), domain);
}

static missing *find_row(onnx_support_report *const r, const char *const name,
                         const char *const domain) {
  for (int i = 0; i < r->n; i++) {
    if (strcmp(r->list[i].name, name) == 0 && strcmp(r->list[i].domain, domain) == 0) {
      return &r->list[i];
    }
  }
  if (r->n == SHOWN_OPERATORS) {
    return NULL;
  }
  r->list[r->n] = (missing){.name = name, .domain = domain};
  return &r->list[r->n++];
}

static void add_node(onnx_support_report *const r, const Onnx__NodeProto *const node,
                     const size_t index) {
  const char *const domain = tarei_onnx_text(node->domain);
  const char *const name = tarei_onnx_text(node->op_type);
  missing *const row = find_row(r, name, tarei_op_domain(domain));
  if (!row) {
    r->other_nodes++;
    return;
  }
  if (row->count < SHOWN_NODES) {
    const char *const comma = row->count ? ", " : "";
    if (*tarei_onnx_text(node->name)) {
      tarei_str_add(&row->nodes, "%s'%.64s'", comma, node->name);
    } else {
      tarei_str_add(&row->nodes, "%s'%.64s_%zu'", comma, name, index);
    }
  }
  row->count++;
}

static void advise(const onnx_support_report *const r, tarei_str *const text) {
  tarei_foreign ops[SHOWN_OPERATORS];
  for (int i = 0; i < r->n; i++) {
    ops[i] = (tarei_foreign){r->list[i].name, r->list[i].domain};
  }
  tarei_onnx_advise(ops, r->n, text);
}

static tare_status fail(const onnx_support_report *const r, tare_error *const err) {
  tarei_str text = {0};
  tarei_str_add(&text, "%d%s operator%s not supported: ", r->n, r->other_nodes ? " or more" : "",
                r->n == 1 ? " is" : "s are");
  for (int i = 0; i < r->n; i++) {
    const missing *const row = &r->list[i];
    tarei_str_add(&text, "%s%.64s%s%.64s (%d node%s: %s", i ? ", " : "", row->domain,
                  *row->domain ? "." : "", row->name, row->count, row->count == 1 ? "" : "s",
                  tarei_str_get(&row->nodes));
    if (row->count > SHOWN_NODES) {
      tarei_str_add(&text, " ... and %d more", row->count - SHOWN_NODES);
    }
    tarei_str_add(&text, ")");
  }
  if (r->other_nodes) {
    tarei_str_add(&text, ", ... and %d more nodes", r->other_nodes);
  }
  advise(r, &text);
  const tare_status status = tarei_fail(err, TARE_E_UNSUPPORTED, "%s", tarei_str_get(&text));
  tarei_str_free(&text);
  return status;
}

/* Branches are asked when they are read: one that has others is closed (graph/onnx/onnx_body.c). */
static void check_graph(const Onnx__GraphProto *const proto, onnx_support_report *const r) {
  for (size_t i = 0; i < proto->n_node; i++) {
    const Onnx__NodeProto *const node = proto->node[i];
    if (!is_supported(r, node)) {
      add_node(r, node, i);
    }
    const bool chooses = tarei_op_find(tarei_onnx_text(node->op_type),
                                       tarei_onnx_text(node->domain)) == &tarei_op_if;
    for (size_t a = 0; a < node->n_attribute && !chooses; a++) {
      if (node->attribute[a]->g) {
        check_graph(node->attribute[a]->g, r);
      }
    }
  }
}

tare_status tarei_onnx_check_support(const Onnx__GraphProto *const proto, const bool ours,
                                     tare_error *const err) {
  onnx_support_report r = {.ours = ours};
  check_graph(proto, &r);
  const tare_status status = r.n ? fail(&r, err) : TARE_OK;
  for (int i = 0; i < r.n; i++) {
    tarei_str_free(&r.list[i].nodes);
  }
  return status;
}
