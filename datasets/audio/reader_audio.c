/* Audio files: whatever libsndfile opens, mixed to mono, resampled when asked, as it is or as
 * features. One file is one sample. */
#include <stdio.h>

#include "base/mem.h"
#include "datasets/audio/audio_file.h"
#include "datasets/audio/audio_ports.h"
#include "datasets/audio/container.h"
#include "datasets/convert.h"
#include "datasets/port_shape.h"
#include "datasets/reader.h"
#include "datasets/audio/resample.h"

enum { BLOCK_VALUES = 1 << 14 };

typedef struct audio {
  char *path;
  const tarei_data_spec *spec;
  tarei_audio_ports ports;
  char describe[96];
} audio;

/* Mono audio in memory. */
typedef struct mono {
  float *frames;
  int64_t n;
  size_t capacity;
} mono;

static tare_status audio_open(const char *const path, const tarei_data_spec *const spec,
                              const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  tarei_audio_ports ports;
  TAREI_TRY(tarei_audio_ports_find(path, spec, &ports, err));
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
  if (spec->features) {
    const tarei_feature_spec *const f = tarei_features_spec(spec->features);
    (void)snprintf(a->describe, sizeof a->describe, "audio at %d Hz as %s features of %lld mels",
                   spec->rate, f->name, (long long)f->mels);
  } else if (spec->rate) {
    (void)snprintf(a->describe, sizeof a->describe, "audio resampled to %d Hz", spec->rate);
  } else {
    (void)snprintf(a->describe, sizeof a->describe, "audio at each file's own rate");
  }
  *state = a;
  return TARE_OK;
}

static void audio_close(void *const state) {
  audio *const a = state;
  if (a) {
    free(a->path);
    free(a);
  }
}

static int64_t audio_count(const void *const state) {
  (void)state;
  return 1;
}

static const char *audio_describe(const void *const state) {
  return ((const audio *)state)->describe;
}

static tare_status reader_audio_reserve(mono *const m, const int64_t more, tare_error *const err) {
  while (m->capacity < (size_t)(m->n + more)) {
    if (!TAREI_GROW(m->frames, m->capacity, m->capacity)) {
      return tarei_fail_memory(err, "audio", m->capacity * 2 * sizeof *m->frames);
    }
  }
  return TARE_OK;
}

/* Means over channels, as sums that begin at 0: there is no -0 among them. */
static void mix_channels(const float *const in, const int64_t n, const int channels,
                         float *const out) {
  for (int64_t i = 0; channels == 1 && i < n; i++) {
    out[i] = in[i] + 0.0f;
  }
  for (int64_t i = 0; channels > 1 && i < n; i++) {
    double sum = 0;
    for (int c = 0; c < channels; c++) {
      sum += (double)in[i * channels + c];
    }
    out[i] = (float)(sum / channels);
  }
}

/* Reads to the end in blocks: the length in the header is a promise, not a size to allocate. One
 * channel is read to where it stays. */
static tare_status reader_audio_read_frames(SNDFILE *const file, const SF_INFO *const info,
                                            const int64_t max_frames, mono *const out,
                                            tare_error *const err) {
  float block[BLOCK_VALUES];
  const sf_count_t step = BLOCK_VALUES / info->channels;
  for (;;) {
    TAREI_TRY(reader_audio_reserve(out, step, err));
    float *const to = out->frames + out->n;
    float *const read = info->channels == 1 ? to : block;
    const sf_count_t n = sf_readf_float(file, read, step);
    if (n <= 0) {
      break;
    }
    mix_channels(read, n, info->channels, to);
    out->n += n;
    if (out->n > max_frames) {
      return tarei_fail(err, TARE_E_INPUT, "has more frames than the %lld that max-elements allows",
                        (long long)max_frames);
    }
  }
  if (sf_error(file) != SF_ERR_NO_ERROR) {
    return tarei_fail(err, TARE_E_INPUT, "cannot read past frame %lld: %s", (long long)out->n,
                      sf_strerror(file));
  }
  return TARE_OK;
}

