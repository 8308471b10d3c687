#include "datasets/stream.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "datasets/labels/label.h"
#include "shapes/number.h"

static void close_reader(tarei_stream *const stream) {
  if (stream->state) {
    stream->close(stream->state);
    stream->state = NULL;
  }
}

tare_status tarei_stream_init(tarei_stream *const stream, const tarei_data_spec *const spec,
                              const tarei_items *const items, const int64_t limit,
                              tare_error *const err) {
  *stream = (tarei_stream){.spec = spec, .items = items, .limit = limit};
  return tarei_items_reserve(items, &stream->claimed, err);
}

void tarei_stream_fini(tarei_stream *const stream) {
  close_reader(stream);
  tarei_item_view_fini(&stream->claimed);
}

void tarei_stream_rewind(tarei_stream *const stream) {
  close_reader(stream);
  stream->index = stream->within = 0;
  stream->item = 0;
  stream->turn = 0;
}

/* A file on the way to the next sample: there is memory for its name. */
static const tarei_item *stream_look_at(tarei_stream *const stream, const size_t i) {
  const tare_status status = tarei_items_get(stream->items, i, &stream->claimed, NULL);
  assert(status == TARE_OK);
  (void)status;
  return &stream->claimed.item;
}

static bool is_shared(const tarei_item *const item) {
  return item->ops->many || item->count != 1;
}

int tarei_stream_readers(tarei_stream *const stream, const int most) {
  int64_t n = 0;
  for (size_t i = 0; i < stream->items->n && n < most; i++) {
    const tarei_item *const item = stream_look_at(stream, i);
    n += !is_shared(item) ? 1 : item->ops->finish ? item->count : 0;
  }
  return n < 1 ? 1 : n < most ? (int)n : most;
}

/* Where only dims are wanted, one level has them all. */
static int count_turns(const tarei_stream *const stream) {
  return stream->spec->dims_only ? 1 : tarei_gain_levels(&stream->spec->gain);
}

