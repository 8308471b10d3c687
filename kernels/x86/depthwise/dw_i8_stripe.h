/*
 * A stripe of channels of a depthwise convolution of bytes, and the order in which its vectors hold
 * them. Interleaving bytes by unpacking within 128-bit lanes permutes the channels: dword i of
 * vector v belongs to channel w/4 * (i/4) + 4v + i%4 of a stripe w channels wide. Packing the
 * results within lanes undoes it, so that nobody else sees this order. A stripe of at most 32
 * channels takes two vectors, any other four.
 */
#ifndef TAREI_KERNELS_X86_DEPTHWISE_DW_I8_STRIPE_H
#define TAREI_KERNELS_X86_DEPTHWISE_DW_I8_STRIPE_H

#include <immintrin.h>

#include "kernels/generic/epilogue.h"

enum {
  DW_TAPS = 4,    /* in a dword */
  DW_STRIPE = 64, /* channels */
  DW_NARROW = 32,
  DW_VECTORS = 4, /* of 16 channels, at most */
};

typedef struct dw_stripe {
  size_t channel, channels;
  size_t vectors; /* 2: narrow, or 4 */
  __mmask64 mask;
} dw_stripe;

TAREI_INLINE dw_stripe dw_stripe_at(size_t of, size_t channel) {
  const size_t left = of - channel;
  const size_t channels = left < DW_STRIPE ? left : DW_STRIPE;
  return (dw_stripe){.channel = channel,
                     .channels = channels,
                     .vectors = channels <= DW_NARROW ? DW_VECTORS / 2 : DW_VECTORS,
                     .mask = ~(__mmask64)0 >> (DW_STRIPE - channels)};
}

TAREI_INLINE bool dw_is_narrow(const dw_stripe *s) {
  return s->vectors < DW_VECTORS;
}

/* Channel of dwords 0..15 of a vector, in the stripe. */
TAREI_INLINE __m512i dw_channel_of(const dw_stripe *s, size_t vector) {
  const __m512i in_lane = _mm512_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
  const __m512i lane = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  const __m512i base = dw_is_narrow(s) ? _mm512_slli_epi32(lane, 3) : _mm512_slli_epi32(lane, 4);
  return _mm512_add_epi32(_mm512_add_epi32(base, in_lane),
                          _mm512_set1_epi32((int)(DW_TAPS * vector)));
}

/* One value of four bytes a channel, in the order of a vector; 0 beyond the channels. */
TAREI_INLINE __m512i dw_per_channel(const dw_stripe *s, size_t vector, const void *values) {
  const __m512i channel = dw_channel_of(s, vector);
  const __mmask16 there = _mm512_cmplt_epi32_mask(channel, _mm512_set1_epi32((int)s->channels));
  const int32_t *const first = (const int32_t *)values + s->channel;
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), there, channel, first, 4);
}

/* The bytes of the stripe's channels; a narrow one has 8 of them in each lane. */
TAREI_INLINE __m512i dw_load_row(const dw_stripe *s, const uint8_t *row) {
  const __m512i bytes = _mm512_maskz_loadu_epi8(s->mask, row + s->channel);
  return dw_is_narrow(s)
             ? _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), bytes)
             : bytes;
}

/* Four rows become dwords of a byte of each; the vectors go to places `apart` from one another. */
TAREI_INLINE void dw_interleave(const dw_stripe *s, const __m512i *row, __m512i *to, size_t apart) {
  const __m512i low01 = _mm512_unpacklo_epi8(row[0], row[1]);
  const __m512i low23 = _mm512_unpacklo_epi8(row[2], row[3]);
  to[0] = _mm512_unpacklo_epi16(low01, low23);
  to[apart] = _mm512_unpackhi_epi16(low01, low23);
  if (!dw_is_narrow(s)) {
    const __m512i high01 = _mm512_unpackhi_epi8(row[0], row[1]);
    const __m512i high23 = _mm512_unpackhi_epi8(row[2], row[3]);
    to[2 * apart] = _mm512_unpacklo_epi16(high01, high23);
    to[3 * apart] = _mm512_unpackhi_epi16(high01, high23);
  }
}

#endif
