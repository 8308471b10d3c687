#include "datasets/features/feature_stages.h"

tarei_recording tarei_recording_of(const tarei_feature_spec *const spec, const float *const samples,
                                   const int64_t n) {
  return (tarei_recording){.spec = spec,
                           .samples = samples,
                           .n_real = spec->pad && spec->pad < n ? spec->pad : n,
                           .n = spec->pad ? spec->pad : n};
}

/* Where frames lie: frame i begins at first + i * hop, and they are n. Samples beyond the ends are
 * those at `inside` of their index. */
typedef struct edges {
  int64_t (*count)(const tarei_feature_spec *spec, int64_t n);
  int64_t (*first)(const tarei_feature_spec *spec);
  int64_t (*inside)(int64_t i, int64_t n); /* an index in [0, n), or -1 for a zero */
} edges;

static int64_t count_snip(const tarei_feature_spec *const s, const int64_t n) {
  return n < s->win ? 0 : 1 + (n - s->win) / s->hop;
}
static int64_t count_mirror(const tarei_feature_spec *const s, const int64_t n) {
  return (n + s->hop / 2) / s->hop;
}
static int64_t count_centred(const tarei_feature_spec *const s, const int64_t n) {
  return 1 + n / s->hop;
}
/* A reflection needs samples to reflect. */
static int64_t count_reflect(const tarei_feature_spec *const s, const int64_t n) {
  return n > s->n_fft / 2 ? count_centred(s, n) : 0;
}

static int64_t first_snip(const tarei_feature_spec *const s) {
  (void)s;
  return 0;
}
static int64_t first_mirror(const tarei_feature_spec *const s) {
  return s->hop / 2 - s->win / 2;
}
/* The window lies in the middle of the transform. */
static int64_t first_centred(const tarei_feature_spec *const s) {
  return (s->n_fft - s->win) / 2 - s->n_fft / 2;
}

static int64_t inside_zero(const int64_t i, const int64_t n) {
  return i >= 0 && i < n ? i : -1;
}
static int64_t inside_mirror(const int64_t i, const int64_t n) {
  const int64_t period = 2 * n, at = (i % period + period) % period;
  return at < n ? at : period - 1 - at;
}
static int64_t inside_reflect(const int64_t i, const int64_t n) {
  if (n == 1) {
    return 0;
  }
  const int64_t period = 2 * (n - 1), at = (i % period + period) % period;
  return at < n ? at : period - at;
}

static const edges EDGES[TAREI_EDGES_COUNT] = {
    [TAREI_EDGES_SNIP] = {count_snip, first_snip, inside_zero},
    [TAREI_EDGES_MIRROR] = {count_mirror, first_mirror, inside_mirror},
    [TAREI_EDGES_REFLECT] = {count_reflect, first_centred, inside_reflect},
    [TAREI_EDGES_ZERO] = {count_centred, first_centred, inside_zero},
};

tare_status tarei_recording_frames(const tarei_recording *const r, int64_t *const out,
                                   tare_error *const err) {
  const int64_t n = EDGES[r->spec->edges].count(r->spec, r->n) - r->spec->drop_last;
  *out = n;
  return n > 0 ? TARE_OK
               : tarei_fail(err, TARE_E_INPUT,
                            "too short for one frame of %s features: %lld samples at %lld Hz",
                            r->spec->name, (long long)r->n, (long long)r->spec->rate);
}

static double sample(const tarei_recording *const r, const int64_t i) {
  return i >= 0 && i < r->n_real ? r->spec->gain * (double)r->samples[i] : 0;
}

/* With the pre-emphasis of the whole recording, whose first sample stays. */
static double emphasized(const tarei_recording *const r, const int64_t i) {
  const bool whole = r->spec->preemph != 0 && !r->spec->preemph_frames && i > 0;
  return whole ? sample(r, i) - r->spec->preemph * sample(r, i - 1) : sample(r, i);
}

static void remove_mean(double *const x, const int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    sum += x[i];
  }
  for (int64_t i = 0; i < n; i++) {
    x[i] -= sum / (double)n;
  }
}

/* The sample before the first is the first. */
static void emphasize(double *const x, const int64_t n, const double by) {
  for (int64_t i = n - 1; i >= 0; i--) {
    x[i] -= by * x[i > 0 ? i - 1 : 0];
  }
}

void tarei_recording_frame(const tarei_recording *const r, const int64_t i,
                           const double *const window, double *const out) {
  const tarei_feature_spec *const s = r->spec;
  const edges *const e = &EDGES[s->edges];
  const int64_t first = e->first(s) + i * s->hop;
  for (int64_t k = 0; k < s->win; k++) {
    const int64_t at = e->inside(first + k, r->n);
    out[k] = at < 0 ? 0 : emphasized(r, at);
  }
  if (s->remove_dc) {
    remove_mean(out, s->win);
  }
  if (s->preemph_frames) {
    emphasize(out, s->win, s->preemph);
  }
  for (int64_t k = 0; k < s->win; k++) {
    out[k] *= window[k];
  }
}
