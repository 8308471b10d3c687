/* Tables of ONNX Runtime's TensorRT provider. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/table/table.h"
#include "unit/tables/table_files.h"

/* What the FlatBuffers builder for Python 2.0.8 wrote, called as write_calibration_table of ONNX
 * Runtime does, for {"data": "0.5", "conv1": "2.4000000953674316", "/a/b:0": "1e-05"}. */
static const uint8_t GOLDEN[] = {
    0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06, 0x00, 0x08, 0x00, 0x04, 0x00, 0x06, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x00, 0x00, 0x28, 0x00, 0x00, 0x00,
    0x5c, 0x00, 0x00, 0x00, 0xb0, 0xff, 0xff, 0xff, 0x08, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x30, 0x2e, 0x35, 0x00, 0x04, 0x00, 0x00, 0x00, 0x64, 0x61, 0x74, 0x61,
    0x00, 0x00, 0x00, 0x00, 0xd0, 0xff, 0xff, 0xff, 0x08, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00,
    0x12, 0x00, 0x00, 0x00, 0x32, 0x2e, 0x34, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x39, 0x35, 0x33,
    0x36, 0x37, 0x34, 0x33, 0x31, 0x36, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x63, 0x6f, 0x6e, 0x76,
    0x31, 0x00, 0x00, 0x00, 0x08, 0x00, 0x0c, 0x00, 0x08, 0x00, 0x04, 0x00, 0x08, 0x00, 0x00, 0x00,
    0x08, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x31, 0x65, 0x2d, 0x30,
    0x35, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x2f, 0x61, 0x2f, 0x62, 0x3a, 0x30, 0x00, 0x00,
};
enum { N_GOLDEN = sizeof GOLDEN };

static void reads_and_rewrites_the_same_bytes(void **const state) {
  (void)state;
  tare_error err = {0};
  tare_table *table = table_read_bytes("t.flatbuffers", GOLDEN, N_GOLDEN, &err);
  if (!table) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(tare_table_n_tensors(table), 3);
  assert_string_equal(tare_table_method(table), "");
  assert_true(tare_table_get(table, tare_table_find(table, "data"), 0).amax == 0.5);
  assert_true(tare_table_get(table, tare_table_find(table, "conv1"), 0).amax == (double)2.4f);
  assert_true(isnan(tare_table_get(table, tare_table_find(table, "/a/b:0"), 0).min));
  const int format = tare_table_format_of("x.flatbuffers");
  assert_int_equal(tare_table_write(table, format, NULL, table_path, NULL), TARE_OK);
  uint8_t bytes[2 * N_GOLDEN];
  FILE *const file = fopen(table_path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(bytes, 1, sizeof bytes, file), N_GOLDEN);
  fclose(file);
  assert_memory_equal(bytes, GOLDEN, N_GOLDEN);
  const char *lost[TARE_MAX_TABLE_PARTS];
  assert_int_equal(tare_table_lost(table, format, NULL, lost), 0);
  tare_table_free(&table);
}

static void refuses_every_truncation(void **const state) {
  (void)state;
  for (size_t n = 0; n < N_GOLDEN - 1; n++) { /* the last byte only aligns */
    tare_error err = {0};
    assert_null(table_read_bytes("t.flatbuffers", GOLDEN, n, &err));
    assert_int_equal(err.status, TARE_E_INPUT);
  }
}

/* Any byte may say anything: every value of every byte, and pairs of offsets at random. */
static void survives_every_changed_byte(void **const state) {
  (void)state;
  uint8_t bytes[N_GOLDEN];
  int refused = 0;
  for (int at = 0; at < N_GOLDEN; at++) {
    for (int value = 0; value < 256; value++) {
      memcpy(bytes, GOLDEN, N_GOLDEN);
      bytes[at] = (uint8_t)value;
      tare_table *table = table_read_bytes("t.flatbuffers", bytes, N_GOLDEN, NULL);
      refused += !table;
      tare_table_free(&table);
    }
  }
  assert_true(refused > 1000);
  uint32_t seed = 20261122;
  for (int i = 0; i < 20000; i++) {
    memcpy(bytes, GOLDEN, N_GOLDEN);
    for (int k = 0; k < 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      bytes[(seed >> 8) % N_GOLDEN] = (uint8_t)(seed >> 24);
    }
    tare_table *table = table_read_bytes("t.flatbuffers", bytes, N_GOLDEN, NULL);
    tare_table_free(&table);
  }
}

/* Replaces a text of the golden file by another of the same length. */
static void assert_refused(const char *const from, const char *const to, const char *const says) {
  uint8_t bytes[N_GOLDEN];
  memcpy(bytes, GOLDEN, N_GOLDEN);
  uint8_t *const at = memmem(bytes, N_GOLDEN, from, strlen(from));
  assert_non_null(at);
  memcpy(at, to, strlen(from));
  tare_error err = {0};
  assert_null(table_read_bytes("t.flatbuffers", bytes, N_GOLDEN, &err));
  assert_int_equal(err.status, TARE_E_INPUT);
  if (!strstr(err.message, says)) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, says);
  }
}

static void refuses_texts_that_are_no_thresholds(void **const state) {
  (void)state;
  assert_refused("0.5", "-.5", "tensor 'data': the threshold must not be negative, got -.5");
  assert_refused("0.5", "abc", "must be a finite float32, got 'abc'");
  assert_refused("0.5", "1x0", "must be a finite float32, got '1x0'");
  assert_refused("0.5", "inf", "must be a finite float32, got 'inf'");
  assert_refused("0.5", "nan", "must be a finite float32, got 'nan'");
  assert_refused("1e-05", "1e+99", "must be a finite float32, got '1e+99'");
  assert_refused("data", "da\0a", "entry 0: the key is missing, malformed, or truncated");
}

/* Entries that share one key must not make the table larger than the file. */
static void refuses_repeated_entries(void **const state) {
  (void)state;
  uint8_t bytes[N_GOLDEN];
  memcpy(bytes, GOLDEN, N_GOLDEN);
  const size_t list = 24; /* its three offsets are at 24, 28 and 32 */
  assert_int_equal(bytes[list - 4], 3);
  bytes[list + 4] = (uint8_t)(bytes[list] - 4);
  tare_error err = {0};
  assert_null(table_read_bytes("t.flatbuffers", bytes, N_GOLDEN, &err));
  assert_non_null(strstr(err.message, "duplicate tensor 'data'"));
}

static void zero_is_a_dead_tensor(void **const state) {
  (void)state;
  uint8_t bytes[N_GOLDEN];
  memcpy(bytes, GOLDEN, N_GOLDEN);
  memcpy(memmem(bytes, N_GOLDEN, "0.5", 3), "0.0", 3);
  tare_table *table = table_read_bytes("t.flatbuffers", bytes, N_GOLDEN, NULL);
  assert_non_null(table);
  assert_true(tare_table_get(table, tare_table_find(table, "data"), 0).amax == 0);
  tare_table_free(&table);
}

int table_flatbuffers_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_and_rewrites_the_same_bytes),
      cmocka_unit_test(refuses_every_truncation),
      cmocka_unit_test(survives_every_changed_byte),
      cmocka_unit_test(refuses_texts_that_are_no_thresholds),
      cmocka_unit_test(refuses_repeated_entries),
      cmocka_unit_test(zero_is_a_dead_tensor),
  };
  return cmocka_run_group_tests(tests, table_make_path, table_remove_path);
}
