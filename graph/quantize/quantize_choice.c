#include "graph/quantize/quantize_choice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "graph/quantize/levels.h"
#include "graph/quantize/lower_bound.h"
#include "graph/quantize/product_size.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/row_need.h"
#include "graph/quantize/run_time_bytes.h"
#include "graph/quantize/weights/weight_noise.h"
#include "graph/quantize/widened_bytes.h"

tarei_input_form tarei_input_form_of(const tare_precision precision) {
  static const tarei_input_form FORMS[TARE_PRECISION_COUNT] = {
      [TARE_PRECISION_INT8] = {.table = true},
      [TARE_PRECISION_INT8_ROWS] = {.stays_float = true, .rows = true},
      [TARE_PRECISION_BF16] = {.stays_float = true, .weights = true, .products = true},
      [TARE_PRECISION_INT16] = {.stays_float = true,
                                .sixteen = true,
                                .weights = true,
                                .table = true},
      [TARE_PRECISION_INT16_ROWS] = {.stays_float = true,
                                     .rows = true,
                                     .sixteen = true,
                                     .weights = true},
  };
  return FORMS[precision];
}

/* How many inputs of a layer can have a scale for each row, from the first one on. One of linear
 * and recurrent layers and dense convolutions; a depthwise one has no row to take a scale of. */
static int row_inputs(const tarei_graph *const g, const tarei_node *const node,
                      const tarei_int8_form *const form) {
  return form->activations > 1 ? form->row_factors : !tarei_is_depthwise(g, node);
}

bool tarei_reads_static(const tarei_int8_form *const form, const tarei_input_form *const input,
                        const int i) {
  const bool rows = input->rows && !input->sixteen && form->row_factors > 0;
  return rows ? i >= form->row_factors : !input->stays_float;
}

/* Whether a layer has kernels for the precision: depthwise and recurrent ones are not products. */
static bool has_kernels(const tarei_graph *const g, const tarei_node *const node,
                        const tarei_int8_form *const form, const tarei_input_form *const input) {
  if (!input->weights) {
    return true;
  }
  return form->activations > 1 ? input->products
                               : node->op->stores_weights && !tarei_is_depthwise(g, node);
}

/* The first of a layer's weights and biases that holds NaN or Inf, or -1. Masks may hold Inf. */
static int first_not_finite(const tarei_graph *const g, const tarei_node *const node,
                            const tarei_int8_form *const form) {
  for (int i = form->activations; form->weights && i < node->n_in; i++) {
    if (!tarei_is_finite(g, node->in[i])) {
      return node->in[i];
    }
  }
  return -1;
}

static tarei_reason because(const tarei_graph *const g, const tare_reason why,
                            const tarei_value *const v, const int64_t number) {
  const int tensor = v ? tarei_tensor_of(g, (int)(v - g->values)) : -1;
  return (tarei_reason){why, tensor >= 0 ? g->values[tensor].name : v ? v->name : NULL, number};
}

/* Why input i of a layer cannot be one of its form in another precision. */
static tarei_reason reason_of_input(const tarei_graph *const g, const tarei_node *const node,
                                    const tarei_int8_form *const form,
                                    const tarei_input_form *const input, const int i) {
  const tarei_value *const v = &g->values[node->in[i]];
  const bool activation = i < form->activations;
  const bool fixed = activation && tarei_reads_static(form, input, i);
  const int zero = v->quant.zero_point;
  if (v->dtype != TARE_F32) {
    return because(g, TARE_REASON_TYPE, v, v->dtype);
  }
  if (activation && v->data && !input->products) {
    return because(g, TARE_REASON_CONSTANT, v, 0);
  }
  if (((activation && input->table) || fixed) && !v->quant.n_scales &&
      (input->stays_float || !tarei_takes_run_time_bytes(g, node))) {
    return because(g, TARE_REASON_NO_SCALE, v, 0);
  }
  if (i > 0 && fixed && form->centered && zero != 128 && v->quant.stated) {
    return because(g, TARE_REASON_ZERO_POINT, v, v->quant.zero_point);
  }
  if (!activation && !v->data) {
    return because(g, TARE_REASON_VARIABLE_WEIGHTS, v, 0);
  }
  return v->rank < 2 ? because(g, TARE_REASON_RANK, v, v->rank)
                     : because(g, TARE_REASON_NONE, NULL, 0);
}

