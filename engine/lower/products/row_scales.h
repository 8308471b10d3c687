/*
 * Float activations of int8 layers, quantized when the layer runs. A row (a token, a convolution's
 * window) becomes bytes by its own largest magnitude, so that quiet rows keep their bits beside
 * loud ones, and the product's epilogue multiplies it by its scale. Or it becomes 16 bits, as two
 * planes of bytes, by a scale of its own or that of the tensor.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_ROW_SCALES_H
#define TAREI_ENGINE_LOWER_PRODUCTS_ROW_SCALES_H

#include "engine/step.h"

typedef struct tarei_row_form {
  bool sixteen;       /* bits */
  float scale;        /* of all rows, of 16 bits only; 0: each row has its own */
  int32_t zero_point; /* of rows of 8 bits: TAREI_SYMMETRIC, or 0 where nothing is below zero */
  int32_t offset;     /* of 16 bits: what 0 becomes, -32768..32767 */
} tarei_row_form;

/* That of the rows which a layer makes of its float input. */
int32_t tarei_float_rows_zero_point(const tarei_node *layer);

/* Rows as bytes, lda apart. */
typedef struct tarei_row_bytes {
  uint8_t *upper, *lower; /* `lower` only with 16 bits */
  size_t lda;
  float *scales;      /* NULL where all rows have one */
  const int32_t *add; /* what is added to products where it is known at run time only; or NULL */
} tarei_row_bytes;

/* Bytes from row to row of k elements. */
size_t tarei_row_bytes_stride(size_t k);

/* Memory of m rows, and what stands where in it; aligned. */
size_t tarei_row_bytes_size(tarei_row_form form, size_t m, size_t lda);
tarei_row_bytes tarei_row_bytes_in(tarei_row_form form, void *memory, size_t m, size_t lda);
/* The same rows from row `first` on. */
tarei_row_bytes tarei_row_bytes_from(const tarei_row_bytes *rows, size_t first);

/* Quantizes m rows of k floats, ldx elements apart. */
void tarei_row_bytes_fill(tarei_row_form form, const tarei_row_bytes *rows, const float *x,
                          size_t ldx, size_t m, size_t k, const tarei_kernels *kernels);

/* Runs an int8 product on the rows: a, lda and row_mult are set here, everything else of `product`
 * stands. `sums` is for the size of tarei_row_sums_size. */
void tarei_row_bytes_gemm(const tarei_row_bytes *rows, const tarei_i8_gemm *product,
                          const tarei_kernels *kernels, void *sums);
size_t tarei_row_sums_size(tarei_row_form form);

/* Scratch bytes of all threads for rows of k elements. */
size_t tarei_row_scales_scratch(tarei_row_form form, size_t k, int threads);

/* Quantizes and multiplies m rows of float by blocks: a, lda, m and row_mult of each block are set
 * here, everything else of `product` stands, its epilogue for the first row. scratch is that of all
 * threads, of which `thread` takes its part. */
void tarei_row_scales_gemm(tarei_row_form form, const tarei_i8_gemm *product, const float *x,
                           size_t ldx, size_t m, const tarei_kernels *kernels, void *scratch,
                           int thread);

#endif
