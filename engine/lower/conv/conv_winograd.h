/* Dense float convolutions over two axes with stride 1: windows of 3 by 3 as Winograd's F(2x2,
 * 3x3), those of 1 by 3 and 3 by 1 as F(2, 3). */
#ifndef TAREI_ENGINE_LOWER_CONV_CONV_WINOGRAD_H
#define TAREI_ENGINE_LOWER_CONV_CONV_WINOGRAD_H

#include "engine/lower/conv/conv_rows.h"

/* Whether it saves time (graph/ops/conv/winograd_form.h). */
bool tarei_winograd_serves(const tarei_conv *conv);

/* The transformed weights: each is rounded once. w: [outputs][taps][channels]. */
size_t tarei_winograd_packed_size(const tarei_conv *conv); /* bytes */
tare_status tarei_winograd_pack(const tarei_conv *conv, const float *w,
                                const tarei_kernels *kernels, float *packed, tare_error *err);

size_t tarei_winograd_scratch(const tarei_conv *conv, int threads);
/* `epilogue` counts rows by output positions. */
void tarei_winograd_run(const tarei_conv *conv, const float *packed, const tarei_run *run,
                        const tare_tensor *x, const tare_tensor *out,
                        const tarei_epilogue *epilogue);

#endif
