/* Plain text: a sample on each line, or all of it as one sample. */
#include <string.h>

#include "base/mem.h"
#include "base/source.h"
#include "datasets/lists/lines.h"
#include "datasets/text/text_source.h"

typedef struct text_file {
  tarei_list_lines lines;
  tarei_source whole;
  bool is_whole, done;
  const char *path;
} text_file;

static void lines_close(void *const state) {
  text_file *const file = state;
  if (file) {
    tarei_list_lines_close(&file->lines);
    tarei_source_close(&file->whole);
    free(file);
  }
}

static tare_status lines_open(const char *const path, const tarei_data_spec *const spec,
                              const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  if (labels) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: no labels '%s': plain text has labels only in a manifest", path,
                      spec->labels);
  }
  const char *const column = spec->pair ? spec->pair : spec->text;
  if (column) {
    return tarei_fail(err, TARE_E_USAGE, "%s: no column '%s': plain text has no columns", path,
                      column);
  }
  text_file *const file = tarei_calloc(1, sizeof *file);
  if (!file) {
    return tarei_fail_memory(err, path, sizeof *file);
  }
  *state = file;
  file->path = path;
  file->is_whole = spec->whole_files;
  return file->is_whole ? tarei_source_open(path, &file->whole, err)
                        : tarei_list_lines_open(&file->lines, path, err);
}

/* Without the byte order mark. */
static void take_line_text(const char *const text, const size_t length,
                           tarei_text_entry *const out) {
  const size_t mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  *out = (tarei_text_entry){.text = text + mark, .length = length - mark};
}

static tare_status whole_next(text_file *const file, tarei_text_entry *const out, bool *const more,
                              tare_error *const err) {
  *more = !file->done;
  file->done = true;
  if (!*more || !out) {
    return TARE_OK;
  }
  if (file->whole.size > TAREI_LINE_BYTES) {
    return tarei_fail(err, TARE_E_INPUT, "is longer than %d bytes", TAREI_LINE_BYTES);
  }
  take_line_text(file->whole.size ? (const char *)file->whole.data : "", file->whole.size, out);
  return TARE_OK;
}

static tare_status lines_next(void *const state, tarei_text_entry *const out, bool *const more,
                              tare_error *const err) {
  text_file *const file = state;
  if (file->is_whole) {
    return whole_next(file, out, more, err);
  }
  char *text = NULL;
  *more = false;
  TAREI_TRY(tarei_list_lines_next(&file->lines, &text, err));
  *more = text != NULL;
  if (text && out) {
    take_line_text(text, file->lines.length, out);
    out->line = file->lines.line;
  }
  return TARE_OK;
}

static const char *const EXTENSIONS[] = {"txt", "txt.gz", NULL};

const tarei_text_source tarei_text_source_lines = {.noun = "plain text",
                                                   .extensions = EXTENSIONS,
                                                   .open = lines_open,
                                                   .next = lines_next,
                                                   .close = lines_close};
