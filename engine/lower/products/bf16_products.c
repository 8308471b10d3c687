#include "engine/lower/products/bf16_products.h"

#include <string.h>

#include "base/mem.h"
#include "engine/threads.h"

#define LEAST_ELEMENTS 16384             /* to be rounded: worth a thread's while */
#define BLOCK_BYTES ((size_t)256 * 1024) /* of rounded rows: they stay in L2 */
#define LEAST_ROWS 64
#define MOST_ROWS 1024

tare_status tarei_bf16_read(const tarei_node *const node, bool *const bf16, tare_error *const err) {
  const char *const compute = tarei_attr_string(node, TAREI_ATTR_COMPUTE, "fp32");
  *bf16 = strcmp(compute, "bf16") == 0;
  return *bf16 || strcmp(compute, "fp32") == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "attribute '%s': expected fp32 or bf16, got '%s'",
                          TAREI_ATTR_COMPUTE, compute);
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct bf16_conversion {
  const tarei_run *run;
  const float *x;
  size_t k;
  uint16_t *to;
} bf16_conversion;

size_t tarei_bf16_row(const size_t k) {
  return tarei_round_up(k, 2);
}

static void convert_range(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const bf16_conversion *const c = user;
  const size_t ld = tarei_bf16_row(c->k);
  c->run->kernels->to_bf16(c->x + first * c->k, c->k, end - first, c->k, c->to + first * ld, ld);
}

void tarei_bf16_rows(const tarei_run *const run, const float *const x, const size_t m,
                     const size_t k, uint16_t *const to) {
  const bf16_conversion c = {run, x, k, to};
  tarei_row_ranges(run, m, k, LEAST_ELEMENTS, convert_range, &c);
}

/* --- products --------------------------------------------------------------------------------- */

static size_t bf16_block_rows(const size_t k) {
  const size_t rows = BLOCK_BYTES / (tarei_bf16_row(k) * sizeof(uint16_t));
  return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

size_t tarei_bf16_scratch(const size_t k) {
  const size_t row = tarei_times(tarei_bf16_row(k), sizeof(uint16_t));
  const size_t least = tarei_times(row, LEAST_ROWS), most = tarei_times(row, MOST_ROWS);
  const size_t block = most < BLOCK_BYTES ? most : BLOCK_BYTES;
  return tarei_round_up(least > block ? least : block, TAREI_ALIGN);
}

/* Blocks of nearly equal height. */
void tarei_bf16_multiply(const tarei_f32_gemm *const g, const uint16_t *const packed,
                         const tarei_kernels *const kernels, void *const scratch) {
  uint16_t *const rows = scratch;
  const size_t most = bf16_block_rows(g->k), blocks = (g->m + most - 1) / most;
  const size_t ld = tarei_bf16_row(g->k);
  for (size_t i = 0; i < blocks; i++) {
    const size_t first = g->m * i / blocks, m = g->m * (i + 1) / blocks - first;
    kernels->to_bf16(g->a + first * g->lda, g->lda, m, g->k, rows, ld);
    const tarei_bf16_gemm product = {.a = rows,
                                     .lda = ld,
                                     .m = m,
                                     .k = g->k,
                                     .n = g->n,
                                     .b = packed,
                                     .epilogue = tarei_epilogue_at(&g->epilogue, first, 0)};
    kernels->bf16_gemm(&product);
  }
}
