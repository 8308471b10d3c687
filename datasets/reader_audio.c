/* Audio files: whatever libsndfile opens, mixed to mono, resampled when asked. One file is one
 * sample. */
#include <sndfile.h>
#include <stdio.h>

#include "base/mem.h"
#include "datasets/audio_header.h"
#include "datasets/convert.h"
#include "datasets/port_shape.h"
#include "datasets/reader.h"
#include "datasets/resample.h"

enum { BLOCK_VALUES = 1 << 14 };

typedef struct audio {
  char *path;
  const tarei_data_spec *spec;
  char describe[64];
} audio;

/* Mono audio in memory. */
typedef struct mono {
  float *frames;
  int64_t n;
  size_t capacity;
} mono;

static bool takes_anything(const char *const path) {
  (void)path; /* libsndfile looks into the file when it is read */
  return true;
}

static bool is_floating(const tare_dtype dtype) {
  static const tare_dtype FLOATS[] = {TARE_F32, TARE_F16, TARE_F64, TARE_BF16};
  for (size_t i = 0; i < sizeof FLOATS / sizeof *FLOATS; i++) {
    if (FLOATS[i] == dtype) {
      return true;
    }
  }
  return false;
}

static tare_status check_port(const char *const path, const tarei_data_spec *const spec,
                              tare_error *const err) {
  const tare_port *const port = &spec->inputs[0];
  if (spec->n_inputs != 1) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: audio can feed one input and the model has %d ('%s', '%s', ...); put "
                      "the tensors into an HDF5 file",
                      path, spec->n_inputs, port->name, spec->inputs[1].name);
  }
  if (!is_floating(port->dtype)) {
    return tarei_fail(err, TARE_E_USAGE, "%s: audio needs a float input and '%s' takes %s", path,
                      port->name, tare_dtype_name(port->dtype));
  }
  for (int d = 1; d < port->rank - 1; d++) {
    if (port->dims[d].symbol || port->dims[d].value != 1) {
      return tarei_fail(err, TARE_E_USAGE,
                        "%s: audio needs an input of shape [samples], [batch, samples] or "
                        "[batch, 1, samples], and dim %d of '%s' is not 1",
                        path, d, port->name);
    }
  }
  if (port->rank < 1) {
    return tarei_fail(err, TARE_E_USAGE, "%s: audio cannot feed the scalar input '%s'", path,
                      port->name);
  }
  return TARE_OK;
}

static tare_status audio_open(const char *const path, const tarei_data_spec *const spec,
                              const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  TARE_TRY(check_port(path, spec, err));
  if (labels) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: labels '%s' are asked for, and audio has them in a manifest only", path,
                      spec->labels);
  }
  audio *const a = tarei_calloc(1, sizeof *a);
  if (!a || !(a->path = tarei_strdup(path))) {
    free(a);
    return tarei_fail_memory(err, path, sizeof *a);
  }
  a->spec = spec;
  if (spec->rate) {
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

static tare_status append_block(mono *const to, const float *const block, const int64_t n,
                                const int channels, tare_error *const err) {
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int c = 0; c < channels; c++) {
      sum += (double)block[i * channels + c];
    }
    if (!TAREI_GROW(to->frames, to->n, to->capacity)) {
      return tarei_fail_memory(err, "audio", to->capacity * 2 * sizeof *to->frames);
    }
    to->frames[to->n++] = (float)(sum / channels);
  }
  return TARE_OK;
}

