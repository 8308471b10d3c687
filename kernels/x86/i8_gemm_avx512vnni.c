/* u8 x s8 by vpdpbusd: up to 14 rows by 32 columns in registers, K never cut. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__) || !defined(__AVX512VNNI__)
#error "needs AVX-512 F, BW, VL, DQ and VNNI"
#endif
#include <immintrin.h>
#include <string.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/generic/row_cursor.h"
#include "kernels/x86/i8_bytes.h"
#include "kernels/x86/i8_finish.h"
#include "kernels/x86/i8_registers.h"
#include "kernels/x86/i8_thin.h"

enum {
  NARROW = 8,          /* columns of the last vector, at most, that half of it holds */
  MAX_ROWS = 14,       /* by one panel */
  MAX_ROWS_PAIRED = 6, /* by two panels, which take fewer loads */
  MAX_ROWS_CUT = 8,    /* by one panel and half of the last */
  FEWEST_ROWS_PAIRED = 5,
  MAX_PANELS = 4,
  STEP = GEMM_PANEL * 4, /* bytes of a panel for four k */
  NEAR_BYTES = 8192,     /* how far ahead one block follows its own panels */
  SHARED_FETCHES = 4,    /* in two steps */
};

/* What the blocks of one call share. */
typedef struct vnni_product {
  const tarei_i8_gemm *gemm;
  tarei_i8_finish_fn *finish;
  i8_form form; /* in which registers finish most blocks */
  byte_bounds bounds;
  v16 row_mult;  /* the rows' largest, or 1 */
  size_t groups; /* of rows, which see all panels one after the other */
  size_t parts;  /* of a row */
  size_t steps;  /* of a part */
  size_t skip;   /* from the end of a part to the next */
} vnni_product;

/* Four k, `ahead` steps beyond the place of the cursors. */
TAREI_STEP void vnni_step(i8_sums *s, const row_cursor *a, const int8_t *b, size_t panel_bytes,
                          const size_t ahead, const size_t rows, const size_t vectors,
                          const bool narrow, const bool near) {
  __m512i w[2 * MAX_PANELS];
#pragma GCC unroll 8
  for (size_t q = 0; q < vectors; q++) {
    const int8_t *const at = b + q / 2 * panel_bytes + q % 2 * 64 + ahead * STEP;
    w[q] = narrow && q + 1 == vectors
               ? _mm512_castsi256_si512(_mm256_load_si256((const __m256i *)at))
               : _mm512_load_si512(at);
    if (near) {
      _mm_prefetch((const char *)at + NEAR_BYTES, _MM_HINT_T0);
    }
  }
#pragma GCC unroll 14
  for (size_t i = 0; i < rows; i++) {
    int32_t four;
    memcpy(&four, (const char *)row_cursor_row(a, i) + 4 * ahead, sizeof four);
    const __m512i x = _mm512_set1_epi32(four);
#pragma GCC unroll 8
    for (size_t q = 0; q < vectors; q++) {
      if (narrow && q + 1 == vectors) {
        I8_DOT_NARROW(s->v[i * vectors + q], x, w[q]);
      } else {
        I8_DOT(s->v[i * vectors + q], x, w[q]);
      }
    }
  }
}

/* Everything else passes through memory, so that one routine serves blocks of all heights. */
TAREI_INLINE void vnni_put_any(const i8_sums *s, const vnni_product *p, size_t m0, size_t panel,
                               const size_t rows, const size_t vectors) {
  _Alignas(64) int32_t out[2 * I8_MOST_VECTORS * 16];
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * vectors; i++) {
    const size_t row = i / vectors;
    const size_t q = i % vectors;
    _mm512_store_si512(out + ((q / 2 * rows + row) * 2 + q % 2) * 16, s->v[i]);
    if (vectors % 2 && q + 1 == vectors) {
      _mm512_store_si512(out + ((q / 2 * rows + row) * 2 + 1) * 16, _mm512_setzero_si512());
    }
  }
  for (size_t q = 0; q < (vectors + 1) / 2; q++) {
    p->finish(p->gemm, out + q * rows * GEMM_PANEL, m0, rows, panel + q);
  }
}

