#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/file/wire.h"

static void fields_come_back(void **state) {
  (void)state;
  tarei_writer w = {0};
  tarei_put_u8(&w, 200);
  tarei_put_u32(&w, 0x01020304u);
  tarei_put_u64(&w, UINT64_MAX - 1);
  tarei_put_f32(&w, -0.5f);
  tarei_put_text(&w, "text");
  tarei_put_text(&w, NULL);
  assert_false(w.failed);
  assert_int_equal(w.data[1], 4); /* little-endian */
  tarei_reader r = {.data = w.data, .n = w.n};
  assert_int_equal(tarei_get_u8(&r), 200);
  assert_int_equal(tarei_get_u32(&r), 0x01020304u);
  assert_true(tarei_get_u64(&r) == UINT64_MAX - 1);
  assert_true(tarei_get_f32(&r) == -0.5f);
  char *const text = tarei_get_text(&r), *const empty = tarei_get_text(&r);
  assert_string_equal(text, "text");
  assert_string_equal(empty, "");
  assert_true(!r.failed && r.at == r.n);
  free(text);
  free(empty);
  tarei_writer_fini(&w);
}

static void every_truncation_is_noticed(void **state) {
  (void)state;
  tarei_writer w = {0};
  tarei_put_u64(&w, 1);
  tarei_put_text(&w, "abc");
  for (size_t n = 0; n < w.n; n++) {
    tarei_reader r = {.data = w.data, .n = n};
    (void)tarei_get_u64(&r);
    free(tarei_get_text(&r));
    assert_true(r.failed);
    assert_true(r.at <= n);
  }
  tarei_writer_fini(&w);
}

static void counts_beyond_the_end_are_refused(void **state) {
  (void)state;
  tarei_writer w = {0};
  tarei_put_u32(&w, 1000);
  tarei_put_u64(&w, 0);
  tarei_reader r = {.data = w.data, .n = w.n};
  assert_int_equal(tarei_get_count(&r, 8), 0);
  assert_true(r.failed);
  tarei_writer_fini(&w);
}

int wire_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_come_back),
      cmocka_unit_test(every_truncation_is_noticed),
      cmocka_unit_test(counts_beyond_the_end_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
