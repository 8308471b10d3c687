/* Texts, which a tokenizer turns into tokens. Files are read in order, by one thread; samples are
 * tokenized by several. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "datasets/labels/label.h"
#include "datasets/reader.h"
#include "datasets/text/text_ports.h"
#include "datasets/text/text_source.h"

typedef struct text_state {
  const tarei_text_source *source;
  void *file;
  char *path;
  const tarei_data_spec *spec;
  bool labels;
  int64_t count, at; /* samples; the next one */
  tarei_str describe;
} text_state;

static void text_close(void *const opened) {
  text_state *const state = opened;
  if (state) {
    state->source->close(state->file);
    free(state->path);
    tarei_str_free(&state->describe);
    free(state);
  }
}

static tare_status text_restart(text_state *const state, tare_error *const err) {
  state->source->close(state->file);
  state->file = NULL;
  state->at = 0;
  return state->source->open(state->path, state->spec, state->labels, &state->file, err);
}

static tare_status text_count(text_state *const state, tare_error *const err) {
  TAREI_TRY(text_restart(state, err));
  for (bool more = true; more; state->count += more) {
    TAREI_TRY(state->source->next(state->file, NULL, &more, err));
  }
  TAREI_TRY(text_restart(state, err));
  tarei_str_add(&state->describe, "%s, %s tokens", state->source->noun,
                tarei_tokenizer_kind(state->spec->tokenizer));
  return state->describe.failed ? tarei_fail_memory(err, state->path, 0) : TARE_OK;
}

static tare_status text_open(const char *const path, const tarei_data_spec *const spec,
                             const bool labels, void **const out, tare_error *const err) {
  *out = NULL;
  TAREI_TRY(tarei_text_ports_check(path, spec, err));
  text_state *const state = tarei_calloc(1, sizeof *state);
  if (!state) {
    return tarei_fail_memory(err, path, sizeof *state);
  }
  state->source = tarei_text_source_named(path);
  state->spec = spec;
  state->labels = labels;
  state->path = tarei_strdup(path);
  const tare_status status =
      state->path ? text_count(state, err) : tarei_fail_memory(err, path, strlen(path));
  if (status != TARE_OK) {
    text_close(state);
    return status;
  }
  *out = state;
  return TARE_OK;
}

static int64_t text_samples(const void *const state) {
  return ((const text_state *)state)->count;
}

static const char *text_describe(const void *const state) {
  return tarei_str_get(&((const text_state *)state)->describe);
}

/* The texts of a sample, in one piece of memory behind this. */
typedef struct text_raw {
  tarei_text text;
  int64_t line; /* of the file; 0: it is all of it */
} text_raw;

static tare_status keep_texts(const tarei_text_entry *const entry, tarei_slot *const out,
                              tare_error *const err) {
  const size_t bytes = sizeof(text_raw) + entry->length + 1 + entry->pair_length + 1;
  text_raw *const raw = tarei_calloc(bytes, 1);
  if (!raw) {
    return tarei_fail_memory(err, "a text", bytes);
  }
  char *const text = (char *)(raw + 1), *const pair = text + entry->length + 1;
  memcpy(text, entry->text, entry->length);
  raw->line = entry->line;
  raw->text = (tarei_text){.text = text, .length = entry->length};
  if (entry->pair) {
    memcpy(pair, entry->pair, entry->pair_length);
    raw->text.pair = pair;
    raw->text.pair_length = entry->pair_length;
  }
  out->raw = raw;
  out->free_raw = free;
  out->bytes += bytes;
  return TARE_OK;
}

/* Goes to a sample and reads it. */
static tare_status text_seek(text_state *const state, const int64_t i,
                             tarei_text_entry *const entry, tare_error *const err) {
  bool more = true;
  if (i < state->at) {
    TAREI_TRY(text_restart(state, err));
  }
  for (; state->at < i && more; state->at++) {
    TAREI_TRY(state->source->next(state->file, NULL, &more, err));
  }
  state->at++;
  TAREI_TRY(state->source->next(state->file, entry, &more, err));
  return more ? TARE_OK : tarei_fail(err, TARE_E_INPUT, "the file has become shorter");
}

static tare_status text_read(void *const opened, const int64_t i, tarei_slot *const out,
                             tare_error *const err) {
  tarei_text_entry entry = {0};
  tare_status status = text_seek(opened, i, &entry, err);
  if (status != TARE_OK) {
    free(entry.label);
    return status;
  }
  if (entry.label) {
    out->label_text = entry.label;
    TAREI_TRY(tarei_label_from_text(out, err));
  }
  return keep_texts(&entry, out, err);
}

static tare_status tokenize(const tarei_data_spec *const spec, const tarei_text *const text,
                            tarei_slot *const out, tare_error *const err) {
  tarei_encoding encoding;
  TAREI_TRY(tarei_tokenizer_encode(spec->tokenizer, text, &encoding, err));
  const tare_status status = tarei_text_ports_fill(spec, &encoding, out, err);
  tarei_encoding_fini(&encoding);
  return status;
}

static tare_status text_finish(const tarei_data_spec *const spec, tarei_slot *const out,
                               tare_error *const err) {
  const text_raw *const raw = out->raw;
  const tare_status status = tokenize(spec, &raw->text, out, err);
  return status == TARE_OK || !raw->line
             ? status
             : tarei_fail_in(err, status, "line %lld", (long long)raw->line);
}

static const char *const NO_EXTENSIONS[] = {NULL}; /* those of the sources */

const tarei_reader_ops tarei_reader_text = {
    .name = "text",
    .kind = {.noun = "a file with texts"},
    .extensions = NO_EXTENSIONS,
    .many = true,
    .labels = true,
    .heeds = TAREI_HEEDS_TEXTS | TAREI_HEEDS_MAPPINGS,
    .open = text_open,
    .count = text_samples,
    .describe = text_describe,
    .read = text_read,
    .close = text_close,
    .finish = text_finish,
};
