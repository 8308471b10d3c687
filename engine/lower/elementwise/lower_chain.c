/*
 * Chain: elementwise operators on floats as one step.
 *
 * Each thread takes blocks of the output and computes all links for one of them before it goes on
 * to the next, with the kernels that the operators have by themselves: the results are the same
 * bits, and what is between the links is in the first cache.
 */
#include "engine/lower/elementwise/chain_links.h"
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/fused.h"
#include "engine/threads.h"

#define LEAST_ELEMENTS ((size_t)1 << 13) /* worth a thread's while */

typedef struct chain_state {
  tarei_fused fused;
  tarei_chain_links links;
  tarei_chain_slice slices[TAREI_CHAIN_INPUTS];
} chain_state;

typedef struct chain_job {
  const chain_state *state;
  const tarei_run *run;
  tarei_epilogue to;
  tarei_block_operand inputs[TAREI_CHAIN_INPUTS];
  tarei_blocks blocks;
  size_t total; /* elements of the output */
} chain_job;

static tare_status chain_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                 tare_error *const err) {
  (void)blobs;
  chain_state *const s = step->state;
  tarei_chain chain;
  for (int i = 0; i < step->node->n_in; i++) {
    TAREI_TRY(tarei_want_float(step, i, err));
  }
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  TAREI_TRY(tarei_chain_read(step->node, &chain, err));
  for (int i = 0; i < chain.n_inputs; i++) {
    s->slices[i] = chain.slices[i];
  }
  return tarei_chain_links_make(&chain, &s->links, err);
}

/* Of a thread: the rows of the links, one more where the output is bytes, and copies of inputs. */
static size_t chain_thread_bytes(const chain_state *const s) {
  const int rows = s->links.n_rows + 1 + s->links.n_inputs;
  return (size_t)rows * TAREI_BLOCK_FLOATS * sizeof(float);
}

static size_t chain_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                            const tare_tensor *const *const out, const int threads) {
  (void)in;
  (void)out;
  return (size_t)threads * chain_thread_bytes(step->state);
}

/* Elements [at, at + n). */
static void chain_block(const chain_job *const j, const size_t at, const size_t n,
                        float *const rows) {
  const tarei_chain_links *const links = &j->state->links;
  float *const row = rows + (size_t)links->n_rows * TAREI_BLOCK_FLOATS;
  float *const copies = row + TAREI_BLOCK_FLOATS;
  float *const out = j->to.out_f32 ? j->to.out_f32 + at : row;
  tarei_block_view views[TAREI_CHAIN_INPUTS];
  for (int i = 0; i < links->n_inputs; i++) {
    views[i] =
        tarei_block_operand_view(&j->inputs[i], at, n, copies + (size_t)i * TAREI_BLOCK_FLOATS);
  }
  tarei_chain_links_run(links, j->run->kernels, views, n, rows, out);
  if (j->to.out_u8) {
    j->run->kernels->quantize(out, n, j->to.inv_scale, j->to.zero_point, j->to.out_u8 + at);
  }
}

static void chain_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  const chain_job *const j = user;
  const tarei_chain_links *const links = &j->state->links;
  const tarei_blocks *const b = &j->blocks;
  float *const rows = tarei_thread_scratch(j->run, thread, chain_thread_bytes(j->state));
  float *const copies = rows + (size_t)(links->n_rows + 1) * TAREI_BLOCK_FLOATS;
  for (int i = 0; i < links->n_inputs; i++) {
    tarei_block_operand_begin(&j->inputs[i], j->total, copies + (size_t)i * TAREI_BLOCK_FLOATS);
  }
  for (size_t i = first; i < end; i++) {
    const size_t begin = i % b->per_row * b->size, left = b->row - begin;
    chain_block(j, i / b->per_row * b->row + begin, left < b->size ? left : b->size, rows);
  }
}

static tare_status chain_run(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const chain_state *const s = step->state;
  chain_job j = {.state = s,
                 .run = r,
                 .to = tarei_fused_epilogue(&s->fused, step, r, NULL, 0),
                 .total = (size_t)tare_tensor_count(r->out[0])};
  for (int i = 0; i < s->links.n_inputs; i++) {
    TAREI_TRY(tarei_block_operand_read(r->in[i], &s->slices[i], r->out[0], &j.inputs[i], err));
  }
  if (j.total == 0) {
    return TARE_OK;
  }
  j.blocks = tarei_blocks_of(j.inputs, s->links.n_inputs, j.total);
  tarei_row_ranges(r, j.blocks.rows * j.blocks.per_row, j.blocks.size, LEAST_ELEMENTS, chain_range,
                   &j);
  return TARE_OK;
}

/* The last link reads an element before it writes the one in its place. */
static bool chain_overwrites(const tarei_step *const step, const int input) {
  const chain_state *const s = step->state;
  return s->slices[input].axis < 0 && tarei_overwrites_alike(step, input);
}

static const char *chain_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return tarei_chain_links_kernel(&((const chain_state *)step->state)->links, k);
}

const tarei_lowering tarei_lower_chain = {.state_bytes = sizeof(chain_state),
                                          .prepare = chain_prepare,
                                          .scratch = chain_scratch,
                                          .run = chain_run,
                                          .overwrites = chain_overwrites,
                                          .kernel = chain_kernel};
