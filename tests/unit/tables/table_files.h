/* Tables from memory, and a file for tables that are written. */
#ifndef TAREI_TESTS_UNIT_TABLES_TABLE_FILES_H
#define TAREI_TESTS_UNIT_TABLES_TABLE_FILES_H

#include <stddef.h>
#include <tare/table.h>

/* The file; it exists between setup and teardown, which are group functions of cmocka. */
extern char table_path[64];
int table_make_path(void **state);
int table_remove_path(void **state);

/* The table that n bytes are, as a file of this name. They are copied to memory that ends with the
 * last one. NULL after a failure. */
tare_table *table_read_bytes(const char *name, const void *bytes, size_t n, tare_error *err);

/* The table that a text is; fails the test with the message. */
tare_table *table_read_text(const char *name, const char *text);

/* The file has just this text; prints what it has otherwise. */
void table_assert_file(const char *expected);

#endif
