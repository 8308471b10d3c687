/* oneDNN as a peer for int8 products; built where version 2 of it is installed. */
#ifndef TAREI_BENCH_PRODUCTS_ONEDNN_H
#define TAREI_BENCH_PRODUCTS_ONEDNN_H

#include <stddef.h>
#include <stdint.h>

typedef struct onednn_product onednn_product;

/* u8 rows times s8 weights to u8 with a scale for each column; the weights are put into the
 * library's own layout first. NULL when the library refuses. */
onednn_product *onednn_product_new(size_t m, size_t k, size_t n, uint8_t *a, int8_t *w,
                                   const float *scales, uint8_t *out);
void onednn_product_free(onednn_product *p); /* NULL is fine */

/* For all products made later; all threads but the first stay on a core each. */
void onednn_set_threads(int n);

/* A bench_work_fn. */
void onednn_product_run(void *product);

#endif