/* Reads to the end in blocks: the length in the header is a promise, not a size to allocate. */
static tare_status read_frames(SNDFILE *const file, const SF_INFO *const info,
                               const int64_t max_frames, mono *const out, tare_error *const err) {
  float block[BLOCK_VALUES];
  const sf_count_t step = BLOCK_VALUES / info->channels;
  for (;;) {
    const sf_count_t n = sf_readf_float(file, block, step);
    if (n <= 0) {
      break;
    }
    TARE_TRY(append_block(out, block, n, info->channels, err));
    if (out->n > max_frames) {
      return tarei_fail(err, TARE_E_INPUT, "has more than %lld frames, the limit",
                        (long long)max_frames);
    }
  }
  if (sf_error(file) != SF_ERR_NO_ERROR) {
    return tarei_fail(err, TARE_E_INPUT, "breaks off after %lld frames: %s", (long long)out->n,
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
    return tarei_fail(err, TARE_E_INPUT, "has %lld frames, more than the limit of %lld",
                      (long long)info->frames, (long long)max_frames);
  }
  return TARE_OK;
}

static tare_status decode(const audio *const a, int *const rate, mono *const out,
                          tare_error *const err) {
  TARE_TRY(tarei_audio_check_header(a->path, err));
  SF_INFO info = {0};
  SNDFILE *const file = sf_open(a->path, SFM_READ, &info);
  if (!file) {
    return tarei_fail(err, TARE_E_INPUT, "is not audio that can be read: %s", sf_strerror(NULL));
  }
  const int64_t max_frames = a->spec->max_elements;
  tare_status status = check_info(&info, max_frames, err);
  if (status == TARE_OK) {
    status = read_frames(file, &info, max_frames, out, err);
  }
  (void)sf_close(file); /* only read */
  *rate = info.samplerate;
  if (status == TARE_OK && info.frames != SF_COUNT_MAX && out->n < info.frames) {
    status = tarei_fail(err, TARE_E_INPUT,
                        "is truncated: the header promises %lld frames, the file has %lld",
                        (long long)info.frames, (long long)out->n);
  }
  if (status == TARE_OK && out->n == 0) {
    status = tarei_fail(err, TARE_E_INPUT, "is empty (0 frames)");
  }
  return status;
}

static tare_status resample(mono *const m, const int from, const tarei_data_spec *const spec,
                            tare_error *const err) {
  if (!spec->rate || spec->rate == from) {
    return TARE_OK;
  }
  const int64_t n = tarei_resampled_length(m->n, from, spec->rate);
  if (n < 0 || n > spec->max_elements) {
    return tarei_fail(err, TARE_E_INPUT,
                      "has %lld frames at %d Hz, more than the limit of %lld at %d Hz",
                      (long long)m->n, from, (long long)spec->max_elements, spec->rate);
  }
  float *frames;
  TARE_TRY(tarei_resample(m->frames, m->n, from, spec->rate, &frames, err));
  free(m->frames);
  *m = (mono){.frames = frames, .n = n, .capacity = (size_t)n};
  return TARE_OK;
}

static tare_status emit(const mono *const m, const tarei_data_spec *const spec,
                        tarei_slot *const out, tare_error *const err) {
  const int64_t dims[] = {m->n};
  tare_tensor *const tensor = &out->tensors[0];
  TARE_TRY(tarei_port_shape(&spec->inputs[0], 1 /* rank */, dims, tensor, err));
  TARE_TRY(tarei_slot_allocate(out, tensor, spec->max_elements, err));
  double *const wide = tarei_calloc((size_t)m->n, sizeof *wide);
  if (!wide) {
    return tarei_fail_memory(err, "audio", (size_t)m->n * sizeof *wide);
  }
  for (int64_t i = 0; i < m->n; i++) {
    wide[i] = (double)m->frames[i];
  }
  const tare_status status =
      tarei_convert(TAREI_NUMBER_F64, wide, m->n, tensor->dtype, tensor->data, err);
  free(wide);
  return status;
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

static tare_status audio_read(void *const state, const int64_t i, tarei_slot *const out,
                              tare_error *const err) {
  (void)i; /* always 0 */
  const audio *const a = state;
  mono m = {0};
  int rate = 0;
  tare_status status = decode(a, &rate, &m, err);
  if (status == TARE_OK) {
    status = check_finite(&m, err);
  }
  if (status == TARE_OK) {
    status = resample(&m, rate, a->spec, err);
  }
  if (status == TARE_OK) {
    out->rate = a->spec->rate ? a->spec->rate : rate;
    status = emit(&m, a->spec, out, err);
  }
  free(m.frames);
  return status;
}

static const char *const EXTENSIONS[] = {"wav", "flac", "ogg",  "oga", "opus",
                                         "mp3", "aif",  "aiff", NULL};

const tarei_reader_ops tare_reader_audio = {
    .name = "audio",
    .extensions = EXTENSIONS,
    .recognises = takes_anything,
    .open = audio_open,
    .count = audio_count,
    .describe = audio_describe,
    .read = audio_read,
    .close = audio_close,
};
