/* A text file with one profile a line. */
#include <string.h>

#include "base/mem.h"
#include "base/source.h"
#include "shapes/profile_set.h"
#include "shapes/text/profile_text.h"

/* Adds the profile of one line, if it holds one. The text may be written to. */
static tare_status add_line(tare_profiles *const set, char *const line, tare_error *const err) {
  const char *const comment = tarei_find_unquoted(line, '#');
  if (!comment) {
    return tarei_fail(err, TARE_E_USAGE, "unterminated single quote");
  }
  line[comment - line] = 0;
  return line[strspn(line, " \t\r")] ? tare_profiles_add(set, line, err) : TARE_OK;
}

static tare_status profile_file_add_lines(tare_profiles *const set, char *text,
                                          const char *const path, tare_error *const err) {
  for (int number = 1; text; number++) {
    char *const newline = strchr(text, '\n');
    if (newline) {
      *newline = 0;
    }
    const tare_status status = add_line(set, text, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status == TARE_E_USAGE ? TARE_E_INPUT : status, "%s:%d", path,
                           number);
    }
    text = newline ? newline + 1 : NULL;
  }
  return TARE_OK;
}

static tare_status add_source(tare_profiles *const set, const tarei_source *const source,
                              const char *const path, tare_error *const err) {
  if (source->size && memchr(source->data, 0, source->size)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: not a text file: it holds a NUL byte", path);
  }
  char *const text = tarei_calloc(source->size + 1, 1);
  if (!text) {
    return tarei_fail_memory(err, path, source->size + 1);
  }
  if (source->size) {
    memcpy(text, source->data, source->size);
  }
  const int before = set->count;
  tare_status status = profile_file_add_lines(set, text, path, err);
  if (status == TARE_OK && set->count == before) {
    status = tarei_fail(err, TARE_E_INPUT, "%s: no profiles in this file", path);
  }
  if (status != TARE_OK) {
    tarei_profiles_keep(set, before);
  }
  free(text);
  return status;
}

tare_status tare_profiles_add_file(tare_profiles *const profiles, const char *const path,
                                   tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  const tare_status status = add_source(profiles, &source, path, err);
  tarei_source_close(&source);
  return status;
}
