#include "datasets/stream.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "datasets/label.h"

enum { MOST_READERS = 4 }; /* of samples with files of their own; disks gain little by more */

static void close_reader(tarei_stream *const stream) {
  if (stream->state) {
    stream->items->items[stream->opened].ops->close(stream->state);
    stream->state = NULL;
  }
}

void tarei_stream_rewind(tarei_stream *const stream) {
  close_reader(stream);
  stream->index = stream->within = 0;
  stream->item = 0;
}

static bool is_shared(const tarei_item *const item) {
  return item->ops->many || item->count != 1;
}

int tarei_stream_most_readers(const tarei_stream *const stream) {
  int n = 0;
  for (size_t i = 0; i < stream->items->n && n < MOST_READERS; i++) {
    n += !is_shared(&stream->items->items[i]);
  }
  return n > 1 ? n : 1;
}

/* Files without samples are passed over. */
bool tarei_stream_claim(tarei_stream *const stream, tarei_ticket *const ticket) {
  while (stream->item < stream->items->n &&
         stream->within >= stream->items->items[stream->item].count) {
    stream->item++;
    stream->within = 0;
  }
  if (stream->item == stream->items->n || stream->index == stream->limit) {
    return false;
  }
  *ticket = (tarei_ticket){.index = stream->index++,
                           .item = stream->item,
                           .within = stream->within++,
                           .shared = is_shared(&stream->items->items[stream->item])};
  return true;
}

static tare_status name_slot(const tarei_stream *const stream, const tarei_ticket *const ticket,
                             tarei_slot *const slot) {
  const tarei_item *const item = &stream->items->items[ticket->item];
  const int length = ticket->shared
                         ? asprintf(&slot->name, "%s[%lld]", item->path, (long long)ticket->within)
                         : asprintf(&slot->name, "%s", item->path);
  slot->label_text = tarei_strdup(item->label_text);
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

static tare_status read_shared(tarei_stream *const stream, const tarei_ticket *const ticket,
                               tarei_slot *const slot) {
  const tarei_item *const item = &stream->items->items[ticket->item];
  if (stream->opened != ticket->item) {
    close_reader(stream);
  }
  if (!stream->state) {
    stream->opened = ticket->item;
    TAREI_TRY(open_reader(stream, item, &stream->state, &slot->error));
  }
  return item->ops->read(stream->state, ticket->within, slot, &slot->error);
}

static tare_status read_alone(const tarei_stream *const stream, const tarei_ticket *const ticket,
                              tarei_slot *const slot) {
  const tarei_item *const item = &stream->items->items[ticket->item];
  void *state = NULL;
  TAREI_TRY(open_reader(stream, item, &state, &slot->error));
  const tare_status status = item->ops->read(state, ticket->within, slot, &slot->error);
  item->ops->close(state);
  return status;
}

static void name_error(const tarei_item *const item, tarei_slot *const slot) {
  (void)tarei_fail_in(&slot->error, slot->error.status, "%s", slot->name);
  if (item->origin) {
    (void)tarei_fail_in(&slot->error, slot->error.status, "%s line %lld", item->origin,
                        (long long)item->line);
  }
}

void tarei_stream_read(tarei_stream *const stream, const tarei_ticket *const ticket,
                       tarei_slot *const slot) {
  slot->index = ticket->index;
  if (name_slot(stream, ticket, slot) != TARE_OK) {
    return;
  }
  const unsigned refusals = tarei_refusals();
  tare_status status = tarei_label_from_text(slot, &slot->error);
  if (status == TARE_OK) {
    status = ticket->shared ? read_shared(stream, ticket, slot) : read_alone(stream, ticket, slot);
  }
  if (tarei_settle(refusals, status, "sample", &slot->error) != TARE_OK) {
    name_error(&stream->items->items[ticket->item], slot);
  }
}
