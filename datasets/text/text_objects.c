/* JSON Lines: a sample in each object, under a key. */
#include <cjson/cJSON.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/labels/json_label.h"
#include "datasets/json_object.h"
#include "datasets/lists/lines.h"
#include "datasets/text/text_source.h"

typedef struct text_objects {
  tarei_list_lines lines;
  cJSON *object; /* last read; or NULL */
  const tarei_data_spec *spec;
  bool labels;
} text_objects;

static void objects_close(void *const state) {
  text_objects *const file = state;
  if (file) {
    tarei_list_lines_close(&file->lines);
    cJSON_Delete(file->object);
    free(file);
  }
}

static tare_status objects_open(const char *const path, const tarei_data_spec *const spec,
                                const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  TAREI_TRY(tarei_text_check_parts(path, spec, err));
  text_objects *const file = tarei_calloc(1, sizeof *file);
  *state = file;
  if (!file) {
    return tarei_fail_memory(err, path, sizeof *file);
  }
  file->spec = spec;
  file->labels = labels;
  return tarei_list_lines_open(&file->lines, path, err);
}

static tare_status take_text_value(const cJSON *const object, const char *const key,
                                   const char **const out, size_t *const length,
                                   tare_error *const err) {
  const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!cJSON_IsString(value)) {
    return tarei_fail(err, TARE_E_INPUT,
                      value ? "'%s' is not a string"
                            : "no '%s' in the object (--text names the key of the texts)",
                      key);
  }
  *out = value->valuestring;
  *length = strlen(value->valuestring);
  return TARE_OK;
}

static tare_status take_object(text_objects *const file, const char *const text,
                               tarei_text_entry *const out, tare_error *const err) {
  cJSON_Delete(file->object);
  file->object = NULL;
  TAREI_TRY(tarei_json_object(text, file->lines.length, &file->object, err));
  TAREI_TRY(
      take_text_value(file->object, tarei_text_column(file->spec), &out->text, &out->length, err));
  if (file->spec->pair) {
    TAREI_TRY(take_text_value(file->object, file->spec->pair, &out->pair, &out->pair_length, err));
  }
  return file->labels ? tarei_json_label(file->object, file->spec->labels, &out->label, err)
                      : TARE_OK;
}

static tare_status objects_next(void *const state, tarei_text_entry *const out, bool *const more,
                                tare_error *const err) {
  text_objects *const file = state;
  char *text = NULL;
  *more = false;
  TAREI_TRY(tarei_list_lines_next(&file->lines, &text, err));
  *more = text != NULL;
  if (!text || !out) {
    return TARE_OK;
  }
  *out = (tarei_text_entry){.line = file->lines.line};
  const tare_status status = take_object(file, text, out, err);
  return status == TARE_OK ? TARE_OK
                           : tarei_fail_in(err, status, "line %lld", (long long)file->lines.line);
}

static const char *const EXTENSIONS[] = {"jsonl", "jsonl.gz", NULL};

const tarei_text_source tarei_text_source_objects = {.noun = "JSON Lines with texts",
                                                     .extensions = EXTENSIONS,
                                                     .open = objects_open,
                                                     .next = objects_next,
                                                     .close = objects_close};
