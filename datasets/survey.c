#include "datasets/survey.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

enum { DESCRIBED_KINDS = 4 };

typedef struct survey {
  const tarei_data_spec *spec;
  tarei_items *items;
  tarei_survey *out;
} survey;

/* Says each kind of file once. */
static void survey_add_kind(survey *const s, const char *const kind, int *const n_kinds) {
  if (*n_kinds >= DESCRIBED_KINDS || strstr(tarei_str_get(&s->out->describe), kind)) {
    return;
  }
  tarei_str_add(&s->out->describe, "%s%s", *n_kinds ? "; " : "", kind);
  (*n_kinds)++;
}

/* Opens a file once to check and count it. */
static tare_status survey_item(survey *const s, tarei_item *const item, int *const n_kinds,
                               tare_error *const err) {
  void *state = NULL;
  const bool labels = s->spec->labels && !item->label_text;
  const tare_status status = item->ops->open(item->path, s->spec, labels, &state, err);
  if (status != TARE_OK) {
    return item->origin ? tarei_fail_in(err, status, "%s line %" PRId64, item->origin, item->line)
                        : status;
  }
  item->count = item->ops->count(state);
  item->audio = item->ops->holds_audio ? item->ops->holds_audio(state) : item->ops->has_rate;
  survey_add_kind(s, item->ops->describe(state), n_kinds);
  item->ops->close(state);
  return TARE_OK;
}

/* A recording is one sample: those of other shards are not opened. */
static bool survey_is_of_other_shard(const survey *const s, const tarei_item *const item) {
  const tarei_data_spec *const spec = s->spec;
  return spec->n_shards && item->ops->has_rate && s->out->total % spec->n_shards != spec->shard;
}

static tare_status survey_count_item(survey *const s, const size_t i, tarei_item *const item,
                                     int *const n_kinds, tare_error *const err) {
  TAREI_TRY(survey_is_of_other_shard(s, item) ? TARE_OK : survey_item(s, item, n_kinds, err));
  if (item->count < 0) { /* a feed, which is alone */
    s->out->total = -1;
    s->out->heeded = item->ops->heeds;
    return tarei_items_set_count(s->items, i, INT64_MAX, item->audio, err);
  }
  if (!tarei_add_i64(s->out->total, item->count, &s->out->total)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: too many samples for 64 bits", item->path);
  }
  s->out->audio = s->out->audio || item->audio;
  s->out->heeded |= item->ops->heeds;
  s->out->n_empty += item->label_text && !item->label_text[0];
  return item->count == 1 && item->audio == item->ops->has_rate
             ? TARE_OK
             : tarei_items_set_count(s->items, i, item->count, item->audio, err);
}

static bool survey_has_waveform(const tarei_data_spec *const spec) {
  for (int i = 0; i < spec->n_inputs; i++) {
    if (spec->waveforms[i]) {
      return true;
    }
  }
  return false;
}

/* Only audio is known to be a waveform. */
static tare_status survey_check_waveforms(const survey *const s, tarei_item_view *const view,
                                          tare_error *const err) {
  for (size_t i = 0; i < s->items->n; i++) {
    TAREI_TRY(tarei_items_get(s->items, i, view, err));
    if (!view->item.audio) {
      return tarei_fail(err, TARE_E_USAGE,
                        "%s: %s does not say which inputs are waveforms, to which the gain range "
                        "applies (name them with --waveform INPUT)",
                        view->item.path, view->item.ops->kind.noun);
    }
  }
  return TARE_OK;
}

static tare_status survey_check_gain(survey *const s, tarei_item_view *const view,
                                     tare_error *const err) {
  const tarei_gain *const gain = &s->spec->gain;
  if (gain->n && !survey_has_waveform(s->spec)) {
    TAREI_TRY(survey_check_waveforms(s, view, err));
  }
  if (gain->n) {
    tarei_gain_print(gain, &s->out->gain_range);
    tarei_str_add(&s->out->describe, ", each at %d levels from %+g to %+g dB", gain->n, gain->low,
                  gain->high);
  }
  return s->out->gain_range.failed ? tarei_fail_memory(err, "description", 0) : TARE_OK;
}

static tare_status survey_count_items(survey *const s, tarei_item_view *const view,
                                      tare_error *const err) {
  int n_kinds = 0;
  for (size_t i = 0; i < s->items->n; i++) {
    TAREI_TRY(tarei_items_get(s->items, i, view, err));
    TAREI_TRY(survey_count_item(s, i, &view->item, &n_kinds, err));
  }
  if (s->out->total == 0) {
    TAREI_TRY(tarei_items_get(s->items, 0, view, err));
    return tarei_fail(err, TARE_E_INPUT, "%s: holds no samples", view->item.path);
  }
  return TARE_OK;
}

static void survey_describe(survey *const s, const tarei_str *const notes) {
  if (s->out->total >= 0) {
    tarei_str_add(&s->out->describe, ", %" PRId64 " sample%s", s->out->total,
                  s->out->total == 1 ? "" : "s");
  }
  if (s->out->total >= 0 && s->items->n > 1 && s->items->n != (size_t)s->out->total) {
    tarei_str_add(&s->out->describe, " in %zu files", s->items->n);
  }
  if (notes->length) {
    tarei_str_add(&s->out->describe, " (%s)", tarei_str_get(notes));
  }
}

/* Of the samples taken, with the names of files and how many each has. */
static tare_status survey_hash(survey *const s, tarei_item_view *const view,
                               tare_error *const err) {
  s->out->hash = XXH64(&s->out->total, sizeof s->out->total, 0 /* seed */);
  for (size_t i = 0; i < s->items->n; i++) {
    TAREI_TRY(tarei_items_get(s->items, i, view, err));
    const char *const slash = strrchr(view->item.path, '/');
    const char *const name = slash ? slash + 1 : view->item.path;
    s->out->hash = XXH64(name, strlen(name) + 1, s->out->hash ^ (uint64_t)view->item.count);
  }
  return TARE_OK;
}

static tare_status survey_items(survey *const s, const tarei_str *const notes,
                                tarei_item_view *const view, tare_error *const err) {
  TAREI_TRY(survey_count_items(s, view, err));
  survey_describe(s, notes);
  const int64_t limit = s->spec->limit;
  if (limit && limit < s->out->total) {
    s->out->total = limit;
    tarei_str_add(&s->out->describe, ", the first %" PRId64 " taken", limit);
  }
  s->out->count = s->out->total;
  if (s->spec->n_shards && s->out->total >= 0) {
    const int64_t n = s->spec->n_shards, shard = s->spec->shard;
    s->out->count = s->out->total / n + (shard < s->out->total % n);
    tarei_str_add(&s->out->describe, ", %" PRId64 " of them in shard %" PRId64 " of %" PRId64,
                  s->out->count, shard, n);
  }
  TAREI_TRY(survey_hash(s, view, err));
  TAREI_TRY(survey_check_gain(s, view, err));
  return s->out->describe.failed ? tarei_fail_memory(err, "description", 0) : TARE_OK;
}

tare_status tarei_survey_take(const tarei_data_spec *const spec, tarei_items *const items,
                              const tarei_str *const notes, tarei_survey *const out,
                              tare_error *const err) {
  survey s = {spec, items, out};
  tarei_item_view view = {0};
  const tare_status status = survey_items(&s, notes, &view, err);
  tarei_item_view_fini(&view);
  return status;
}

void tarei_survey_fini(tarei_survey *const out) {
  tarei_str_free(&out->describe);
  tarei_str_free(&out->gain_range);
}