/* Why a node cannot run in another precision than float. */
static tarei_reason reason_against(const tarei_graph *const g, const tarei_node *const node,
                                   const tarei_int8_form *const form,
                                   const tarei_quantize_options *const o,
                                   const tare_precision precision) {
  const tarei_input_form input = tarei_input_form_of(precision);
  for (int i = 0; i < form->activations + form->weights; i++) {
    const tarei_reason reason = reason_of_input(g, node, form, &input, i);
    if (reason.why) {
      return reason;
    }
  }
  if (!has_kernels(g, node, form, &input)) {
    return because(g, TARE_REASON_NO_PRODUCTS, NULL, 0);
  }
  if (precision == TARE_PRECISION_BF16) {
    return because(g, TARE_REASON_NONE, NULL, 0);
  }
  if (input.rows && row_inputs(g, node, form) == 0) {
    return because(g, TARE_REASON_NO_ROWS, NULL, 0);
  }
  const int64_t length = tarei_product_sum(g, o->profiles, node, form);
  if (length > TAREI_INT8_LONGEST_SUM) {
    return because(g, TARE_REASON_LONG_SUM, NULL, length);
  }
  const int odd = first_not_finite(g, node, form);
  return odd >= 0 ? because(g, TARE_REASON_NOT_FINITE, &g->values[odd], 0)
                  : because(g, TARE_REASON_NONE, NULL, 0);
}

/* NULL: a recurrent layer of which only the last state is read. */
static const tarei_value *first_output(const tarei_graph *const g, const tarei_node *const node) {
  return node->out[0] >= 0 ? &g->values[node->out[0]] : NULL;
}

/* What the output of a layer needs, whatever the rows of its input are: INT8, 16-bit rows where
 * those of 8 bits are too few, or float where 8-bit weights are; says why. */
static tare_precision choose_by_output(const tarei_graph *const g, const tarei_node *const node,
                                       const tarei_int8_form *const form,
                                       const tarei_quantize_options *const o,
                                       tarei_reason *const why) {
  const tarei_quant *const x = &g->values[node->in[0]].quant;
  const tarei_value *const y = first_output(g, node);
  if (!y || o->build.symmetric || reason_against(g, node, form, o, TARE_PRECISION_INT16_ROWS).why) {
    return TARE_PRECISION_INT8;
  }
  if (!(tarei_quant_output_loss(x, &y->quant, 1, 1) > 0)) {
    return TARE_PRECISION_INT8; /* the table does not tell */
  }
  const tarei_weight_sums w = tarei_weight_sums_of(g, node);
  const double by_weights = tarei_quant_output_loss(x, &y->quant, 1, w.noise);
  const double by_rows = tarei_quant_output_loss(x, &y->quant, x->row_loss, w.squares);
  if (tarei_weights_are_coarse(by_weights)) {
    *why = because(g, TARE_REASON_COARSE_WEIGHTS, y, tarei_loss_decibels(by_weights));
    return TARE_PRECISION_FP32;
  }
  if (tarei_output_is_noisy(by_rows)) {
    *why = because(g, TARE_REASON_NOISY_OUTPUT, y, tarei_loss_decibels(by_rows));
    return TARE_PRECISION_INT16_ROWS;
  }
  return TARE_PRECISION_INT8;
}

/* Of the inputs that can have row scales, that whose rows one scale costs most. */
static const tarei_value *quietest_input(const tarei_graph *const g, const tarei_node *const node,
                                         const tarei_int8_form *const form) {
  const tarei_value *x = &g->values[node->in[0]];
  for (int i = 1; i < row_inputs(g, node, form); i++) {
    const tarei_value *const other = &g->values[node->in[i]];
    const bool rows = other->quant.granularity == TAREI_PER_ROW;
    const bool first = rows && x->quant.granularity != TAREI_PER_ROW;
    x = first || (rows && other->quant.static_loss > x->quant.static_loss) ? other : x;
  }
  return x;
}