static int stream_by_index(const void *const a, const void *const b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static bool stream_is_kept(const tarei_data_spec *const spec, const int64_t index) {
  return !spec->kept ||
         bsearch(&index, spec->kept, spec->n_kept, sizeof index, stream_by_index) != NULL;
}

/* Samples of other shards and processes count only where dims are wanted: what follows from them
 * holds for all. Each sample is asked for once, before its first level, also if it was not chosen:
 * who assigns samples does not know of choices. */
static bool stream_passes_over(const tarei_stream *const stream) {
  const tarei_data_spec *const spec = stream->spec;
  const bool left_out = !stream_is_kept(spec, stream->index);
  if (spec->dims_only || stream->turn > 0) {
    return left_out;
  }
  const bool other = spec->n_shards && stream->index % spec->n_shards != spec->shard;
  return other || (spec->wants && !spec->wants(spec->wants_user, stream->index)) || left_out;
}

/* Behind the last sample that may be given, or asked for. */
static int64_t stream_end(const tarei_stream *const stream) {
  const tarei_data_spec *const spec = stream->spec;
  if (!spec->kept || spec->wants) {
    return stream->limit;
  }
  const int64_t kept = spec->n_kept ? spec->kept[spec->n_kept - 1] + 1 : 0;
  return kept < stream->limit ? kept : stream->limit;
}

/* Moves on to a sample; false at the end. Files without samples are passed over. */
static bool stream_find(tarei_stream *const stream) {
  const int64_t end = stream_end(stream);
  while (stream->item < stream->items->n && stream->index < end) {
    if (stream->within >= stream_look_at(stream, stream->item)->count) {
      stream->item++;
      stream->within = 0;
    } else if (stream_passes_over(stream)) {
      stream->index++;
      stream->within++;
    } else {
      return true;
    }
  }
  return false;
}

bool tarei_stream_claim(tarei_stream *const stream, tarei_ticket *const ticket) {
  if (!stream_find(stream)) {
    return false;
  }
  *ticket = (tarei_ticket){.index = stream->index,
                           .item = stream->item,
                           .within = stream->within,
                           .level = tarei_gain_level(&stream->spec->gain, stream->turn),
                           .shared = is_shared(&stream->claimed.item)};
  if (++stream->turn == count_turns(stream)) {
    stream->turn = 0;
    stream->index++;
    stream->within++;
  }
  return true;
}

/* Which of several samples in a file it is: "[3]", ":117" or " from 2.5 s". */
static void name_within(const tarei_item *const item, const tarei_ticket *const ticket,
                        char *const out, const size_t capacity) {
  if (ticket->shared) {
    (void)snprintf(out, capacity, "[%lld]", (long long)ticket->within);
  } else if (item->segment.byte) {
    (void)snprintf(out, capacity, ":%lld", (long long)item->segment.byte);
  } else if (item->segment.cut) {
    (void)snprintf(out, capacity, " from %.12g s", item->segment.start);
  }
}

static tare_status name_slot(const tarei_stream *const stream, const tarei_item *const item,
                             const tarei_ticket *const ticket, tarei_slot *const slot) {
  char gain[32] = "";
  if (stream->spec->gain.n && ticket->level != stream->spec->gain.own) {
    (void)snprintf(gain, sizeof gain, " at %+g dB", stream->spec->gain.db[ticket->level]);
  }
  char within[64] = "";
  name_within(item, ticket, within, sizeof within);
  const int length = asprintf(&slot->name, "%s%s%s", item->path, within, gain);
  slot->label_text = tarei_strdup(item->label_text);
  slot->segment = item->segment;
  if (length < 0) {
    slot->name = NULL; /* asprintf leaves it undefined */
  }
  return slot->name && (slot->label_text || !item->label_text)
             ? tarei_slot_init(slot, stream->spec->n_inputs, &slot->error)
             : tarei_fail_memory(&slot->error, item->path, sizeof *slot);
}

static tare_status open_reader(const tarei_stream *const stream, const tarei_item *const item,
                               void **const state, tare_error *const err) {
  const bool labels = stream->spec->labels && !item->label_text;
  return item->ops->open(item->path, stream->spec, labels, state, err);
}

static tare_status read_shared(tarei_stream *const stream, const tarei_item *const item,
                               const tarei_ticket *const ticket, tarei_slot *const slot) {
  if (stream->opened != ticket->item) {
    close_reader(stream);
  }
  if (!stream->state) {
    stream->opened = ticket->item;
    stream->close = item->ops->close;
    TAREI_TRY(open_reader(stream, item, &stream->state, &slot->error));
  }
  return item->ops->read(stream->state, ticket->within, slot, &slot->error);
}

static tare_status read_alone(const tarei_stream *const stream, const tarei_item *const item,
                              const tarei_ticket *const ticket, tarei_slot *const slot) {
  void *state = NULL;
  TAREI_TRY(open_reader(stream, item, &state, &slot->error));
  const tare_status status = item->ops->read(state, ticket->within, slot, &slot->error);
  item->ops->close(state);
  return status;
}

/* Tensors get their gain here; readers of audio apply it before they compute features. */
static tare_status apply_gain_to_tensors(const tarei_data_spec *const spec,
                                         const tarei_slot *const slot, tare_error *const err) {
  const double factor = (double)tarei_gain_factor(&spec->gain, slot->level);
  for (int i = 0; factor != 1 && i < slot->n_tensors; i++) {
    const tare_tensor *const t = &slot->tensors[i];
    const int64_t n = spec->waveforms[i] ? tare_tensor_count(t) : 0;
    char *to = t->data;
    for (int64_t at = 0; at < n; at++, to += tare_dtype_size(t->dtype)) {
      tarei_write_number(t->dtype, tarei_real_at(t, at) * factor, to);
      if (!isfinite(tarei_real_at(t, at))) {
        return tarei_fail(err, TARE_E_INPUT, "element %lld of '%s' exceeds %s at %+g dB",
                          (long long)at, spec->inputs[i].name, tare_dtype_name(t->dtype),
                          spec->gain.db[slot->level]);
      }
    }
  }
  return TARE_OK;
}

static void name_error(const tarei_item *const item, tarei_slot *const slot) {
  (void)tarei_fail_in(&slot->error, slot->error.status, "%s", slot->name);
  if (item->origin) {
    (void)tarei_fail_in(&slot->error, slot->error.status, "%s line %lld", item->origin,
                        (long long)item->line);
  }
}

static void read_named(tarei_stream *const stream, const tarei_item *const item,
                       const tarei_ticket *const ticket, tarei_slot *const slot) {
  if (name_slot(stream, item, ticket, slot) != TARE_OK) {
    return;
  }
  const unsigned refusals = tarei_refusals();
  tare_status status = tarei_label_from_text(slot, &slot->error);
  if (status == TARE_OK) {
    status = ticket->shared ? read_shared(stream, item, ticket, slot)
                            : read_alone(stream, item, ticket, slot);
  }
  if (tarei_settle(refusals, status, "sample", &slot->error) != TARE_OK) {
    name_error(item, slot);
  }
}

void tarei_stream_read(tarei_stream *const stream, const tarei_ticket *const ticket,
                       tarei_slot *const slot) {
  tarei_item_view view = {0};
  slot->index = ticket->index;
  slot->level = ticket->level;
  if (tarei_items_get(stream->items, ticket->item, &view, &slot->error) == TARE_OK) {
    read_named(stream, &view.item, ticket, slot);
  }
  tarei_item_view_fini(&view);
}

static void finish_named(const tarei_stream *const stream, const tarei_item *const item,
                         tarei_slot *const slot) {
  const unsigned refusals = tarei_refusals();
  tare_status status = slot->raw ? item->ops->finish(stream->spec, slot, &slot->error) : TARE_OK;
  if (status == TARE_OK && !item->audio) {
    status = apply_gain_to_tensors(stream->spec, slot, &slot->error);
  }
  if (tarei_settle(refusals, status, "sample", &slot->error) != TARE_OK) {
    name_error(item, slot);
  }
}

void tarei_stream_finish(const tarei_stream *const stream, const tarei_ticket *const ticket,
                         tarei_slot *const slot) {
  tarei_item_view view = {0};
  if (slot->error.status == TARE_OK &&
      tarei_items_get(stream->items, ticket->item, &view, &slot->error) == TARE_OK) {
    finish_named(stream, &view.item, slot);
  }
  tarei_item_view_fini(&view);
}
