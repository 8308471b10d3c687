#include "bench/products/onednn.h"

#include <oneapi/dnnl/dnnl.h>
#include <omp.h>
#include <stdlib.h>

#include "bench/pair.h"

struct onednn_product {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_desc_t description;
  dnnl_primitive_t primitive;
  dnnl_memory_t a, w, out;
};

void onednn_set_threads(const int n) {
  omp_set_num_threads(n);
#pragma omp parallel
  {
    const int core = omp_get_thread_num();
    if (core > 0) {
      bench_pin(core);
    }
  }
}

typedef struct shape {
  dnnl_dims_t a, w, out;
} shape;

static dnnl_memory_desc_t describe(const dnnl_dims_t dims, const dnnl_data_type_t type,
                                   const dnnl_format_tag_t tag) {
  dnnl_memory_desc_t d;
  (void)dnnl_memory_desc_init_by_tag(&d, 2, dims, type, tag); /* wrong ones are refused later */
  return d;
}

static dnnl_status_t choose(onednn_product *const p, const shape *const s,
                            const float *const scales) {
  const dnnl_memory_desc_t a = describe(s->a, dnnl_u8, dnnl_ab);
  const dnnl_memory_desc_t w = describe(s->w, dnnl_s8, dnnl_format_tag_any);
  const dnnl_memory_desc_t out = describe(s->out, dnnl_u8, dnnl_ab);
  dnnl_matmul_desc_t matmul;
  dnnl_primitive_attr_t attributes;
  if (dnnl_matmul_desc_init(&matmul, &a, &w, NULL, &out) != dnnl_success ||
      dnnl_primitive_attr_create(&attributes) != dnnl_success) {
    return dnnl_invalid_arguments;
  }
  dnnl_status_t status =
      dnnl_primitive_attr_set_output_scales(attributes, s->w[1], 1 << 1 /* by column */, scales);
  if (status == dnnl_success) {
    status = dnnl_primitive_desc_create(&p->description, &matmul, attributes, p->engine, NULL);
  }
  (void)dnnl_primitive_attr_destroy(attributes); /* nothing to do about it */
  return status;
}

/* Copies the weights into the layout that was chosen. */
static dnnl_status_t pack(onednn_product *const p, const shape *const s, int8_t *const w) {
  const dnnl_memory_desc_t plain = describe(s->w, dnnl_s8, dnnl_ab);
  const dnnl_memory_desc_t *const packed =
      dnnl_primitive_desc_query_md(p->description, dnnl_query_weights_md, 0);
  dnnl_memory_t from = NULL;
  dnnl_primitive_desc_t description = NULL;
  dnnl_primitive_t reorder = NULL;
  dnnl_status_t status = dnnl_memory_create(&from, &plain, p->engine, w);
  status = status ? status : dnnl_memory_create(&p->w, packed, p->engine, DNNL_MEMORY_ALLOCATE);
  status = status ? status
                  : dnnl_reorder_primitive_desc_create(&description, &plain, p->engine, packed,
                                                       p->engine, NULL);
  status = status ? status : dnnl_primitive_create(&reorder, description);
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, p->w}};
  status = status ? status : dnnl_primitive_execute(reorder, p->stream, 2, arguments);
  status = status ? status : dnnl_stream_wait(p->stream);
  (void)dnnl_primitive_destroy(reorder);
  (void)dnnl_primitive_desc_destroy(description);
  (void)dnnl_memory_destroy(from);
  return status;
}

static dnnl_status_t make(onednn_product *const p, const shape *const s, uint8_t *const a,
                          int8_t *const w, const float *const scales, uint8_t *const out) {
  const dnnl_memory_desc_t rows = describe(s->a, dnnl_u8, dnnl_ab);
  const dnnl_memory_desc_t results = describe(s->out, dnnl_u8, dnnl_ab);
  dnnl_status_t status = dnnl_engine_create(&p->engine, dnnl_cpu, 0);
  status = status ? status : dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags);
  status = status ? status : choose(p, s, scales);
  status = status ? status : pack(p, s, w);
  status = status ? status : dnnl_memory_create(&p->a, &rows, p->engine, a);
  status = status ? status : dnnl_memory_create(&p->out, &results, p->engine, out);
  return status ? status : dnnl_primitive_create(&p->primitive, p->description);
}

onednn_product *onednn_product_new(const size_t m, const size_t k, const size_t n, uint8_t *const a,
                                   int8_t *const w, const float *const scales, uint8_t *const out) {
  onednn_product *const p = calloc(1, sizeof *p);
  const shape s = {.a = {(dnnl_dim_t)m, (dnnl_dim_t)k},
                   .w = {(dnnl_dim_t)k, (dnnl_dim_t)n},
                   .out = {(dnnl_dim_t)m, (dnnl_dim_t)n}};
  if (p && make(p, &s, a, w, scales, out) != dnnl_success) {
    onednn_product_free(p);
    return NULL;
  }
  return p;
}

void onednn_product_free(onednn_product *const p) {
  if (p) { /* what was not made is NULL, which these refuse without harm */
    (void)dnnl_primitive_destroy(p->primitive);
    (void)dnnl_primitive_desc_destroy(p->description);
    (void)dnnl_memory_destroy(p->a);
    (void)dnnl_memory_destroy(p->w);
    (void)dnnl_memory_destroy(p->out);
    (void)dnnl_stream_destroy(p->stream);
    (void)dnnl_engine_destroy(p->engine);
    free(p);
  }
}

void onednn_product_run(void *const product) {
  const onednn_product *const p = product;
  const dnnl_exec_arg_t arguments[] = {
      {DNNL_ARG_SRC, p->a}, {DNNL_ARG_WEIGHTS, p->w}, {DNNL_ARG_DST, p->out}};
  (void)dnnl_primitive_execute(p->primitive, p->stream, 3, arguments); /* it was tried before */
  (void)dnnl_stream_wait(p->stream);
}