/* Whether one scale costs rows of an input much more than row scales, and how much more, in dB. */
static bool has_quiet_rows(const tarei_graph *const g, const tarei_int8_form *const form,
                           const tarei_value *const x, int64_t *const gain) {
  double loss;
  if (form->row_bytes && tarei_rows_have_bound(g, (int)(x - g->values), &loss)) {
    *gain = tarei_quant_gain_over(&x->quant, loss);
    return tarei_quant_needs_rows(&x->quant, loss);
  }
  *gain = x->quant.granularity == TAREI_PER_ROW ? tarei_quant_row_gain(&x->quant) : 0;
  return form->windows ? tarei_quant_wants_windows(&x->quant) || x->quant.over_budget
                       : x->quant.granularity == TAREI_PER_ROW;
}

/* The first of some operands of a layer that has scales and follows the level, or NULL. */
static const tarei_value *find_follower(const tarei_graph *const g, const tarei_node *const node,
                                        const int first, const int end) {
  for (int i = first; i < end; i++) {
    const tarei_quant *const quant = &g->values[node->in[i]].quant;
    if (quant->n_scales && quant->follows_level) {
      return &g->values[node->in[i]];
    }
  }
  return NULL;
}

/* Why the rows of a layer's input want scales of their own, be it that a layer has none to give. */
static tarei_reason reason_for_rows(const tarei_graph *const g, const tarei_node *const node,
                                    const tarei_int8_form *const form,
                                    const tarei_quantize_options *const o) {
  const bool symmetric = o->build.symmetric;
  const tarei_value *const x = quietest_input(g, node, form);
  const tarei_value *const follower =
      symmetric ? NULL : find_follower(g, node, 0, row_inputs(g, node, form));
  int64_t gain;
  if (has_quiet_rows(g, form, x, &gain)) {
    return because(g, symmetric ? TARE_REASON_QUIET_ROWS_LOST : TARE_REASON_QUIET_ROWS, x, gain);
  }
  if (tarei_reads_single_channel(g, node)) {
    return because(g, symmetric ? TARE_REASON_LEVEL_LOST : TARE_REASON_LEVEL, x, 0);
  }
  if (follower) {
    return because(g, TARE_REASON_LOUDER, follower, 0);
  }
  return symmetric || form->activations != 1 ? because(g, TARE_REASON_NONE, NULL, 0)
         : x->quant.few_rows                 ? because(g, TARE_REASON_FEW_ROWS, x, 0)
         : x->quant.few_samples              ? because(g, TARE_REASON_FEW_SAMPLES, x, 0)
                                             : because(g, TARE_REASON_NONE, NULL, 0);
}

/* The first operand of a product of activations, which has no row scales, whose rows one scale
 * drowns. */
static const tarei_value *find_drowned(const tarei_graph *const g, const tarei_node *const node,
                                       const tarei_int8_form *const form) {
  for (int i = 0; i < form->activations; i++) {
    const tarei_value *const x = &g->values[node->in[i]];
    if (tarei_quant_wants_float(&x->quant)) {
      return x;
    }
  }
  return NULL;
}

/* By the predicted losses: row scales where one scale costs rows of the input much more, where a
 * louder input or another sample would exceed it, and on a single channel, of which a row is a
 * single value and shows nothing; 16 bits where these do not suffice. Layers with an operand
 * without row scales (depthwise convolutions, products of activations) get float where that cost is
 * high. `why` says so; with `symmetric` there is one scale all the same, and `why` says what that
 * loses. */
static tare_precision choose_by_loss(const tarei_graph *const g, const tarei_node *const node,
                                     const tarei_int8_form *const form,
                                     const tarei_quantize_options *const o,
                                     tarei_reason *const why) {
  const tarei_value *const x = quietest_input(g, node, form), *const y = first_output(g, node);
  const bool symmetric = o->build.symmetric;
  const int n_rows = row_inputs(g, node, form);
  const tarei_value *const clipped =
      symmetric ? NULL : find_follower(g, node, n_rows, form->activations);
  const tarei_reason rows = reason_for_rows(g, node, form, o);
  const bool alone = !symmetric && n_rows == 0 && form->activations == 1;
  const tarei_value *const drowned =
      symmetric || n_rows || alone ? NULL : find_drowned(g, node, form);
  if (alone && (tarei_quant_wants_float(&x->quant) || rows.why == TARE_REASON_FEW_ROWS ||
                rows.why == TARE_REASON_FEW_SAMPLES)) {
    *why = rows;
    return TARE_PRECISION_FP32;
  }
  if (drowned) {
    *why = because(g, TARE_REASON_QUIET_ROWS, drowned, tarei_quant_row_gain(&drowned->quant));
    return TARE_PRECISION_FP32;
  }
  if (clipped) {
    *why = because(g, TARE_REASON_LOUDER, clipped, 0);
    return TARE_PRECISION_FP32;
  }
  if (!symmetric && y && y->quant.logged) {
    *why = because(g, TARE_REASON_LOGARITHM, y, 0);
    return TARE_PRECISION_FP32;
  }
  const tare_precision by_output = choose_by_output(g, node, form, o, why);
  if (by_output != TARE_PRECISION_INT8) {
    return by_output;
  }
  if (!rows.why || n_rows == 0) {
    return TARE_PRECISION_INT8;
  }
  *why = rows;
  return symmetric ? TARE_PRECISION_INT8 : TARE_PRECISION_INT8_ROWS;
}

