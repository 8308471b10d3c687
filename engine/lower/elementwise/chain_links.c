#include "engine/lower/elementwise/chain_links.h"

#include "graph/op.h"

/* --- kernels ---------------------------------------------------------------------------------- */

static bool chain_links_binary(const tarei_op *const op, tarei_binary *const out) {
  static const struct {
    const tarei_op *op;
    tarei_binary binary;
  } rows[] = {
      {&tarei_op_add, TAREI_BINARY_ADD}, {&tarei_op_sub, TAREI_BINARY_SUB},
      {&tarei_op_mul, TAREI_BINARY_MUL}, {&tarei_op_div, TAREI_BINARY_DIV},
      {&tarei_op_min, TAREI_BINARY_MIN}, {&tarei_op_max, TAREI_BINARY_MAX},
      {&tarei_op_pow, TAREI_BINARY_POW}, {&tarei_op_prelu, TAREI_BINARY_PRELU},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].op == op) {
      *out = rows[i].binary;
      return true;
    }
  }
  return false;
}

static bool chain_links_function(const tarei_chain_link *const link, tarei_ready_link *const out) {
  out->combines = chain_links_binary(link->op, &out->binary);
  return out->combines ||
         tarei_pointwise_of(link->op->name, link->a, link->b, link->by_tanh, &out->function);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The last link that reads what link k makes. */
static int chain_links_last_use(const tarei_chain *const chain, const int k) {
  int last = k;
  for (int i = k + 1; i < chain->n_links; i++) {
    for (int o = 0; o < TAREI_CHAIN_OPERANDS; o++) {
      last = chain->links[i].operands[o] == chain->n_inputs + k ? i : last;
    }
  }
  return last;
}

/* A row that nobody reads after link k: it may be an operand of that, since kernels read an element
 * before they write it. */
static int chain_links_free_row(const tarei_chain *const chain, const tarei_chain_links *const out,
                                const int k) {
  for (int row = 0; row < out->n_rows; row++) {
    bool used = false;
    for (int i = 0; i < k; i++) {
      used |= out->links[i].row == row && chain_links_last_use(chain, i) > k;
    }
    if (!used) {
      return row;
    }
  }
  return out->n_rows;
}

tare_status tarei_chain_links_make(const tarei_chain *const chain, tarei_chain_links *const out,
                                   tare_error *const err) {
  *out = (tarei_chain_links){.n_inputs = chain->n_inputs, .n_links = chain->n_links};
  for (int k = 0; k < chain->n_links; k++) {
    const tarei_chain_link *const link = &chain->links[k];
    tarei_ready_link *const ready = &out->links[k];
    if (!chain_links_function(link, ready)) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "'%s' cannot be part of a chain", link->op->name);
    }
    for (int o = 0; o < TAREI_CHAIN_OPERANDS; o++) {
      const int operand = link->operands[o], before = operand - chain->n_inputs;
      ready->operands[o] = before >= 0 ? chain->n_inputs + out->links[before].row : operand;
    }
    ready->row = chain_links_free_row(chain, out, k);
    out->n_rows = ready->row < out->n_rows ? out->n_rows : ready->row + 1;
  }
  return TARE_OK;
}

/* --- a block ---------------------------------------------------------------------------------- */

static tarei_block_view chain_links_operand(const tarei_chain_links *const links, const int operand,
                                            const tarei_block_view *const inputs,
                                            float *const rows) {
  const int row = operand - links->n_inputs;
  return row < 0 ? inputs[operand] : (tarei_block_view){rows + (size_t)row * TAREI_BLOCK_FLOATS, 1};
}

/* Of one number for the whole block, it is the same for each element. */
static void chain_links_apply(const tarei_ready_link *const link,
                              const tarei_kernels *const kernels, const tarei_block_view x,
                              const size_t n, float *const out) {
  tarei_pointwise_run(&link->function, kernels, x.data, x.step ? n : 1, out);
  for (size_t i = 1; !x.step && i < n; i++) {
    out[i] = out[0];
  }
}

void tarei_chain_links_run(const tarei_chain_links *const links, const tarei_kernels *const kernels,
                           const tarei_block_view *const inputs, const size_t n, float *const rows,
                           float *const out) {
  for (int k = 0; k < links->n_links; k++) {
    const tarei_ready_link *const link = &links->links[k];
    float *const to = k + 1 < links->n_links ? rows + (size_t)link->row * TAREI_BLOCK_FLOATS : out;
    const tarei_block_view x = chain_links_operand(links, link->operands[0], inputs, rows);
    if (link->combines) {
      const tarei_block_view y = chain_links_operand(links, link->operands[1], inputs, rows);
      kernels->binary(link->binary, x.data, x.step, y.data, y.step, n, to);
    } else {
      chain_links_apply(link, kernels, x, n, to);
    }
  }
}

const char *tarei_chain_links_kernel(const tarei_chain_links *const links,
                                     const tarei_kernels *const kernels) {
  const tarei_ready_link *const last = &links->links[links->n_links - 1];
  return last->combines ? kernels->binary_name : tarei_pointwise_kernel(&last->function, kernels);
}
