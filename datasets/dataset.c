#include "datasets/dataset.h"

#include <inttypes.h>
#include <string.h>

#include "base/cores.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "datasets/paths.h"
#include "datasets/prefetch.h"
#include "datasets/stream.h"

enum { KEPT_MESSAGES = 1000, DESCRIBED_KINDS = 4 };

/* A sample that was skipped. */
typedef struct bad_sample {
  int64_t index;
  char *message;
} bad_sample;

struct tare_dataset {
  tarei_data_spec spec;
  tarei_items items;
  int64_t count;
  tarei_str describe;
  tarei_stream stream;      /* belongs to the prefetch threads while there are any */
  tarei_prefetch *prefetch; /* NULL before the first sample is asked for */
  tarei_slot current;
  tare_sample view;          /* of current */
  int least_rate, most_rate; /* so far; 0 before */
  int64_t n_bad;
  bad_sample *bad; /* the first KEPT_MESSAGES of them, by index */
  size_t n_kept, kept_capacity;
};

void tare_dataset_options_init(tare_dataset_options *const options) {
  *options = (tare_dataset_options){0};
}

/* Says each kind of file once. */
static void add_kind(tare_dataset *const dataset, const char *const kind, int *const n_kinds) {
  if (*n_kinds >= DESCRIBED_KINDS || strstr(tarei_str_get(&dataset->describe), kind)) {
    return;
  }
  tarei_str_add(&dataset->describe, "%s%s", *n_kinds ? "; " : "", kind);
  (*n_kinds)++;
}

/* Opens a file once to check and count it. */
static tare_status survey_item(tare_dataset *const dataset, tarei_item *const item,
                               int *const n_kinds, tare_error *const err) {
  void *state = NULL;
  const bool labels = dataset->spec.labels && !item->label_text;
  const tare_status status = item->ops->open(item->path, &dataset->spec, labels, &state, err);
  if (status != TARE_OK) {
    return item->origin ? tarei_fail_in(err, status, "%s line %" PRId64, item->origin, item->line)
                        : status;
  }
  item->count = item->ops->count(state);
  add_kind(dataset, item->ops->describe(state), n_kinds);
  item->ops->close(state);
  if (!tarei_add_i64(dataset->count, item->count, &dataset->count)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: too many samples for 64 bits", item->path);
  }
  return TARE_OK;
}

static tare_status survey(tare_dataset *const dataset, const tarei_str *const notes,
                          tare_error *const err) {
  int n_kinds = 0;
  for (size_t i = 0; i < dataset->items.n; i++) {
    TAREI_TRY(survey_item(dataset, &dataset->items.items[i], &n_kinds, err));
  }
  if (dataset->count == 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: holds no samples", dataset->items.items[0].path);
  }
  tarei_str_add(&dataset->describe, ", %" PRId64 " sample%s", dataset->count,
                dataset->count == 1 ? "" : "s");
  if (dataset->items.n > 1 && dataset->items.n != (size_t)dataset->count) {
    tarei_str_add(&dataset->describe, " in %zu files", dataset->items.n);
  }
  if (notes->length) {
    tarei_str_add(&dataset->describe, " (%s)", tarei_str_get(notes));
  }
  const int64_t limit = dataset->spec.limit;
  if (limit && limit < dataset->count) {
    dataset->count = limit;
    tarei_str_add(&dataset->describe, ", the first %" PRId64 " taken", limit);
  }
  return dataset->describe.failed ? tarei_fail_memory(err, "description", 0) : TARE_OK;
}

static tare_status open_paths(tare_dataset *const dataset, const char *const *const paths,
                              const int n_paths, tare_error *const err) {
  tarei_str notes = {0};
  tare_status status = TARE_OK;
  for (int i = 0; i < n_paths && status == TARE_OK; i++) {
    if (notes.length && notes.text[notes.length - 1] != ' ') {
      tarei_str_add(&notes, "; ");
    }
    status = tarei_paths_expand(&dataset->items, paths[i], &dataset->spec, &notes, err);
  }
  if (status == TARE_OK) {
    status = survey(dataset, &notes, err);
  }
  tarei_str_free(&notes);
  return status;
}

tare_status tare_dataset_open(const char *const *const paths, const int n_paths,
                              const tare_dataset_options *const options, tare_dataset **const out,
                              tare_error *const err) {
  *out = NULL;
  if (n_paths < 1) {
    return tarei_fail(err, TARE_E_USAGE, "no data given");
  }
  tare_dataset *dataset = tarei_calloc(1, sizeof *dataset);
  if (!dataset) {
    return tarei_fail_memory(err, "data set", sizeof *dataset);
  }
  const unsigned refusals = tarei_refusals();
  tare_status status = tarei_data_spec_copy(options, &dataset->spec, err);
  if (status == TARE_OK) {
    status = open_paths(dataset, paths, n_paths, err);
  }
  status = tarei_settle(refusals, status, "data", err);
  if (status != TARE_OK) {
    tare_dataset_close(&dataset);
    return status;
  }
  dataset->stream =
      (tarei_stream){.spec = &dataset->spec, .items = &dataset->items, .limit = dataset->count};
  *out = dataset;
  return TARE_OK;
}

