/* Walks over the files and gives one sample after the other. Not thread-safe; it may move from one
 * thread to another between calls. */
#ifndef TAREI_DATASETS_STREAM_H
#define TAREI_DATASETS_STREAM_H

#include "datasets/items.h"

typedef struct tarei_stream {
  const tarei_data_spec *spec;
  const tarei_items *items;
  int64_t limit;  /* samples to give at most */
  int64_t index;  /* of the next sample in the data */
  size_t item;    /* file of the next sample */
  int64_t within; /* its index there */
  void *state;    /* reader of that file, or NULL */
} tarei_stream;

/* Back to the first sample; closes the reader that is open. */
void tarei_stream_rewind(tarei_stream *stream);

/* Fills `slot`, which is zero, with the next sample; a bad one has slot->error set. False at the
 * end. */
bool tarei_stream_next(tarei_stream *stream, tarei_slot *slot);

#endif
