/* The tiles of AMX as all products use them: two by two tiles of 16 x 16 sums of 32 bits. */
#ifndef TAREI_KERNELS_X86_AMX_CONFIG_H
#define TAREI_KERNELS_X86_AMX_CONFIG_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TILE = 16,       /* rows of a tile, columns of its sums */
  TILE_BYTES = 64, /* of a tile's row */
  TILES_ROWS = 2 * TILE,
};

/* The compiler does not know that tiles are loaded from memory. */
#define STORES_DONE() __asm__ volatile("" ::: "memory")

/* What LDTILECFG reads. */
typedef struct tile_config {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_config;

/* Tiles 0..3 sums, 4 and 5 rows, 6 and 7 columns. With sixteen rows or fewer, the second tiles of
 * sums and rows are as high as the first. */
static inline void tiles_configure(size_t rows) {
  const size_t first = rows < TILE ? rows : TILE;
  const size_t second = rows > TILE ? rows - TILE : rows;
  tile_config c = {.palette = 1};
  for (int t = 0; t < 8; t++) {
    c.row_bytes[t] = TILE_BYTES;
    c.rows[t] = TILE;
  }
  c.rows[0] = c.rows[1] = c.rows[4] = (uint8_t)first;
  c.rows[2] = c.rows[3] = c.rows[5] = (uint8_t)second;
  _tile_loadconfig(&c);
}

#endif