/* Whether a layer is faster in float on the instruction set. */
static bool is_slower_widened(const tarei_graph *const g, const tarei_node *const node,
                              const tarei_int8_form *const form,
                              const tarei_quantize_options *const o,
                              const tare_precision precision) {
  return o->widens_bytes && !o->build.int8_when_small && tare_precision_is_integer(precision) &&
         tarei_widened_bytes_lose(g, o->profiles, node, form, precision);
}

/* Whether a layer is faster in float on every one. One that reads windows of bytes through all
 * channels is not: other layers can write them, and each is read several times. */
static bool is_slower(const tarei_graph *const g, const tarei_node *const node,
                      const tarei_int8_form *const form, const tarei_quantize_options *const o,
                      const tare_precision precision) {
  const bool converts =
      precision == TARE_PRECISION_INT8_ROWS || precision == TARE_PRECISION_INT16_ROWS ||
      (precision == TARE_PRECISION_INT8 && (!form->windows || tarei_is_depthwise(g, node)));
  return converts && !o->build.int8_when_small &&
         tarei_product_is_small(g, o->profiles, node, form);
}

/* The same for rows of 16 bits, which a table may ask for. */
static bool is_slower_wide(const tarei_graph *const g, const tarei_node *const node,
                           const tarei_int8_form *const form, const tarei_quantize_options *const o,
                           const tare_precision precision) {
  return precision == TARE_PRECISION_INT16_ROWS && !o->build.int8_when_small &&
         tarei_product_is_narrow(g, o->profiles, node, form);
}

/* A Fourier transform takes fewer operations than the product of bytes, and loses nothing. */
static bool is_spectrum(const tarei_graph *const g, const tarei_node *const node,
                        const tarei_quantize_options *const o) {
  return tarei_attr_find(node, TAREI_ATTR_FOURIER) && !o->build.int8_when_small &&
         !o->build.symmetric && !tarei_spectrum_is_short(g, o->profiles, node);
}

/* A BatchNormalization that became a convolution reads floats, as other normalizations do: it lifts
 * quiet channels, and what one scale leaves of them. Quantized models state no scales for it. */
static bool is_norm(const tarei_node *const node) {
  return tarei_attr_int(node, TAREI_ATTR_NORM, 0) != 0;
}

/* What a layer gets that nobody asked about by name. */
static tare_precision choose_by_default(const tarei_graph *const g, const tarei_node *const node,
                                        const tarei_int8_form *const form,
                                        const tarei_quantize_options *const o,
                                        tarei_reason *const why) {
  const tarei_value *const x = &g->values[node->in[0]];
  if (!o->int8) {
    return TARE_PRECISION_FP32;
  }
  if (tarei_takes_run_time_bytes(g, node)) {
    *why = because(g, TARE_REASON_RUN_TIME, &g->values[tarei_run_time_tensor(g, node)], 0);
    return TARE_PRECISION_INT8;
  }
  if (tarei_attr_find(node, TAREI_ATTR_DYNAMIC)) {
    *why = because(g, TARE_REASON_RUN_TIME, x, 0);
    return TARE_PRECISION_INT8_ROWS;
  }
  if (is_norm(node)) {
    return TARE_PRECISION_FP32;
  }
  if (x->quant.wide) {
    *why = because(g, TARE_REASON_WIDE, x, 0);
    return TARE_PRECISION_INT16;
  }
  if (x->quant.stated || o->stated_only) {
    return TARE_PRECISION_INT8;
  }
  if (is_spectrum(g, node, o)) {
    *why = because(g, TARE_REASON_SPECTRUM, NULL, 0);
    return TARE_PRECISION_FP32;
  }
  const tarei_request *const raised =
      o->requested ? tarei_requests_match(&o->requested->raised, g, node) : NULL;
  if (raised) {
    *why = because(g, TARE_REASON_RAISED, NULL, 0);
    return is_slower_wide(g, node, form, o, raised->precision) ||
                   is_slower_widened(g, node, form, o, raised->precision)
               ? TARE_PRECISION_FP32
               : raised->precision;
  }
  const tare_precision by_loss = choose_by_loss(g, node, form, o, why);
  if (is_slower(g, node, form, o, by_loss) || is_slower_wide(g, node, form, o, by_loss)) {
    *why = because(g, TARE_REASON_SMALL, NULL, 0);
    return TARE_PRECISION_FP32;
  }
  if (is_slower_widened(g, node, form, o, by_loss)) {
    *why = because(g, TARE_REASON_NO_VNNI, NULL, 0);
    return TARE_PRECISION_FP32;
  }
  return by_loss;
}

