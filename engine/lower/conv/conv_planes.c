/* Depthwise convolutions over two axes: lines of outputs for the threads. */
#include <string.h>

#include "base/mem.h"
#include "base/team.h"
#include "engine/lower/conv/conv_rows.h"

#define SHARES 4 /* of a thread, so that none waits long for another */

typedef struct plane_job {
  tarei_dw_planes planes;
  int64_t lines, size; /* of all samples; of a share */
  tarei_conv_planes_fn run;
  const void *user;
} plane_job;

static size_t padding_bytes(const tarei_conv *const c, const tare_tensor *const x,
                            const size_t element) {
  return tarei_times((size_t)x->dims[2], (size_t)c->channels * element);
}

size_t tarei_conv_planes_scratch(const tarei_conv *const c, const tare_tensor *const x,
                                 const size_t element) {
  return padding_bytes(c, x, element);
}

static void conv_planes_item(const void *const user, const size_t i, const int thread) {
  (void)thread;
  const plane_job *const j = user;
  const int64_t first = (int64_t)i * j->size;
  tarei_dw_planes call = j->planes;
  call.line0 = first;
  call.line1 = first + j->size < j->lines ? first + j->size : j->lines;
  j->run(j->user, &call, (size_t)(first * call.out[1]));
}

void tarei_conv_planes(const tarei_conv *const c, const tarei_run *const r,
                       const tare_tensor *const x, const tare_tensor *const out,
                       const size_t element, const uint8_t pad_byte, const tarei_conv_planes_fn run,
                       const void *const user) {
  plane_job j = {.planes = {.x = x->data, .padding = r->scratch, .channels = (size_t)c->channels},
                 .lines = x->dims[0] * out->dims[1],
                 .run = run,
                 .user = user};
  if (j.lines == 0 || out->dims[2] == 0) {
    return;
  }
  for (int a = 0; a < 2; a++) {
    j.planes.in[a] = x->dims[1 + a];
    j.planes.out[a] = out->dims[1 + a];
    j.planes.kernel[a] = c->window.kernel[a];
    j.planes.stride[a] = c->window.strides[a];
    j.planes.dilation[a] = c->window.dilations[a];
    j.planes.pad[a] = tarei_window_padding(&c->window, a, x->dims[1 + a], out->dims[1 + a]).before;
  }
  memset(r->scratch, pad_byte, padding_bytes(c, x, element));
  const int64_t threads = tarei_conv_threads(c, r, out),
                shares = threads > 1 ? threads * SHARES : 1;
  j.size = (j.lines + shares - 1) / shares;
  tarei_team_run(threads > 1 ? r->team : NULL, (size_t)((j.lines + j.size - 1) / j.size),
                 conv_planes_item, &j);
}
