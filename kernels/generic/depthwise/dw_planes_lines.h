/* The lines of a depthwise convolution over two axes, for one element type. Before inclusion:
 *   PLANES(name)                  the name with the type in it
 *   PLANES_X, PLANES_W            elements of the input and of the weights
 *   PLANES_SUM                    lanes of the sums
 *   PLANES(start)(line)           what the sums begin with
 *   PLANES(tap)(w, lanes)         the taps of some channels
 *   PLANES(add)(x, tap, sum, lanes)
 *   PLANES_SINK, PLANES(put)(&sink, row, sum, lanes)   where the sums of a tile go
 * `few` below: the window is 3 by 3, and its taps are in registers. */

/* Tap row ky of a line, or padding. */
TAREI_INLINE const PLANES_X *PLANES(row)(const planes_line *l, int64_t ky) {
  const int64_t at = planes_line_at(l, ky);
  const PLANES_X *const from = at < 0 ? l->planes->padding : l->planes->x;
  return from + (at < 0 ? 0 : at) + l->channel;
}

TAREI_INLINE PLANES_SUM PLANES(weight)(const planes_line *l, int64_t ky, int64_t kx,
                                       const size_t lanes) {
  const tarei_dw_planes *const p = l->planes;
  const size_t tap = (size_t)(kx * p->kernel[0] + ky);
  return PLANES(tap)((const PLANES_W *)p->w + tap * p->channels + l->channel, lanes);
}

/* Outputs from ox on, whose taps all lie between the ends of the line. */
TAREI_INLINE void PLANES(inside)(const planes_line *l, const PLANES_SUM *taps, int64_t ox,
                                 const bool few, const size_t rows, const size_t lanes,
                                 const PLANES_SINK sink, size_t row) {
  const tarei_dw_planes *const p = l->planes;
  const int64_t height = few ? PLANES_FEW : p->kernel[0];
  const int64_t width = few ? PLANES_FEW : p->kernel[1];
  const size_t pixel = p->channels * sizeof(PLANES_X);
  const size_t apart = (size_t)p->stride[1] * pixel, next = (size_t)p->dilation[1] * pixel;
  const size_t first = (size_t)(ox * p->stride[1] - p->pad[1]) * p->channels;
  PLANES_SUM sum[PLANES_BLOCK];
  /* all of them: else the compiler warns where it does not inline */
#pragma GCC unroll 9
  for (size_t i = 0; i < PLANES_BLOCK; i++) {
    sum[i] = PLANES(start)(l);
  }
#pragma GCC unroll 3
  for (int64_t ky = 0; ky < height; ky++) {
    row_cursor x = row_cursor_at(PLANES(row)(l, ky) + first, apart);
#pragma GCC unroll 3
    for (int64_t kx = 0; kx < width; kx++) {
      const PLANES_SUM tap = few ? taps[ky * PLANES_FEW + kx] : PLANES(weight)(l, ky, kx, lanes);
#pragma GCC unroll 9
      for (size_t i = 0; i < rows; i++) {
        sum[i] = PLANES(add)(row_cursor_row(&x, i), tap, sum[i], lanes);
      }
      row_cursor_advance_by(&x, rows, next);
    }
  }
#pragma GCC unroll 9
  for (size_t i = 0; i < rows; i++) {
    PLANES(put)(&sink, row + i, sum[i], lanes);
  }
}

/* An output whose taps may lie beyond the ends. */
TAREI_INLINE void PLANES(at_end)(const planes_line *l, const PLANES_SUM *taps, int64_t ox,
                                 const bool few, const size_t lanes, const PLANES_SINK sink,
                                 size_t row) {
  const tarei_dw_planes *const p = l->planes;
  const int64_t height = few ? PLANES_FEW : p->kernel[0];
  const int64_t width = few ? PLANES_FEW : p->kernel[1];
  const PLANES_X *const padding = (const PLANES_X *)p->padding + l->channel;
  PLANES_SUM sum = PLANES(start)(l);
#pragma GCC unroll 3
  for (int64_t ky = 0; ky < height; ky++) {
    const PLANES_X *const from = PLANES(row)(l, ky);
#pragma GCC unroll 3
    for (int64_t kx = 0; kx < width; kx++) {
      const int64_t at = ox * p->stride[1] - p->pad[1] + kx * p->dilation[1];
      const bool known = at >= 0 && at < p->in[1];
      const PLANES_SUM tap = few ? taps[ky * PLANES_FEW + kx] : PLANES(weight)(l, ky, kx, lanes);
      sum = PLANES(add)(known ? from + (size_t)at * p->channels : padding, tap, sum, lanes);
    }
  }
  PLANES(put)(&sink, row, sum, lanes);
}

/* Outputs [ox, end) of a line. */
TAREI_INLINE void PLANES(line)(const planes_line *l, const PLANES_SUM *taps, int64_t ox,
                               int64_t end, const bool few, const size_t lanes,
                               const PLANES_SINK sink, size_t row) {
  int64_t inside, beyond;
  planes_interior(l->planes, &inside, &beyond);
  beyond = beyond < end ? beyond : end;
  for (; ox < end && ox < inside; ox++, row++) {
    PLANES(at_end)(l, taps, ox, few, lanes, sink, row);
  }
  for (; ox + PLANES_BLOCK <= beyond; ox += PLANES_BLOCK, row += PLANES_BLOCK) {
    PLANES(inside)(l, taps, ox, few, PLANES_BLOCK, lanes, sink, row);
  }
  for (; ox + PLANES_LEFT <= beyond; ox += PLANES_LEFT, row += PLANES_LEFT) {
    PLANES(inside)(l, taps, ox, few, PLANES_LEFT, lanes, sink, row);
  }
  for (; ox < beyond; ox++, row++) {
    PLANES(inside)(l, taps, ox, few, 1, lanes, sink, row);
  }
  for (; ox < end; ox++, row++) {
    PLANES(at_end)(l, taps, ox, few, lanes, sink, row);
  }
}

TAREI_INLINE void PLANES(lines)(const planes_tile *t, const bool few, const size_t lanes,
                                const PLANES_SINK sink) {
  const planes_line any = planes_line_of(t, 0);
  const size_t width = (size_t)t->planes->out[1];
  PLANES_SUM taps[PLANES_FEW * PLANES_FEW];
#pragma GCC unroll 9
  for (int64_t j = 0; j < PLANES_FEW * PLANES_FEW; j++) {
    if (few) {
      taps[j] = PLANES(weight)(&any, j / PLANES_FEW, j % PLANES_FEW, lanes);
    }
  }
  for (size_t done = 0; done < t->rows;) {
    const planes_line l = planes_line_of(t, t->first + done);
    const size_t ox = (t->first + done) % width, left = t->rows - done;
    const size_t end = width - ox < left ? width : ox + left;
    PLANES(line)(&l, taps, (int64_t)ox, (int64_t)end, few, lanes, sink, done);
    done += end - ox;
  }
}

static void TAREI_K(PLANES(sums))(const planes_tile *t, const PLANES_SINK *sink) {
  const int64_t *const kernel = t->planes->kernel;
  const bool few = kernel[0] == PLANES_FEW && kernel[1] == PLANES_FEW;
  if (few && t->lanes == TAREI_LANES) {
    PLANES(lines)(t, true, TAREI_LANES, *sink);
  } else if (few) {
    PLANES(lines)(t, true, t->lanes, *sink);
  } else if (t->lanes == TAREI_LANES) {
    PLANES(lines)(t, false, TAREI_LANES, *sink);
  } else {
    PLANES(lines)(t, false, t->lanes, *sink);
  }
}
