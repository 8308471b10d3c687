/*
 * Walks over the files and gives one sample after the other, in two steps: claiming says which is
 * next, reading fills it. Claims are made by one thread at a time. Tickets that are `shared` are
 * read one at a time and in the order of the claims, by the reader of a file that holds many
 * samples; others may be read by several threads at once.
 */
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
  void *state;    /* reader of a file with many samples, or NULL */
  size_t opened;  /* which */
} tarei_stream;

/* A sample that somebody is to read. */
typedef struct tarei_ticket {
  int64_t index;  /* in the data */
  size_t item;    /* file */
  int64_t within; /* index there */
  bool shared;
} tarei_ticket;

/* Back to the first sample; closes the reader that is open. */
void tarei_stream_rewind(tarei_stream *stream);

/* How many threads may read at once with use: 1 where files hold many samples. */
int tarei_stream_most_readers(const tarei_stream *stream);

/* Takes the next sample; false at the end. */
bool tarei_stream_claim(tarei_stream *stream, tarei_ticket *ticket);

/* Fills `slot`, which is zero; a bad sample has slot->error set. */
void tarei_stream_read(tarei_stream *stream, const tarei_ticket *ticket, tarei_slot *slot);

#endif
