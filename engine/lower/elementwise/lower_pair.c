/* Operators of two operands of any type that have no float kernel: comparisons, logic, bits, Mod.
 */
#include <string.h>

#include "engine/lower/elementwise/divisor.h"
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/operands.h"

typedef struct pair_state {
  tarei_pair_row_fn *function;
  bool divides;
} pair_state;

typedef struct pair_job {
  tarei_pair_row_fn *function;
  const char *a, *b;
  char *out;
  size_t size, out_size; /* of an element */
} pair_job;

static void row(const void *const user, const tarei_broadcast *const b, const size_t at,
                const size_t *const offset) {
  const pair_job *const j = user;
  j->function(j->a + offset[0] * j->size, b->step[0], j->b + offset[1] * j->size, b->step[1], b->n,
              j->out + at * j->out_size);
}

static tare_status prepare_pair(tarei_step *const step, const tarei_pair pair,
                                tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  pair_state *const s = step->state;
  s->function = step->kernels->pair(pair, dtype);
  s->divides = pair == TAREI_PAIR_MOD || pair == TAREI_PAIR_FMOD;
  return s->function ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status pair_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  const pair_state *const s = step->state;
  tarei_broadcast layout;
  TAREI_TRY(tarei_broadcast_read(r->in, 2, r->out[0], &layout, err));
  if (s->divides) {
    TAREI_TRY(tarei_want_divisor(step, r, 1, err));
  }
  const pair_job j = {.function = s->function,
                      .a = r->in[0]->data,
                      .b = r->in[1]->data,
                      .out = r->out[0]->data,
                      .size = tare_dtype_size(r->in[0]->dtype),
                      .out_size = tare_dtype_size(r->out[0]->dtype)};
  tarei_broadcast_run(&layout, r, row, &j);
  return TARE_OK;
}

TAREI_KERNEL_OF(pair_kernel, pair)

static tarei_pair remainder_of(const tarei_node *const node) {
  return tarei_attr_int(node, "fmod", 0) == 1 ? TAREI_PAIR_FMOD : TAREI_PAIR_MOD;
}

static tarei_pair shift_of(const tarei_node *const node) {
  const bool left = strcmp(tarei_attr_string(node, "direction", ""), "LEFT") == 0;
  return left ? TAREI_PAIR_SHIFT_LEFT : TAREI_PAIR_SHIFT_RIGHT;
}

#define PAIR(id, pair)                                                              \
  static tare_status prepare_##id(tarei_step *const step, tarei_blobs *const blobs, \
                                  tare_error *const err) {                          \
    (void)blobs;                                                                    \
    return prepare_pair(step, pair, err);                                           \
  }                                                                                 \
  const tarei_lowering tarei_lower_##id = {.state_bytes = sizeof(pair_state),       \
                                           .prepare = prepare_##id,                 \
                                           .run = pair_run,                         \
                                           .kernel = pair_kernel};

PAIR(and, TAREI_PAIR_AND)
PAIR(bit_shift, shift_of(step->node))
PAIR(bitwise_and, TAREI_PAIR_BITWISE_AND)
PAIR(bitwise_or, TAREI_PAIR_BITWISE_OR)
PAIR(bitwise_xor, TAREI_PAIR_BITWISE_XOR)
PAIR(equal, TAREI_PAIR_EQUAL)
PAIR(greater, TAREI_PAIR_GREATER)
PAIR(greater_or_equal, TAREI_PAIR_GREATER_OR_EQUAL)
PAIR(less, TAREI_PAIR_LESS)
PAIR(less_or_equal, TAREI_PAIR_LESS_OR_EQUAL)
PAIR(mod, remainder_of(step->node))
PAIR(or, TAREI_PAIR_OR)
PAIR(xor, TAREI_PAIR_XOR)
