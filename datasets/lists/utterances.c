#include "datasets/lists/utterances.h"

#include <string.h>

#include "base/mem.h"
#include "datasets/items.h"
#include "datasets/lists/lines.h"

void tarei_utterances_fini(tarei_utterances *const table) {
  for (size_t i = 0; i < table->n; i++) {
    free(table->items[i].key);
    free(table->items[i].value);
  }
  free(table->items);
  free(table->path);
  tarei_names_fini(&table->keys);
  *table = (tarei_utterances){0};
}

const tarei_kaldi_line *tarei_utterances_find(const tarei_utterances *const table,
                                              const char *const key) {
  const int i = tarei_names_find(&table->keys, key);
  return i >= 0 ? &table->items[i] : NULL;
}

static char *trim_end(char *const text) {
  for (size_t n = strlen(text); n > 0 && strchr(" \t", text[n - 1]); n--) {
    text[n - 1] = '\0';
  }
  return text;
}

static tare_status utterances_add(tarei_utterances *const table, char *const text,
                                  const int64_t line, tare_error *const err) {
  char *rest = text;
  const char *const key = tarei_take_word(&rest);
  if (!*key || !*trim_end(rest)) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: expected a key and a value", table->path,
                      (long long)line);
  }
  if (tarei_utterances_find(table, key)) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: duplicate key '%s'", table->path,
                      (long long)line, key);
  }
  if (table->n >= INT32_MAX || !TAREI_GROW(table->items, table->n, table->capacity) ||
      !tarei_names_grow(&table->keys)) {
    return tarei_fail_memory(err, table->path, table->capacity * sizeof *table->items);
  }
  tarei_kaldi_line *const item = &table->items[table->n++];
  *item = (tarei_kaldi_line){.key = tarei_strdup(key), .value = tarei_strdup(rest), .line = line};
  if (!item->key || !item->value) {
    return tarei_fail_memory(err, table->path, strlen(rest));
  }
  tarei_names_add(&table->keys, item->key, (int)table->n - 1);
  return TARE_OK;
}

static tare_status utterances_add_lines(tarei_utterances *const table,
                                        tarei_list_lines *const lines, tare_error *const err) {
  for (;;) {
    char *text = NULL;
    TAREI_TRY(tarei_list_lines_next(lines, &text, err));
    if (!text) {
      return table->n ? TARE_OK : tarei_fail(err, TARE_E_INPUT, "%s: has no lines", table->path);
    }
    TAREI_TRY(utterances_add(table, text, lines->line, err));
  }
}

tare_status tarei_utterances_read(const char *const beside, const char *const name,
                                  tarei_utterances *const out, tare_error *const err) {
  *out = (tarei_utterances){.path = name ? tarei_path_beside(beside, name) : tarei_strdup(beside)};
  if (!out->path) {
    return tarei_fail_memory(err, beside, strlen(beside));
  }
  tarei_list_lines lines;
  tare_status status = tarei_list_lines_open(&lines, out->path, err);
  if (status == TARE_OK) {
    status = utterances_add_lines(out, &lines, err);
  }
  tarei_list_lines_close(&lines);
  return status;
}
