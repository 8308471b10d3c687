/* Kaldi's segments: "UTTERANCE RECORDING START END" in seconds, of the recordings in wav.scp
 * beside. */
#include <stdlib.h>
#include <string.h>

#include "datasets/lists/kaldi_add.h"
#include "datasets/lists/lines.h"

typedef struct segment_tables {
  tarei_utterances segments, recordings, labels;
} segment_tables;

static bool parse_seconds(const char *const text, double *const out) {
  char *end = NULL;
  *out = strtod(text, &end);
  return end != text && !*end;
}

/* The recording and times of a line; an end of -1 is that of the recording. */
static tare_status parse_line(char *const text, const char **const recording,
                              tarei_segment *const out, tare_error *const err) {
  char *rest = text;
  double end = 0;
  *recording = tarei_take_word(&rest);
  const char *const first = tarei_take_word(&rest), *const second = tarei_take_word(&rest);
  if (!parse_seconds(first, &out->start) || !parse_seconds(second, &end) || *rest) {
    return tarei_fail(err, TARE_E_INPUT, "expected UTTERANCE RECORDING START END");
  }
  if (end != -1 && !(end > out->start)) {
    return tarei_fail(err, TARE_E_INPUT, "end %g s is not after the start %g s", end, out->start);
  }
  out->cut = true;
  out->length = end == -1 ? 0 : end - out->start;
  return TARE_OK;
}

static tare_status add_segment(tarei_items *const items, const char *const origin,
                               const segment_tables *const tables, const tarei_kaldi_line *const u,
                               tare_error *const err) {
  tarei_item item = {.origin = origin, .line = u->line};
  const char *recording = NULL;
  const tare_status status = parse_line(u->value, &recording, &item.segment, err);
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "%s line %lld", origin, (long long)u->line);
  }
  const tarei_kaldi_line *const found = tarei_utterances_find(&tables->recordings, recording);
  if (!found) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: no recording '%s' in %s", origin,
                      (long long)u->line, recording, tables->recordings.path);
  }
  item.path = found->value;
  TAREI_TRY(tarei_kaldi_label(&tables->labels, u->key, &item.label_text, err));
  return tarei_kaldi_add(items, &item, err);
}

static tare_status segments_read(const char *const path, const tarei_data_spec *const spec,
                                 segment_tables *const out, tare_error *const err) {
  TAREI_TRY(tarei_utterances_read(path, NULL, &out->segments, err));
  TAREI_TRY(tarei_utterances_read(path, "wav.scp", &out->recordings, err));
  return tarei_kaldi_labels(path, spec, &out->labels, err);
}

static tare_status segments_expand(tarei_items *const items, const char *const path,
                                   const tarei_data_spec *const spec, tare_error *const err) {
  const char *const origin = tarei_items_keep_origin(items, path);
  if (!origin) {
    return tarei_fail_memory(err, path, strlen(path));
  }
  segment_tables tables = {0};
  tare_status status = segments_read(path, spec, &tables, err);
  for (size_t i = 0; status == TARE_OK && i < tables.segments.n; i++) {
    status = add_segment(items, origin, &tables, &tables.segments.items[i], err);
  }
  tarei_utterances_fini(&tables.segments);
  tarei_utterances_fini(&tables.recordings);
  tarei_utterances_fini(&tables.labels);
  return status;
}

static const char *const NO_EXTENSIONS[] = {NULL}, *const NAMES[] = {"segments", NULL};

const tarei_sample_list tarei_list_segments = {.kind = {"Kaldi segments", false},
                                               .extensions = NO_EXTENSIONS,
                                               .names = NAMES,
                                               .expand = segments_expand};
