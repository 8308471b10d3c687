/* A product whose last row is too short is reported by AddressSanitizer, also where the steps are
 * checked once for a whole block. */
#include "tests/unit/kernels/checkkern.h"

#include <sys/wait.h>
#include <unistd.h>

enum { K = 64, N = 32 };

typedef void kernel_fn(void); /* of any family */
typedef void product_fn(kernel_fn *kernel, size_t m, size_t left_out);

static void multiply_floats(kernel_fn *kernel, size_t m, size_t left_out) {
  float *const a = ck_floats(m * K - left_out, false), *const w = ck_floats(K * N, false);
  float *const packed = ck_alloc_aligned(tarei_f32_packed_size(K, N)), *const out = ck_alloc(
                                                                           m * N * sizeof *out);
  ck_scalar().f32_pack(w, N, false, K, N, packed);
  const tarei_f32_gemm g = {.a = a,
                            .lda = K,
                            .m = m,
                            .k = K,
                            .n = N,
                            .b = packed,
                            .epilogue = {.out_f32 = out, .ld_f32 = N}};
  ((tarei_f32_gemm_fn *)kernel)(&g);
  free(a);
  free(w);
  free(packed);
  free(out);
}

static void multiply_bytes(kernel_fn *kernel, size_t m, size_t left_out) {
  uint8_t *const a = ck_bytes(m * K - left_out);
  int8_t *const w = ck_bytes(K * N), *const packed = ck_alloc_aligned(tarei_i8_packed_size(K, N));
  int32_t *const add = ck_alloc(N * sizeof *add);
  float *const mult = ck_floats(N, false), *const out = ck_alloc(m * N * sizeof *out);
  tarei_i8_pack(w, N, false, K, N, packed, add);
  const tarei_i8_gemm g = {.a = a,
                           .lda = K,
                           .m = m,
                           .k = K,
                           .n = N,
                           .b = packed,
                           .add = add,
                           .epilogue = {.mult = mult, .out_f32 = out, .ld_f32 = N}};
  ((tarei_i8_gemm_fn *)kernel)(&g);
  free(a);
  free(w);
  free(packed);
  free(add);
  free(mult);
  free(out);
}

/* In a process of its own, which says nothing. */
static bool passes(product_fn *product, kernel_fn *kernel, size_t m, size_t left_out) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    (void)!freopen("/dev/null", "w", stderr);
    product(kernel, m, left_out);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void check_family(const char *family, product_fn *product) {
  static const size_t heights[] = {1, 2, 5, 14, 20};
  CK_EACH_ROW(family) {
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
      if (!passes(product, row->function, heights[i], 0) ||
          passes(product, row->function, heights[i], 1)) {
        fail_msg("%s: a product of %zu rows is not checked", row->name, heights[i]);
      }
    }
  }
}

static void short_rows_of_floats_are_reported(void **state) {
  (void)state;
  check_family("f32_gemm", multiply_floats);
}

static void short_rows_of_bytes_are_reported(void **state) {
  (void)state;
  check_family("i8_gemm", multiply_bytes);
}

int overrun_test(void) {
#ifndef __SANITIZE_ADDRESS__
  puts("skipped: addresses are not checked in this build");
  return 77;
#endif
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_rows_of_floats_are_reported),
      cmocka_unit_test(short_rows_of_bytes_are_reported),
  };
  return cmocka_run_group_tests_name("kernels.overrun", tests, ck_seed, NULL);
}
