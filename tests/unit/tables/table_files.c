#include "unit/tables/table_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph/table/table.h"

char table_path[64];

int table_make_path(void **const state) {
  (void)state;
  (void)snprintf(table_path, sizeof table_path, "/tmp/tare_table_XXXXXX");
  const int file = mkstemp(table_path);
  return file < 0 ? -1 : close(file);
}

int table_remove_path(void **const state) {
  (void)state;
  return unlink(table_path);
}

tare_table *table_read_bytes(const char *const name, const void *const bytes, const size_t n,
                             tare_error *const err) {
  tarei_source source = {0};
  tare_table *table = NULL;
  void *const exact = malloc(n ? n : 1);
  assert_non_null(exact);
  memcpy(exact, bytes, n);
  assert_int_equal(tarei_source_memory(name, exact, n, &source, NULL), TARE_OK);
  const tare_status status = tarei_table_read_source(&source, &table, err);
  assert_int_equal(status == TARE_OK, table != NULL);
  tarei_source_close(&source);
  free(exact);
  return table;
}

tare_table *table_read_text(const char *const name, const char *const text) {
  tare_error err = {0};
  tare_table *const table = table_read_bytes(name, text, strlen(text), &err);
  if (!table) {
    fail_msg("%s", err.message);
  }
  return table;
}

void table_assert_file(const char *const expected) {
  static char text[1 << 16];
  FILE *const file = fopen(table_path, "rb");
  assert_non_null(file);
  const size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = '\0';
  if (strcmp(text, expected) != 0) {
    print_error("%s\n", text);
  }
  assert_string_equal(text, expected);
}
