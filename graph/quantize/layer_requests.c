#include "graph/quantize/layer_requests.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/op.h"

const tarei_request_kind tarei_requested_precision = {
    "layer precision", "NAME-GLOB:PRECISION or @OPERATOR:PRECISION",
    "convolution, linear layer or product",
    (const tare_precision[]){TARE_PRECISION_FP32, TARE_PRECISION_BF16, TARE_PRECISION_INT16,
                             TARE_PRECISION_INT16_ROWS, TARE_PRECISION_INT8,
                             TARE_PRECISION_INT8_ROWS, TARE_PRECISION_ANY}};
const tarei_request_kind tarei_requested_form = {
    "layer precision", "NAME-GLOB:PRECISION or @OPERATOR:PRECISION",
    "convolution, linear layer or product",
    (const tare_precision[]){TARE_PRECISION_FP32, TARE_PRECISION_INT8, TARE_PRECISION_INT8_ROWS,
                             TARE_PRECISION_ANY}};
const tarei_request_kind tarei_requested_output_type = {
    "layer output type", "NAME-GLOB:TYPE or @OPERATOR:TYPE", "layer that can write int8",
    (const tare_precision[]){TARE_PRECISION_FP32, TARE_PRECISION_INT8, TARE_PRECISION_ANY}};
const tarei_request_kind tarei_requested_weight_type = {
    "layer weight type", "NAME-GLOB:TYPE or @OPERATOR:TYPE", "layer with constant weights",
    (const tare_precision[]){TARE_PRECISION_FP32, TARE_PRECISION_FP16, TARE_PRECISION_BF16,
                             TARE_PRECISION_INT8, TARE_PRECISION_ANY}};

static tare_status pick_precision(const tarei_request_kind *const kind, const char *const text,
                                  tare_precision *const out, tare_error *const err) {
  const char *names[TARE_PRECISION_COUNT];
  int n = 0, picked = 0;
  while (kind->choices[n]) {
    names[n] = tare_precision_name(kind->choices[n]);
    n++;
  }
  TAREI_TRY(tarei_pick(kind->what, text, names, n, &picked, err));
  *out = kind->choices[picked];
  return TARE_OK;
}

static tare_status layer_requests_parse_item(char *const item, tarei_requests *const out,
                                             tare_error *const err) {
  char *const colon = strrchr(item, ':');
  tare_precision precision = TARE_PRECISION_ANY;
  if (!colon || colon == item) {
    return tarei_fail(err, TARE_E_USAGE, "%s '%s': expected %s", out->kind->what, item,
                      out->kind->form);
  }
  TAREI_TRY(pick_precision(out->kind, colon + 1, &precision, err));
  if (!TAREI_GROW(out->items, out->n, out->capacity)) {
    return tarei_fail_memory(err, out->kind->what, sizeof *out->items);
  }
  *colon = 0;
  char *const glob = tarei_strdup(item);
  if (!glob) {
    return tarei_fail_memory(err, out->kind->what, strlen(item));
  }
  out->items[out->n++] = (tarei_request){.glob = glob, .precision = precision};
  return TARE_OK;
}

char *tarei_requests_next(char **const rest) {
  char *const item = *rest;
  char *end = item;
  while (end && *end && *end != ',') {
    end += *end == '\\' && end[1] ? 2 : 1;
  }
  *rest = end && *end ? end + 1 : NULL;
  if (*rest) {
    *end = '\0';
  }
  return item;
}

tare_status tarei_requests_parse(const tarei_request_kind *const kind, const char *const text,
                                 tarei_requests *const out, tare_error *const err) {
  *out = (tarei_requests){.kind = kind};
  const char *const list = text ? text : "";
  char *const copy = tarei_strdup(list);
  if (!copy) {
    return tarei_fail_memory(err, kind->what, strlen(list) + 1);
  }
  tare_status status = TARE_OK;
  char *rest = copy;
  for (char *item = tarei_requests_next(&rest); item && status == TARE_OK;
       item = tarei_requests_next(&rest)) {
    status = *item ? layer_requests_parse_item(item, out, err) : TARE_OK;
  }
  free(copy);
  if (status != TARE_OK) {
    tarei_requests_fini(out);
  }
  return status;
}

