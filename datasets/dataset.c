#include "datasets/dataset.h"

#include <inttypes.h>
#include <string.h>
#include <tare/tare.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "datasets/feed.h"
#include "datasets/paths.h"
#include "datasets/prefetch.h"
#include "datasets/stream.h"
#include "datasets/survey.h"
#include "shapes/profiles.h"

enum { KEPT_MESSAGES = 1000 };

/* A sample that was skipped. */
typedef struct bad_sample {
  int64_t index;
  char *message; /* or NULL */
} bad_sample;

struct tare_dataset {
  tarei_data_spec spec;
  tarei_items items;
  tarei_feed feed; /* where the spec has one */
  tarei_survey found;
  tarei_stream stream;      /* belongs to the prefetch threads while there are any */
  tarei_prefetch *prefetch; /* NULL before the first sample is asked for */
  tarei_slot current;
  tare_sample view;          /* of current */
  int least_rate, most_rate; /* so far; 0 before */
  tare_left_out left_out;
  int64_t last_left_out;       /* index of the sample that was left out last, or -1 */
  int64_t n_given, last_given; /* samples that were given; the index of the last one, or -1 */
  tarei_str bounds[2];         /* least and largest lengths */
  int64_t n_bad;
  bad_sample *bad; /* by index; the first KEPT_MESSAGES of them have a message */
  size_t bad_capacity;
};

void tare_dataset_options_init(tare_dataset_options *const options) {
  *options = (tare_dataset_options){0};
}

/* What a data set is opened from. */
typedef struct dataset_origin {
  const char *const *paths; /* n_paths paths; or else a feed */
  int n_paths;
  const tare_feed *feed;
} dataset_origin;

static tare_status open_feed(tare_dataset *const dataset, const tare_feed *const feed,
                             tare_error *const err) {
  const tarei_str no_notes = {0};
  if (dataset->spec.wants && feed->count < 0) { /* who wants no more would never see the end */
    return tarei_fail(err, TARE_E_USAGE, "%s: wanted samples need a feed whose number is known",
                      feed->name);
  }
  const tarei_item item = {.path = feed->name, .ops = &tarei_reader_feed};
  TAREI_TRY(tarei_items_add(&dataset->items, &item, err));
  dataset->feed.source = *feed;
  dataset->feed.source.name = tarei_items_keep_origin(&dataset->items, feed->name);
  if (!dataset->feed.source.name) {
    return tarei_fail_memory(err, "name of a feed", strlen(feed->name));
  }
  dataset->spec.feed = &dataset->feed;
  return tarei_survey_take(&dataset->spec, &dataset->items, &no_notes, &dataset->found, err);
}

/* Before anything is said of options or inputs. */
static tare_status check_paths(const dataset_origin *const origin, tare_error *const err) {
  for (int i = 0; i < origin->n_paths; i++) {
    TAREI_TRY(tarei_paths_check(origin->paths[i], err));
  }
  return TARE_OK;
}

static tare_status open_paths(tare_dataset *const dataset, const char *const *const paths,
                              const int n_paths, tare_error *const err) {
  tarei_str notes = {0};
  tare_status status = TARE_OK;
  dataset->items.texts = dataset->spec.tokenizer != NULL;
  for (int i = 0; i < n_paths && status == TARE_OK; i++) {
    if (notes.length && notes.text[notes.length - 1] != ' ') {
      tarei_str_add(&notes, "; ");
    }
    status = tarei_paths_expand(&dataset->items, paths[i], &dataset->spec, &notes, err);
  }
  if (status == TARE_OK) {
    status = tarei_survey_take(&dataset->spec, &dataset->items, &notes, &dataset->found, err);
  }
  tarei_str_free(&notes);
  return status;
}

