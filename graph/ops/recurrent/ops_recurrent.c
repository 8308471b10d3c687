/* Attributes of recurrent layers. */
#include "graph/ops/recurrent/recurrent.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <strings.h>

static const struct {
  const char *name;
  bool takes_alpha, takes_beta;
  float alpha, beta; /* the defaults of ONNX */
} functions[] = {
    [TAREI_RECURRENT_AFFINE] = {"Affine", true, true, 1.0f, 0.0f},
    [TAREI_RECURRENT_ELU] = {"Elu", true, false, 1.0f, 0.0f},
    [TAREI_RECURRENT_HARD_SIGMOID] = {"HardSigmoid", true, true, 0.2f, 0.5f},
    [TAREI_RECURRENT_LEAKY_RELU] = {"LeakyRelu", true, false, 0.01f, 0.0f},
    [TAREI_RECURRENT_RELU] = {"Relu", false, false, 0.0f, 0.0f},
    [TAREI_RECURRENT_SCALED_TANH] = {"ScaledTanh", true, true, 1.0f, 1.0f},
    [TAREI_RECURRENT_SIGMOID] = {"Sigmoid", false, false, 0.0f, 0.0f},
    [TAREI_RECURRENT_SOFTPLUS] = {"Softplus", false, false, 0.0f, 0.0f},
    [TAREI_RECURRENT_SOFTSIGN] = {"Softsign", false, false, 0.0f, 0.0f},
    [TAREI_RECURRENT_TANH] = {"Tanh", false, false, 0.0f, 0.0f},
    [TAREI_RECURRENT_THRESHOLDED_RELU] = {"ThresholdedRelu", true, false, 1.0f, 0.0f},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

/* What an operator has by default; the int8 forms bear the names with a Q before them. */
static const struct {
  const char *name;
  int gates, n_functions;
  tarei_recurrent_act by_default[TAREI_RECURRENT_MOST_FUNCTIONS];
} kinds[] = {
    {"LSTM", 4, 3, {TAREI_RECURRENT_SIGMOID, TAREI_RECURRENT_TANH, TAREI_RECURRENT_TANH}},
    {"GRU", 3, 2, {TAREI_RECURRENT_SIGMOID, TAREI_RECURRENT_TANH}},
    {"RNN", 1, 1, {TAREI_RECURRENT_TANH}},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static int kind_of_gates(const int gates) {
  for (int k = 0; k < N_KINDS; k++) {
    if (kinds[k].gates == gates) {
      return k;
    }
  }
  assert(!"no such layer");
  return 0;
}

static int recurrent_kind_of(const tarei_node *const node) {
  const char *const name = node->op->name + (*node->op->name == 'Q');
  for (int k = 0; k < N_KINDS; k++) {
    if (strcmp(name, kinds[k].name) == 0) {
      return k;
    }
  }
  assert(!"not a recurrent layer");
  return 0;
}

/* Numbers for the functions that take them, in their order; a list with one for each function, as
 * some exporters write it, goes by place. */
typedef struct recurrent_numbers {
  const tarei_attr *attr;
  bool by_place;
  int next;
} recurrent_numbers;

static recurrent_numbers numbers_of(const tarei_node *const node, const char *const name,
                                    const int n_functions) {
  const tarei_attr *const a = tarei_attr_find(node, name);
  const bool given = a && a->kind == TAREI_ATTR_FLOATS;
  return (recurrent_numbers){given ? a : NULL, given && a->n == n_functions, 0};
}

static float recurrent_number(recurrent_numbers *const n, const int place, const bool takes,
                              const float fallback) {
  const int at = n->by_place ? place : n->next;
  n->next += takes;
  return takes && n->attr && at < n->attr->n ? n->attr->floats[at] : fallback;
}

static tare_status find_function(const char *const name, tarei_recurrent_act *const out,
                                 tare_error *const err) {
  for (int i = 0; i < N_FUNCTIONS; i++) {
    if (strcasecmp(name, functions[i].name) == 0) {
      *out = (tarei_recurrent_act)i;
      return TARE_OK;
    }
  }
  return tarei_fail(err, TARE_E_UNSUPPORTED, "activation '%s' is not supported", name);
}

static tare_status read_functions(const tarei_node *const node, const int kind,
                                  tarei_recurrent_form *const form, tare_error *const err) {
  const tarei_attr *const names = tarei_attr_find(node, "activations");
  const int n = form->dirs * form->n_functions;
  const bool given = names && names->kind == TAREI_ATTR_STRINGS && names->n > 0;
  if (given && names->n != n) {
    return tarei_fail(err, TARE_E_MODEL, "has %d activations, expected %d", names->n, n);
  }
  recurrent_numbers alphas = numbers_of(node, "activation_alpha", n);
  recurrent_numbers betas = numbers_of(node, "activation_beta", n);
  for (int i = 0; i < n; i++) {
    tarei_recurrent_act act = kinds[kind].by_default[i % form->n_functions];
    if (given) {
      TAREI_TRY(find_function(names->strings[i], &act, err));
    }
    form->functions[i / form->n_functions][i % form->n_functions] = (tarei_recurrent_function){
        act, recurrent_number(&alphas, i, functions[act].takes_alpha, functions[act].alpha),
        recurrent_number(&betas, i, functions[act].takes_beta, functions[act].beta)};
  }
  return TARE_OK;
}

static tare_status read_direction(const tarei_node *const node, tarei_recurrent_form *const form,
                                  tare_error *const err) {
  const char *const direction = tarei_attr_string(node, "direction", "forward");
  form->dirs = strcasecmp(direction, "bidirectional") == 0 ? 2 : 1;
  form->reverse = strcasecmp(direction, "reverse") == 0;
  return form->dirs == 2 || form->reverse || strcasecmp(direction, "forward") == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "direction is '%s', expected forward, reverse or bidirectional",
                          direction);
}

tare_status tarei_recurrent_read(const tarei_node *const node, tarei_recurrent_form *const out,
                                 tare_error *const err) {
  const int kind = recurrent_kind_of(node);
  const int64_t layout = tarei_attr_int(node, "layout", 0);
  *out = (tarei_recurrent_form){
      .gates = kinds[kind].gates,
      .n_functions = kinds[kind].n_functions,
      .batch_first = layout == 1,
      .linear_before_reset = tarei_attr_int(node, "linear_before_reset", 0) != 0,
      .input_forget = tarei_attr_int(node, "input_forget", 0) != 0,
      .clip = tarei_attr_float(node, "clip", INFINITY),
      .hidden = tarei_attr_int(node, "hidden_size", 0)};
  if (layout != 0 && layout != 1) {
    return tarei_fail(err, TARE_E_MODEL, "layout is %lld, expected 0 or 1", (long long)layout);
  }
  if (!(out->clip > 0)) {
    return tarei_fail(err, TARE_E_MODEL, "clip is %g, expected a number above 0",
                      (double)out->clip);
  }
  if (out->hidden < 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'hidden_size' is negative: %lld",
                      (long long)out->hidden);
  }
  TAREI_TRY(read_direction(node, out, err));
  return read_functions(node, kind, out, err);
}

bool tarei_recurrent_is_plain(const tarei_recurrent_form *const form, const int dir) {
  const int kind = kind_of_gates(form->gates);
  for (int i = 0; i < form->n_functions; i++) {
    if (form->functions[dir][i].act != kinds[kind].by_default[i]) {
      return false;
    }
  }
  return true;
}
