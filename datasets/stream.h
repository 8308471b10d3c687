/*
 * Goes through the files and returns one sample after the other, or those of one shard, each at all
 * levels of the gain in turn, in three steps: claiming determines the next sample, reading takes it
 * from its file, and finishing turns it into tensors, if the reader leaves that.
 * Only one thread at a time may claim. Tickets that are `shared` are read one at a time in the
 * order of the claims, by the reader of a file with many samples; other tickets may be read by
 * several threads at the same time.
 */
#ifndef TAREI_DATASETS_STREAM_H
#define TAREI_DATASETS_STREAM_H

#include "datasets/items.h"

typedef struct tarei_stream {
  const tarei_data_spec *spec;
  const tarei_items *items;
  int64_t limit;           /* maximum number of samples */
  int64_t index;           /* of the next sample in the data */
  int turn;                /* of its levels */
  size_t item;             /* file of the next sample */
  int64_t within;          /* its index there */
  tarei_item_view claimed; /* a file that was looked at to claim */
  void *state;             /* reader of a file with many samples, or NULL */
  size_t opened;           /* which */
  void (*close)(void *state);
} tarei_stream;

/* A claimed sample, to be read. */
typedef struct tarei_ticket {
  int64_t index;  /* in the data */
  size_t item;    /* file */
  int64_t within; /* index there */
  int level;      /* of the gain */
  bool shared;
} tarei_ticket;

/* Begins with the first sample. `spec` and `items` outlive the stream. TARE_E_MEMORY; end it with
 * tarei_stream_fini either way. */
tare_status tarei_stream_init(tarei_stream *stream, const tarei_data_spec *spec,
                              const tarei_items *items, int64_t limit, tare_error *err);
void tarei_stream_fini(tarei_stream *stream); /* a zeroed one is allowed */

/* Returns to the first sample; closes the open reader. */
void tarei_stream_rewind(tarei_stream *stream);

/* Number of threads, at most `most`, that can usefully read at the same time: 1 if all files
 * contain many samples, and nothing of them is left to finish. */
int tarei_stream_readers(tarei_stream *stream, int most);

/* Claims the next sample; false at the end. */
bool tarei_stream_claim(tarei_stream *stream, tarei_ticket *ticket);

/* Reads a sample into `slot`, which must be zeroed; a bad sample sets slot->error. */
void tarei_stream_read(tarei_stream *stream, const tarei_ticket *ticket, tarei_slot *slot);

/* Completes the slot after tarei_stream_read: by several threads at the same time, whether tickets
 * are shared or not. */
void tarei_stream_finish(const tarei_stream *stream, const tarei_ticket *ticket, tarei_slot *slot);

#endif
