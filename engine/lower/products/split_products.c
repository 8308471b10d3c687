#include "engine/lower/products/split_products.h"

#include "base/mem.h"

/* Pieces of rows stay in the second-level cache of a core. */
#define PIECES_BYTES ((size_t)1 << 20)
#define MOST_SPLIT_ROWS ((size_t)1024)

tarei_split_gemm_fn *tarei_split_kernel(const tare_dtype type, const tarei_kernels *const kernels) {
  return type == TARE_I8 && kernels->split_i8_isa       ? kernels->split_i8
         : type == TARE_BF16 && kernels->split_bf16_isa ? kernels->split_bf16
                                                        : NULL;
}

/* --- scratch: the pieces, then one panel ------------------------------------------------------ */

static size_t rows_at_once(const size_t k) {
  const size_t fitting = PIECES_BYTES / tarei_split_rows_size(1, k);
  return fitting < TAREI_SPLIT_HEIGHT ? TAREI_SPLIT_HEIGHT
         : fitting < MOST_SPLIT_ROWS  ? fitting
                                      : MOST_SPLIT_ROWS;
}

static size_t pieces_bytes(const size_t k) {
  return tarei_round_up(tarei_split_rows_size(rows_at_once(k), k), TAREI_ALIGN);
}

size_t tarei_split_scratch(const size_t k) {
  return tarei_plus(pieces_bytes(k), tarei_round_up(tarei_split_panel_size(k), TAREI_ALIGN));
}

/* --- products --------------------------------------------------------------------------------- */

/* The first of rows [first, first + m) that qualify; returns their number. */
static size_t multiply_split(const tarei_split_product *const p, const tarei_f32_gemm *const g,
                             const size_t first, const size_t m, const tarei_kernels *const kernels,
                             void *const scratch) {
  const size_t height = tarei_split_height(m);
  const tarei_split_rows rows = {.x = g->a + first * g->lda,
                                 .ldx = g->lda,
                                 .m = m,
                                 .k = g->k,
                                 .out = scratch,
                                 .height = height};
  const tarei_split_gemm product = {.a = scratch,
                                    .height = height,
                                    .m = kernels->split_rows(&rows),
                                    .k = g->k,
                                    .n = g->n,
                                    .b = p->b,
                                    .scale = p->scale,
                                    .ld_scale = p->ld_scale,
                                    .block = p->block,
                                    .widened = (void *)((char *)scratch + pieces_bytes(g->k)),
                                    .epilogue = tarei_epilogue_at(&g->epilogue, first, 0)};
  if (product.m) {
    p->multiply(&product);
  }
  return product.m;
}

/* The rows from `first` on that do not qualify. */
static size_t count_others(const tarei_f32_gemm *const g, const size_t first,
                           const tarei_kernels *const kernels, void *const scratch) {
  size_t m = 0;
  for (bool qualifies = false; !qualifies && first + m < g->m; m += !qualifies) {
    const tarei_split_rows row = {.x = g->a + (first + m) * g->lda,
                                  .ldx = g->lda,
                                  .m = 1,
                                  .k = g->k,
                                  .out = scratch,
                                  .height = 1};
    qualifies = kernels->split_rows(&row);
  }
  return m;
}

static void multiply_others(const tarei_split_product *const p, const tarei_f32_gemm *const g,
                            const size_t first, const size_t m) {
  tarei_f32_gemm others = *g;
  others.a = g->a + first * g->lda;
  others.m = m;
  others.epilogue = tarei_epilogue_at(&g->epilogue, first, 0);
  p->others(p->user, &others);
}

/* Blocks of nearly equal height. */
void tarei_split_multiply(const tarei_split_product *const p, const tarei_f32_gemm *const g,
                          const tarei_kernels *const kernels, void *const scratch) {
  const size_t most = rows_at_once(g->k);
  for (size_t first = 0; first < g->m;) {
    const size_t left = g->m - first, blocks = (left + most - 1) / most;
    const size_t m = (left + blocks - 1) / blocks;
    const size_t done = multiply_split(p, g, first, m, kernels, scratch);
    first += done;
    if (done < m) {
      const size_t others = count_others(g, first, kernels, scratch);
      multiply_others(p, g, first, others);
      first += others;
    }
  }
}
