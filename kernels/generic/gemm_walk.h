/* The order in which a matrix product visits its blocks. */
#ifndef TAREI_KERNELS_GENERIC_GEMM_WALK_H
#define TAREI_KERNELS_GENERIC_GEMM_WALK_H

#include "kernels/generic/epilogue.h"

enum {
  GEMM_PANEL = 32,
  GEMM_A_BYTES = 384 * 1024, /* rows that stay in L2 */
  GEMM_B_BYTES = 8 * 1024,   /* panels that stay in L1 beside rows of the output */
  GEMM_THIN_BYTES = 64,      /* rows with less work than their output has traffic */
};

/* The heights of blocks; the last are those by one panel that 32 registers hold. */
#define GEMM_HEIGHTS_TO_6(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define GEMM_HEIGHTS_TO_8(X) GEMM_HEIGHTS_TO_6(X) X(7) X(8)
#define GEMM_EACH_HEIGHT(X) GEMM_HEIGHTS_TO_8(X) X(9) X(10) X(11) X(12) X(13) X(14)

/* Computes rows [m0, m0 + rows) of one panel (or of the few the block was made for). */
typedef void gemm_block_fn(const void *gemm, size_t m0, size_t panel);

typedef struct gemm_walk {
  const void *gemm;
  size_t m, panels, row_bytes, max_rows;
  gemm_block_fn *const *by_rows; /* [rows - 1] */
  size_t panels_at_once;         /* what the blocks were made for */
  size_t first_panel;            /* of `panels` */
} gemm_walk;

static inline size_t gemm_walk_row_blocks(const gemm_walk *w) {
  return (w->m + w->max_rows - 1) / w->max_rows;
}

static inline bool gemm_walk_keeps_panels(const gemm_walk *w) {
  const size_t panels = w->panels - w->first_panel;
  return panels > w->panels_at_once && w->row_bytes <= GEMM_THIN_BYTES &&
         w->row_bytes * GEMM_PANEL * panels <= GEMM_B_BYTES;
}

static inline size_t gemm_walk_groups(const gemm_walk *w) {
  const size_t fitting = GEMM_A_BYTES / (w->row_bytes * w->max_rows + 1);
  const size_t in_group = fitting && !gemm_walk_keeps_panels(w) ? fitting : 1;
  return (gemm_walk_row_blocks(w) + in_group - 1) / in_group;
}

/* Rows are cut into blocks of nearly equal height, and blocks into groups whose rows stay in L2
 * while all panels pass. Where rows are thin and the panels stay in L1, a block is a group of its
 * own: the rows of the output are written one after the other. */
static inline void gemm_walk_blocks(const gemm_walk *w) {
  const size_t blocks = gemm_walk_row_blocks(w);
  const size_t groups = gemm_walk_groups(w);
  for (size_t group = 0; group < groups; group++) {
    const size_t first = blocks * group / groups;
    const size_t end = blocks * (group + 1) / groups;
    for (size_t p = w->first_panel; p < w->panels; p += w->panels_at_once) {
      for (size_t q = first; q < end; q++) {
        const size_t m0 = w->m * q / blocks;
        const size_t m1 = w->m * (q + 1) / blocks;
        w->by_rows[m1 - m0 - 1](w->gemm, m0, p);
      }
    }
  }
}

TAREI_INLINE tarei_tile gemm_tile(const float *values, size_t m0, size_t rows, size_t n,
                                  size_t panel) {
  const size_t n0 = panel * GEMM_PANEL;
  return (tarei_tile){.values = values,
                      .ld = GEMM_PANEL,
                      .m0 = m0,
                      .rows = rows,
                      .n0 = n0,
                      .cols = n - n0 < GEMM_PANEL ? n - n0 : GEMM_PANEL};
}

#endif