/* What the option about lengths says, and whether the data can heed it. */
static tare_status dataset_note_lengths(tare_dataset *const dataset, tare_error *const err) {
  const tarei_length_filter *const lengths = &dataset->spec.lengths;
  tarei_str *const describe = &dataset->found.describe;
  if (tarei_length_filter_seconds(lengths) && !dataset->found.audio) {
    return tarei_fail(err, TARE_E_USAGE,
                      "bounds of lengths in seconds are for audio, but the data are %s: give "
                      "elements",
                      tarei_str_get(describe));
  }
  for (int maxima = 0; maxima < 2; maxima++) {
    tarei_str *const text = &dataset->bounds[maxima];
    tarei_length_filter_print(lengths, maxima, text);
    if (text->length) {
      tarei_str_add(describe, ", without those %s than %s", maxima ? "longer" : "shorter",
                    tarei_str_get(text));
    }
  }
  return dataset->bounds[0].failed || dataset->bounds[1].failed || describe->failed
             ? tarei_fail_memory(err, "description", 0)
             : TARE_OK;
}

static void forget_given(tare_dataset *const dataset) {
  dataset->left_out = (tare_left_out){0};
  dataset->n_given = 0;
  dataset->last_given = dataset->last_left_out = -1;
}

static tare_status dataset_open(const dataset_origin *const origin,
                                const tare_dataset_options *const options, tare_dataset **const out,
                                tare_error *const err) {
  TAREI_TRY(check_paths(origin, err));
  tare_dataset *dataset = tarei_calloc(1, sizeof *dataset);
  if (!dataset) {
    return tarei_fail_memory(err, "data set", sizeof *dataset);
  }
  const unsigned refusals = tarei_refusals();
  tare_status status = tarei_data_spec_copy(options, &dataset->spec, err);
  if (status == TARE_OK) {
    status = origin->feed ? open_feed(dataset, origin->feed, err)
                          : open_paths(dataset, origin->paths, origin->n_paths, err);
  }
  if (status == TARE_OK) {
    const int64_t limit = dataset->spec.limit ? dataset->spec.limit : INT64_MAX;
    status = tarei_stream_init(&dataset->stream, &dataset->spec, &dataset->items,
                               dataset->found.total < 0 ? limit : dataset->found.total, err);
  }
  if (status == TARE_OK) {
    status = dataset_note_lengths(dataset, err);
  }
  status = tarei_settle(refusals, status, "data", err);
  if (status != TARE_OK) {
    tare_dataset_close(&dataset);
    return status;
  }
  forget_given(dataset);
  *out = dataset;
  return TARE_OK;
}

tare_status tare_dataset_open(const char *const *const paths, const int n_paths,
                              const tare_dataset_options *const options, tare_dataset **const out,
                              tare_error *const err) {
  const dataset_origin origin = {.paths = paths, .n_paths = n_paths};
  *out = NULL;
  return n_paths < 1 ? tarei_fail(err, TARE_E_USAGE, "no data given")
                     : dataset_open(&origin, options, out, err);
}

tare_status tare_dataset_open_feed(const tare_feed *const feed,
                                   const tare_dataset_options *const options,
                                   tare_dataset **const out, tare_error *const err) {
  const dataset_origin origin = {.feed = feed};
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_feed, feed, err));
  return dataset_open(&origin, options, out, err);
}

static void forget_bad(tare_dataset *const dataset) {
  for (int64_t i = 0; i < dataset->n_bad; i++) {
    free(dataset->bad[i].message);
  }
  dataset->n_bad = 0;
}

void tare_dataset_close(tare_dataset **const handle) {
  tare_dataset *const dataset = *handle;
  if (!dataset) {
    return;
  }
  tarei_prefetch_stop(&dataset->prefetch);
  tarei_stream_fini(&dataset->stream);
  forget_bad(dataset);
  free(dataset->bad);
  tarei_slot_fini(&dataset->current);
  tarei_items_fini(&dataset->items);
  tarei_data_spec_fini(&dataset->spec);
  tarei_survey_fini(&dataset->found);
  tarei_str_free(&dataset->bounds[0]);
  tarei_str_free(&dataset->bounds[1]);
  free(dataset);
  *handle = NULL;
}

int64_t tare_dataset_count(const tare_dataset *const dataset) {
  return dataset->found.count;
}

const char *tare_dataset_unheeded(const tare_dataset *const dataset) {
  const tarei_data_spec *const spec = &dataset->spec;
  const unsigned unheeded = ~dataset->found.heeded;
  return unheeded & TAREI_HEEDS_ROWS && spec->rows             ? "rows"
         : unheeded & TAREI_HEEDS_MAPPINGS && spec->n_mappings ? "map"
         : unheeded & TAREI_HEEDS_TEXTS && spec->tokenizer     ? "tokenizer"
                                                               : NULL;
}

