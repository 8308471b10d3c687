/* Steps of linear attention, instantiated once per ISA. A block of columns stays in the first cache
 * while its rows are recalled and then read. */
#include "kernels/generic/v16.h"

enum { LINEAR_STEP_VECTORS = 4 };

/* Columns at hand. */
typedef struct linear_step_block {
  const tarei_linear_step *s;
  size_t first, n; /* columns, and vectors of them */
} linear_step_block;

TAREI_INLINE size_t linear_step_left(const linear_step_block *b, size_t v) {
  return lanes_left(b->first + v * TAREI_LANES, b->s->width);
}

/* The state scaled; and what is added to it for each element of k, in `change`. */
TAREI_INLINE void linear_step_recall(const linear_step_block *b, v16 *change) {
  const tarei_linear_step *const s = b->s;
  for (size_t v = 0; v < b->n; v++) {
    change[v] = v_set1(0.0f);
  }
  for (size_t i = 0; (s->decay || s->delta) && i < s->depth; i++) {
    float *const row = s->state + i * s->width + b->first;
    const v16 k = v_set1(s->k[i]), factor = v_set1(s->decay ? s->decay[i * s->decay_stride] : 1.0f);
    for (size_t v = 0; v < b->n; v++) {
      const size_t left = linear_step_left(b, v);
      const v16 x = v_mul(v_load_n(row + v * TAREI_LANES, left), factor);
      v_store_n(row + v * TAREI_LANES, x, left);
      change[v] = v_fma(x, k, change[v]);
    }
  }
  for (size_t v = 0; v < b->n; v++) {
    const v16 value = v_load_n(s->v + b->first + v * TAREI_LANES, linear_step_left(b, v));
    change[v] = v_mul(v_set1(s->beta), s->delta ? v_sub(value, change[v]) : value);
  }
}

/* The state with k . change, and its product with a query; without `change` the product alone. */
TAREI_INLINE void linear_step_read(const linear_step_block *b, const v16 *change, size_t query) {
  const tarei_linear_step *const s = b->s;
  v16 sums[LINEAR_STEP_VECTORS];
  for (size_t v = 0; v < b->n; v++) {
    sums[v] = v_set1(0.0f);
  }
  for (size_t i = 0; i < s->depth; i++) {
    float *const row = s->state + i * s->width + b->first;
    const v16 k = v_set1(s->k[i]), q = v_set1(s->q[query * s->depth + i]);
    for (size_t v = 0; v < b->n; v++) {
      const size_t left = linear_step_left(b, v);
      v16 x = v_load_n(row + v * TAREI_LANES, left);
      if (change) {
        x = v_fma(k, change[v], x);
        v_store_n(row + v * TAREI_LANES, x, left);
      }
      sums[v] = v_fma(q, x, sums[v]);
    }
  }
  for (size_t v = 0; v < b->n; v++) {
    v_store_n(s->out + query * s->width + b->first + v * TAREI_LANES,
              v_mul(sums[v], v_set1(s->scale)), linear_step_left(b, v));
  }
}

void TAREI_K(tarei_k_linear_step_f32_16)(const tarei_linear_step *s) {
  for (size_t c = 0; c < s->width; c += LINEAR_STEP_VECTORS * TAREI_LANES) {
    const size_t vectors = (s->width - c + TAREI_LANES - 1) / TAREI_LANES;
    const linear_step_block b = {s, c,
                                 vectors < LINEAR_STEP_VECTORS ? vectors : LINEAR_STEP_VECTORS};
    v16 change[LINEAR_STEP_VECTORS];
    linear_step_recall(&b, change);
    linear_step_read(&b, change, 0);
    for (size_t query = 1; query < s->queries; query++) {
      linear_step_read(&b, NULL, query);
    }
  }
}
