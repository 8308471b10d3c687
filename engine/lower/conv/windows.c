#include "engine/lower/conv/windows.h"

#include <inttypes.h>

#include "base/mem.h"

#define MOST_TAPS ((int64_t)1 << 24)

static int64_t windows_count_taps(const tarei_window *const w) {
  int64_t taps = 1;
  for (int a = 0; a < w->n; a++) {
    if (!tarei_mul_i64(taps, w->kernel[a], &taps)) {
      return INT64_MAX;
    }
  }
  return taps;
}

tare_status tarei_windows_read(const tarei_step *const step, const int n,
                               const tarei_expr *const weights, tarei_window *const out,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_window(step->graph, step->node, n, weights, out, err));
  for (int a = 0; a < n; a++) {
    const int64_t sizes[] = {out->kernel[a], out->strides[a], out->dilations[a], out->pads[a],
                             out->pads[n + a]};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      if (sizes[i] > INT32_MAX) {
        return tarei_fail(err, TARE_E_LIMIT,
                          "windows along spatial axis %d have a kernel size, stride, dilation or "
                          "padding of %" PRId64 ", expected at most %d",
                          a, sizes[i], INT32_MAX);
      }
    }
  }
  return TARE_OK;
}

tare_status tarei_windows_prepare(const tarei_step *const step, const int n,
                                  const tarei_expr *const weights, tarei_window *const out,
                                  tare_error *const err) {
  TAREI_TRY(tarei_windows_read(step, n, weights, out, err));
  const int64_t taps = windows_count_taps(out);
  return taps <= MOST_TAPS
             ? TARE_OK
             : tarei_fail(err, TARE_E_LIMIT,
                          "windows have %" PRId64 " elements: at most %" PRId64 " are supported",
                          taps, MOST_TAPS);
}

tarei_windows tarei_windows_of(const tarei_window *const window, const int64_t *const in,
                               const int64_t *const out) {
  tarei_windows w = {
      .window = window, .taps = windows_count_taps(window), .in_plane = 1, .out_plane = 1};
  for (int a = 0; a < window->n; a++) {
    w.in[a] = in[a];
    w.out[a] = out[a];
    w.in_plane *= in[a];
    w.out_plane *= out[a];
    const tarei_padding pads = tarei_window_padding(window, a, in[a], out[a]);
    w.before[a] = pads.before;
    w.after[a] = pads.after;
  }
  return w;
}

/* Where tap 0 of a window lies along each axis. */
static void starts(const tarei_windows *const w, int64_t position, int64_t *const start) {
  for (int a = w->window->n - 1; a >= 0; a--) {
    start[a] = position % w->out[a] * w->window->strides[a] - w->before[a];
    position /= w->out[a];
  }
}

void tarei_windows_offsets(const tarei_windows *const w, const int64_t position,
                           int64_t *const offsets) {
  const tarei_window *const k = w->window;
  int64_t start[TAREI_MAX_SPACE], tap[TAREI_MAX_SPACE] = {0};
  starts(w, position, start);
  for (int64_t t = 0; t < w->taps; t++) {
    int64_t offset = 0;
    for (int a = 0; a < k->n; a++) {
      const int64_t at = start[a] + tap[a] * k->dilations[a];
      if (at < 0 || at >= w->in[a]) {
        offset = -1;
        break;
      }
      offset = offset * w->in[a] + at;
    }
    offsets[t] = offset;
    for (int a = k->n - 1; a >= 0 && ++tap[a] == k->kernel[a]; a--) {
      tap[a] = 0;
    }
  }
}

int64_t tarei_windows_padded(const tarei_windows *const w, const int64_t position) {
  const tarei_window *const k = w->window;
  int64_t start[TAREI_MAX_SPACE], count = 1;
  starts(w, position, start);
  for (int a = 0; a < k->n; a++) {
    const int64_t room = w->in[a] + w->after[a] - start[a];
    const int64_t taps = room > 0 ? (room - 1) / k->dilations[a] + 1 : 0;
    count *= taps < k->kernel[a] ? taps : k->kernel[a];
  }
  return count;
}

int64_t tarei_windows_column_major(const tarei_windows *const w, int64_t offset) {
  int64_t at[TAREI_MAX_SPACE], result = 0;
  for (int a = w->window->n - 1; a >= 0; a--) {
    at[a] = offset % w->in[a];
    offset /= w->in[a];
  }
  for (int a = w->window->n - 1; a >= 0; a--) {
    result = result * w->in[a] + at[a];
  }
  return result;
}