int tare_dataset_n_levels(const tare_dataset *const dataset) {
  return tarei_gain_levels(&dataset->spec.gain);
}

double tare_dataset_level_db(const tare_dataset *const dataset, const int level) {
  if (!tarei_has_number(level, tare_dataset_n_levels(dataset))) {
    return 0;
  }
  return dataset->spec.gain.db[level];
}

const char *tare_dataset_gain_range(const tare_dataset *const dataset) {
  return tarei_str_get(&dataset->found.gain_range);
}

static bool dataset_claim(void *const user, tarei_ticket *const ticket) {
  return tarei_stream_claim(user, ticket);
}

static void read_claimed(void *const user, const tarei_ticket *const ticket,
                         tarei_slot *const slot) {
  tarei_stream_read(user, ticket, slot);
}

static void finish_claimed(void *const user, const tarei_ticket *const ticket,
                           tarei_slot *const slot) {
  tarei_stream_finish(user, ticket, slot);
}

/* Decoding and resampling take longer than many a model: as many threads as run it. */
static tare_status start_reading(tare_dataset *const dataset, tare_error *const err) {
  const tarei_prefetch_source source = {dataset_claim, read_claimed, finish_claimed,
                                        &dataset->stream};
  const int wanted = dataset->spec.threads ? dataset->spec.threads : tare_cores();
  const int threads = wanted < TAREI_PREFETCH_THREADS ? wanted : TAREI_PREFETCH_THREADS;
  return tarei_prefetch_start(&source, tarei_stream_readers(&dataset->stream, threads),
                              dataset->spec.wants != NULL /* other processes */, &dataset->prefetch,
                              err);
}

/* Levels of a sample fail in any order: the message does not depend on it, and is the one without
 * gain if there is one, which sorts last. */
static tare_status remember_level(bad_sample *const bad, const char *const message,
                                  tare_error *const err) {
  if (!bad->message || strcmp(message, bad->message) <= 0) {
    return TARE_OK;
  }
  char *const copy = tarei_strdup(message);
  if (!copy) {
    return tarei_fail_memory(err, "message", TARE_ERROR_CAPACITY);
  }
  free(bad->message);
  bad->message = copy;
  return TARE_OK;
}

/* Counts a bad sample, at its place by index, unless another level of it was bad already. The first
 * messages are kept. */
static tare_status remember_bad(tare_dataset *const dataset, const int64_t index,
                                const char *const message, tare_error *const err) {
  const size_t n = (size_t)dataset->n_bad;
  size_t at = n;
  while (at > 0 && dataset->bad[at - 1].index > index) {
    at--;
  }
  if (at > 0 && dataset->bad[at - 1].index == index) {
    return remember_level(&dataset->bad[at - 1], message, err);
  }
  const bad_sample bad = {.index = index, .message = tarei_strdup(message)};
  if (!bad.message || !TAREI_GROW(dataset->bad, n, dataset->bad_capacity)) {
    free(bad.message);
    return tarei_fail_memory(err, "message", TARE_ERROR_CAPACITY);
  }
  memmove(dataset->bad + at + 1, dataset->bad + at, (n - at) * sizeof bad);
  dataset->bad[at] = bad;
  if (++dataset->n_bad > KEPT_MESSAGES) {
    free(dataset->bad[KEPT_MESSAGES].message);
    dataset->bad[KEPT_MESSAGES].message = NULL;
  }
  return TARE_OK;
}

tare_status tare_dataset_refuse(tare_dataset *const dataset, const int64_t index,
                                const tare_error *const why, tare_error *const err) {
  const bool of_sample = why->status == TARE_E_INPUT || why->status == TARE_E_SHAPE;
  if (dataset->spec.skip_bad && of_sample) {
    return remember_bad(dataset, index, why->message, err);
  }
  if (err && err != why) {
    *err = *why;
  }
  return why->status;
}

static void note_rate(tare_dataset *const dataset, const int rate) {
  if (rate > 0 && (dataset->least_rate == 0 || rate < dataset->least_rate)) {
    dataset->least_rate = rate;
  }
  if (rate > dataset->most_rate) {
    dataset->most_rate = rate;
  }
}