/* Why the model's own scales do not make an int8 layer of a node. */
static tarei_reason reason_stated(const tarei_graph *const g, const tarei_node *const node,
                                  const tarei_int8_form *const form) {
  const bool stated = form->activations == 1 &&
                      (g->values[node->in[0]].quant.stated || g->values[node->in[0]].quant.wide ||
                       tarei_takes_run_time_bytes(g, node));
  if (!stated || tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES)) {
    return because(g, TARE_REASON_NONE, NULL, 0);
  }
  const int64_t odd = tarei_attr_int(node, TAREI_ATTR_WEIGHTS_ODD, TARE_REASON_FLOAT_WEIGHTS);
  assert(odd > TARE_REASON_NONE && odd < TARE_REASON_COUNT);
  return because(g, (tare_reason)odd, &g->values[node->in[1]], 0);
}

/* Whether the model itself says that a layer is int8: all it multiplies has a stated scale. */
static bool is_explicit(const tarei_graph *const g, const tarei_node *const node,
                        const tarei_int8_form *const form) {
  for (int i = 0; i < form->activations; i++) {
    if (!g->values[node->in[i]].quant.stated) {
      return false;
    }
  }
  return form->activations > 1 || tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES);
}

tare_status tarei_quantize_decide(tarei_graph *const g, const int n,
                                  const tarei_int8_form *const form,
                                  const tarei_quantize_options *const o, tare_precision *const got,
                                  tare_error *const err) {
  tarei_node *const node = &g->nodes[n];
  const tarei_request *const request =
      o->requested ? tarei_requests_match(&o->requested->precisions, g, node) : NULL;
  tarei_reason why = {0}, against = {0};
  if (request && request->precision != TARE_PRECISION_INT8 && is_explicit(g, node, form)) {
    tarei_requested_contradict(o->requested, node, request->precision);
  }
  *got = request ? request->precision : choose_by_default(g, node, form, o, &why);
  if (tarei_input_form_of(*got).table && !o->int8) {
    against = because(g, TARE_REASON_NO_TABLE, NULL, 0);
  } else if (*got != TARE_PRECISION_FP32) {
    against = reason_against(g, node, form, o, *got);
  }
  if ((*got == TARE_PRECISION_INT8 || *got == TARE_PRECISION_INT16) && !request && !against.why) {
    against = reason_stated(g, node, form);
  }
  if (against.why && request) {
    tarei_requested_refuse(o->requested, node, tare_precision_name(request->precision), &against);
  }
  *got = against.why ? TARE_PRECISION_FP32 : *got;
  const tare_precision asked = request                     ? request->precision
                               : o->int8 && !is_norm(node) ? TARE_PRECISION_INT8
                                                           : TARE_PRECISION_ANY;
  char *const other =
      request ? tarei_requests_left_out(&o->requested->precisions, g, node, asked) : NULL;
  if (other && !against.why) {
    why = (tarei_reason){.why = TARE_REASON_ONE_PRECISION, .subject = other};
  }
  const bool noted = tarei_record_set(&node->record, asked, *got, against.why ? &against : &why);
  free(other);
  return noted ? TARE_OK : tarei_fail_memory(err, "layer record", sizeof *node);
}
