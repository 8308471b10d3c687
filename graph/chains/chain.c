#include "graph/chains/chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/op.h"

enum { NUMBERS = 3 /* of a link: a, b, by_tanh; of a slice: axis, start, length */ };

static tare_status chain_malformed(tare_error *const err, const char *const attribute) {
  return tarei_fail(err, TARE_E_MODEL, "attribute '%s' is malformed", attribute);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Names of operators, separated by spaces. */
static bool chain_read_ops(const tarei_node *const node, tarei_chain *const out) {
  const char *at = tarei_attr_string(node, TAREI_ATTR_CHAIN_LINKS, "");
  while (*at) {
    char name[64];
    const size_t length = strcspn(at, " ");
    if (length >= sizeof name || out->n_links == TAREI_CHAIN_LINKS) {
      return false;
    }
    memcpy(name, at, length);
    name[length] = '\0';
    const tarei_op *const op = tarei_op_find(name, "");
    if (!op || !op->chain_operands) {
      return false;
    }
    out->links[out->n_links++].op = op;
    at += length + (at[length] == ' ');
  }
  return out->n_links > 0;
}

static bool chain_read_operands(const tarei_node *const node, tarei_chain *const out) {
  int n = 0, at = 0;
  const int64_t *const operands = tarei_attr_ints(node, TAREI_ATTR_CHAIN_OPERANDS, &n);
  for (int k = 0; k < out->n_links; k++) {
    tarei_chain_link *const link = &out->links[k];
    for (int i = 0; i < TAREI_CHAIN_OPERANDS; i++) {
      const bool there = i < link->op->chain_operands;
      if (there && (at >= n || operands[at] < 0 || operands[at] >= out->n_inputs + k)) {
        return false;
      }
      link->operands[i] = there ? (int)operands[at++] : -1;
    }
  }
  return at == n;
}

/* Whether each input, and each link but the last, is read by a link. */
static bool chain_is_joined(const tarei_chain *const chain) {
  bool read[TAREI_CHAIN_INPUTS + TAREI_CHAIN_LINKS] = {false};
  for (int k = 0; k < chain->n_links; k++) {
    for (int i = 0; i < chain->links[k].op->chain_operands; i++) {
      read[chain->links[k].operands[i]] = true;
    }
  }
  bool all = true;
  for (int i = 0; i < chain->n_inputs + chain->n_links - 1; i++) {
    all &= read[i];
  }
  return all;
}

static bool chain_read_parameters(const tarei_node *const node, tarei_chain *const out) {
  int n = 0;
  const float *const numbers = tarei_attr_floats(node, TAREI_ATTR_CHAIN_PARAMETERS, &n);
  for (int k = 0; n == NUMBERS * out->n_links && k < out->n_links; k++) {
    out->links[k].a = numbers[NUMBERS * k];
    out->links[k].b = numbers[NUMBERS * k + 1];
    out->links[k].by_tanh = numbers[NUMBERS * k + 2] != 0;
  }
  return n == NUMBERS * out->n_links;
}

static bool chain_read_slices(const tarei_node *const node, tarei_chain *const out) {
  int n = 0;
  const int64_t *const numbers = tarei_attr_ints(node, TAREI_ATTR_CHAIN_SLICES, &n);
  for (int i = 0; i < out->n_inputs; i++) {
    out->slices[i] = (tarei_chain_slice){.axis = -1};
    const int64_t *const s = numbers + (size_t)NUMBERS * (size_t)i;
    if (n == NUMBERS * out->n_inputs && s[0] >= 0) {
      if (s[0] >= TARE_MAX_RANK || s[1] < 0 || s[2] < 0) {
        return false;
      }
      out->slices[i] = (tarei_chain_slice){(int)s[0], s[1], s[2]};
    }
  }
  return n == 0 || n == NUMBERS * out->n_inputs;
}

tare_status tarei_chain_read(const tarei_node *const node, tarei_chain *const out,
                             tare_error *const err) {
  *out = (tarei_chain){.n_inputs = node->n_in};
  if (node->n_in > TAREI_CHAIN_INPUTS) {
    return tarei_fail(err, TARE_E_MODEL, "has %d inputs, the limit is %d", node->n_in,
                      TAREI_CHAIN_INPUTS);
  }
  if (!chain_read_ops(node, out)) {
    return chain_malformed(err, TAREI_ATTR_CHAIN_LINKS);
  }
  if (!chain_read_operands(node, out) || !chain_is_joined(out)) {
    return chain_malformed(err, TAREI_ATTR_CHAIN_OPERANDS);
  }
  if (!chain_read_parameters(node, out)) {
    return chain_malformed(err, TAREI_ATTR_CHAIN_PARAMETERS);
  }
  return chain_read_slices(node, out) ? TARE_OK : chain_malformed(err, TAREI_ATTR_CHAIN_SLICES);
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool chain_write_ops(tarei_node *const node, const tarei_chain *const chain) {
  tarei_str names = {0};
  for (int k = 0; k < chain->n_links; k++) {
    tarei_str_add(&names, "%s%s", k ? " " : "", chain->links[k].op->name);
  }
  const bool ok =
      !names.failed && tarei_attr_set_string(node, TAREI_ATTR_CHAIN_LINKS, tarei_str_get(&names));
  tarei_str_free(&names);
  return ok;
}

static bool chain_write_operands(tarei_node *const node, const tarei_chain *const chain) {
  int64_t operands[TAREI_CHAIN_LINKS * TAREI_CHAIN_OPERANDS];
  float numbers[NUMBERS * TAREI_CHAIN_LINKS];
  int n = 0;
  for (int k = 0; k < chain->n_links; k++) {
    const tarei_chain_link *const link = &chain->links[k];
    for (int i = 0; i < link->op->chain_operands; i++) {
      operands[n++] = link->operands[i];
    }
    numbers[NUMBERS * k] = link->a;
    numbers[NUMBERS * k + 1] = link->b;
    numbers[NUMBERS * k + 2] = link->by_tanh;
  }
  return tarei_attr_set_ints(node, TAREI_ATTR_CHAIN_OPERANDS, operands, n) &&
         tarei_attr_set_floats(node, TAREI_ATTR_CHAIN_PARAMETERS, numbers,
                               NUMBERS * chain->n_links);
}

static bool chain_write_slices(tarei_node *const node, const tarei_chain *const chain) {
  int64_t numbers[NUMBERS * TAREI_CHAIN_INPUTS];
  bool any = false;
  for (int i = 0; i < chain->n_inputs; i++) {
    const tarei_chain_slice *const s = &chain->slices[i];
    numbers[NUMBERS * i] = s->axis;
    numbers[NUMBERS * i + 1] = s->start;
    numbers[NUMBERS * i + 2] = s->length;
    any |= s->axis >= 0;
  }
  return !any ||
         tarei_attr_set_ints(node, TAREI_ATTR_CHAIN_SLICES, numbers, NUMBERS * chain->n_inputs);
}

bool tarei_chain_write(tarei_node *const node, const tarei_chain *const chain) {
  return chain_write_ops(node, chain) && chain_write_operands(node, chain) &&
         chain_write_slices(node, chain);
}
