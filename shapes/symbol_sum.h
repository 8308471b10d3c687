/*
 * Symbols that are sums of others by their names.
 *
 * Exporters name the axis of an attention mask "past_sequence_length + sequence_length": its length
 * is no choice, but follows from the lengths of the cache and of the chunk.
 */
#ifndef TAREI_SHAPES_SYMBOL_SUM_H
#define TAREI_SHAPES_SYMBOL_SUM_H

#include <stdbool.h>
#include <tare/profile.h>

/* constant + the sum of counts[i] * symbol i; without `is`, the name is no sum. */
typedef struct tarei_symbol_sum {
  bool is;
  int64_t constant, counts[TARE_MAX_SYMBOLS];
} tarei_symbol_sum;

/* Reads "a + b", "a + 1", "2*a + b": at least two terms, one of them a name, and all names among
 * the n given, of which only the first TARE_MAX_SYMBOLS count. */
tarei_symbol_sum tarei_symbol_sum_read(const char *text, const char *const *names, int n);

/* The value for one value per symbol; false where it exceeds 64 bits. */
bool tarei_symbol_sum_value(const tarei_symbol_sum *sum, const int64_t *values, int64_t *value);

#endif