static void forget_bad(tare_dataset *const dataset) {
  for (size_t i = 0; i < dataset->n_kept; i++) {
    free(dataset->bad[i].message);
  }
  dataset->n_kept = 0;
  dataset->n_bad = 0;
}

void tare_dataset_close(tare_dataset **const handle) {
  tare_dataset *const dataset = *handle;
  if (!dataset) {
    return;
  }
  tarei_prefetch_stop(&dataset->prefetch);
  if (dataset->stream.items) {
    tarei_stream_rewind(&dataset->stream);
  }
  forget_bad(dataset);
  free(dataset->bad);
  tarei_slot_fini(&dataset->current);
  tarei_items_fini(&dataset->items);
  tarei_data_spec_fini(&dataset->spec);
  tarei_str_free(&dataset->describe);
  free(dataset);
  *handle = NULL;
}

int64_t tare_dataset_count(const tare_dataset *const dataset) {
  return dataset->count;
}

static bool dataset_claim(void *const user, tarei_ticket *const ticket) {
  return tarei_stream_claim(user, ticket);
}

static void read_claimed(void *const user, const tarei_ticket *const ticket,
                         tarei_slot *const slot) {
  tarei_stream_read(user, ticket, slot);
}

/* Decoding and resampling take longer than many a model: as many threads as there are cores. */
static tare_status start_reading(tare_dataset *const dataset, tare_error *const err) {
  const tarei_prefetch_source source = {dataset_claim, read_claimed, &dataset->stream};
  const int most = tarei_stream_most_readers(&dataset->stream), cores = tarei_cores();
  return tarei_prefetch_start(&source, most < cores ? most : cores, &dataset->prefetch, err);
}

/* Makes room for a message at its place by index; what lies behind the last one kept goes. */
static tare_status insert_bad(tare_dataset *const dataset, const bad_sample bad,
                              tare_error *const err) {
  size_t at = dataset->n_kept;
  while (at > 0 && dataset->bad[at - 1].index > bad.index) {
    at--;
  }
  if (dataset->n_kept == KEPT_MESSAGES) {
    free(at < KEPT_MESSAGES ? dataset->bad[--dataset->n_kept].message : bad.message);
  } else if (!TAREI_GROW(dataset->bad, dataset->n_kept, dataset->kept_capacity)) {
    free(bad.message);
    return tarei_fail_memory(err, "message", TARE_ERROR_CAPACITY);
  }
  if (at == KEPT_MESSAGES) {
    return TARE_OK;
  }
  memmove(dataset->bad + at + 1, dataset->bad + at, (dataset->n_kept - at) * sizeof bad);
  dataset->bad[at] = bad;
  dataset->n_kept++;
  return TARE_OK;
}

/* Counts a bad sample; its message is kept while there are few. */
static tare_status remember_bad(tare_dataset *const dataset, const int64_t index,
                                const char *const message, tare_error *const err) {
  const bad_sample bad = {.index = index, .message = tarei_strdup(message)};
  if (!bad.message) {
    return tarei_fail_memory(err, "message", TARE_ERROR_CAPACITY);
  }
  dataset->n_bad++;
  return insert_bad(dataset, bad, err);
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
                                .label_text = slot->label_text};
  *out = &dataset->view;
}

tare_status tare_dataset_next(tare_dataset *const dataset, const tare_sample **const out,
                              tare_error *const err) {
  *out = NULL;
  if (!dataset->prefetch) {
    TAREI_TRY(start_reading(dataset, err));
  }
  for (;;) {
    tarei_slot_fini(&dataset->current);
    if (!tarei_prefetch_take(dataset->prefetch, &dataset->current)) {
      return TARE_OK;
    }
    const tare_error *const fault = &dataset->current.error;
    if (fault->status == TARE_OK) {
      note_rate(dataset, dataset->current.rate);
      show_current(dataset, out);
      return TARE_OK;
    }
    if (!dataset->spec.skip_bad || fault->status == TARE_E_MEMORY) {
      return tarei_fail(err, fault->status, "%s", fault->message);
    }
    TAREI_TRY(remember_bad(dataset, dataset->current.index, fault->message, err));
  }
}

void tarei_dataset_take(tare_dataset *const dataset, tarei_slot *const slot) {
  *slot = dataset->current;
  dataset->current = (tarei_slot){0};
  dataset->view = (tare_sample){0};
}

tare_status tare_dataset_rewind(tare_dataset *const dataset, tare_error *const err) {
  (void)err; /* nothing here can fail today; the signature leaves room */
  tarei_prefetch_stop(&dataset->prefetch);
  tarei_stream_rewind(&dataset->stream);
  tarei_slot_fini(&dataset->current);
  forget_bad(dataset);
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

const char *tare_dataset_bad(const tare_dataset *const dataset, const int64_t i) {
  return i >= 0 && (size_t)i < dataset->n_kept ? dataset->bad[i].message : NULL;
}

bool tare_dataset_has_audio(const tare_dataset *const dataset) {
  bool audio = false;
  for (size_t i = 0; i < dataset->items.n; i++) {
    audio = audio || dataset->items.items[i].ops->has_rate;
  }
  return audio;
}

const char *tare_dataset_describe(const tare_dataset *const dataset) {
  return tarei_str_get(&dataset->describe);
}
