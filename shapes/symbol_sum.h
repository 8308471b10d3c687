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

#define TAREI_SUM_TERMS 16 /* symbols of one sum */

/* constant + the sum of count * symbol; without `is`, the name is no sum. */
typedef struct tarei_symbol_sum {
  bool is;
  int n;
  int64_t constant;
  struct {
    int symbol;
    int64_t count; /* 0: taken away */
  } terms[TAREI_SUM_TERMS];
} tarei_symbol_sum;

/* Reads "a + b", "a + 1", "2*a + b": at least two terms, one of them a name, and all names among
 * the n given. A name with other characters than letters, digits, '_' and '.' may stand in double
 * quotes, as in printed dims. */
tarei_symbol_sum tarei_symbol_sum_read(const char *text, const char *const *names, int n);

/* How often a symbol is in the sum. */
int64_t tarei_symbol_sum_count(const tarei_symbol_sum *sum, int symbol);
void tarei_symbol_sum_take_away(tarei_symbol_sum *sum, int symbol);

/* The value for one value per symbol; false where it exceeds 64 bits. */
bool tarei_symbol_sum_value(const tarei_symbol_sum *sum, const int64_t *values, int64_t *value);

#endif
