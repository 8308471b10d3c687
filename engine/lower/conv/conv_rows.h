/*
 * Convolution as rows of a matrix product, channels-last.
 *
 * Output position r (over batch and space) is one row of [kernel taps x channels of a group]. Along
 * one axis without dilation and groups that row lies in the input as it is, and rows overlap with a
 * leading dim of stride * channels; with groups they overlap likewise in a copy of the group's
 * channels. Other rows consist of parts that lie in the input, or in a copy with its padding, for
 * those who take parts, and are gathered into scratch for the others. Bytes are all the same to it:
 * the padding byte is 0 for float and the zero point for u8.
 */
#ifndef TAREI_ENGINE_LOWER_CONV_CONV_ROWS_H
#define TAREI_ENGINE_LOWER_CONV_CONV_ROWS_H

#include "engine/lower/conv/conv_types.h"

/* Reads and checks the attributes of conv_last or qconv_last. */
tare_status tarei_conv_read(const tarei_step *step, tarei_conv *out, tare_error *err);

/* One channel per group in and out: the depthwise kernels serve. */
bool tarei_conv_is_depthwise(const tarei_conv *conv);
/* Whether their windows cover two axes. */
bool tarei_conv_has_planes(const tarei_conv *conv);
/* Elements of a window; tap j of a depthwise kernel, which goes column by column, stands at
 * tarei_conv_tap(conv, j) of the weights, which go row by row. */
int64_t tarei_conv_taps(const tarei_conv *conv);
int64_t tarei_conv_tap(const tarei_conv *conv, int64_t j);

/* Consecutive rows of a group: row i begins at a + i * lda bytes, and consists of as many parts of
 * equal length, part_step bytes apart, and each of them of as many pieces, piece_step bytes apart.
 * first is the number of row 0 among all output positions.
 * Sets that may have several parts are lines of a block of `block` rows, of which `before` came in
 * calls before, from the same thread; `block` of others is 0. */
typedef struct tarei_conv_row_set {
  const void *a;
  size_t lda, m;
  size_t parts, part_step;
  size_t pieces, piece_step; /* more than one only of blocks */
  int64_t group;
  size_t first;
  size_t before, block;
} tarei_conv_row_set;

/* Called from several threads. */
typedef void (*tarei_conv_rows_fn)(const void *user, const tarei_conv_row_set *rows, int thread);

/* Stretches of a window that do not lie side by side. */
int64_t tarei_conv_stretches(const tarei_conv *conv);

/* Are the windows of all groups together along one axis, and their taps apart? */
bool tarei_conv_is_dilated_line(const tarei_conv *conv);

/* Rows of a block whose rows have parts, at most. */
size_t tarei_conv_block_rows(const tarei_conv *conv, size_t element);

/* Grows with the output positions of `out`. */
size_t tarei_conv_scratch(const tarei_conv *conv, const tare_tensor *out, size_t element,
                          int threads);

/* Whoever takes rows of several parts multiplies the weights by those of a line, or of a block. */
typedef enum tarei_conv_parts {
  TAREI_CONV_NO_PARTS,
  TAREI_CONV_PARTS_BY_LINES,
  TAREI_CONV_PARTS_BY_BLOCKS,
} tarei_conv_parts;

/* x, out: [batch, space..., channels]. The run's scratch begins with that of tarei_conv_scratch. */
void tarei_conv_rows(const tarei_conv *conv, const tarei_run *run, const tare_tensor *x,
                     const tare_tensor *out, size_t element, uint8_t pad_byte,
                     tarei_conv_parts parts, tarei_conv_rows_fn rows, const void *user);

/* Copies the row of one output position of the first group. */
void tarei_conv_row(const tarei_conv *conv, const tare_tensor *x, const tare_tensor *out,
                    size_t element, uint8_t pad_byte, size_t position, void *row);

/* Called from several threads with a depthwise call for some outputs of one sample, complete but
 * for weights, zero point and epilogue; row is the number of its first output among all. */
typedef void (*tarei_conv_span_fn)(const void *user, tarei_dw_conv *call, size_t row);

/* Cuts the outputs of a depthwise convolution with windows along one axis into spans for the
 * threads. */
void tarei_conv_spans(const tarei_conv *conv, const tarei_run *run, const tare_tensor *x,
                      const tare_tensor *out, size_t element, tarei_conv_span_fn span,
                      const void *user);

/* Threads that a convolution is worth: one where another would begin when all is nearly done. */
int64_t tarei_conv_threads(const tarei_conv *conv, const tarei_run *run, const tare_tensor *out);

/* The same over two axes: lines of outputs. */
typedef void (*tarei_conv_planes_fn)(const void *user, tarei_dw_planes *call, size_t row);

/* The run's scratch begins with that of tarei_conv_planes_scratch, which grows with x. */
void tarei_conv_planes(const tarei_conv *conv, const tarei_run *run, const tare_tensor *x,
                       const tare_tensor *out, size_t element, uint8_t pad_byte,
                       tarei_conv_planes_fn planes, const void *user);
size_t tarei_conv_planes_scratch(const tarei_conv *conv, const tare_tensor *x, size_t element);

#endif
