#include "datasets/stream.h"

#include <stdio.h>

#include "base/mem.h"
#include "datasets/label.h"

static void close_reader(tarei_stream *const stream) {
  if (stream->state) {
    stream->items->items[stream->item].ops->close(stream->state);
    stream->state = NULL;
  }
}

void tarei_stream_rewind(tarei_stream *const stream) {
  close_reader(stream);
  stream->index = stream->within = 0;
  stream->item = 0;
}

/* Moves to the file of the next sample; files without samples are passed over. */
static bool find_item(tarei_stream *const stream) {
  while (stream->item < stream->items->n &&
         stream->within >= stream->items->items[stream->item].count) {
    close_reader(stream);
    stream->item++;
    stream->within = 0;
  }
  return stream->item < stream->items->n && stream->index < stream->limit;
}

static tare_status name_slot(const tarei_stream *const stream, const tarei_item *const item,
                             tarei_slot *const slot) {
  int length;
  if (item->ops->many || item->count != 1) {
    length = asprintf(&slot->name, "%s[%lld]", item->path, (long long)stream->within);
  } else {
    length = asprintf(&slot->name, "%s", item->path);
  }
  slot->label_text = tarei_strdup(item->label_text);
  if (length < 0) {
    slot->name = NULL; /* asprintf leaves it undefined */
  }
  return slot->name && (slot->label_text || !item->label_text)
             ? tarei_slot_init(slot, stream->spec->n_inputs, &slot->error)
             : tarei_fail_memory(&slot->error, item->path, sizeof *slot);
}

static tare_status read_slot(tarei_stream *const stream, const tarei_item *const item,
                             tarei_slot *const slot) {
  TARE_TRY(tarei_label_from_text(slot, &slot->error));
  if (!stream->state) {
    const bool labels = stream->spec->labels && !item->label_text;
    TARE_TRY(item->ops->open(item->path, stream->spec, labels, &stream->state, &slot->error));
  }
  return item->ops->read(stream->state, stream->within, slot, &slot->error);
}

static void name_error(const tarei_item *const item, tarei_slot *const slot) {
  (void)tarei_fail_in(&slot->error, slot->error.status, "%s", slot->name);
  if (item->origin) {
    (void)tarei_fail_in(&slot->error, slot->error.status, "%s line %lld", item->origin,
                        (long long)item->line);
  }
}

bool tarei_stream_next(tarei_stream *const stream, tarei_slot *const slot) {
  if (!find_item(stream)) {
    close_reader(stream);
    return false;
  }
  const tarei_item *const item = &stream->items->items[stream->item];
  slot->index = stream->index;
  if (name_slot(stream, item, slot) == TARE_OK && read_slot(stream, item, slot) != TARE_OK) {
    name_error(item, slot);
  }
  stream->index++;
  stream->within++;
  return true;
}