static void show_current(tare_dataset *const dataset, const tare_sample **const out) {
  const tarei_slot *const slot = &dataset->current;
  dataset->view = (tare_sample){.name = slot->name,
                                .index = slot->index,
                                .tensors = slot->tensors,
                                .label = slot->label.data ? &slot->label : NULL,
                                .label_text = slot->label_text,
                                .level = slot->level,
                                .gain_db = tare_dataset_level_db(dataset, slot->level)};
  *out = &dataset->view;
}

/* Whether a sample is outside all profiles that are to cover it. */
static bool dataset_is_outside(const tare_dataset *const dataset) {
  const tare_profiles *const covered = dataset->spec.covered;
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  return covered &&
         tare_profiles_bind(covered, dataset->current.tensors, values, NULL) == TARE_OK &&
         tare_profiles_find(covered, values) < 0;
}

/* Leaves out the sample at hand, or finds that it is bad: *given tells that it is neither. */
static tare_status dataset_filter(tare_dataset *const dataset, bool *const given,
                                  tare_error *const err) {
  const tarei_data_spec *const spec = &dataset->spec;
  tarei_slot *const slot = &dataset->current;
  tarei_left_out why;
  TAREI_TRY(tarei_length_filter_judge(&spec->lengths, slot, &why, err));
  const bool outside = why == TAREI_LEFT_IN && dataset_is_outside(dataset);
  const bool out = why != TAREI_LEFT_IN || outside;
  if (out && slot->index != dataset->last_left_out) {
    dataset->last_left_out = slot->index;
    dataset->left_out.shorter += why == TAREI_SHORTER;
    dataset->left_out.longer += why == TAREI_LONGER;
    dataset->left_out.outside += outside;
  }
  if (!out && spec->check &&
      spec->check(spec->check_user, slot->tensors, &slot->error) != TARE_OK) {
    (void)tarei_fail_in(&slot->error, slot->error.status, "%s", slot->name);
  }
  *given = !out && slot->error.status == TARE_OK;
  return TARE_OK;
}

/* Whether another sample would be more than are to be given; levels of one are no other. */
static bool dataset_has_most(const tare_dataset *const dataset) {
  const int64_t most = dataset->spec.most;
  return most && dataset->n_given == most && dataset->current.index != dataset->last_given;
}

static void dataset_give(tare_dataset *const dataset, const tare_sample **const out) {
  dataset->n_given += dataset->current.index != dataset->last_given;
  dataset->last_given = dataset->current.index;
  note_rate(dataset, dataset->current.rate);
  show_current(dataset, out);
}

tare_status tare_dataset_next(tare_dataset *const dataset, const tare_sample **const out,
                              tare_error *const err) {
  *out = NULL;
  if (!dataset->prefetch) {
    TAREI_TRY(start_reading(dataset, err));
  }
  for (;;) {
    const tare_error *const fault = &dataset->current.error;
    bool given = false;
    tarei_slot_fini(&dataset->current);
    if (!tarei_prefetch_take(dataset->prefetch, &dataset->current) || dataset_has_most(dataset)) {
      return TARE_OK;
    }
    TAREI_TRY(fault->status == TARE_OK ? dataset_filter(dataset, &given, err) : TARE_OK);
    if (given) {
      dataset_give(dataset, out);
      return TARE_OK;
    }
    const bool fatal = dataset->current.fatal || fault->status == TARE_E_MEMORY;
    if (fault->status != TARE_OK && (!dataset->spec.skip_bad || fatal)) {
      return tarei_fail(err, fault->status, "%s", fault->message);
    }
    TAREI_TRY(fault->status == TARE_OK
                  ? TARE_OK
                  : remember_bad(dataset, dataset->current.index, fault->message, err));
  }
}

void tare_dataset_set_check(tare_dataset *const dataset, const tare_sample_check check,
                            void *const user) {
  dataset->spec.check = check;
  dataset->spec.check_user = user;
}

