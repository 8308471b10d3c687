/* Lists of files, which are stored as what differs from the one before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "datasets/items.h"

enum { N_STRINGS = 1000, N_ITEMS = 200, TEXT = 64 };

/* Lengths from 0 on, beginnings shared or not, zero bytes inside. */
static size_t string_of(const size_t i, char *const out) {
  const size_t n = i * 7919 % TEXT;
  memset(out, i % 5 == 0 ? 'b' : 'a', TEXT);
  out[n / 2] = (char)(i % 3);
  return n;
}

static void assert_string(const tarei_packed_list *const list, const size_t i,
                          tarei_unpacked *const to) {
  char text[TEXT];
  const size_t n = string_of(i, text);
  assert_true(tarei_packed_get(list, i, to));
  assert_int_equal(to->bytes.n, n);
  assert_memory_equal(to->bytes.data, text, n);
}

static void strings_come_back_in_any_order(void **state) {
  (void)state;
  tarei_packed_list list = {0};
  tarei_unpacked to = {0};
  for (size_t i = 0; i < N_STRINGS; i++) {
    char text[TEXT];
    const size_t n = string_of(i, text);
    assert_true(tarei_packed_add(&list, text, n));
  }
  assert_int_equal(list.n, N_STRINGS);
  assert_int_equal(list.longest, TEXT - 1);
  for (size_t i = 0; i < N_STRINGS; i++) {
    assert_string(&list, i, &to);
  }
  for (size_t i = 0; i < N_STRINGS; i++) {
    assert_string(&list, i * 617 % N_STRINGS, &to); /* forward, backward, across blocks */
    assert_string(&list, i * 617 % N_STRINGS, &to); /* and the same again */
  }
  tarei_unpacked_free(&to);
  tarei_packed_free(&list);
}

static void numbers_keep_all_their_bits(void **state) {
  (void)state;
  static const uint64_t NUMBERS[] = {0, 1, 127, 128, 16383, 16384, INT64_MAX, UINT64_MAX};
  enum { N = sizeof NUMBERS / sizeof *NUMBERS };
  tarei_bytes bytes = {0};
  for (int i = 0; i < N; i++) {
    assert_true(tarei_bytes_put_number(&bytes, NUMBERS[i]));
  }
  const uint8_t *at = bytes.data;
  for (int i = 0; i < N; i++) {
    assert_true(tarei_bytes_take_number(&at) == NUMBERS[i]);
  }
  assert_ptr_equal(at, bytes.data + bytes.n);
  tarei_bytes_free(&bytes);
}

/* All combinations of what an item may have. */
static tarei_item item_of(const int i, const char *const origin, char path[static TEXT]) {
  snprintf(path, TEXT, "/data/%d/recording-%d.wav", i / 50, i);
  tarei_item item = {.path = path, .line = i};
  item.label_text = i & 1 ? (i & 2 ? "" : "a label") : NULL;
  item.origin = i & 4 ? origin : NULL;
  item.ops = i & 8 ? &tarei_reader_ark : NULL;
  if (i & 16) {
    item.segment = (tarei_segment){.cut = true, .start = i / 3.0, .length = 0.1, .rounded = i & 32};
  }
  item.segment.channel = i & 64 ? 2 : 0;
  item.segment.byte = i & 128 ? (int64_t)1 << 40 : 0;
  return item;
}

static void assert_item(const tarei_item *const got, const tarei_item *const wanted) {
  assert_string_equal(got->path, wanted->path);
  assert_int_equal(got->label_text != NULL, wanted->label_text != NULL);
  assert_true(!wanted->label_text || strcmp(got->label_text, wanted->label_text) == 0);
  assert_ptr_equal(got->origin, wanted->origin);
  assert_int_equal(got->line, wanted->line);
  assert_ptr_equal(got->ops, wanted->ops ? wanted->ops : tarei_reader_named(".wav"));
  assert_true(got->segment.start == wanted->segment.start);
  assert_true(got->segment.length == wanted->segment.length);
  assert_int_equal(got->segment.cut, wanted->segment.cut);
  assert_int_equal(got->segment.rounded, wanted->segment.rounded);
  assert_int_equal(got->segment.channel, wanted->segment.channel);
  assert_int_equal(got->segment.byte, wanted->segment.byte);
}

static void items_come_back_as_they_were(void **state) {
  (void)state;
  tarei_items items = {0};
  tarei_item_view view = {0};
  char path[TEXT];
  (void)tarei_items_keep_origin(&items, "another");
  const char *const origin = tarei_items_keep_origin(&items, "list.txt");
  for (int i = 0; i < N_ITEMS; i++) {
    const tarei_item item = item_of(i, origin, path);
    assert_int_equal(tarei_items_add(&items, &item, NULL), TARE_OK);
  }
  assert_int_equal(tarei_items_set_count(&items, 17, 0, false, NULL), TARE_OK);
  assert_int_equal(tarei_items_set_count(&items, 90, 5, true, NULL), TARE_OK);
  for (int i = 0; i < N_ITEMS; i++) {
    const int k = i * 71 % N_ITEMS;
    const tarei_item wanted = item_of(k, origin, path);
    assert_int_equal(tarei_items_get(&items, (size_t)k, &view, NULL), TARE_OK);
    assert_item(&view.item, &wanted);
    assert_int_equal(view.item.count, k == 17 ? 0 : k == 90 ? 5 : 1);
    assert_int_equal(view.item.audio, k == 17 ? false : k == 90 || view.item.ops->has_rate);
  }
  tarei_item_view_fini(&view);
  tarei_items_fini(&items);
}

int items_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strings_come_back_in_any_order),
      cmocka_unit_test(numbers_keep_all_their_bits),
      cmocka_unit_test(items_come_back_as_they_were),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
