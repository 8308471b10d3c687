/*
 * Streaming models: some outputs (states, caches) are inputs of the next run, and an utterance goes
 * through the model in chunks.
 *
 * Order of calls: tare_streaming_new, then states and chunk, then tare_streaming_ports, which are what
 * a data set has to supply. tare_calibrate and tare_eval take the streaming and cut, carry and reset:
 * states begin each sample as zeros.
 */
#ifndef TARE_STREAMING_H
#define TARE_STREAMING_H

#include <stdbool.h>
#include <tare/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_streaming tare_streaming;

/**
 * Starts with no states and whole samples.
 * @param inputs, outputs ports of the model or plan, which have to live as long as the streaming
 * @param out receives the streaming; free it with tare_streaming_free
 */
TARE_API tare_status tare_streaming_new(const tare_port *inputs, int n_inputs,
                                        const tare_port *outputs, int n_outputs,
                                        tare_streaming **out, tare_error *err);
TARE_API void tare_streaming_free(tare_streaming **streaming); /* a NULL handle is fine */

/**
 * Declares a state as "output:input"; names may hold colons, the split is where both sides are ports.
 * @return TARE_OK, TARE_E_USAGE (no such ports, another type or rank, an input that has a state)
 */
TARE_API tare_status tare_streaming_add_state(tare_streaming *streaming, const char *pair,
                                              tare_error *err);

/**
 * Declares all states that names tell: an input and an output of the same type and rank whose names
 * are equal but for what marks them as old and new ("state" and "stateN", "h0" and "hn", "cache" and
 * "cache_out", "past_0" and "present_0", "past_key_values.0.key" and "present.0.key"). A name that fits
 * two others makes no pair.
 * @return the number of states that were added
 */
TARE_API int tare_streaming_find_states(tare_streaming *streaming);

/** States so far; the names belong to the ports. */
TARE_API int tare_streaming_n_states(const tare_streaming *streaming);
TARE_API const char *tare_streaming_state_input(const tare_streaming *streaming, int state);
TARE_API const char *tare_streaming_state_output(const tare_streaming *streaming, int state);

/**
 * Cuts samples into chunks.
 * @param spec "samples=512": a symbol of the inputs, or "input=512" for the last axis of an input, or
 *        "input:2=1" for axis 2 of it (of the model's input, batch included). A fixed axis is chunked
 *        by its own size.
 * @param hop step from chunk to chunk, 1..size; 0 for the size
 * @return TARE_OK, TARE_E_USAGE
 */
TARE_API tare_status tare_streaming_set_chunk(tare_streaming *streaming, const char *spec,
                                              int64_t hop, tare_error *err);

/**
 * What data have to supply: the inputs that are no states; an axis that is cut into chunks may be of
 * any length.
 * @param ports receives an array that belongs to the streaming, good until it is changed
 * @return the number of ports
 */
TARE_API int tare_streaming_ports(tare_streaming *streaming, const tare_port **ports);

/**
 * The symbol whose axes are cut, with the size of a chunk; NULL where samples are whole or a fixed axis
 * is cut.
 */
TARE_API const char *tare_streaming_chunk_symbol(const tare_streaming *streaming, int64_t *size);

/**
 * Copies states from the outputs of a run to the inputs of the next, for who runs contexts by hand.
 * @param outputs one per output; @param inputs one per input, with memory of the same size
 * @return TARE_OK, TARE_E_SHAPE when a state has another size than its input
 */
TARE_API tare_status tare_streaming_feed(const tare_streaming *streaming,
                                         const tare_tensor *outputs, tare_tensor *inputs,
                                         tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
