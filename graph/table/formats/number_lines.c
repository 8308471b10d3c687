#include "graph/table/formats/number_lines.h"

#include <string.h>

#include "graph/table/formats/threshold_text.h"

static bool is_blank(const char c) {
  return c == ' ' || c == '\t';
}

bool tarei_line_split_first(const tarei_span line, tarei_span *const name, tarei_span *const rest) {
  const tarei_span text = tarei_span_trim(line);
  size_t n = 0;
  while (n < text.n && !is_blank(text.at[n])) {
    n++;
  }
  *name = (tarei_span){text.at, n};
  *rest = tarei_span_trim((tarei_span){text.at + n, text.n - n});
  return n > 0 && rest->n > 0;
}

bool tarei_line_split_last(const tarei_span line, tarei_span *const rest, tarei_span *const last) {
  const tarei_span text = tarei_span_trim(line);
  size_t n = 0;
  while (n < text.n && !is_blank(text.at[text.n - n - 1])) {
    n++;
  }
  *last = (tarei_span){text.at + text.n - n, n};
  *rest = tarei_span_trim((tarei_span){text.at, text.n - n});
  return n > 0 && rest->n > 0;
}

static const char MARK[] = "_param_";

bool tarei_names_weights(const tarei_span name) {
  return name.n && memmem(name.at, name.n, MARK, strlen(MARK)) != NULL;
}

static bool number_lines_is_text(const tarei_span line) {
  for (size_t i = 0; i < line.n; i++) {
    const unsigned char c = (unsigned char)line.at[i];
    if ((c < 0x20 && c != '\t') || c == 0x7f) {
      return false;
    }
  }
  return true;
}

static bool number_lines_is_number(const tarei_span text) {
  char copy[64];
  if (text.n >= sizeof copy) {
    return false;
  }
  memcpy(copy, text.at, text.n);
  copy[text.n] = '\0';
  return tarei_is_decimal(copy);
}

/* A name and a number. In a line that the end of the data cuts, the last number may be a part of
 * one, which only the numbers before it can replace. */
static bool begins_table(const tarei_span line, const bool cut) {
  tarei_span rest, last, before;
  if (!number_lines_is_text(line) || !tarei_line_split_last(line, &rest, &last)) {
    return false;
  }
  return number_lines_is_number(last) ||
         (cut && tarei_line_split_last(rest, &before, &last) && number_lines_is_number(last));
}

/* "<layer>_param_<digits>" */
static bool is_weights_key(const tarei_span name) {
  size_t n = name.n;
  while (n > 0 && name.at[n - 1] >= '0' && name.at[n - 1] <= '9') {
    n--;
  }
  const size_t mark = strlen(MARK);
  return n < name.n && n > mark && memcmp(name.at + n - mark, MARK, mark) == 0;
}

static bool marks_scales(const tarei_span line) {
  tarei_span name, rest, last;
  return tarei_line_split_first(line, &name, &rest) &&
         (is_weights_key(name) ||
          (line.at[line.n - 1] == ' ' && tarei_line_split_last(line, &rest, &last) &&
           number_lines_is_number(last)));
}

tarei_number_lines tarei_number_lines_of(const uint8_t *const data, const size_t n) {
  tarei_lines lines = tarei_lines_of(data, n);
  tarei_span line;
  tarei_number_lines kind = TAREI_LINES_OTHER;
  while (kind != TAREI_LINES_SCALES && tarei_lines_next(&lines, &line)) {
    if (kind == TAREI_LINES_OTHER && !begins_table(line, lines.at == lines.end)) {
      return TAREI_LINES_OTHER;
    }
    kind = marks_scales(line) ? TAREI_LINES_SCALES : TAREI_LINES_THRESHOLDS;
  }
  return kind;
}
