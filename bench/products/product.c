#include "bench/products/product.h"

#include <stdlib.h>

const size_t bench_product_sizes[BENCH_PRODUCT_SIZES][2] = {
    {256, 256}, {256, 1024}, {1024, 256}, {512, 2048},
    {768, 768}, {768, 3072}, {3072, 768}, {1024, 4096}};

void bench_run_product(void *context) {
  const bench_product *const p = context;
  p->run(&p->gemm);
}

bench_operands bench_operands_new(size_t m, size_t k, size_t n) {
  const size_t padded = (n + TAREI_I8_PANEL - 1) / TAREI_I8_PANEL * TAREI_I8_PANEL;
  bench_operands o = {.a = bench_allocate(m * k + 4),
                      .out = bench_allocate(m * n),
                      .w = bench_allocate(k * n),
                      .packed = bench_allocate(tarei_i8_packed_size(k, n)),
                      .add = bench_allocate(padded * sizeof *o.add),
                      .mult = bench_allocate(n * sizeof *o.mult),
                      .bias = bench_allocate(n * sizeof *o.bias),
                      .row_mult = bench_allocate(m * sizeof *o.row_mult)};
  for (size_t i = 0; i < m * k; i++) {
    o.a[i] = (uint8_t)(i * 7);
  }
  for (size_t i = 0; i < k * n; i++) {
    o.w[i] = (int8_t)(i * 13);
  }
  for (size_t i = 0; i < n; i++) {
    o.mult[i] = 1e-4f;
    o.bias[i] = 0.5f;
  }
  for (size_t i = 0; i < m; i++) {
    o.row_mult[i] = 1.25f;
  }
  tarei_i8_pack(o.w, n, false, k, n, o.packed, o.add);
  return o;
}

void bench_operands_free(bench_operands *o) {
  free(o->a);
  free(o->out);
  free(o->w);
  free(o->packed);
  free(o->add);
  free(o->mult);
  free(o->bias);
  free(o->row_mult);
}

bench_product bench_product_of(const tarei_kernels *kernels, const bench_operands *o, size_t m,
                               size_t k, size_t n, size_t from, size_t to) {
  return (bench_product){kernels->i8_gemm,
                         {.a = o->a,
                          .lda = k,
                          .m = m,
                          .k = k,
                          .n = to - from,
                          .b = o->packed + tarei_i8_packed_size(k, from),
                          .add = o->add + from,
                          .epilogue = {.mult = o->mult + from,
                                       .out_u8 = o->out + from,
                                       .ld_u8 = n,
                                       .inv_scale = 1.0f,
                                       .zero_point = 128}}};
}

bench_product bench_product_by_rows(const bench_product *product, const bench_operands *o) {
  bench_product rows = *product;
  rows.gemm.epilogue.bias = o->bias;
  rows.gemm.epilogue.row_mult = o->row_mult;
  return rows;
}
