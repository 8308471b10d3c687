/* Which nodes run in int8, and the nodes that take their place. */
#include "graph/quantize/quantize.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/quantize/loss_budget.h"
#include "graph/quantize/quantize_choice.h"
#include "graph/quantize/quantize_move.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/row_bytes.h"
#include "graph/quantize/row_need.h"
#include "graph/quantize/run_time_bytes.h"

const tarei_pass tarei_pass_quantize = {.name = "quantize",
                                        .summary = "gives layers their int8, int16 or bf16 form"};

/* What the rewrite knows about the nodes and values that stand before it. */
typedef struct rewrite {
  const tarei_quantize_options *options;
  unsigned char *precision; /* per node: a tare_precision */
  unsigned char *uses;      /* per value, as tarei_graph_mark_uses gives them */
  bool *symmetric; /* per value: somebody needs its bytes around 128, so all take them so */
  int *bytes;      /* per value: its quantized form, or -1 */
} rewrite;

/* The scales of a value with a factor; the caller frees them. */
static float *wider_scales(const tarei_quant *const quant, const double factor) {
  float *const scales = tarei_calloc((size_t)quant->n_scales, sizeof *scales);
  for (int i = 0; scales && i < quant->n_scales; i++) {
    scales[i] = (float)(factor * (double)quant->scales[i]);
  }
  return scales;
}

static tare_status quantized(tarei_graph *const g, rewrite *const r, const int value,
                             const double headroom, int *const out, tare_error *const err) {
  if (r->bytes[value] >= 0) {
    *out = r->bytes[value];
    return TARE_OK;
  }
  tarei_quant quant = g->values[value].quant;
  quant.zero_point = r->symmetric[value] && !quant.stated ? TAREI_SYMMETRIC : quant.zero_point;
  quant.granularity = TAREI_PER_TENSOR;
  float *const scales = wider_scales(&quant, headroom);
  if (!scales) {
    return tarei_fail_memory(err, "scales of a value", (size_t)quant.n_scales * sizeof *scales);
  }
  quant.scales = scales;
  const tare_status status = tarei_add_quantize(g, value, &quant, out, err);
  free(scales);
  r->bytes[value] = *out;
  return status;
}

static tare_status set_quantized(tarei_graph *const g, rewrite *const r, const int n,
                                 const int input, tare_error *const err) {
  int bytes = -1;
  const int value = g->nodes[n].in[input];
  const bool product = g->nodes[n].op->int8->activations > 1 && !r->options->build.symmetric;
  const double headroom = product ? tarei_quant_headroom(&g->values[value].quant) : 1;
  TAREI_TRY(quantized(g, r, value, headroom, &bytes, err));
  tarei_graph_set_in(g, n, input, bytes);
  return TARE_OK;
}

/* The inputs that a layer reads as rows of bytes: a linear layer the first, in whole rows;
 * attention queries and keys, in parts for each head. */
static tare_status quantize_factor_rows(tarei_graph *const g, const int n, tare_error *const err) {
  const tarei_node *const node = &g->nodes[n];
  const int factors = node->op->int8->row_factors;
  if (factors == 0) {
    return node->op->int8->row_bytes ? tarei_read_row_bytes(g, n, 0, 0, err) : TARE_OK;
  }
  const int64_t heads = tarei_attr_int(node, "heads", 1);
  for (int i = 0; i < factors; i++) {
    TAREI_TRY(tarei_read_row_bytes(g, n, i, heads, err));
  }
  return TARE_OK;
}

/* Whether a layer adds its residual as bytes; otherwise it stays float. */
static bool takes_byte_residual(const tarei_graph *const g, const rewrite *const r,
                                const tarei_node *const node) {
  const int value = node->n_in > TAREI_INT8_RESIDUAL ? node->in[TAREI_INT8_RESIDUAL] : -1;
  return node->op->int8->byte_residual && value >= 0 && r->uses[value] & TAREI_READ_AS_BYTES &&
         !(r->uses[value] & TAREI_KEPT_AS_FLOAT) && g->values[value].quant.n_scales &&
         !tarei_quant_wants_windows(&g->values[value].quant) &&
         (r->options->build.symmetric || !(g->values[value].quant.follows_level ||
                                           tarei_quant_is_exceeded(&g->values[value].quant)));
}

/* Replaces the inputs that a layer reads as bytes. */
static tare_status quantize_inputs(tarei_graph *const g, const int n, rewrite *const r,
                                   tare_error *const err) {
  if (r->precision[n] == TARE_PRECISION_INT8 && tarei_takes_run_time_bytes(g, &g->nodes[n])) {
    return tarei_take_run_time_bytes(g, n, err);
  }
  const bool residual = takes_byte_residual(g, r, &g->nodes[n]);
  const tarei_int8_form *const form = g->nodes[n].op->int8;
  const tarei_input_form input = tarei_input_form_of(r->precision[n]);
  for (int i = 0; i < form->activations; i++) {
    TAREI_TRY(tarei_reads_static(form, &input, i) ? set_quantized(g, r, n, i, err) : TARE_OK);
  }
  if (residual) {
    TAREI_TRY(set_quantized(g, r, n, TAREI_INT8_RESIDUAL, err));
  }
  return input.rows && !input.sixteen ? quantize_factor_rows(g, n, err) : TARE_OK;
}

/* Whether a layer quantizes rows itself, all of them without numbers below zero. */
static bool makes_unsigned_rows(const tarei_graph *const g, const tarei_node *const layer,
                                const tarei_int8_form *const form,
                                const tarei_input_form *const input) {
  return input->rows && !input->sixteen && form->row_factors == 0 && !form->row_bytes &&
         g->values[layer->in[0]].never_negative;
}

