/* Chooses samples: each gets a pseudo-random key of the seed and its place in the data, and those
 * with the smallest keys are taken. */
#include <stdlib.h>
#include <tare/calib.h>
#include <xxhash.h>

#include "base/mem.h"
#include "calib/samples/outside.h"
#include "calib/samples/sample_length.h"
#include "datasets/dataset.h"
#include "shapes/profile_set.h"

typedef struct choice_candidate {
  int64_t index, length;
  int profile; /* -1: outside all */
  uint64_t key;
} choice_candidate;

typedef struct choice_work {
  const tare_choice *choice;
  const tare_profiles *profiles;
  tare_outside outside;
  choice_candidate *items;
  size_t n, cap;
} choice_work;

static int choice_order(const int64_t a, const int64_t b) {
  return a < b ? -1 : a > b;
}

static int choice_by_key(const void *const a, const void *const b) {
  const choice_candidate *const x = a, *const y = b;
  return x->key != y->key ? (x->key < y->key ? -1 : 1) : choice_order(x->index, y->index);
}

static int choice_by_profile(const void *const a, const void *const b) {
  const int order =
      choice_order(((const choice_candidate *)a)->profile, ((const choice_candidate *)b)->profile);
  return order ? order : choice_by_key(a, b);
}

static int choice_by_length(const void *const a, const void *const b) {
  const int order =
      choice_order(((const choice_candidate *)a)->length, ((const choice_candidate *)b)->length);
  return order ? order : choice_by_key(a, b);
}

static int choice_by_index(const void *const a, const void *const b) {
  return choice_order(((const choice_candidate *)a)->index, ((const choice_candidate *)b)->index);
}

static void choice_sort(choice_work *const w, int (*const order)(const void *, const void *)) {
  if (w->n) {
    qsort(w->items, w->n, sizeof *w->items, order);
  }
}

static tare_status choice_add(choice_work *const w, choice_candidate c, tare_error *const err) {
  if (!TAREI_GROW(w->items, w->n, w->cap)) {
    return tarei_fail_memory(err, "a choice of samples", w->n * sizeof *w->items);
  }
  c.key = XXH64(&c.index, sizeof c.index, w->choice->seed);
  w->items[w->n++] = c;
  return TARE_OK;
}

static int choice_profile(const choice_work *const w, const tare_sample *const sample) {
  int64_t own[TARE_MAX_SYMBOLS];
  if (tare_profiles_bind(w->profiles, sample->tensors, own, NULL) != TARE_OK) {
    return -1;
  }
  const int found = tare_profiles_find(w->profiles, own);
  return found < 0 && w->outside == TARE_OUTSIDE_NEAREST ? tare_profiles_nearest(w->profiles, own)
                                                         : found;
}

static tare_status choice_read(choice_work *const w, tare_dataset *const dataset,
                               tare_error *const err) {
  const int n_inputs = tarei_dataset_spec(dataset)->n_inputs;
  const tare_sample *sample = NULL;
  TAREI_TRY(tare_dataset_rewind_for_dims(dataset, err));
  TAREI_TRY(tare_dataset_next(dataset, &sample, err));
  while (sample) {
    const choice_candidate c = {.index = sample->index,
                                .length = tarei_sample_length(sample->tensors, n_inputs),
                                .profile = w->choice->quota ? choice_profile(w, sample) : -1};
    TAREI_TRY(choice_add(w, c, err));
    TAREI_TRY(tare_dataset_next(dataset, &sample, err));
  }
  return TARE_OK;
}

static tare_status choice_collect(choice_work *const w, tare_dataset *const dataset,
                                  tare_error *const err) {
  if (w->choice->quota || w->choice->by_length || tarei_dataset_filters(dataset) ||
      tarei_dataset_total(dataset) < 0) {
    return choice_read(w, dataset, err);
  }
  for (int64_t i = 0; i < tarei_dataset_total(dataset); i++) {
    TAREI_TRY(choice_add(w, (choice_candidate){.index = i}, err));
  }
  return TARE_OK;
}

static void choice_apply_quota(choice_work *const w) {
  size_t n = 0;
  int64_t taken = 0;
  choice_sort(w, choice_by_profile);
  for (size_t i = 0; i < w->n; i++) {
    const int profile = w->items[i].profile;
    taken = i > 0 && n > 0 && w->items[n - 1].profile == profile ? taken : 0;
    if (profile < 0 || taken < w->choice->quota) {
      w->items[n++] = w->items[i];
      taken++;
    }
  }
  w->n = n;
}

/* One of each group of neighbours by length: the one with the smallest key. */
static void choice_take_strata(choice_work *const w, const size_t wanted) {
  choice_sort(w, choice_by_length);
  for (size_t k = 0; k < wanted; k++) {
    const size_t begin = (size_t)((unsigned __int128)k * w->n / wanted);
    const size_t end = (size_t)((unsigned __int128)(k + 1) * w->n / wanted);
    choice_candidate best = w->items[begin];
    for (size_t i = begin + 1; i < end; i++) {
      best = choice_by_key(&w->items[i], &best) < 0 ? w->items[i] : best;
    }
    w->items[k] = best; /* before all groups that are still to come */
  }
  w->n = wanted;
}

static void choice_apply_samples(choice_work *const w) {
  const size_t wanted = (size_t)w->choice->samples;
  if (wanted >= w->n) {
    return;
  }
  if (w->choice->by_length) {
    choice_take_strata(w, wanted);
  } else {
    choice_sort(w, choice_by_key);
    w->n = wanted;
  }
}

static tare_status choice_keep(choice_work *const w, tare_dataset *const dataset,
                               tare_error *const err) {
  int64_t *const indices = tarei_calloc(w->n, sizeof *indices);
  if (!indices) {
    return tarei_fail_memory(err, "a choice of samples", w->n * sizeof *indices);
  }
  choice_sort(w, choice_by_index);
  for (size_t i = 0; i < w->n; i++) {
    indices[i] = w->items[i].index;
  }
  return tarei_dataset_keep(dataset, indices, w->n, w->choice, err);
}

static tare_status choice_check(const tare_choice *const c, tare_error *const err) {
  if (c->samples < 0 || c->quota < 0) {
    return tarei_fail(err, TARE_E_USAGE, "samples (%lld) and quota (%lld) must not be negative",
                      (long long)c->samples, (long long)c->quota);
  }
  return c->by_length && !c->samples
             ? tarei_fail(err, TARE_E_USAGE, "a choice by length needs a number of samples")
             : TARE_OK;
}

tare_status tare_dataset_choose(tare_dataset *const dataset, const tare_profiles *const profiles,
                                const tare_outside outside, const tare_choice *const choice,
                                tare_error *const err) {
  choice_work w = {.choice = choice, .profiles = profiles, .outside = outside};
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_choice, choice, err));
  TAREI_TRY(choice_check(choice, err));
  TAREI_TRY(tarei_outside_cover(dataset, profiles, outside, err));
  if (!choice->samples && !choice->quota) {
    return TARE_OK;
  }
  tare_status status = choice_collect(&w, dataset, err);
  if (status == TARE_OK) {
    if (choice->quota) {
      choice_apply_quota(&w);
    }
    if (choice->samples) {
      choice_apply_samples(&w);
    }
    status = choice_keep(&w, dataset, err);
  }
  free(w.items);
  return status;
}
