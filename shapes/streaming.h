/* The inside of a streaming, and one sample on its way through a model. */
#ifndef TAREI_SHAPES_STREAMING_H
#define TAREI_SHAPES_STREAMING_H

#include <tare/streaming.h>

#include "base/error.h"

typedef struct tarei_state {
  int output, input;
} tarei_state;

struct tare_streaming {
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs;
  tarei_state *states;
  int n_states;
  size_t cap_states;
  int *chunk_axis;   /* per input: the axis that is cut, or -1 */
  int64_t size, hop; /* of a chunk; 0: samples are whole */
  tare_port *ports;  /* those of data, made on demand */
};

bool tarei_streaming_is_state(const tare_streaming *streaming, int input);

/* True when two names are one but for what marks an old and a new state (state_names.c). */
bool tarei_state_names_pair(const char *input, const char *output);

/*
 * One sample chunk by chunk. Zero-initialise, then for each sample: begin with its tensors, and
 * until next returns none: run what it gives, feed the outputs. All memory is its own.
 */
typedef struct tarei_utterance {
  const tare_streaming *streaming;
  tare_tensor *data;    /* of the sample, per port of data: copies */
  tare_tensor *tensors; /* per input of the model */
  struct tarei_utterance_buffer {
    void *data;
    size_t bytes;
  } * buffers; /* behind data, then behind tensors */
  int64_t n_chunks, at;
} tarei_utterance;

tare_status tarei_utterance_init(tarei_utterance *utterance, const tare_streaming *streaming,
                                 tare_error *err);
void tarei_utterance_fini(tarei_utterance *utterance);
/* `data` are copied; `profiles` give the length of states whose dims no
 * data tell (the least of profile 0). TARE_E_SHAPE when the inputs that are cut differ in chunks.
 */
tare_status tarei_utterance_begin(tarei_utterance *utterance, const tare_profiles *profiles,
                                  const tare_tensor *data, tare_error *err);
/* The next chunk's tensors, one per input of the model; *tensors is NULL behind the last. What is
 * missing in the last chunk is filled with zeros. */
tare_status tarei_utterance_next(tarei_utterance *utterance, const tare_tensor **tensors,
                                 tare_error *err);
tare_status tarei_utterance_feed(tarei_utterance *utterance, const tare_tensor *outputs,
                                 tare_error *err);

#endif
