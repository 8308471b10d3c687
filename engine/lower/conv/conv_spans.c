/* Depthwise convolutions along one axis: spans of outputs for the threads. */
#include "base/team.h"
#include "engine/lower/conv/conv_rows.h"

#define LEAST_SPAN                                                                               \
  128                  /* outputs: each span reads the taps anew, hence one a thread before more \
                        */
#define LEAST_SHARE 16 /* of a thread */

typedef struct span_job {
  const tarei_conv *conv;
  int axis; /* of the window */
  const tare_tensor *x;
  size_t element;
  int64_t length, size, per_batch, pad;
  tarei_conv_span_fn span;
  const void *user;
} span_job;

static void span_item(const void *const user, const size_t i, const int thread) {
  (void)thread;
  const span_job *const j = user;
  const tarei_conv *const c = j->conv;
  const int64_t batch = (int64_t)i / j->per_batch, t0 = (int64_t)i % j->per_batch * j->size;
  tarei_dw_conv call = {
      .x = (const char *)j->x->data + (size_t)(batch * j->x->dims[1] * c->channels) * j->element,
      .ldx = (size_t)c->channels,
      .in_length = j->x->dims[1],
      .t0 = t0,
      .t1 = t0 + j->size < j->length ? t0 + j->size : j->length,
      .kernel = c->window.kernel[j->axis],
      .stride = c->window.strides[j->axis],
      .dilation = c->window.dilations[j->axis],
      .pad = j->pad,
      .channels = (size_t)c->channels};
  j->span(j->user, &call, (size_t)(batch * j->length + t0));
}

static int64_t pieces_of(const int64_t length, const int64_t threads) {
  if (threads > 1 && length >= 2 * threads * LEAST_SPAN) {
    return 2 * threads;
  }
  const int64_t most = length / LEAST_SHARE;
  return most < 1 ? 1 : most < threads ? most : threads;
}

void tarei_conv_spans(const tarei_conv *const c, const tarei_run *const run,
                      const tare_tensor *const x, const tare_tensor *const out,
                      const size_t element, const tarei_conv_span_fn span, const void *const user) {
  const int64_t length = out->dims[1];
  if (length == 0) {
    return;
  }
  const int axis = c->column ? 0 : 1;
  const int64_t pieces = pieces_of(length, run->threads);
  const int64_t size = (length + pieces - 1) / pieces;
  const span_job j = {.conv = c,
                      .axis = axis,
                      .x = x,
                      .element = element,
                      .length = length,
                      .size = size,
                      .per_batch = (length + size - 1) / size,
                      .pad = tarei_window_padding(&c->window, axis, x->dims[1], length).before,
                      .span = span,
                      .user = user};
  tarei_team_run(run->team, (size_t)(x->dims[0] * j.per_batch), span_item, &j);
}