static tare_status quantize_replace(tarei_graph *const g, const int n, rewrite *const r,
                                    tare_error *const err) {
  const tarei_int8_form *const form = g->nodes[n].op->int8;
  const tarei_op *const to = form->op;
  TAREI_TRY(quantize_inputs(g, n, r, err));
  const int q = tarei_graph_add_node(g, to->name, to->domain, g->nodes[n].name, 1, g->nodes[n].in,
                                     g->nodes[n].n_in, g->nodes[n].out, g->nodes[n].n_out);
  const tarei_input_form input = tarei_input_form_of(r->precision[n]);
  const bool wide =
      q >= 0 && input.sixteen && !input.rows && g->values[g->nodes[q].in[0]].quant.wide;
  const bool unsigned_rows = q >= 0 && makes_unsigned_rows(g, &g->nodes[q], form, &input);
  bool ok = q >= 0 && tarei_record_copy(&g->nodes[q].record, &g->nodes[n].record) &&
            (!input.rows || tarei_attr_set_int(&g->nodes[q], TAREI_ATTR_ROW_SCALES, 1)) &&
            (!input.sixteen || tarei_attr_set_int(&g->nodes[q], TAREI_ATTR_ACTIVATION_BITS, 16)) &&
            (!wide || tarei_attr_set_int(&g->nodes[q], TAREI_ATTR_ACTIVATION_ZERO,
                                         g->values[g->nodes[q].in[0]].quant.wide_zero_point)) &&
            (!unsigned_rows || tarei_attr_set_int(&g->nodes[q], TAREI_ATTR_UNSIGNED_ROWS, 1));
  for (int a = 0; ok && a < g->nodes[n].n_attrs; a++) {
    ok = tarei_attr_copy(&g->nodes[q], &g->nodes[n].attrs[a]);
  }
  if (!ok) {
    return tarei_fail_memory(err, "int8 layer", sizeof(tarei_node));
  }
  tarei_graph_remove_node(g, n);
  for (int i = 0; i < g->nodes[q].n_out; i++) {
    if (g->nodes[q].out[i] >= 0) {
      g->values[g->nodes[q].out[i]].producer = q;
    }
  }
  return TARE_OK;
}

/* All but the first operand of a product are packed as s8; a value and what it is moved to share a
 * form. */
static void mark_symmetric(const tarei_graph *const g, rewrite *const r) {
  bool *const marks = r->symmetric;
  for (int v = 0; v < g->n_values; v++) {
    marks[v] = r->options->build.symmetric;
  }
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    const tarei_int8_form *const form = node->op->int8;
    const tarei_input_form input = tarei_input_form_of(r->precision[n]);
    const bool packs = form && r->precision[n] != TARE_PRECISION_FP32;
    for (int i = 1; packs && i < form->activations; i++) {
      marks[node->in[i]] |= tarei_reads_static(form, &input, i);
    }
    if (node->op->movement) {
      marks[node->in[0]] |= marks[node->out[0]];
    }
  }
  for (int n = 0; n < g->n_nodes; n++) {
    if (g->nodes[n].op->movement) {
      marks[g->nodes[n].out[0]] |= marks[g->nodes[n].in[0]];
    }
  }
}

static tare_status decide_nodes(tarei_graph *const g, rewrite *const r, tare_error *const err) {
  TAREI_TRY(tarei_graph_budget_losses(g, err));
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_int8_form *const form = g->nodes[n].op->int8;
    tare_precision got = TARE_PRECISION_FP32;
    if (form) {
      TAREI_TRY(tarei_quantize_decide(g, n, form, r->options, &got, err));
    }
    r->precision[n] = (unsigned char)got;
  }
  return TARE_OK;
}

static tare_status rewrite_nodes(tarei_graph *const g, rewrite *const r, tare_error *const err) {
  const int n_nodes = g->n_nodes;
  tarei_graph_mark_uses(g, r->uses);
  mark_symmetric(g, r);
  memset(r->bytes, 0xff, (size_t)g->n_values * sizeof *r->bytes);
  for (int n = 0; n < n_nodes; n++) {
    if (r->precision[n] == TARE_PRECISION_BF16) {
      if (!tarei_attr_set_string(&g->nodes[n], TAREI_ATTR_COMPUTE, "bf16")) {
        return tarei_fail_memory(err, "layer", sizeof(tarei_attr));
      }
    } else if (r->precision[n] != TARE_PRECISION_FP32) {
      TAREI_TRY(quantize_replace(g, n, r, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_graph_quantize(tarei_graph *const g, const tarei_quantize_options *const o,
                                 tare_error *const err) {
  const size_t n_nodes = (size_t)g->n_nodes, n_values = (size_t)g->n_values;
  rewrite r = {.options = o,
               .precision = tarei_calloc(n_nodes, sizeof *r.precision),
               .uses = tarei_calloc(n_values, sizeof *r.uses),
               .symmetric = tarei_calloc(n_values, sizeof *r.symmetric),
               .bytes = tarei_calloc(n_values, sizeof *r.bytes)};
  tare_status status = TARE_OK;
  if (!r.precision || !r.uses || !r.symmetric || !r.bytes) {
    status = tarei_fail_memory(err, "quantization", n_values * sizeof *r.bytes);
    goto done;
  }
  TAREI_TRY_GOTO(decide_nodes(g, &r, err), done);
  status = rewrite_nodes(g, &r, err);
done:
  free(r.precision);
  free(r.uses);
  free(r.symmetric);
  free(r.bytes);
  return status;
}
