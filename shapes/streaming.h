/* The internals of tare_streaming, and the chunks of one sample. */
#ifndef TAREI_SHAPES_STREAMING_H
#define TAREI_SHAPES_STREAMING_H

#include <tare/streaming.h>

#include "base/error.h"
#include "base/str.h"
#include "shapes/symbol_sum.h"

/* Why an output feeds an input. */
typedef enum tarei_state_reason {
  TAREI_STATE_DECLARED, /* the user said so */
  TAREI_STATE_NAMED,    /* the names are those of an old and a new state */
  TAREI_STATE_GROWS,    /* one name, and the output is longer by what a run appends */
  TAREI_STATE_FIXED     /* one name and a fixed shape: weak, as "x" and "x_out" are of any model */
} tarei_state_reason;

typedef struct tarei_state {
  int output, input;
  tarei_state_reason reason;
} tarei_state;

/* The output that an input pairs with, while states are searched. */
typedef struct tarei_state_pair {
  int output; /* -1: none */
  tarei_state_reason reason;
} tarei_state_pair;

/* What a calibration lets the model generate behind each sample. */
typedef struct tarei_generation {
  int64_t tokens; /* 0: nothing */
  int input, output;
} tarei_generation;

struct tare_streaming {
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs;
  tarei_state *states; /* room for n_inputs */
  int n_states;
  tarei_state_pair *pairs; /* room for n_inputs */
  int switch_input;        /* that is false in the first run of a sample, then true; -1: none */
  int *chunk_axis;         /* per input: the axis that is cut, or -1 */
  int64_t size, hop;       /* of a chunk; 0: samples are whole */
  tarei_generation generation;
  tare_port *ports;  /* room for n_inputs: those that the data supplies */
  tarei_str chunked; /* symbol of fixed chunk axes in these ports */
};

bool tarei_streaming_is_state(const tare_streaming *streaming, int input);

/* Whether an input is a state or the switch, so that data do not have it. */
bool tarei_streaming_is_fed(const tare_streaming *streaming, int input);

/* How many inputs data have. */
int tarei_streaming_n_data(const tare_streaming *streaming);

/* The names of the symbols of the inputs of the model, each once; their number. */
int tarei_streaming_symbols(const tare_streaming *streaming, const char **names);

/* Whether an output could feed an input: types, ranks and fixed dims agree. */
bool tarei_streaming_are_alike(const tare_port *input, const tare_port *output);

/* Adds a state, for which there is room: an input has one at most. */
void tarei_streaming_add(tare_streaming *streaming, const tarei_state *state);

/* What the axis of an output has beside the symbol of the input: the sum without it. Without `is`,
 * the output does not have it once, and something more. */
tarei_symbol_sum tarei_streaming_growth_of(const tare_streaming *streaming, const tare_dim *in,
                                           const tare_dim *out);

/* Whether two names only differ in what marks an old and a new state (state_names.c). */
bool tarei_state_names_pair(const char *input, const char *output);

/* Whether two names that pair say that there is a state: by a word for it ("cache", "hidden",
 * "h0"), or for before and after ("past" and "present", "state" and "new_state"). "x" and "x_out"
 * do not: they may be the data and the result. */
bool tarei_state_names_tell(const char *input, const char *output);

/* Whether a name has a word for a state. */
bool tarei_state_name_tells(const char *name);

/*
 * One sample, chunk by chunk. Zero-initialize it, then for each sample: call begin with its
 * tensors, then next until there are no more chunks; run each chunk, and call feed with the
 * outputs. It owns all its memory.
 */
typedef struct tarei_utterance {
  const tare_streaming *streaming;
  tare_tensor *data;    /* copies of those of the sample, per port of the data */
  tare_tensor *tensors; /* per input of the model */
  const char *symbols[TARE_MAX_SYMBOLS];
  int n_symbols;
  struct tarei_utterance_joint {
    int axis; /* whose length is a sum with that of a state; -1: none */
    tarei_symbol_sum length;
  } * joints; /* per input of the model */
  struct tarei_utterance_buffer {
    void *data;
    size_t bytes;
  } * buffers; /* memory of `data`, then of `tensors` */
  int64_t n_chunks, at;
  int64_t generates; /* tokens behind each sample; set by whoever wants them generated */
  int64_t to_generate;
} tarei_utterance;

/* TARE_E_USAGE where chunks overlap, and a state grows. */
tare_status tarei_utterance_init(tarei_utterance *utterance, const tare_streaming *streaming,
                                 tare_error *err);
void tarei_utterance_fini(tarei_utterance *utterance);
/* Begins a sample. `data` is copied. A state whose length does not follow from the data gets the
 * minimum of profile 0. TARE_E_SHAPE if the inputs that are cut have different numbers of chunks,
 * or an axis whose length is a sum ("past + seq") has another length than the whole sample.
 */
tare_status tarei_utterance_begin(tarei_utterance *utterance, const tare_profiles *profiles,
                                  const tare_tensor *data, tare_error *err);
/* Tensors of the next chunk, one per input of the model; *tensors is NULL after the last one. The
 * last chunk is filled up with zeros. Of an axis whose length is a sum with that of a state there
 * is what the state has by then, and the chunk. */
tare_status tarei_utterance_next(tarei_utterance *utterance, const tare_tensor **tensors,
                                 tare_error *err);
tare_status tarei_utterance_feed(tarei_utterance *utterance, const tare_tensor *outputs,
                                 tare_error *err);
/* Appends the token with the largest logit to the sample, which then has one chunk more; feed calls
 * it behind the last chunk. TARE_E_SHAPE where an input has not one value for each token. */
tare_status tarei_utterance_generate(tarei_utterance *utterance, const tare_tensor *outputs,
                                     tare_error *err);

#endif
