#include "datasets/audio/recording.h"

#include "base/mem.h"
#include "datasets/audio/decode.h"
#include "datasets/audio/resample.h"
#include "datasets/convert.h"
#include "datasets/port_shape.h"

/* Without frames where only dims are wanted. */
static tare_status recording_resample(tarei_mono *const m, const int from,
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
  *m = (tarei_mono){.frames = frames, .n = n, .capacity = (size_t)n};
  return TARE_OK;
}

/* Gives n values of the given dims to the input that takes them; NULL: the dims alone. */
static tare_status emit_values(const tarei_recording_source *const r, const float *const values,
                               const int rank, const int64_t *const dims, tarei_slot *const out,
                               tare_error *const err) {
  tare_tensor *const tensor = &out->tensors[r->ports->signal];
  TAREI_TRY(tarei_port_shape(&r->spec->inputs[r->ports->signal], rank, dims, tensor, err));
  TAREI_TRY(tarei_slot_allocate(out, tensor, r->spec->limits.elements, err));
  if (!values) {
    return TARE_OK;
  }
  return tarei_convert(TAREI_NUMBER_F32, values, tare_tensor_count(tensor), tensor->dtype,
                       tensor->data, err);
}

static tare_status recording_transpose(const tarei_feature_frames *const f, const int64_t mels,
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

static tare_status emit_frames(const tarei_recording_source *const r,
                               const tarei_feature_frames *const f, tarei_slot *const out,
                               tare_error *const err) {
  const int64_t mels = tarei_features_spec(r->spec->features)->mels;
  const bool mels_first = r->ports->mels_first;
  const int64_t dims[] = {mels_first ? mels : f->n, mels_first ? f->n : mels};
  float *turned = NULL;
  TAREI_TRY(mels_first && f->values ? recording_transpose(f, mels, &turned, err) : TARE_OK);
  const tare_status status =
      emit_values(r, turned ? turned : f->values, 2 /* rank */, dims, out, err);
  free(turned);
  return status == TARE_OK ? tarei_signal_length(r->ports, r->spec, f->n_full, out, err) : status;
}

static tare_status recording_emit(const tarei_recording_source *const r, const tarei_mono *const m,
                                  tarei_slot *const out, tare_error *const err) {
  if (r->spec->features) {
    tarei_feature_frames frames;
    const int64_t most = r->spec->limits.elements;
    TAREI_TRY(r->spec->dims_only
                  ? tarei_features_count(r->spec->features, m->n, most, &frames, err)
                  : tarei_features_compute(r->spec->features, m->frames, m->n, most, &frames, err));
    const tare_status status = emit_frames(r, &frames, out, err);
    free(frames.values);
    return status;
  }
  const int64_t dims[] = {m->n, 1};
  const float *const values = r->spec->dims_only ? NULL : m->frames;
  TAREI_TRY(emit_values(r, values, r->ports->channel_last ? 2 : 1 /* rank */, dims, out, err));
  return tarei_signal_length(r->ports, r->spec, m->n, out, err);
}

/* NaN would spread over its whole neighbourhood in the resampler, and lose its place. */
static tare_status check_finite(const tarei_mono *const m, tare_error *const err) {
  for (int64_t i = 0; i < m->n; i++) {
    if (!__builtin_isfinite(m->frames[i])) {
      return tarei_fail(err, TARE_E_INPUT, "value %g at frame %lld is not finite",
                        (double)m->frames[i], (long long)i);
    }
  }
  return TARE_OK;
}

/* After resampling, so that a level is the same to the bit as a model input times its factor. */
static void recording_apply_gain(const tarei_gain *const gain, const int level,
                                 const tarei_mono *const m) {
  const float factor = tarei_gain_factor(gain, level);
  for (int64_t i = 0; factor != 1 && m->frames && i < m->n; i++) {
    m->frames[i] *= factor;
  }
}

/* The whole of a file, or the part that a manifest names. */
static tarei_segment recording_segment(const tarei_recording_source *const r,
                                       const tarei_slot *const slot) {
  tarei_segment segment = slot->segment;
  segment.channel = segment.channel ? segment.channel : r->spec->channel;
  return segment;
}

static tare_status recording_fill(const tarei_recording_source *const r, tarei_mono *const m,
                                  tarei_slot *const out, tare_error *const err) {
  const tarei_decode decode = {.path = r->path,
                               .memory = r->memory,
                               .segment = recording_segment(r, out),
                               .max_frames = r->spec->limits.elements};
  int rate = 0;
  TAREI_TRY(tarei_decode_recording(&decode, &rate, m, err));
  TAREI_TRY(check_finite(m, err));
  TAREI_TRY(recording_resample(m, rate, r->spec, err));
  out->rate = r->spec->rate ? r->spec->rate : rate;
  out->has_seconds = out->rate > 0;
  out->seconds = out->has_seconds ? (double)m->n / out->rate : 0;
  recording_apply_gain(&r->spec->gain, out->level, m);
  return recording_emit(r, m, out, err);
}

tare_status tarei_recording_read(const tarei_recording_source *const r, tarei_slot *const out,
                                 tare_error *const err) {
  tarei_mono m = {0};
  const tare_status status = recording_fill(r, &m, out, err);
  free(m.frames);
  return status;
}

void tarei_recording_describe(const tarei_data_spec *const spec, tarei_str *const to) {
  if (spec->features) {
    const tarei_feature_spec *const f = tarei_features_spec(spec->features);
    tarei_str_add(to, "audio at %d Hz as %s features of %lld mels", spec->rate, f->name,
                  (long long)f->mels);
  } else if (spec->rate) {
    tarei_str_add(to, "audio resampled to %d Hz", spec->rate);
  } else {
    tarei_str_add(to, "audio at each file's own rate");
  }
  if (spec->channel) {
    tarei_str_add(to, ", channel %d", spec->channel);
  }
}