static tare_status check_info(const SF_INFO *const info, const int64_t max_frames,
                              tare_error *const err) {
  if (info->samplerate < 1) {
    return tarei_fail(err, TARE_E_INPUT, "has a sample rate of %d Hz", info->samplerate);
  }
  if (info->channels < 1 || info->channels > BLOCK_VALUES) {
    return tarei_fail(err, TARE_E_INPUT, "has %d channels", info->channels);
  }
  if (info->frames != SF_COUNT_MAX && info->frames > max_frames) {
    return tarei_fail(err, TARE_E_INPUT,
                      "has %lld frames, more than the %lld that max-elements allows",
                      (long long)info->frames, (long long)max_frames);
  }
  return TARE_OK;
}

static tare_status reader_audio_decode(const audio *const a, int *const rate, mono *const out,
                                       tare_error *const err) {
  TAREI_TRY(tarei_container_check(a->path, err));
  tarei_audio_file file;
  TAREI_TRY(tarei_audio_file_open(a->path, &file, err));
  const SF_INFO info = file.info;
  const int64_t max_frames = a->spec->limits.elements;
  tare_status status = check_info(&info, max_frames, err);
  if (status == TARE_OK) {
    status = reader_audio_read_frames(file.sound, &info, max_frames, out, err);
  }
  if (status == TARE_OK) {
    status = tarei_audio_file_check(&file, err);
  }
  tarei_audio_file_close(&file);
  *rate = info.samplerate;
  if (status == TARE_OK && info.frames != SF_COUNT_MAX && out->n < info.frames) {
    status = tarei_fail(err, TARE_E_INPUT,
                        "truncated: the header declares %lld frames, the file has %lld",
                        (long long)info.frames, (long long)out->n);
  }
  if (status == TARE_OK && out->n == 0) {
    status = tarei_fail(err, TARE_E_INPUT, "is empty (0 frames)");
  }
  return status;
}

/* Without frames where only dims are wanted. */
static tare_status reader_audio_resample(mono *const m, const int from,
                                         const tarei_data_spec *const spec, tare_error *const err) {
  if (!spec->rate || spec->rate == from) {
    return TARE_OK;
  }
  int64_t n;
  TAREI_TRY(tarei_resampled_length(m->n, from, spec->rate, &n, err));
  if (n > spec->limits.elements) {
    return tarei_fail(
        err, TARE_E_INPUT,
        "has %lld frames at %d Hz, more than the %lld that max-elements allows at %d Hz",
        (long long)m->n, from, (long long)spec->limits.elements, spec->rate);
  }
  float *frames = NULL;
  if (!spec->dims_only) {
    TAREI_TRY(tarei_resample(m->frames, m->n, from, spec->rate, &frames, err));
  }
  free(m->frames);
  *m = (mono){.frames = frames, .n = n, .capacity = (size_t)n};
  return TARE_OK;
}

/* Gives n values of the given dims to the input that takes them; NULL: the dims alone. */
static tare_status emit_values(const audio *const a, const float *const values, const int rank,
                               const int64_t *const dims, tarei_slot *const out,
                               tare_error *const err) {
  tare_tensor *const tensor = &out->tensors[a->ports.signal];
  TAREI_TRY(tarei_port_shape(&a->spec->inputs[a->ports.signal], rank, dims, tensor, err));
  TAREI_TRY(tarei_slot_allocate(out, tensor, a->spec->limits.elements, err));
  if (!values) {
    return TARE_OK;
  }
  return tarei_convert(TAREI_NUMBER_F32, values, tare_tensor_count(tensor), tensor->dtype,
                       tensor->data, err);
}

static tare_status emit_length(const audio *const a, const int64_t length, tarei_slot *const out,
                               tare_error *const err) {
  if (a->ports.length < 0) {
    return TARE_OK;
  }
  tare_tensor *const tensor = &out->tensors[a->ports.length];
  const tare_port *const port = &a->spec->inputs[a->ports.length];
  TAREI_TRY(tarei_port_shape(port, 0 /* rank */, NULL, tensor, err));
  TAREI_TRY(tarei_slot_allocate(out, tensor, a->spec->limits.elements, err));
  return tarei_convert(TAREI_NUMBER_I64, &length, 1, tensor->dtype, tensor->data, err);
}

