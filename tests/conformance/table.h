/*
 * Tables of results: tab-separated lines under a line of heads, sorted by their first column. A
 * committed table may only improve.
 */
#ifndef TAREI_TESTS_CONFORMANCE_TABLE_H
#define TAREI_TESTS_CONFORMANCE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_COLUMNS = 8 };

typedef struct table_row {
  char *fields[MAX_COLUMNS]; /* never NULL within the columns */
} table_row;

typedef struct table {
  int n_columns;
  const char *const *heads;
  table_row *rows;
  int n;
} table;

/* Adds a row; tabs and line ends in the fields become blanks. */
void table_add(table *t, const char *const *fields);
void table_sort(table *t);
const table_row *table_find(const table *t, const char *key); /* in a sorted table */
void table_free(table *t);

/* Reads rows under the same heads. False when the file is missing or of another form. */
bool table_read(const char *path, table *t);
bool table_write(const char *path, const table *t);

/* The words for results, from the worst to the best, and their place in that order; -1 for others
 * ("-": nothing to judge). */
int result_rank(const char *word);

typedef struct table_check {
  const char *path;             /* of the committed table; NULL: none */
  bool update;                  /* write it */
  bool complete;                /* every row of it must have a result */
  int first_judged, end_judged; /* columns with results */
  int reason;                   /* column that says why */
} table_check;

/* Holds results (sorted) against the committed table and says what got better or worse. Returns the
 * exit code of a program. */
int table_finish(const table *results, const table_check *check);

#endif
