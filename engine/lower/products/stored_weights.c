#include "engine/lower/products/stored_weights.h"

#include <stdlib.h>

#include "base/half.h"
#include "base/mem.h"
#include "engine/lower/products/int8_weights.h"
#include "engine/lower/products/split_products.h"

#define THIN_ROWS 32
#define WIDENED_BYTES ((size_t)256 << 10) /* stay in the second-level cache of a core */

/* --- sizes ----------------------------------------------------------------------------------- */

static size_t stored_columns(const tarei_float_weights *const s) {
  return tarei_round_up(s->n, TAREI_F32_PANEL);
}

static size_t all_columns(const tarei_float_weights *const s) {
  return s->groups * stored_columns(s);
}

static size_t weight_blocks(const tarei_float_weights *const s) {
  return (s->k + TAREI_WEIGHT_BLOCK - 1) / TAREI_WEIGHT_BLOCK;
}

/* Panels that are widened one behind the other, for the kernel to fetch the next while it
 * multiplies with one. */
static size_t panels_at_once(const tarei_float_weights *const s) {
  const size_t fitting = WIDENED_BYTES / (s->k * TAREI_F32_PANEL * sizeof(float) + 1);
  const size_t all = stored_columns(s) / TAREI_F32_PANEL;
  return fitting < 1 ? 1 : fitting < all ? fitting : all;
}

static size_t widened_floats(const tarei_float_weights *const s) {
  return tarei_round_up(panels_at_once(s) * s->k * TAREI_F32_PANEL, TAREI_ALIGN / sizeof(float));
}

size_t tarei_stored_scratch(const tarei_float_weights *const s) {
  const size_t widened = widened_floats(s) * sizeof(float);
  const size_t split = s->type == TARE_F16 ? 0 : tarei_split_scratch(s->k);
  return split > widened ? split : widened;
}

size_t tarei_stored_scales(const tarei_float_weights *const s) {
  return weight_blocks(s) * all_columns(s);
}

/* --- packing --------------------------------------------------------------------------------- */

/* Where weights are read. */
typedef struct weight_source {
  const float *w;
  bool transposed;
  const float *stated; /* [groups][n], scales of the model, or NULL */
} weight_source;

static void store_weight(void *const to, const size_t i, const tare_dtype type, const float w,
                         const float scale, const bool stated) {
  if (type == TARE_I8) {
    ((int8_t *)to)[i] = stated ? tarei_weight_stated(w, scale) : tarei_weight_quantize(w, scale);
  } else {
    ((uint16_t *)to)[i] = type == TARE_F16 ? tarei_float_to_f16(w) : tarei_float_to_bf16(w);
  }
}

/* A block of a column of a group, to its place in the panels; returns its scale. */
static float store_block(const tarei_float_weights *const s, const weight_source *const from,
                         const size_t group, const size_t column, const size_t begin,
                         void *const panels) {
  const size_t step = from->transposed ? 1 : s->n;
  const size_t n = s->k - begin < TAREI_WEIGHT_BLOCK ? s->k - begin : TAREI_WEIGHT_BLOCK;
  const float *const w =
      from->w + group * s->k * s->n + column * (from->transposed ? s->k : 1) + begin * step;
  const float scale = from->stated         ? from->stated[group * s->n + column]
                      : s->type == TARE_I8 ? tarei_weight_scale(w, n, step)
                                           : 1;
  const size_t panel = group * stored_columns(s) + column / TAREI_F32_PANEL * TAREI_F32_PANEL;
  const size_t first = panel * s->k + begin * TAREI_F32_PANEL + column % TAREI_F32_PANEL;
  for (size_t i = 0; i < n; i++) {
    store_weight(panels, first + i * TAREI_F32_PANEL, s->type, w[i * step], scale, from->stated);
  }
  return scale;
}

static void pack_stored(const tarei_float_weights *const s, const weight_source *const from,
                        void *const panels, float *const scales) {
  for (size_t b = 0; b < weight_blocks(s); b++) {
    for (size_t i = 0; i < s->groups * s->n; i++) {
      const float scale = store_block(s, from, i / s->n, i % s->n, b * TAREI_WEIGHT_BLOCK, panels);
      if (scales) {
        scales[b * all_columns(s) + i / s->n * stored_columns(s) + i % s->n] = scale;
      }
    }
  }
}

/* The weights are bytes with the scales of the model where it states them. */
static tare_status pack_byte_panels(const tarei_float_weights *const s,
                                    const tarei_step *const step, weight_source *const from,
                                    void *const panels, float *const scales,
                                    tare_error *const err) {
  float *const stated = tarei_calloc(s->groups * s->n, sizeof *stated);
  if (!stated) {
    return tarei_fail_memory(err, "scales of weights", s->groups * s->n);
  }
  from->stated = tarei_weight_scales_stated(step, s->groups * s->n, stated) ? stated : NULL;
  pack_stored(s, from, panels, scales);
  free(stated);
  return TARE_OK;
}