TAREI_INLINE void vnni_put(const i8_sums *s, const vnni_product *p, size_t m0, size_t panel,
                           const size_t rows, const size_t vectors, const i8_form form) {
  const tarei_i8_gemm *const g = p->gemm;
  if (form == I8_BYTES) {
    i8_put_bytes(s, g, p->bounds, m0, panel, rows, vectors, I8_BYTES);
  } else if (form == I8_BYTES_BY_ROWS) {
    i8_put_bytes(s, g, p->bounds, m0, panel, rows, vectors, I8_BYTES_BY_ROWS);
  } else if (form == I8_BYTES_SCALED) {
    i8_put_bytes(s, g, p->bounds, m0, panel, rows, vectors, I8_BYTES_SCALED);
  } else if (form == I8_FLOATS) {
    i8_put_floats(s, g, m0, panel, rows, vectors, false);
  } else if (form == I8_FLOATS_AND_RESIDUAL) {
    i8_put_floats(s, g, m0, panel, rows, vectors, true);
  } else {
    vnni_put_any(s, p, m0, panel, rows, vectors);
  }
}

/* While some panels are multiplied, the next are brought from beyond L2. Each block of a group of
 * rows fetches its share, so that none waits for memory and nothing is fetched twice. */
typedef struct shared_fetch {
  const char *at;
  size_t stride;
} shared_fetch;

TAREI_INLINE shared_fetch shared_fetch_of(const vnni_product *p, const int8_t *next, size_t m0,
                                          size_t rows, size_t bytes) {
  const size_t m = p->gemm->m;
  const size_t iterations = p->gemm->k / 8 + 1;
  return (shared_fetch){(const char *)next + bytes * (m0 * p->groups % m) / m,
                        bytes * rows * p->groups / (m * iterations * SHARED_FETCHES)};
}

TAREI_INLINE void fetch_shared(shared_fetch *f) {
#pragma GCC unroll 4
  for (size_t i = 0; i < SHARED_FETCHES; i++) {
    _mm_prefetch(f->at + i * f->stride, _MM_HINT_T1);
  }
  f->at += SHARED_FETCHES * f->stride;
}

/* `narrow`: the last vector has no more than NARROW columns. Blocks of two panels take rows of one
 * part: a loop around theirs would spill sums. */
TAREI_INLINE void vnni_block(const vnni_product *p, size_t m0, size_t panel, const size_t rows,
                             const size_t vectors, const bool narrow, const bool shared) {
  const tarei_i8_gemm *const g = p->gemm;
  const size_t panels = (vectors + 1) / 2;
  const bool near = !shared && rows > 1; /* it harms a single row */
  const size_t panel_bytes = (g->k + 3) / 4 * STEP;
  const i8_form form = i8_form_of_panels(g, p->form, p->row_mult, panel, vectors);
  const int8_t *b = g->b + panel * panel_bytes;
  row_cursor a = row_cursor_at(g->a + m0 * g->lda, g->lda);
  shared_fetch next = shared_fetch_of(p, b + panels * panel_bytes, m0, rows, panels * panel_bytes);
  i8_sums s;
#pragma GCC unroll 28
  for (size_t i = 0; i < rows * vectors; i++) {
    s.v[i] = _mm512_loadu_si512(g->add + panel * GEMM_PANEL + i % vectors * 16);
  }
  for (size_t part = 0;;) {
    row_cursor_check(&a, rows, 4 * p->steps);
    for (size_t q = 0; q < panels; q++) {
      tarei_steps_read(b + q * panel_bytes, STEP * p->steps);
    }
    if (p->steps % 2) {
      vnni_step(&s, &a, b, panel_bytes, 0, rows, vectors, narrow, near);
      row_cursor_advance(&a, rows);
      b += STEP;
    }
    for (size_t k = 0; k < p->steps / 2; k++) {
      vnni_step(&s, &a, b, panel_bytes, 0, rows, vectors, narrow, near);
      vnni_step(&s, &a, b, panel_bytes, 1, rows, vectors, narrow, near);
      row_cursor_advance_by(&a, rows, 8);
      b += 2 * STEP;
      if (shared) {
        fetch_shared(&next);
      }
    }
    if (vectors > I8_MOST_CUT || ++part == p->parts) {
      break;
    }
    row_cursor_advance_by(&a, rows, p->skip);
  }
  vnni_put(&s, p, m0, panel, rows, vectors, form);
}

