#include "kernels/kernels.h"

tarei_epilogue tarei_epilogue_at(const tarei_epilogue *epilogue, size_t row, size_t column) {
  tarei_epilogue e = *epilogue;
  e.upper = e.upper ? e.upper + row * e.ld_upper + column : NULL;
  e.mult = e.mult ? e.mult + column : NULL;
  e.row_mult = e.row_mult ? e.row_mult + row : NULL;
  e.bias = e.bias ? e.bias + column : NULL;
  e.residual = e.residual ? e.residual + row * e.ld_residual + column : NULL;
  e.residual_u8 = e.residual_u8 ? e.residual_u8 + row * e.ld_residual + column : NULL;
  e.out_f32 = e.out_f32 ? e.out_f32 + row * e.ld_f32 + column : NULL;
  e.out_u8 = e.out_u8 ? e.out_u8 + row * e.ld_u8 + column : NULL;
  return e;
}
