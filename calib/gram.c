#include "calib/gram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
  TILE = 16,
  STRIP = 64,                    /* rows of a triangle whose products are made at a time */
  PADDED = TAREI_GRAM_BATCH + 4, /* bytes of a column: the product reads a few beyond its end */
};

int64_t tarei_gram_blocks(const int64_t k) {
  return (k + TAREI_GRAM_MOST - 1) / TAREI_GRAM_MOST;
}

int64_t tarei_gram_begin(const int64_t k, const int64_t block) {
  const int64_t n = tarei_gram_blocks(k);
  return k / n * block + k % n * block / n;
}

static int64_t triangle(const int64_t size) {
  return size * (size + 1) / 2;
}

static int64_t gram_size(const int64_t k, const int64_t block) {
  return tarei_gram_begin(k, block + 1) - tarei_gram_begin(k, block);
}

size_t tarei_gram_count(const int64_t k) {
  const int64_t n = tarei_gram_blocks(k);
  if (k < 1 || (uint64_t)n > SIZE_MAX / sizeof(int64_t) / (size_t)triangle(TAREI_GRAM_MOST)) {
    return 0;
  }
  int64_t count = 0;
  for (int64_t b = 0; b < n; b++) {
    count += triangle(gram_size(k, b));
  }
  return (size_t)count;
}

static int64_t *gram_sums(const tarei_gram *const gram, const int64_t block) {
  int64_t *at = gram->sums;
  for (int64_t b = 0; b < block; b++) {
    at += triangle(gram_size(gram->k, b));
  }
  return at;
}

const int64_t *tarei_gram_block(const tarei_gram *const gram, const int64_t block) {
  return gram_sums(gram, block);
}

tare_status tarei_gram_init(tarei_gram *const gram, const int64_t k, tare_error *const err) {
  const size_t count = tarei_gram_count(k);
  *gram = (tarei_gram){.k = k, .sums = count ? tarei_calloc(count, sizeof *gram->sums) : NULL};
  return gram->sums ? TARE_OK
                    : tarei_fail_memory(err, "sums of products", count * sizeof *gram->sums);
}

void tarei_gram_fini(tarei_gram *const gram) {
  free(gram->sums);
  *gram = (tarei_gram){0};
}

void tarei_gram_reset(tarei_gram *const gram) {
  gram->n_rows = 0;
  memset(gram->sums, 0, tarei_gram_count(gram->k) * sizeof *gram->sums);
}

/* --- rows ------------------------------------------------------------------------------------- */

tare_status tarei_gram_work_init(tarei_gram_work *const work, tare_error *const err) {
  const size_t packed = tarei_i8_packed_size(TAREI_GRAM_BATCH, TAREI_GRAM_MOST);
  *work = (tarei_gram_work){.columns = tarei_calloc(TAREI_GRAM_MOST, PADDED),
                            .packed = tarei_alloc_aligned(packed, 1),
                            .add = tarei_calloc(TAREI_GRAM_MOST, sizeof *work->add),
                            .ones = tarei_calloc(TAREI_GRAM_MOST, sizeof *work->ones),
                            .products = tarei_calloc(STRIP * TAREI_GRAM_MOST, sizeof(float))};
  if (!work->columns || !work->packed || !work->add || !work->ones || !work->products) {
    return tarei_fail_memory(err, "products of rows", packed);
  }
  for (int i = 0; i < TAREI_GRAM_MOST; i++) {
    work->ones[i] = 1;
  }
  return TARE_OK;
}

void tarei_gram_work_fini(tarei_gram_work *const work) {
  free(work->columns);
  free(work->packed);
  free(work->add);
  free(work->ones);
  free(work->products);
  *work = (tarei_gram_work){0};
}

/* By tiles: rows of a whole block would not stay in the first cache. */
static void gram_transpose(const uint8_t *const rows, const size_t ld, const size_t n_rows,
                           const size_t size, uint8_t *const columns) {
  for (size_t tile = 0; tile < size; tile += TILE) {
    const size_t end = tile + TILE < size ? tile + TILE : size;
    for (size_t r = 0; r < n_rows; r++) {
      for (size_t i = tile; i < end; i++) {
        columns[i * PADDED + r] = rows[r * ld + i];
      }
    }
  }
}

/* Products of inputs first..first + m with those up to the last of them. */
static void gram_strip(const tarei_gram_work *const work, const size_t n_rows, const size_t first,
                       const size_t m, int64_t *const sums, const tarei_kernels *const kernels) {
  const size_t n = first + m;
  const tarei_i8_gemm product = {
      .a = work->columns + first * PADDED,
      .lda = PADDED,
      .m = m,
      .k = n_rows,
      .n = n,
      .b = work->packed,
      .add = work->add,
      .epilogue = {.mult = work->ones, .out_f32 = work->products, .ld_f32 = n}};
  kernels->i8_gemm(&product);
  for (size_t i = 0; i < m; i++) {
    const float *const row = work->products + i * n;
    int64_t *const to = sums + triangle((int64_t)(first + i));
    for (size_t j = 0; j <= first + i; j++) {
      to[j] += (int32_t)row[j];
    }
  }
}

static void gram_add_block(tarei_gram *const gram, const int64_t block, const uint8_t *const rows,
                           const size_t n_rows, tarei_gram_work *const work,
                           const tarei_kernels *const kernels) {
  const size_t begin = (size_t)tarei_gram_begin(gram->k, block), k = (size_t)gram->k;
  const size_t size = (size_t)gram_size(gram->k, block);
  int64_t *const sums = gram_sums(gram, block);
  gram_transpose(rows + begin, k, n_rows, size, work->columns);
  kernels->i8_pack_u8(rows + begin, k, false, n_rows, size, TAREI_GRAM_MIDDLE, work->packed,
                      work->add);
  for (size_t i = 0; i < size; i++) {
    work->add[i] *= -TAREI_GRAM_MIDDLE;
  }
  for (size_t first = 0; first < size; first += STRIP) {
    const size_t m = size - first < STRIP ? size - first : STRIP;
    gram_strip(work, n_rows, first, m, sums, kernels);
  }
}

void tarei_gram_add(tarei_gram *const gram, const uint8_t *const rows, const size_t n_rows,
                    tarei_gram_work *const work, const tarei_kernels *const kernels) {
  assert(n_rows > 0 && n_rows <= TAREI_GRAM_BATCH);
  for (int64_t b = 0; b < tarei_gram_blocks(gram->k); b++) {
    gram_add_block(gram, b, rows, n_rows, work, kernels);
  }
  gram->n_rows += (int64_t)n_rows;
}
