#include "graph/quantize/quantize_move.h"

#include <string.h>

#include "graph/passes/rewrite.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/quantize_uses.h"

bool tarei_quant_equal(const tarei_quant *const a, const tarei_quant *const b) {
  return a->granularity == b->granularity && a->n_scales == b->n_scales && a->stated == b->stated &&
         a->wide == b->wide && a->wide_zero_point == b->wide_zero_point &&
         a->zero_point == b->zero_point &&
         (a->n_scales == 0 ||
          memcmp(a->scales, b->scales, (size_t)a->n_scales * sizeof *a->scales) == 0);
}

/* Quantize of `value` that stands already with this annotation, or with another one; or -1. */
static int find_quantized(const tarei_graph *const g, const int value,
                          const tarei_quant *const quant, const bool same) {
  for (tarei_use u = g->values[value].first_use; u.node >= 0; u = tarei_graph_next_use(g, u)) {
    const tarei_node *const node = &g->nodes[u.node];
    if (node->op == &tarei_op_quantize &&
        tarei_quant_equal(&g->values[node->out[0]].quant, quant) == same) {
      return node->out[0];
    }
  }
  return -1;
}

tare_status tarei_add_quantize(tarei_graph *const g, const int value,
                               const tarei_quant *const quant, int *const out,
                               tare_error *const err) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s__%s", g->values[value].name,
                !quant->stated && quant->zero_point < TAREI_SYMMETRIC ? "u8" : "s8");
  const int q = name.failed ? -1 : tarei_graph_add_value_like(g, name.text, value);
  tarei_str_free(&name);
  if (q < 0 || !tarei_quant_copy(&g->values[q].quant, quant)) {
    return tarei_fail_memory(err, "quantized value", sizeof(tarei_value));
  }
  g->values[q].dtype = TARE_U8;
  g->values[q].observable = false;
  if (tarei_graph_add_node(g, "Quantize", "tare", g->values[q].name, 1, &value, 1, &q, 1) < 0) {
    return tarei_fail_memory(err, "quantize node", sizeof(tarei_node));
  }
  *out = q;
  return TARE_OK;
}

tare_status tarei_quantize_as(tarei_graph *const g, const int value, const int like, int *const out,
                              tare_error *const err) {
  const tarei_quant quant = g->values[like].quant; /* values move when one is added */
  *out = find_quantized(g, value, &quant, true);
  return *out >= 0 ? TARE_OK : tarei_add_quantize(g, value, &quant, out, err);
}

/* Inputs of a node that moves data which hold the data. */
static int quantize_move_count_moved(const tarei_node *const node) {
  return node->op->joins ? node->n_in : 1;
}

static tarei_fill fill_of(const tarei_graph *const g, const tarei_node *const node) {
  return node->op->fills ? node->op->fills(g, node) : TAREI_FILL_NONE;
}

/* What an operator that picks values takes may be written as bytes: nobody else reads it, or reads
 * the same bytes. */
static bool gives_bytes(const tarei_graph *const g, const int value,
                        const tarei_quant *const quant) {
  const tarei_node *const bytes = tarei_producer_is(g, value, &tarei_op_dequantize);
  if (bytes && tarei_quant_equal(&g->values[bytes->in[0]].quant, quant)) {
    return true;
  }
  return !g->values[value].data && g->values[value].dtype == TARE_F32 &&
         tarei_can_be_written_as_bytes(g, value) && find_quantized(g, value, quant, false) < 0 &&
         (tarei_graph_count_uses(g, value) == 1 || find_quantized(g, value, quant, true) >= 0);
}

/* Where bytes are moved instead: floats that nobody else reads. Zeros are filled in as the zero
 * point, other numbers not at all. */
static bool can_move_bytes(const tarei_graph *const g, const tarei_node *const mover, const int n) {
  const tarei_node *const quantize = &g->nodes[n];
  if ((!mover->op->movement && !tarei_node_selects(mover)) ||
      tarei_graph_sole_consumer(g, quantize->in[0]) != n || fill_of(g, mover) == TAREI_FILL_OTHER) {
    return false;
  }
  for (int i = 0; !mover->op->movement && i < quantize_move_count_moved(mover); i++) {
    if (!gives_bytes(g, mover->in[i], &g->values[quantize->out[0]].quant)) {
      return false;
    }
  }
  return true;
}

/* The zero point as the number that a node fills in. */
static tare_status fill_zero_point(tarei_graph *const g, const int n, const int like,
                                   tare_error *const err) {
  const uint8_t zero_point = (uint8_t)g->values[like].quant.zero_point;
  const int fill = tarei_graph_add_const(g, "zero_point", TARE_U8, 0, NULL, &zero_point);
  return fill < 0 ? tarei_fail_memory(err, "zero point", 1)
                  : tarei_node_set_in(g, n, g->nodes[n].op->fill_input, fill, err);
}

tare_status tarei_quantize_hoist(tarei_graph *const g, const int n, bool *const changed,
                                 tare_error *const err) {
  const int moved = g->nodes[n].in[0], out = g->nodes[n].out[0];
  const int producer = g->values[moved].producer;
  if (producer < 0 || !can_move_bytes(g, &g->nodes[producer], n)) {
    return TARE_OK;
  }
  const bool fills = fill_of(g, &g->nodes[producer]) == TAREI_FILL_ZEROS;
  for (int i = 0; i < quantize_move_count_moved(&g->nodes[producer]); i++) {
    int q;
    TAREI_TRY(tarei_quantize_as(g, g->nodes[producer].in[i], out, &q, err));
    tarei_graph_set_in(g, producer, i, q);
  }
  if (fills) {
    TAREI_TRY(fill_zero_point(g, producer, out, err));
  }
  /* the mover itself now carries bytes: its other inputs and attributes stay */
  g->nodes[producer].out[0] = out;
  g->values[out].producer = producer;
  tarei_graph_remove_node(g, n);
  *changed = true;
  return TARE_OK;
}
