#include "calib/metrics/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/source.h"
#include "graph/table/formats/json_members.h"
#include "graph/table/formats/json_source.h"

enum { MOST_CLASSES = 1 << 22 }; /* more are a fault of the file */

void tarei_tokens_fini(tarei_tokens *const tokens) {
  for (int64_t i = 0; i < tokens->n; i++) {
    free(tokens->items[i]);
  }
  free(tokens->items);
  *tokens = (tarei_tokens){0};
}

/* Takes a token with its class; classes may come in any order. */
static tare_status tokens_put(tarei_tokens *const t, const char *const file, const int64_t class,
                              const char *const text, const size_t length, tare_error *const err) {
  if (class < 0 || class >= MOST_CLASSES) {
    return tarei_fail(err, TARE_E_INPUT, "%s: token '%.*s' has class %lld: expected 0 to %d", file,
                      (int)(length < 80 ? length : 80), text, (long long)class, MOST_CLASSES - 1);
  }
  while (t->n <= class) {
    if (!TAREI_GROW(t->items, t->n, t->cap)) {
      return tarei_fail_memory(err, file, sizeof *t->items);
    }
    t->items[t->n++] = NULL;
  }
  if (t->items[class]) {
    return tarei_fail(err, TARE_E_INPUT, "%s: tokens '%.80s' and '%.*s' both have class %lld", file,
                      t->items[class], (int)(length < 80 ? length : 80), text, (long long)class);
  }
  t->items[class] = tarei_strndup(text, length);
  return t->items[class] ? TARE_OK : tarei_fail_memory(err, file, length);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static tare_status tokens_of_object(const tarei_source *const source, const cJSON *const root,
                                    tarei_tokens *const out, tare_error *const err) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, root) {
    int64_t class = 0;
    if (!tarei_json_as_count(item, &class)) {
      return tarei_fail(err, TARE_E_INPUT,
                        "%s: token '%.80s': expected the number of its class, as in {\"a\": 1}",
                        source->name, item->string);
    }
    TAREI_TRY(tokens_put(out, source->name, class, item->string, strlen(item->string), err));
  }
  return TARE_OK;
}

static tare_status tokens_of_json(const tarei_source *const source, tarei_tokens *const out,
                                  tare_error *const err) {
  cJSON *root = NULL;
  TAREI_TRY(tarei_json_parse(source, &root, err));
  const tare_status status = tokens_of_object(source, root, out, err);
  cJSON_Delete(root);
  return status;
}

/* --- lines ------------------------------------------------------------------------------------ */

typedef struct tokens_line {
  const char *text;
  size_t length;
} tokens_line;

/* The next line without its end; false at the end of the file. */
static bool tokens_next_line(const tarei_source *const source, size_t *const at,
                             tokens_line *const line) {
  if (*at >= source->size) {
    return false;
  }
  const char *const start = (const char *)source->data + *at;
  const char *const end = memchr(start, '\n', source->size - *at);
  line->text = start;
  line->length = end ? (size_t)(end - start) : source->size - *at;
  *at += line->length + 1;
  line->length -= line->length > 0 && start[line->length - 1] == '\r';
  return true;
}

/* "TOKEN 12": returns the number, and cuts the line to the token; -1: it has none. */
static int64_t tokens_number(tokens_line *const line) {
  size_t n = line->length;
  int64_t class = 0, place = 1;
  while (n > 0 && line->text[n - 1] >= '0' && line->text[n - 1] <= '9' &&
         place < MOST_CLASSES * 10LL) {
    class += place * (line->text[--n] - '0');
    place *= 10;
  }
  const bool split = n > 1 && place > 1 && (line->text[n - 1] == ' ' || line->text[n - 1] == '\t');
  line->length = split ? n - 1 : line->length;
  return split ? class : -1;
}

/* Every line has a number behind its token. */
static bool tokens_are_numbered(const tarei_source *const source) {
  bool numbered = source->size > 0;
  tokens_line line;
  for (size_t at = 0; numbered && tokens_next_line(source, &at, &line);) {
    numbered = line.length == 0 || tokens_number(&line) >= 0;
  }
  return numbered;
}

static tare_status tokens_of_lines(const tarei_source *const source, tarei_tokens *const out,
                                   tare_error *const err) {
  const bool numbered = tokens_are_numbered(source);
  tokens_line line;
  for (size_t at = 0; tokens_next_line(source, &at, &line);) {
    const int64_t class = numbered && line.length ? tokens_number(&line) : out->n;
    if (line.length > 0) {
      TAREI_TRY(tokens_put(out, source->name, class, line.text, line.length, err));
    } else if (!numbered && at < source->size) {
      return tarei_fail(err, TARE_E_INPUT, "%s line %lld is empty: expected a token", source->name,
                        (long long)out->n + 1);
    }
  }
  return TARE_OK;
}

/* --- both ------------------------------------------------------------------------------------- */

static tare_status tokens_check(const tarei_tokens *const tokens, const char *const file,
                                tare_error *const err) {
  for (int64_t i = 0; i < tokens->n; i++) {
    if (!tokens->items[i]) {
      return tarei_fail(err, TARE_E_INPUT, "%s: class %lld of %lld has no token", file,
                        (long long)i, (long long)tokens->n);
    }
  }
  return tokens->n ? TARE_OK : tarei_fail(err, TARE_E_INPUT, "%s: has no tokens", file);
}

tare_status tarei_tokens_read(const char *const path, tarei_tokens *const out,
                              tare_error *const err) {
  *out = (tarei_tokens){0};
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  const bool json = tarei_json_start(source.data, source.size) < source.size;
  tare_status status = (json ? tokens_of_json : tokens_of_lines)(&source, out, err);
  tarei_source_close(&source);
  return status == TARE_OK ? tokens_check(out, path, err) : status;
}
