/*
 * Batched products of two activations, A [..., M, K] x B [..., K, N], leading dims broadcast. The
 * work is cut into items of one batch and a range of rows. A thread packs B into its scratch where
 * the item before needed another.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_PRODUCTS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_PRODUCTS_H

#include "engine/step.h"

typedef struct tarei_product {
  size_t batch, m, k, n;
  bool trans_b;  /* B is [..., N, K] */
  int n_leading; /* leading dims of the output */
  int64_t leading[TARE_MAX_RANK];
  size_t a_step[TARE_MAX_RANK], b_step[TARE_MAX_RANK]; /* matrices to skip per leading dim */
} tarei_product;

/* From the dims of the operands; a 1-D A is one row, a 1-D B one column. Scratch is asked for by
 * these sizes, so they do not depend on whether the operands agree. */
void tarei_product_read(const tare_tensor *a, const tare_tensor *b, bool trans_b,
                        tarei_product *out);

/* Checks that the operands agree and that the output has room for their product. */
tare_status tarei_product_check(const tarei_product *p, const tare_tensor *a, const tare_tensor *b,
                                const tare_tensor *out, tare_error *err);

/* Makes one of leading dims that both operands go through evenly, and where the last of them reads
 * the same B, rows of A. */
void tarei_product_join(tarei_product *p);

/* One item: rows [first, first + m) of output matrix `batch` from matrix a of A. `packed` is what
 * the thread's scratch holds. */
typedef struct tarei_product_rows {
  size_t batch, a, first, m;
} tarei_product_rows;

typedef struct tarei_product_form {
  size_t per_thread; /* bytes of scratch that `pack` fills */
  void (*pack)(const void *user, const tarei_product *p, size_t b, void *packed);
  void (*rows)(const void *user, const tarei_product *p, const tarei_product_rows *rows,
               void *packed);
} tarei_product_form;

/* Bytes of scratch of all threads. */
size_t tarei_product_scratch(const tarei_product_form *form, int threads);

void tarei_product_run(const tarei_product *p, const tarei_run *run, const tarei_product_form *form,
                       const void *user);

#endif