#define DEFINE_BLOCK(rows, panels, name, shared)                 \
  static void name(const void *p, size_t m0, size_t panel) {     \
    vnni_block(p, m0, panel, rows, 2 * (panels), false, shared); \
  }
/* The last panel may hold fewer columns. */
#define DEFINE_ONE_PANEL(rows)                                                \
  static void vnni_block_##rows##x1(const void *p, size_t m0, size_t panel) { \
    const vnni_product *const product = p;                                    \
    const size_t columns = product->gemm->n - panel * GEMM_PANEL;             \
    if (columns <= NARROW) {                                                  \
      vnni_block(product, m0, panel, rows, 1, true, false);                   \
    } else if (columns <= TAREI_LANES) {                                      \
      vnni_block(product, m0, panel, rows, 1, false, false);                  \
    } else if (columns <= TAREI_LANES + NARROW) {                             \
      vnni_block(product, m0, panel, rows, 2, true, false);                   \
    } else {                                                                  \
      vnni_block(product, m0, panel, rows, 2, false, false);                  \
    }                                                                         \
  }
GEMM_EACH_HEIGHT(DEFINE_ONE_PANEL)
DEFINE_BLOCK(2, 2, vnni_block_2x2, false)
DEFINE_BLOCK(3, 2, vnni_block_3x2, false)
DEFINE_BLOCK(4, 2, vnni_block_4x2, false)
DEFINE_BLOCK(5, 2, vnni_block_5x2, false)
DEFINE_BLOCK(6, 2, vnni_block_6x2, false)
DEFINE_BLOCK(5, 2, vnni_shared_5x2, true)
DEFINE_BLOCK(6, 2, vnni_shared_6x2, true)
DEFINE_BLOCK(1, 4, vnni_block_1x4, false)
#define DEFINE_CUT(rows)                                                     \
  static void vnni_cut_##rows(const void *p, size_t m0, size_t panel) {      \
    const vnni_product *const product = p;                                   \
    if (product->gemm->n - panel * GEMM_PANEL <= 2 * TAREI_LANES + NARROW) { \
      vnni_block(product, m0, panel, rows, 3, true, false);                  \
    } else {                                                                 \
      vnni_block(product, m0, panel, rows, 3, false, false);                 \
    }                                                                        \
  }
GEMM_HEIGHTS_TO_8(DEFINE_CUT)

#define ONE_PANEL_OF(rows) [rows - 1] = vnni_block_##rows##x1,
static gemm_block_fn *const one_panel[MAX_ROWS] = {GEMM_EACH_HEIGHT(ONE_PANEL_OF)};
static gemm_block_fn *const two_panels[MAX_ROWS_PAIRED] = {
    NULL, vnni_block_2x2, vnni_block_3x2, vnni_block_4x2, vnni_block_5x2, vnni_block_6x2};
static gemm_block_fn *const two_shared[MAX_ROWS_PAIRED] = {[4] = vnni_shared_5x2, vnni_shared_6x2};
static gemm_block_fn *const four_panels[1] = {vnni_block_1x4};
#define CUT_OF(rows) [rows - 1] = vnni_cut_##rows,
static gemm_block_fn *const cut_panels[MAX_ROWS_CUT] = {GEMM_HEIGHTS_TO_8(CUT_OF)};

/* The shape of the blocks. Two panels take fewer loads, but not in blocks so low that loading the
 * weights takes longer than multiplying; a single row needs many sums to hide their latency. */
