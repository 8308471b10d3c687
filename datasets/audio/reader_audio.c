/* Audio files: whatever libsndfile opens. One file, or a part of it that a manifest names, is one
 * sample. */
#include "base/mem.h"
#include "datasets/audio/container.h"
#include "datasets/audio/recording.h"
#include "datasets/reader.h"

typedef struct audio {
  char *path;
  const tarei_data_spec *spec;
  tarei_audio_ports ports;
  tarei_str describe;
} audio;

static void audio_close(void *const state) {
  audio *const a = state;
  if (a) {
    tarei_str_free(&a->describe);
    free(a->path);
    free(a);
  }
}

/* Whatever no reader knows comes here last, since libsndfile reads more than these formats. */
static bool audio_is_a_guess(const char *const path, const tarei_data_spec *const spec) {
  return !tarei_reader_named(path) && !tarei_audio_begins(path) && !*tarei_data_spec_hint(spec);
}

static tare_status audio_open(const char *const path, const tarei_data_spec *const spec,
                              const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  tarei_audio_ports ports;
  const tare_status found = tarei_audio_ports_find(path, spec, &ports, err);
  if (found != TARE_OK) {
    return !audio_is_a_guess(path, spec)
               ? found
               : tarei_fail(
                     err, TARE_E_INPUT,
                     "%s: not data of a known kind: expected recordings, HDF5, NumPy, Kaldi, tar, "
                     "texts or a manifest, by its name or its first bytes",
                     path);
  }
  if (labels) {
    return tarei_fail(err, TARE_E_USAGE, "%s: no labels '%s': audio has labels only in a manifest",
                      path, spec->labels);
  }
  audio *const a = tarei_calloc(1, sizeof *a);
  if (!a || !(a->path = tarei_strdup(path))) {
    free(a);
    return tarei_fail_memory(err, path, sizeof *a);
  }
  a->spec = spec;
  a->ports = ports;
  tarei_recording_describe(spec, &a->describe);
  if (a->describe.failed) {
    audio_close(a);
    return tarei_fail_memory(err, path, 0);
  }
  *state = a;
  return TARE_OK;
}

static int64_t audio_count(const void *const state) {
  (void)state;
  return 1;
}

static const char *audio_describe(const void *const state) {
  return tarei_str_get(&((const audio *)state)->describe);
}

static tare_status audio_read(void *const state, const int64_t i, tarei_slot *const out,
                              tare_error *const err) {
  (void)i; /* always 0 */
  const audio *const a = state;
  const tarei_recording_source recording = {.path = a->path, .spec = a->spec, .ports = &a->ports};
  return tarei_recording_read(&recording, out, err);
}

const tarei_reader_ops tarei_reader_audio = {
    .name = "audio",
    .kind = {"a recording", false},
    .has_rate = true,
    .extensions = tarei_audio_extensions,
    .recognises = tarei_audio_begins,
    .open = audio_open,
    .count = audio_count,
    .describe = audio_describe,
    .read = audio_read,
    .close = audio_close,
};
