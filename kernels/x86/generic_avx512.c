/* The generic sources over one register of sixteen lanes. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || \
    !defined(__AVX512DQ__)
#error "needs AVX-512 F, BW, VL and DQ"
#endif
#define TAREI_ISA_SUFFIX avx512
#define LOOK_UP tarei_k_lut_u8_u8_64__avx512
#include "kernels/generic/bf16_body.h"
#include "kernels/generic/channels_body.h"
#include "kernels/generic/depthwise/dw_f32_body.h"
#include "kernels/generic/depthwise/dw_planes_f32_body.h"
#include "kernels/generic/depthwise/dw_planes_i8_body.h"
#include "kernels/generic/epilogue_body.h"
#include "kernels/generic/fourier_body.h"
#include "kernels/generic/recurrent/gru_body.h"
#include "kernels/generic/recurrent/gru_steps_body.h"
#include "kernels/generic/recurrent/linear_step_body.h"
#include "kernels/generic/recurrent/lstm_body.h"
#include "kernels/generic/minmax_body.h"
#include "kernels/generic/observe_body.h"
#include "kernels/generic/pointwise_body.h"
#include "kernels/generic/pooling/pool_body.h"
#include "kernels/generic/products/direct_body.h"
#include "kernels/generic/products/dots_body.h"
#include "kernels/generic/quantize_i16_body.h"
#include "kernels/generic/quantize_lut_body.h"
#include "kernels/generic/quantize_rows_body.h"
#include "kernels/generic/quantize_windows_body.h"
#include "kernels/generic/rows_body.h"
#include "kernels/generic/softmax/softmax_body.h"
#include "kernels/generic/softmax/softmax_f32_body.h"
#include "kernels/generic/thin_i8_body.h"
#include "kernels/generic/widen_body.h"
#include "kernels/generic/winograd_body.h"
