#include "datasets/features/features.h"

#include "base/mem.h"
#include "datasets/features/feature_stages.h"

struct tarei_features {
  tarei_feature_spec spec;
  double *window;
  tarei_mels mels;
};

tare_status tarei_features_new(const tarei_feature_spec *const spec, tarei_features **const out,
                               tare_error *const err) {
  tarei_features *f = tarei_calloc(1, sizeof *f);
  if (!f) {
    return tarei_fail_memory(err, "features", sizeof *f);
  }
  f->spec = *spec;
  f->window = tarei_calloc((size_t)spec->win, sizeof *f->window);
  const tare_status status = f->window ? tarei_mels_init(&f->spec, &f->mels, err)
                                       : tarei_fail_memory(err, "a window", (size_t)spec->win);
  if (status != TARE_OK) {
    tarei_features_free(&f);
    return status;
  }
  tarei_feature_window(&f->spec, f->window);
  *out = f;
  return TARE_OK;
}

void tarei_features_free(tarei_features **const features) {
  if (*features) {
    tarei_mels_fini(&(*features)->mels);
    free((*features)->window);
  }
  free(*features);
  *features = NULL;
}

const tarei_feature_spec *tarei_features_spec(const tarei_features *const features) {
  return &features->spec;
}

/* Frames, those that count, and those of the tensor. */
static tare_status size_frames(const tarei_recording *const r, const int64_t max_elements,
                               int64_t *const computed, tarei_feature_frames *const out,
                               tare_error *const err) {
  const tarei_feature_spec *const s = r->spec;
  TAREI_TRY(tarei_recording_frames(r, computed, err));
  const int64_t hops = r->n / s->hop;
  out->n_full = s->mask_last && hops < *computed ? hops : *computed;
  out->n = s->pad_to ? (*computed + s->pad_to - 1) / s->pad_to * s->pad_to : *computed;
  return out->n <= max_elements / s->mels
             ? TARE_OK
             : tarei_fail(
                   err, TARE_E_INPUT,
                   "has %lld frames of %lld mels, more than the %lld that max-elements allows",
                   (long long)out->n, (long long)s->mels, (long long)max_elements);
}

/* What one recording needs besides its frames. */
typedef struct features_scratch {
  double *frame, *bins, *mels;
  tarei_spectrum *spectrum;
} features_scratch;

static tare_status open_scratch(const tarei_feature_spec *const s, features_scratch *const out,
                                tare_error *const err) {
  const size_t bins = (size_t)s->n_fft / 2 + 1;
  *out = (features_scratch){.frame = tarei_calloc((size_t)s->win, sizeof(double)),
                            .bins = tarei_calloc(bins, sizeof(double)),
                            .mels = tarei_calloc((size_t)s->mels, sizeof(double))};
  return out->frame && out->bins && out->mels ? tarei_spectrum_new(s, &out->spectrum, err)
                                              : tarei_fail_memory(err, "a frame", bins);
}

static void close_scratch(features_scratch *const s) {
  tarei_spectrum_free(&s->spectrum);
  free(s->frame);
  free(s->bins);
  free(s->mels);
}

static void features_compute(const tarei_features *const f, const tarei_recording *const r,
                             const features_scratch *const s, const int64_t n, float *const out) {
  for (int64_t i = 0; i < n; i++) {
    tarei_recording_frame(r, i, f->window, s->frame);
    tarei_spectrum_of(s->spectrum, s->frame, s->bins);
    tarei_mels_of(&f->mels, s->bins, s->mels);
    tarei_feature_log(&f->spec, s->mels, out + i * f->spec.mels);
  }
}

tare_status tarei_features_count(const tarei_features *const f, const int64_t n,
                                 const int64_t max_elements, tarei_feature_frames *const out,
                                 tare_error *const err) {
  const tarei_recording r = tarei_recording_of(&f->spec, NULL, n);
  int64_t computed;
  *out = (tarei_feature_frames){0};
  return size_frames(&r, max_elements, &computed, out, err);
}

tare_status tarei_features_compute(const tarei_features *const f, const float *const samples,
                                   const int64_t n, const int64_t max_elements,
                                   tarei_feature_frames *const out, tare_error *const err) {
  const tarei_recording r = tarei_recording_of(&f->spec, samples, n);
  int64_t computed = 0;
  TAREI_TRY(size_frames(&r, max_elements, &computed, out, err));
  features_scratch s;
  tare_status status = open_scratch(&f->spec, &s, err);
  float *values = NULL;
  if (status == TARE_OK) {
    values = tarei_calloc((size_t)(out->n * f->spec.mels), sizeof *values);
    status = values ? TARE_OK : tarei_fail_memory(err, "features", (size_t)out->n);
  }
  if (status == TARE_OK) {
    features_compute(f, &r, &s, computed, values);
    tarei_feature_range(&f->spec, values, computed);
    tarei_feature_normalize(&f->spec, values, out->n, out->n_full);
    out->values = values;
  }
  close_scratch(&s);
  return status;
}
