/* Noise: Philox-4x32-10 of (row, block), keyed. Instantiated once per ISA. The integers are plain
 * loops, of which the compiler makes vectors. */
#include <string.h>

#include "kernels/generic/math/math16.h"
#include "kernels/generic/v16.h"

enum { NOISE_BLOCK = 4, NOISE_WORDS = NOISE_BLOCK * TAREI_LANES, NOISE_ROUNDS = 10 };

/* Sixteen blocks, a lane each: the block and its row before, four words after. */
typedef struct noise16 {
  uint32_t x[NOISE_BLOCK][TAREI_LANES];
} noise16;

TAREI_INLINE void noise_round(noise16 *s, uint32_t key0, uint32_t key1) {
  for (size_t i = 0; i < TAREI_LANES; i++) {
    const uint64_t a = (uint64_t)s->x[0][i] * 0xd2511f53u, b = (uint64_t)s->x[2][i] * 0xcd9e8d57u;
    s->x[0][i] = (uint32_t)(b >> 32) ^ s->x[1][i] ^ key0;
    s->x[1][i] = (uint32_t)b;
    s->x[2][i] = (uint32_t)(a >> 32) ^ s->x[3][i] ^ key1;
    s->x[3][i] = (uint32_t)a;
  }
}

TAREI_INLINE void noise_rounds(noise16 *s, uint64_t key) {
  uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
  for (size_t r = 0; r < NOISE_ROUNDS; r++) {
    noise_round(s, key0, key1);
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
}

/* Words in the order of elements, and of those of the row that no element has. */
TAREI_INLINE void noise_order(const noise16 *s, uint32_t *words) {
  for (size_t i = 0; i < TAREI_LANES; i++) {
    for (size_t w = 0; w < NOISE_BLOCK; w++) {
      words[i * NOISE_BLOCK + w] = s->x[w][i];
    }
  }
}

TAREI_INLINE void noise_uniform(const uint32_t *words, v16 base, v16 factor, float *out) {
  for (size_t i = 0; i < NOISE_WORDS; i++) {
    out[i] = (float)(int32_t)(words[i] >> 8) * 0x1p-24f;
  }
  for (size_t i = 0; i < NOISE_WORDS; i += TAREI_LANES) {
    v_store(out + i, v_mul_add(v_load(out + i), factor, base));
  }
}

TAREI_INLINE v16 noise_polynomial(const float *terms, size_t n, v16 x) {
  v16 p = v_set1(terms[0]);
  for (size_t i = 1; i < n; i++) {
    p = v_fma(p, x, v_set1(terms[i]));
  }
  return p;
}

/* The number that a normal one exceeds with probability p, 0 < p <= 1/2: 1 - 2 p, times a function
 * of w = -log(4 p (1 - p)), near the middle a polynomial in w, else in its root. Relative error <
 * 4e-7. */
TAREI_INLINE v16 noise_quantile(v16 p) {
  static const float middle[] = {4.03545926e-08f,  4.8610417e-07f,  -4.99056296e-06f,
                                 -6.21800837e-06f, 0.000309150171f, -0.00177300954f,
                                 -0.00590817351f,  0.348802656f,    2.12331367f};
  static const float tail[] = {6.34358148e-05f, -2.79826259e-06f, -0.000463100383f, 0.000901927939f,
                               -0.00114780187f, 0.00181059982f,   -0.00336269732f,  0.00522706332f,
                               1.4240272f,      4.62882853f};
  const v16 one = v_set1(1.0f), four = v_set1(4.0f);
  const v16 w = v_neg(v_log(v_mul(v_mul(four, p), v_sub(one, p))));
  const v16 near = noise_polynomial(middle, sizeof middle / sizeof *middle, v_sub(w, v_set1(2.5f)));
  const v16 root = v_sqrt(v_max(v_set1(0.0f), w));
  const v16 far =
      noise_polynomial(tail, sizeof tail / sizeof *tail, v_sub(root, v_set1(3.43803399f)));
  const v16 x = v_sub(one, v_add(p, p));
  return v_mul(x, v_select(v_less(w, v_set1(5.0f)), near, far));
}

/* The lowest 31 bits are the probability, the highest one is the sign. */
TAREI_INLINE void noise_normal(const uint32_t *words, v16 base, v16 factor, float *out) {
  float p[NOISE_WORDS];
  for (size_t i = 0; i < NOISE_WORDS; i++) {
    p[i] = ((float)(int32_t)(words[i] & 0x7fffffff) + 0.5f) * 0x1p-32f;
  }
  for (size_t i = 0; i < NOISE_WORDS; i += TAREI_LANES) {
    float sign[TAREI_LANES];
    memcpy(sign, words + i, sizeof sign);
    const v16 z = v_copysign(noise_quantile(v_load(p + i)), v_load(sign));
    v_store(out + i, v_mul_add(z, factor, base));
  }
}

/* Elements of sixteen blocks: in `block` in the order of words. */
TAREI_INLINE void noise_fill(const tarei_noise *noise, noise16 *s, uint32_t *block) {
  uint32_t words[NOISE_WORDS];
  float values[NOISE_WORDS];
  const v16 base = v_set1(noise->base), factor = v_set1(noise->factor);
  noise_rounds(s, noise->key);
  noise_order(s, words);
  if (noise->kind == TAREI_NOISE_WORDS) {
    memcpy(block, words, sizeof words);
    return;
  }
  if (noise->kind == TAREI_NOISE_UNIFORM) {
    noise_uniform(words, base, factor, values);
  } else {
    noise_normal(words, base, factor, values);
  }
  memcpy(block, values, sizeof values);
}

void TAREI_K(tarei_k_noise_f32_16)(const tarei_noise *noise, size_t first, size_t end, void *out) {
  const size_t columns = noise->columns, per_row = tarei_noise_blocks(columns);
  size_t row = first / per_row, at = first % per_row;
  uint32_t *const to = out;
  while (first < end) {
    const size_t n = end - first < TAREI_LANES ? end - first : TAREI_LANES;
    size_t place[TAREI_LANES], count[TAREI_LANES];
    noise16 s = {0};
    uint32_t block[NOISE_WORDS];
    for (size_t i = 0; i < n; i++) {
      s.x[0][i] = (uint32_t)at;
      s.x[1][i] = (uint32_t)((uint64_t)at >> 32);
      s.x[2][i] = (uint32_t)row;
      s.x[3][i] = (uint32_t)((uint64_t)row >> 32);
      place[i] = row * columns + at * NOISE_BLOCK;
      count[i] =
          columns - at * NOISE_BLOCK < NOISE_BLOCK ? columns - at * NOISE_BLOCK : NOISE_BLOCK;
      at = at + 1 < per_row ? at + 1 : 0;
      row += at == 0;
    }
    noise_fill(noise, &s, block);
    for (size_t i = 0; i < n; i++) {
      memcpy(to + place[i], block + i * NOISE_BLOCK, count[i] * sizeof *block);
    }
    first += n;
  }
}