tare_status tare_layer_glob(const char *const name, char **const out, tare_error *const err) {
  tarei_str text = {0};
  tarei_str_add(&text, "%s", "");
  for (const char *c = name; *c; c++) {
    const bool special = strchr("*?[]\\,", *c) || (*c == '@' && c == name);
    tarei_str_add(&text, special ? "\\%c" : "%c", *c);
  }
  *out = text.failed ? NULL : text.text;
  if (text.failed) {
    tarei_str_free(&text);
    return tarei_fail_memory(err, name, strlen(name));
  }
  return TARE_OK;
}

void tarei_requests_fini(tarei_requests *const requests) {
  for (int i = 0; i < requests->n; i++) {
    free(requests->items[i].glob);
  }
  free(requests->items);
  *requests = (tarei_requests){0};
}

bool tarei_requests_glob_fits(const char *const glob, const char *const name) {
  if (fnmatch(glob, name, 0) == 0) {
    return true;
  }
  const char *part;
  size_t length;
  bool fits = false;
  for (const char *at = name; !fits && (part = tarei_next_origin(&at, &length)) != NULL;) {
    char *const copy = tarei_strndup(part, length);
    fits = copy && fnmatch(glob, copy, 0) == 0;
    free(copy);
  }
  return fits;
}

/* One of the operators that the node stands for, or the one that it is. */
static bool operator_matches(const char *const glob, const tarei_op *const op) {
  char names[64];
  snprintf(names, sizeof names, "%s", op->stands_for ? op->stands_for : op->name);
  char *rest = names;
  for (char *name = strsep(&rest, " "); name; name = strsep(&rest, " ")) {
    if (fnmatch(glob, name, 0) == 0) {
      return true;
    }
  }
  return fnmatch(glob, op->name, 0) == 0;
}

static bool output_matches(const char *const glob, const tarei_graph *const graph,
                           const tarei_node *const node) {
  bool fits = false;
  for (int o = 0; !fits && o < node->n_out; o++) {
    fits = node->out[o] >= 0 && fnmatch(glob, graph->values[node->out[o]].name, 0) == 0;
  }
  return fits;
}

/* The name of a node, of one that it fuses, or of an output; or behind @ its operator. */
static bool request_fits(const tarei_request *const r, const tarei_graph *const graph,
                         const tarei_node *const node) {
  return *r->glob == '@' ? operator_matches(r->glob + 1, node->op)
                         : tarei_requests_glob_fits(r->glob, node->name) ||
                               output_matches(r->glob, graph, node);
}

const tarei_request *tarei_requests_match(tarei_requests *const requests,
                                          const tarei_graph *const graph,
                                          const tarei_node *const node) {
  const tarei_request *last = NULL;
  for (int i = 0; i < requests->n; i++) {
    tarei_request *const r = &requests->items[i];
    if (request_fits(r, graph, node)) {
      r->matches++;
      last = r;
    }
  }
  return last;
}

tare_precision tarei_requests_find(const tarei_requests *const requests,
                                   const tarei_graph *const graph, const tarei_node *const node) {
  int i = requests->n - 1;
  while (i >= 0 && !request_fits(&requests->items[i], graph, node)) {
    i--;
  }
  return i < 0 ? TARE_PRECISION_ANY : requests->items[i].precision;
}

/* The precision of the last request for this product of a node, or for all of it. */
static tare_precision find_for_product(const tarei_requests *const requests,
                                       const tarei_graph *const graph, const tarei_node *const node,
                                       const char *const product) {
  tare_precision asked = TARE_PRECISION_ANY;
  for (int i = 0; i < requests->n; i++) {
    const tarei_request *const r = &requests->items[i];
    const bool whole = *r->glob == '@' ? operator_matches(r->glob + 1, node->op)
                                       : fnmatch(r->glob, node->name, 0) == 0 ||
                                             output_matches(r->glob, graph, node);
    if (whole || fnmatch(r->glob, product, 0) == 0) {
      asked = r->precision;
    }
  }
  return asked;
}

