/* JSON Lines: an object per sample, as the manifests of NeMo and the recordings and cuts of lhotse.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "base/infile.h"
#include "base/mem.h"
#include "datasets/extension.h"
#include "datasets/json_object.h"
#include "datasets/labels/json_label.h"
#include "datasets/lists/lines.h"
#include "datasets/lists/list.h"

/* What a line says. Texts are those of the object. */
typedef struct jsonl_entry {
  const char *path;
  tarei_segment segment;
} jsonl_entry;

static const cJSON *jsonl_find(const cJSON *const object, const char *const key) {
  const cJSON *const value = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNull(value) ? NULL : value;
}

static tare_status take_seconds(const cJSON *const object, const char *const key, double *const out,
                                bool *const found, tare_error *const err) {
  const cJSON *const value = jsonl_find(object, key);
  *found = value != NULL;
  if (value && !cJSON_IsNumber(value)) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' is not a number", key);
  }
  *out = value ? value->valuedouble : 0;
  return TARE_OK;
}

/* Times of a part. Without a beginning, the length is usually that of the file, rounded. */
static tare_status take_times(const cJSON *const object, const char *const start_key,
                              tarei_segment *const out, tare_error *const err) {
  bool start = false, length = false;
  TAREI_TRY(take_seconds(object, start_key, &out->start, &start, err));
  TAREI_TRY(take_seconds(object, "duration", &out->length, &length, err));
  if (length && out->length <= 0) {
    return tarei_fail(err, TARE_E_INPUT, "'duration' is %g: expected more than 0 s", out->length);
  }
  out->cut = start || length;
  out->rounded = !start;
  return TARE_OK;
}

/* --- lhotse ----------------------------------------------------------------------------------- */

/* The file of a recording. */
static tare_status take_source(const cJSON *const recording, jsonl_entry *const out,
                               tare_error *const err) {
  const cJSON *const sources = jsonl_find(recording, "sources");
  const cJSON *const source = cJSON_GetArrayItem(sources, 0);
  const cJSON *const type = jsonl_find(source, "type");
  const cJSON *const path = jsonl_find(source, "source");
  if (cJSON_GetArraySize(jsonl_find(recording, "transforms")) > 0) {
    return tarei_fail(err, TARE_E_INPUT, "the recording has transforms, which are not supported");
  }
  if (cJSON_GetArraySize(sources) != 1 || !cJSON_IsString(path)) {
    return tarei_fail(err, TARE_E_INPUT, "expected a recording with one source");
  }
  if (!cJSON_IsString(type) || strcmp(type->valuestring, "file") != 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "the source is of type '%s': only files are read, no commands or addresses",
                      cJSON_IsString(type) ? type->valuestring : "");
  }
  out->path = path->valuestring;
  return TARE_OK;
}

enum { MOST_CHANNEL = 1023 };

static tare_status take_channel(const cJSON *const cut, int *const out, tare_error *const err) {
  const cJSON *const channel = jsonl_find(cut, "channel");
  if (!channel) {
    return TARE_OK;
  }
  if (!cJSON_IsNumber(channel) || channel->valuedouble < 0 || channel->valuedouble > MOST_CHANNEL) {
    return tarei_fail(err, TARE_E_INPUT, "'channel' is not one number from 0 to %d", MOST_CHANNEL);
  }
  *out = channel->valueint + 1;
  return TARE_OK;
}

static tare_status take_cut(const cJSON *const object, jsonl_entry *const out,
                            tare_error *const err) {
  const cJSON *const type = jsonl_find(object, "type");
  if (cJSON_IsString(type) && strcmp(type->valuestring, "MonoCut") != 0) {
    return tarei_fail(err, TARE_E_INPUT, "is a '%s': only a MonoCut is read", type->valuestring);
  }
  TAREI_TRY(take_source(jsonl_find(object, "recording"), out, err));
  TAREI_TRY(take_channel(object, &out->segment.channel, err));
  return take_times(object, "start", &out->segment, err);
}

/* --- lines ------------------------------------------------------------------------------------ */