tare_status tare_dataset_set_profiles(tare_dataset *const dataset,
                                      const tare_profiles *const profiles, tare_error *const err) {
  tare_profiles *copy = NULL;
  TAREI_TRY(profiles ? tarei_profiles_clone(profiles, &copy, err) : TARE_OK);
  tare_profiles_free(&dataset->spec.covered);
  dataset->spec.covered = copy;
  return TARE_OK;
}

tare_left_out tare_dataset_left_out(const tare_dataset *const dataset) {
  return dataset->left_out;
}

const char *tare_dataset_length_bounds(const tare_dataset *const dataset, const bool maxima) {
  return tarei_str_get(&dataset->bounds[maxima]);
}

bool tarei_dataset_filters(const tare_dataset *const dataset) {
  const tarei_data_spec *const spec = &dataset->spec;
  return spec->lengths.n || spec->covered || spec->check;
}

void tarei_dataset_take(tare_dataset *const dataset, tarei_slot *const slot) {
  *slot = dataset->current;
  dataset->current = (tarei_slot){0};
  dataset->view = (tare_sample){0};
}

uint64_t tare_dataset_hash(const tare_dataset *const dataset) {
  return dataset->found.hash;
}

int64_t tarei_dataset_total(const tare_dataset *const dataset) {
  return dataset->found.total;
}

/* The index is that of all data, so that shards and choices do not depend on each other. */
tare_status tarei_dataset_keep(tare_dataset *const dataset, int64_t *const indices, const size_t n,
                               const tare_choice *const how, tare_error *const err) {
  tarei_data_spec *const spec = &dataset->spec;
  const tare_status status = tare_dataset_rewind(dataset, err);
  free(spec->kept);
  spec->kept = indices;
  spec->n_kept = n;
  spec->choice = *how;
  dataset->found.count = 0;
  for (size_t i = 0; i < n; i++) {
    dataset->found.count += !spec->n_shards || indices[i] % spec->n_shards == spec->shard;
  }
  tarei_str_add(&dataset->found.describe, ", %zu chosen", n);
  TAREI_TRY(status);
  return dataset->found.describe.failed ? tarei_fail_memory(err, "description", n) : TARE_OK;
}

tare_status tarei_dataset_stopped(const tare_dataset *const dataset, const int64_t done,
                                  tare_error *const err) {
  const int64_t all = dataset->found.count;
  return all < 0 ? tarei_fail(err, TARE_E_CHECK, "stopped after %" PRId64 " samples", done)
                 : tarei_fail(err, TARE_E_CHECK, "stopped after %" PRId64 " of %" PRId64 " samples",
                              done, all);
}

const tarei_data_spec *tarei_dataset_spec(const tare_dataset *const dataset) {
  return &dataset->spec;
}

tare_status tare_dataset_rewind(tare_dataset *const dataset, tare_error *const err) {
  (void)err; /* nothing here can fail today; the signature leaves room */
  tarei_prefetch_stop(&dataset->prefetch);
  tarei_stream_rewind(&dataset->stream);
  tarei_slot_fini(&dataset->current);
  forget_bad(dataset);
  forget_given(dataset);
  dataset->least_rate = dataset->most_rate = 0;
  dataset->spec.dims_only = false;
  return TARE_OK;
}

tare_status tare_dataset_rewind_for_dims(tare_dataset *const dataset, tare_error *const err) {
  TAREI_TRY(tare_dataset_rewind(dataset, err));
  dataset->spec.dims_only = true;
  return TARE_OK;
}

void tare_dataset_rates(const tare_dataset *const dataset, int *const least, int *const most) {
  *least = dataset->least_rate;
  *most = dataset->most_rate;
}

int64_t tare_dataset_n_bad(const tare_dataset *const dataset) {
  return dataset->n_bad;
}

int64_t tare_dataset_n_empty_labels(const tare_dataset *const dataset) {
  return dataset->found.n_empty;
}

const char *tare_dataset_bad(const tare_dataset *const dataset, const int64_t i) {
  return i >= 0 && i < dataset->n_bad ? dataset->bad[i].message : NULL;
}

bool tare_dataset_has_audio(const tare_dataset *const dataset) {
  return dataset->found.audio;
}

const char *tare_dataset_describe(const tare_dataset *const dataset) {
  return tarei_str_get(&dataset->found.describe);
}