static tare_status reader_audio_transpose(const tarei_feature_frames *const f, const int64_t mels,
                                          float **const out, tare_error *const err) {
  float *const to = tarei_calloc((size_t)(f->n * mels), sizeof *to);
  if (!to) {
    return tarei_fail_memory(err, "features", (size_t)(f->n * mels) * sizeof *to);
  }
  for (int64_t i = 0; i < f->n; i++) {
    for (int64_t m = 0; m < mels; m++) {
      to[m * f->n + i] = f->values[i * mels + m];
    }
  }
  *out = to;
  return TARE_OK;
}

static tare_status emit_frames(const audio *const a, const tarei_feature_frames *const f,
                               tarei_slot *const out, tare_error *const err) {
  const int64_t mels = tarei_features_spec(a->spec->features)->mels;
  const bool mels_first = a->ports.mels_first;
  const int64_t dims[] = {mels_first ? mels : f->n, mels_first ? f->n : mels};
  float *turned = NULL;
  TAREI_TRY(mels_first && f->values ? reader_audio_transpose(f, mels, &turned, err) : TARE_OK);
  const tare_status status =
      emit_values(a, turned ? turned : f->values, 2 /* rank */, dims, out, err);
  free(turned);
  return status == TARE_OK ? emit_length(a, f->n_full, out, err) : status;
}

static tare_status reader_audio_emit(const audio *const a, const mono *const m,
                                     tarei_slot *const out, tare_error *const err) {
  if (a->spec->features) {
    tarei_feature_frames frames;
    const int64_t most = a->spec->limits.elements;
    TAREI_TRY(a->spec->dims_only
                  ? tarei_features_count(a->spec->features, m->n, most, &frames, err)
                  : tarei_features_compute(a->spec->features, m->frames, m->n, most, &frames, err));
    const tare_status status = emit_frames(a, &frames, out, err);
    free(frames.values);
    return status;
  }
  const int64_t dims[] = {m->n};
  const float *const values = a->spec->dims_only ? NULL : m->frames;
  TAREI_TRY(emit_values(a, values, 1 /* rank */, dims, out, err));
  return emit_length(a, m->n, out, err);
}

/* NaN would spread over its whole neighbourhood in the resampler, and lose its place. */
static tare_status check_finite(const mono *const m, tare_error *const err) {
  for (int64_t i = 0; i < m->n; i++) {
    if (!__builtin_isfinite(m->frames[i])) {
      return tarei_fail(err, TARE_E_INPUT, "value %g at frame %lld is not finite",
                        (double)m->frames[i], (long long)i);
    }
  }
  return TARE_OK;
}

/* After resampling, so that a level is the same to the bit as a model input times its factor. */
static void audio_apply_gain(const tarei_gain *const gain, const int level, const mono *const m) {
  const float factor = tarei_gain_factor(gain, level);
  for (int64_t i = 0; factor != 1 && m->frames && i < m->n; i++) {
    m->frames[i] *= factor;
  }
}

static tare_status audio_read(void *const state, const int64_t i, tarei_slot *const out,
                              tare_error *const err) {
  (void)i; /* always 0 */
  const audio *const a = state;
  mono m = {0};
  int rate = 0;
  tare_status status = reader_audio_decode(a, &rate, &m, err);
  if (status == TARE_OK) {
    status = check_finite(&m, err);
  }
  if (status == TARE_OK) {
    status = reader_audio_resample(&m, rate, a->spec, err);
  }
  if (status == TARE_OK) {
    out->rate = a->spec->rate ? a->spec->rate : rate;
    audio_apply_gain(&a->spec->gain, out->level, &m);
    status = reader_audio_emit(a, &m, out, err);
  }
  free(m.frames);
  return status;
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