static tare_status take_entry(const cJSON *const object, const tarei_data_spec *const spec,
                              jsonl_entry *const out, tare_error *const err) {
  const cJSON *const nemo = jsonl_find(object, "audio_filepath");
  const cJSON *const path = nemo ? nemo : jsonl_find(object, "path");
  if (cJSON_IsString(path)) {
    out->path = path->valuestring;
    return take_times(object, "offset", &out->segment, err);
  }
  if (path) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' is not a string", nemo ? "audio_filepath" : "path");
  }
  if (jsonl_find(object, "recording")) {
    return take_cut(object, out, err);
  }
  if (jsonl_find(object, "sources")) {
    return take_source(object, out, err);
  }
  return tarei_fail(err, TARE_E_INPUT,
                    "no 'audio_filepath' (NeMo), 'path', 'recording' or 'sources' (lhotse)%s",
                    tarei_data_spec_hint(spec));
}

/* Of the object, or of the only supervision of a cut. */
static tare_status take_label(const cJSON *const object, const char *const labels, char **const out,
                              tare_error *const err) {
  const cJSON *const supervisions = jsonl_find(object, "supervisions");
  const bool only = !jsonl_find(object, labels) && cJSON_GetArraySize(supervisions) == 1;
  return labels ? tarei_json_label(only ? cJSON_GetArrayItem(supervisions, 0) : object, labels, out,
                                   err)
                : TARE_OK;
}

static tare_status jsonl_add(tarei_items *const items, const cJSON *const object,
                             const char *const origin, const int64_t line,
                             const tarei_data_spec *const spec, tare_error *const err) {
  jsonl_entry entry = {0};
  char *label = NULL;
  tare_status status = take_entry(object, spec, &entry, err);
  if (status == TARE_OK) {
    status = take_label(object, spec->labels, &label, err);
  }
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "%s line %lld", origin, (long long)line);
  }
  const tarei_item item = {.path = entry.path,
                           .label_text = label,
                           .origin = origin,
                           .line = line,
                           .segment = entry.segment};
  status = tarei_list_add(items, &item, err);
  free(label);
  return status;
}

static tare_status jsonl_add_lines(tarei_items *const items, tarei_list_lines *const lines,
                                   const char *const origin, const tarei_data_spec *const spec,
                                   tare_error *const err) {
  for (;;) {
    char *text = NULL;
    TAREI_TRY(tarei_list_lines_next(lines, &text, err));
    if (!text) {
      return TARE_OK;
    }
    cJSON *object = NULL;
    tare_status status = tarei_json_object(text, lines->length, &object, err);
    status = status == TARE_OK
                 ? jsonl_add(items, object, origin, lines->line, spec, err)
                 : tarei_fail_in(err, status, "%s line %lld", origin, (long long)lines->line);
    cJSON_Delete(object);
    TAREI_TRY(status);
  }
}

static tare_status jsonl_expand(tarei_items *const items, const char *const path,
                                const tarei_data_spec *const spec, tare_error *const err) {
  const size_t before = items->n;
  const char *const origin = tarei_items_keep_origin(items, path);
  if (!origin) {
    return tarei_fail_memory(err, path, strlen(path));
  }
  tarei_list_lines lines;
  tare_status status = tarei_list_lines_open(&lines, path, err);
  if (status == TARE_OK) {
    status = jsonl_add_lines(items, &lines, origin, spec, err);
  }
  tarei_list_lines_close(&lines);
  TAREI_TRY(status);
  return items->n > before ? TARE_OK : tarei_fail(err, TARE_E_INPUT, "%s: lists no files", path);
}

/* NeMo's manifests often end in .json, like tables of calibration. */
static bool jsonl_recognises(const char *const path) {
  static const char *const JSON[] = {"json", NULL};
  static const char KEY[] = "\"audio_filepath\"";
  char head[4096];
  const size_t n = tarei_has_extension(path, JSON) ? tarei_infile_head(path, head, sizeof head) : 0;
  return memmem(head, n, KEY, strlen(KEY)) != NULL;
}

static const char *const EXTENSIONS[] = {"jsonl", "jsonl.gz", NULL};

const tarei_sample_list tarei_list_jsonl = {.kind = {"a JSON Lines manifest", .json = true},
                                            .extensions = EXTENSIONS,
                                            .recognises = jsonl_recognises,
                                            .expand = jsonl_expand};
