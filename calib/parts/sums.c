#include "calib/parts/sums.h"

#include <stdlib.h>

#include "base/mem.h"

tare_status tarei_sums_new(const int n_profiles, tarei_sums **const out, tare_error *const err) {
  *out = tarei_calloc(1, sizeof **out);
  if (!*out) {
    return tarei_fail_memory(err, "sums of a calibration", sizeof **out);
  }
  tarei_channels_init(&(*out)->channels, n_profiles);
  return TARE_OK;
}

void tarei_sums_free(tarei_sums **const handle) {
  tarei_sums *const sums = *handle;
  if (!sums) {
    return;
  }
  tarei_grams_fini(&sums->grams);
  tarei_channels_fini(&sums->channels);
  free(sums);
  *handle = NULL;
}

void tarei_sums_reset(tarei_sums *const sums) {
  tarei_grams_reset(&sums->grams);
  tarei_channels_reset(&sums->channels);
}

static bool same_layers(const tarei_grams *const a, const tarei_grams *const b) {
  bool same = a->n == b->n;
  for (int i = 0; same && i < a->n; i++) {
    same = a->all[i].k == b->all[i].k && a->inputs[i].k == b->inputs[i].k;
  }
  return same;
}

static bool same_channels(const tarei_channels *const a, const tarei_channels *const b) {
  bool same = a->n == b->n && a->n_profiles == b->n_profiles;
  for (int i = 0; same && i < a->n; i++) {
    same = a->items[i].n == b->items[i].n;
  }
  return same;
}

static void add_grams(tarei_grams *const to, const tarei_grams *const from) {
  for (int i = 0; i < to->n; i++) {
    const size_t count = to->all[i].sums ? tarei_gram_count(to->all[i].k) : 0;
    to->all[i].n_rows += from->all[i].n_rows;
    for (size_t s = 0; s < count; s++) {
      to->all[i].sums[s] += from->all[i].sums[s];
    }
    to->inputs[i].n_rows += from->inputs[i].n_rows;
    for (size_t s = 0; s < to->inputs[i].k; s++) {
      to->inputs[i].sums[s] += from->inputs[i].sums[s];
    }
  }
}

tare_status tarei_sums_add(tarei_sums *const sums, const tarei_sums *const others,
                           tare_error *const err) {
  if (!same_layers(&sums->grams, &others->grams) ||
      !same_channels(&sums->channels, &others->channels)) {
    return tarei_fail(err, TARE_E_INPUT, "has sums of other layers: another version wrote it");
  }
  add_grams(&sums->grams, &others->grams);
  tarei_channels_add(&sums->channels, &others->channels);
  return TARE_OK;
}
