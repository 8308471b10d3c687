#include "graph/table/formats/text_lines.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

tarei_lines tarei_lines_of(const void *const data, const size_t size) {
  const char *const begin = data;
  return (tarei_lines){begin, begin + size, 0};
}

bool tarei_lines_next(tarei_lines *const lines, tarei_span *const line) {
  if (lines->at == lines->end) {
    return false;
  }
  const char *const feed = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
  const char *const end = feed ? feed : lines->end;
  *line = (tarei_span){lines->at, (size_t)(end - lines->at)};
  while (line->n && line->at[line->n - 1] == '\r') {
    line->n--;
  }
  lines->at = feed ? feed + 1 : lines->end;
  lines->line++;
  return true;
}

tarei_span tarei_span_trim(tarei_span text) {
  while (text.n && isspace((unsigned char)text.at[0])) {
    text = (tarei_span){text.at + 1, text.n - 1};
  }
  while (text.n && isspace((unsigned char)text.at[text.n - 1])) {
    text.n--;
  }
  return text;
}

tare_status tarei_span_copy(const tarei_span text, char **const out, tare_error *const err) {
  *out = tarei_strndup(text.at, text.n);
  return *out ? TARE_OK : tarei_fail_memory(err, "a tensor name", text.n + 1);
}

tare_status tarei_line_fail(const tarei_source *const source, const int line, const tarei_span text,
                            const char *const rule, tare_error *const err) {
  const int shown = text.n < 80 ? (int)text.n : 80;
  return tarei_fail(err, TARE_E_INPUT, "%s line %d: '%.*s' %s", source->name, line, shown, text.at,
                    rule);
}
