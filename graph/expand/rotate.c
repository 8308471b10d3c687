#include "graph/expand/rotate.h"

int tarei_rotate_write(tarei_build *const b, const tarei_rotate *const r) {
  const int64_t half = r->size / 2, step = r->interleaved ? 2 : 1;
  const int x = tarei_attend_slice(b, r->x, 3, 0, r->interleaved ? r->size : half, step);
  const int y = tarei_attend_slice(b, r->x, 3, r->interleaved ? 1 : half, r->size, step);
  const int real = tarei_build_binary(b, "Sub", tarei_build_binary(b, "Mul", x, r->cosine),
                                      tarei_build_binary(b, "Mul", y, r->sine));
  const int imaginary = tarei_build_binary(b, "Add", tarei_build_binary(b, "Mul", x, r->sine),
                                           tarei_build_binary(b, "Mul", y, r->cosine));
  int turned;
  if (r->interleaved) {
    const int64_t last = 4;
    const int pairs[] = {tarei_attend_unsqueeze(b, real, &last, 1),
                         tarei_attend_unsqueeze(b, imaginary, &last, 1)};
    turned = tarei_attend_reshape(b, tarei_attend_concat(b, pairs, 2, last),
                                  (const int64_t[]){0, 0, 0, r->size}, 4);
  } else {
    turned = tarei_attend_concat(b, (const int[]){real, imaginary}, 2, 3);
  }
  if (r->size == r->depth) {
    return turned;
  }
  const int rest = tarei_attend_slice(b, r->x, 3, r->size, r->depth, 1);
  return tarei_attend_concat(b, (const int[]){turned, rest}, 2, 3);
}