static gemm_walk i8_gemm_avx512vnni_shape_of(const tarei_i8_gemm *g) {
  gemm_walk w = {.m = g->m, .row_bytes = g->k};
  const size_t paired = (g->m + MAX_ROWS_PAIRED - 1) / MAX_ROWS_PAIRED;
  const bool single = paired <= 1, whole = tarei_i8_gemm_parts(g) == 1;
  if (whole && g->m == 1) {
    w.panels_at_once = 4;
    w.max_rows = 1;
    w.by_rows = four_panels;
  } else if (whole && (single || g->m / paired >= FEWEST_ROWS_PAIRED)) {
    w.panels_at_once = 2;
    w.max_rows = MAX_ROWS_PAIRED;
    w.by_rows = single ? two_panels : two_shared;
  } else {
    w.panels_at_once = 1;
    w.max_rows = MAX_ROWS;
    w.by_rows = one_panel;
  }
  return w;
}

/* Do the last two panels have three vectors of columns? Two panels at once would multiply a fourth.
 */
static bool i8_gemm_avx512vnni_is_cut(const tarei_i8_gemm *g) {
  const size_t left = g->n % GEMM_PANEL;
  return g->m > 1 && g->n > GEMM_PANEL && left > 0 && left <= TAREI_LANES;
}

static void vnni_multiply(const tarei_i8_gemm *g, tarei_i8_finish_fn *finish) {
  const size_t panels = (g->n + GEMM_PANEL - 1) / GEMM_PANEL;
  gemm_walk w = i8_gemm_avx512vnni_shape_of(g);
  const v16 row_mult = i8_most_row_mult(g->epilogue.row_mult, g->m);
  const i8_form form = i8_form_of(&g->epilogue);
  const bool bytes = form != I8_ANY && form < I8_FLOATS;
  const size_t parts = tarei_i8_gemm_parts(g), part = g->k / parts;
  const vnni_product p = {.gemm = g,
                          .finish = finish,
                          .form = form,
                          .bounds = bytes ? byte_bounds_of(&g->epilogue) : (byte_bounds){0, 255},
                          .row_mult = row_mult,
                          .groups = gemm_walk_groups(&w),
                          .parts = parts,
                          .steps = (part + 3) / 4,
                          .skip = g->part_step - part};
  const size_t whole = i8_gemm_avx512vnni_is_cut(g) ? panels - 2 : panels;
  w.gemm = &p;
  w.panels = whole / w.panels_at_once * w.panels_at_once;
  if (parts > 1 || !thin_multiply(g, w.panels, row_mult)) {
    gemm_walk_blocks(&w);
  }
  const gemm_walk rest = {.gemm = &p,
                          .m = g->m,
                          .first_panel = w.panels,
                          .panels = whole,
                          .panels_at_once = 1,
                          .row_bytes = g->k,
                          .max_rows = MAX_ROWS,
                          .by_rows = one_panel};
  gemm_walk_blocks(&rest);
  const gemm_walk cut = {.gemm = &p,
                         .m = g->m,
                         .first_panel = whole,
                         .panels = panels,
                         .panels_at_once = 2,
                         .row_bytes = g->k,
                         .max_rows = MAX_ROWS_CUT,
                         .by_rows = cut_panels};
  gemm_walk_blocks(&cut);
}

void tarei_k_i8_gemm_u8s8_14x32__avx512vnni(const tarei_i8_gemm *g) {
  vnni_multiply(g, tarei_i8_finish__avx512);
}

void tarei_k_i8_gemm_u8s8_14x32__avx512vbmi(const tarei_i8_gemm *g) {
  vnni_multiply(g, tarei_i8_finish__avx512vbmi);
}

void tarei_k_i8_windows_u8s8_14x32__avx512vnni(const tarei_i8_gemm *g) {
  vnni_multiply(g, tarei_i8_finish__avx512);
}

void tarei_k_i8_windows_u8s8_14x32__avx512vbmi(const tarei_i8_gemm *g) {
  vnni_multiply(g, tarei_i8_finish__avx512vbmi);
}
