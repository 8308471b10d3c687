/* Instantiated for each AVX-512 that looks bytes up in its own way. */
#include "kernels/x86/table64.h"

void TAREI_K(tarei_k_lut_u8_u8_64)(const uint8_t *table, const uint8_t *x, size_t n, uint8_t *out) {
  const table64 t = table64_load(table);
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    _mm512_storeu_si512(out + i, table64_at(&t, _mm512_loadu_si512(x + i)));
  }
  if (i < n) {
    const __mmask64 left = (UINT64_C(1) << (n - i)) - 1;
    const __m512i last = _mm512_maskz_loadu_epi8(left, x + i);
    _mm512_mask_storeu_epi8(out + i, left, table64_at(&t, last));
  }
}