char *tarei_requests_left_out(const tarei_requests *const requests, const tarei_graph *const graph,
                              const tarei_node *const node, const tare_precision precision) {
  size_t length;
  const char *name, *at = tarei_attr_string(node, TAREI_ATTR_PRODUCTS, NULL);
  while (at && (name = tarei_next_origin(&at, &length)) != NULL) {
    char *const product = tarei_strndup(name, length);
    if (product && find_for_product(requests, graph, node, product) != precision) {
      return product;
    }
    free(product);
  }
  return NULL;
}

static bool reads_floats(const tarei_graph *const graph, const tarei_node *const node) {
  const int x = node->n_in > 0 ? node->in[0] : -1;
  return x < 0 || graph->values[x].dtype == TARE_F32;
}

/* A node of the graph or its bodies that a request fits, one that reads bytes if there is one; or
 * NULL. */
static const tarei_node *node_of_request(const tarei_request *const r,
                                         const tarei_graph *const graph, bool *const floats) {
  const tarei_node *found = NULL;
  for (int n = 0; n < graph->n_nodes && (!found || *floats); n++) {
    const tarei_node *const node = &graph->nodes[n];
    tarei_graph *body;
    if (request_fits(r, graph, node)) {
      found = node;
      *floats = reads_floats(graph, node);
    }
    for (int i = 0; !found && (body = tarei_node_body(node, i)) != NULL; i++) {
      found = node_of_request(r, body, floats);
    }
  }
  return found;
}

/* Names of the nodes of a graph and its bodies. */
typedef struct node_names {
  const char **names;
  int n;
  size_t capacity;
} node_names;

static void collect_names(const tarei_graph *const graph, node_names *const out) {
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_graph *body;
    if (TAREI_GROW(out->names, out->n, out->capacity)) {
      out->names[out->n++] = graph->nodes[n].name;
    }
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      collect_names(body, out);
    }
  }
}

/* " (did you mean 'x'?)" where the name of a node is near. */
static void add_meant(const tarei_graph *const graph, const char *const glob,
                      tarei_str *const out) {
  node_names nodes = {0};
  collect_names(graph, &nodes);
  const int near = nodes.n ? tare_nearest_name(glob, nodes.names, nodes.n) : -1;
  if (near >= 0) {
    tarei_str_add(out, " (did you mean '%s'?)", nodes.names[near]);
  }
  free(nodes.names);
}

/* What is wrong with a request that no layer of its kind fits: nothing, if it asks for fp32 and the
 * nodes that it names, such as normalizations, compute in float anyway. */
static void add_unused(const tarei_request *const r, const tarei_graph *const graph,
                       tarei_str *const out) {
  bool floats = true;
  const tarei_node *const node = node_of_request(r, graph, &floats);
  if (node && floats && r->precision == TARE_PRECISION_FP32) {
    return;
  }
  tarei_str_add(out, "%s'%s'", out->length ? ", " : "", r->glob);
  if (node) {
    tarei_str_add(out, " (it names %s '%s')", node->op->name, node->name);
  } else {
    add_meant(graph, r->glob, out);
  }
}

tare_status tarei_requests_check_used(const tarei_requests *const requests,
                                      const tarei_graph *const graph, tare_error *const err) {
  tarei_str unused = {0};
  for (int i = 0; i < requests->n; i++) {
    const tarei_request *const r = &requests->items[i];
    if (!r->matches && strcmp(r->glob, "*") != 0) { /* all there are, even if there are none */
      add_unused(r, graph, &unused);
    }
  }
  const tare_status status =
      unused.length
          ? tarei_fail(err, TARE_E_USAGE,
                       "%ss: no %s matches %s; `tare inspect PLAN` lists the names",
                       requests->kind->what, requests->kind->layers, tarei_str_get(&unused))
          : TARE_OK;
  tarei_str_free(&unused);
  return status;
}
