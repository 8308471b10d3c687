/* Tables of text that keep to the width of the terminal where they can. */
#ifndef TAREI_TOOLS_REPORT_H
#define TAREI_TOOLS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct report report;

/* Columns as "name<,count>,min>": '<' left, '>' right, '~' left and cut when the table would be
 * wider than the terminal or COLUMNS, but only so far that different cells still look different;
 * '?' left and '!' right, which are left out, the last one first, where the table would not fit
 * even then, and named below it; '^', for the last column only, left and wrapped between words.
 * Without any name there is no line of names.
 * What does not go to a terminal is not cut, unless COLUMNS is set. */
report *report_new(const char *columns);

/* Adds the next cell; rows fill from left to right. */
void report_cell(report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds a number, "-" where it is not one. */
void report_number(report *r, int decimals, double value);
/* Decibels; an infinite SQNR is that of equal values. */
void report_sqnr(report *r, double db);
/* An interval of decibels, or of differences with their signs. */
void report_decibels(report *r, bool differences, double low, double high);
/* A share of energy that is lost, in decibels below the whole. */
void report_loss(report *r, double share);

/* Writes the table and frees it. An empty table writes nothing. */
void report_print(report *r, FILE *to);

/* "1.2 MB" and the like; the caller frees it. */
char *report_bytes(int64_t bytes);

#endif
