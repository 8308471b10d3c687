#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/base64.h"

/* RFC 4648, section 10. */
static void writes_the_vectors_of_the_standard(void **const state) {
  (void)state;
  static const struct {
    const char *bytes, *text;
  } cases[] = {{"", ""},
               {"f", "Zg=="},
               {"fo", "Zm8="},
               {"foo", "Zm9v"},
               {"foob", "Zm9vYg=="},
               {"fooba", "Zm9vYmE="},
               {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t n = strlen(cases[i].bytes);
    char text[16];
    uint8_t back[8] = {0};
    tarei_base64_put((const uint8_t *)cases[i].bytes, n, text);
    assert_string_equal(text, cases[i].text);
    assert_int_equal(tarei_base64_length(n), strlen(text));
    assert_true(tarei_base64_take(text, back, n));
    assert_memory_equal(back, cases[i].bytes, n);
  }
}

static void every_byte_survives(void **const state) {
  (void)state;
  uint8_t bytes[256], back[256];
  char text[4 * 86 + 1];
  for (int i = 0; i < 256; i++) {
    bytes[i] = (uint8_t)(i * 167 + 13);
  }
  for (size_t n = 0; n <= sizeof bytes; n++) {
    tarei_base64_put(bytes, n, text);
    memset(back, 0, sizeof back);
    assert_true(tarei_base64_take(text, back, n));
    assert_memory_equal(back, bytes, n);
  }
}

static void takes_nothing_else(void **const state) {
  (void)state;
  static const struct {
    const char *text;
    size_t n;
  } cases[] = {
      {"Zg==", 2},     {"Zg==", 0},    {"Zg=", 1},  {"Zg", 1},    {"Zg===", 1}, /* length */
      {"Zh==", 1},     {"Zm9=", 2},                                             /* bits left over */
      {"Z===", 1},     {"Zg=g", 1},    {"Zm8g", 2}, {"Zm8=", 1},  {"Zm9=", 3},  /* padding */
      {"Zm-v", 3},     {"Zm_v", 3},    {"Zm v", 3}, {"Zm\nv", 3}, {"Zm\xc3\xa9", 3},
      {"Zg==Zg==", 4}, {"Zm9vZg=", 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint8_t bytes[8];
    if (tarei_base64_take(cases[i].text, bytes, cases[i].n)) {
      fail_msg("'%s' is taken for %zu bytes", cases[i].text, cases[i].n);
    }
  }
}

static void sizes_do_not_overflow(void **const state) {
  (void)state;
  assert_true(tarei_base64_length(SIZE_MAX) == SIZE_MAX);
  assert_true(tarei_base64_length(SIZE_MAX / 2) > SIZE_MAX / 2);
}

int base64_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_the_vectors_of_the_standard),
      cmocka_unit_test(every_byte_survives),
      cmocka_unit_test(takes_nothing_else),
      cmocka_unit_test(sizes_do_not_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
