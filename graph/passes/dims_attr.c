#include "graph/passes/dims_attr.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* The ';' behind the first dim, outside of quotes, or NULL. */
static char *end_of_dim(char *text) {
  for (bool quoted = false; *text; text++) {
    quoted ^= *text == '"';
    text += quoted && *text == '\\' && text[1];
    if (*text == ';' && !quoted) {
      return text;
    }
  }
  return NULL;
}

static tare_status dims_attr_parse_dims(tarei_exprs *const exprs, char *text,
                                        tarei_expr *const dims, int *const rank,
                                        tare_error *const err) {
  *rank = 0;
  for (char *next = *text ? text : NULL; next; text = next) {
    next = end_of_dim(text);
    if (next) {
      *next++ = 0;
    }
    if (*rank == TARE_MAX_RANK) {
      return tarei_fail(err, TARE_E_MODEL, "attribute 'dims' has more than %d entries",
                        TARE_MAX_RANK);
    }
    const tare_status status = tarei_expr_parse(exprs, text, &dims[*rank], err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status == TARE_E_MEMORY ? status : TARE_E_MODEL,
                           "attribute 'dims'");
    }
    (*rank)++;
  }
  return TARE_OK;
}

tare_status tarei_dims_from_attr(const tarei_graph *const graph, const tarei_node *const node,
                                 tarei_expr *const dims, int *const rank, tare_error *const err) {
  const char *const text = tarei_attr_string(node, TAREI_ATTR_DIMS, NULL);
  if (!text) {
    return tarei_fail(err, TARE_E_MODEL, "neither a shape input nor the attribute 'dims'");
  }
  char *const copy = tarei_strdup(text);
  if (!copy) {
    return tarei_fail_memory(err, "dims", strlen(text));
  }
  const tare_status status = dims_attr_parse_dims(graph->exprs, copy, dims, rank, err);
  free(copy);
  return status;
}

bool tarei_dims_set_attr(const tarei_graph *const graph, tarei_node *const node,
                         const tarei_expr *const dims, const int rank) {
  tarei_str text = {0};
  for (int i = 0; i < rank; i++) {
    tarei_str_add(&text, "%s", i ? ";" : "");
    tarei_expr_write(graph->exprs, dims[i], &text);
  }
  const bool done =
      !text.failed && tarei_attr_set_string(node, TAREI_ATTR_DIMS, tarei_str_get(&text));
  tarei_str_free(&text);
  return done;
}

tare_status tarei_dims_to_attr(const tarei_graph *const graph, tarei_node *const node,
                               const int value, tare_error *const err) {
  const tarei_value *const v = &graph->values[value];
  return tarei_dims_set_attr(graph, node, v->dims, v->rank)
             ? TARE_OK
             : tarei_fail_memory(err, "dims", sizeof v->dims);
}

static bool dims_attr_has_symbol(const tarei_graph *const graph, const int value,
                                 const int symbol) {
  const tarei_value *const v = &graph->values[value];
  bool has = false;
  for (int d = 0; d < v->rank; d++) {
    has |= tarei_expr_uses(graph->exprs, v->dims[d], symbol);
  }
  return has;
}

bool tarei_dims_need_more(const tarei_graph *const graph, const int value, const int source) {
  bool more = false;
  for (int s = 0; s < tarei_exprs_n_symbols(graph->exprs) && !more; s++) {
    more = tarei_exprs_is_measured(graph->exprs, s) && dims_attr_has_symbol(graph, value, s) &&
           !dims_attr_has_symbol(graph, source, s);
  }
  return more;
}