tare_status tarei_stored_pack(const tarei_float_weights *const w, const tarei_step *const step,
                              const float *const values, const bool transposed, void *const panels,
                              float *const scales, tare_error *const err) {
  weight_source from = {.w = values, .transposed = transposed};
  if (scales) {
    return pack_byte_panels(w, step, &from, panels, scales, err);
  }
  pack_stored(w, &from, panels, NULL);
  return TARE_OK;
}

size_t tarei_stored_list_scales(const tarei_float_weights *const s, float *const out) {
  const size_t n = s->groups * s->n;
  for (size_t i = 0; out && i < weight_blocks(s) * n; i++) {
    const size_t group = i % n / s->n, column = i % n % s->n;
    out[i] = s->scales[i / n * all_columns(s) + group * stored_columns(s) + column];
  }
  return weight_blocks(s) * n;
}

/* --- runs ------------------------------------------------------------------------------------ */

static tarei_widen_fn *widen_of(const tare_dtype type, const tarei_kernels *const kernels) {
  return type == TARE_I8    ? kernels->widen_i8
         : type == TARE_F16 ? kernels->widen_f16
                            : kernels->widen_bf16;
}

/* The panel that begins at a column of all groups. */
static void widen_panel(const tarei_float_weights *const s, const size_t column,
                        tarei_widen_fn *const widen, float *const widened) {
  const size_t block = s->scales ? TAREI_WEIGHT_BLOCK : s->k;
  const float *scale = s->scales ? s->scales + column : NULL;
  for (size_t i = 0; i < s->k; i += block) {
    const size_t n = s->k - i < block ? s->k - i : block;
    const size_t at = (column * s->k + i * TAREI_F32_PANEL) * tare_dtype_size(s->type);
    widen((const char *)s->packed + at, n, scale, widened + i * TAREI_F32_PANEL);
    scale = scale ? scale + all_columns(s) : NULL;
  }
}

/* Columns of all groups from `first` on, and what a thread multiplies with them. */
typedef struct stored_columns_job {
  const tarei_float_weights *weights;
  size_t first;
  const tarei_kernels *kernels;
  void *scratch;
} stored_columns_job;

static void multiply_thin(const stored_columns_job *const j, const tarei_f32_gemm *const g) {
  const tarei_float_weights *const s = j->weights;
  const tarei_thin_gemm thin = {.a = g->a,
                                .lda = g->lda,
                                .m = g->m,
                                .k = g->k,
                                .n = g->n,
                                .b = (const int8_t *)s->packed + j->first * s->k,
                                .scale = s->scales + j->first,
                                .ld_scale = all_columns(s),
                                .block = TAREI_WEIGHT_BLOCK,
                                .epilogue = g->epilogue};
  j->kernels->thin_i8(&thin);
}

static void multiply_widened(const stored_columns_job *const j, const tarei_f32_gemm *const g) {
  const tarei_float_weights *const s = j->weights;
  tarei_widen_fn *const widen = widen_of(s->type, j->kernels);
  const size_t columns = panels_at_once(s) * TAREI_F32_PANEL;
  float *const widened = j->scratch;
  for (size_t c = 0; c < g->n; c += columns) {
    tarei_f32_gemm some = *g;
    some.b = widened;
    some.n = g->n - c < columns ? g->n - c : columns;
    some.epilogue = tarei_epilogue_at(&g->epilogue, 0, c);
    for (size_t i = 0; i < some.n; i += TAREI_F32_PANEL) {
      widen_panel(s, j->first + c + i, widen, widened + i * s->k);
    }
    j->kernels->f32_gemm(&some);
  }
}

/* Few rows do not repay weights that go through memory as floats. */
static void multiply_as_floats(const void *const user, const tarei_f32_gemm *const g) {
  const stored_columns_job *const j = user;
  if (j->weights->type == TARE_I8 && g->m <= THIN_ROWS) {
    multiply_thin(j, g);
  } else {
    multiply_widened(j, g);
  }
}

void tarei_stored_gemm(const tarei_float_weights *const s, const size_t group, const size_t column,
                       const tarei_f32_gemm *const g, const tarei_kernels *const kernels,
                       void *const scratch) {
  const size_t first = group * stored_columns(s) + column;
  const stored_columns_job job = {s, first, kernels, scratch};
  const tarei_split_product split = {
      .multiply = tarei_split_kernel(s->type, kernels),
      .b = (const char *)s->packed + first * s->k * tare_dtype_size(s->type),
      .scale = s->scales ? s->scales + first : NULL,
      .ld_scale = all_columns(s),
      .block = TAREI_WEIGHT_BLOCK,
      .others = multiply_as_floats,
      .user = &job};
  if (split.multiply) {
    tarei_split_multiply(&split, g, kernels, scratch);
  } else {
    multiply_as_floats(&job, g);
  }
}

const char *tarei_stored_kernel(const tarei_float_weights *const s,
                                const tarei_kernels *const kernels) {
  return !tarei_split_kernel(s->type, kernels) ? kernels->f32_gemm_name
         : s->type == TARE_I8                  ? kernels->split_i8_name
                                               : kernels->split_bf16_name;
}
