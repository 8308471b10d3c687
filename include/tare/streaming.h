/*
 * Streaming models: some outputs (states, caches) are inputs of the next run, and a sample goes
 * through the model in chunks.
 *
 * Order of calls: tare_streaming_new, then chunk and states, then tare_streaming_ports, which are
 * the inputs that a data set must supply. tare_calibrate and tare_eval take the streaming, cut
 * samples into chunks and carry the states; at the beginning of each sample, the states are zeros.
 *
 * A state may grow: the output "present" of a cache is as long as its input "past" and the chunk
 * together. It begins with the minimum of "past" in profile 0, which may be 0. Of another input
 * with an axis of that length ("past + seq", such as an attention mask), the data has the whole,
 * and each run gets the part up to the end of its chunk.
 */
#ifndef TARE_STREAMING_H
#define TARE_STREAMING_H

#include <stdbool.h>
#include <tare/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How samples go through a streaming model. */
typedef struct tare_streaming tare_streaming;

/**
 * Creates a streaming without states and with whole samples.
 * @param inputs n_inputs ports of a model or plan, which must outlive the streaming
 * @param outputs n_outputs ports of the same model or plan, which must outlive the streaming
 * @param out receives the streaming; free it with tare_streaming_free
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_streaming_new(const tare_port *inputs, int n_inputs,
                                        const tare_port *outputs, int n_outputs,
                                        tare_streaming **out, tare_error *err);

/**
 * Frees a streaming.
 * @param streaming the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_streaming_free(tare_streaming **streaming);

/**
 * Declares a state.
 * @param pair "output:input". If names contain colons, the pair is split where both sides are ports
 * @return TARE_OK, TARE_E_USAGE (no such ports, different types or ranks, or the input already has
 *         a state), TARE_E_MEMORY
 */
TARE_API tare_status tare_streaming_add_state(tare_streaming *streaming, const char *pair,
                                              tare_error *err);

/**
 * Declares all states that can be recognised: an input and an output of the same type, rank and
 * fixed dims whose names only differ in what marks them as old and new. The names must tell of a
 * state ("state" and "stateN", "h0" and "hn", "cache" and "cache_out", "past_0" and "present_0",
 * "past_key_values.0.key" and "present.0.key"). If they do not ("x" and "x_out"), no length of the
 * data may change the shapes, or the output must be longer by what a run appends. A name that
 * matches two others makes no pair. An input that is cut into chunks is no state, and neither is
 * the only one that data could supply. Call it after tare_streaming_set_chunk.
 * @return the number of states added
 */
TARE_API int tare_streaming_find_states(tare_streaming *streaming);

/** Number of states declared so far. */
TARE_API int tare_streaming_n_states(const tare_streaming *streaming);

/** Name of the input of a state, 0 .. tare_streaming_n_states - 1; belongs to the ports. */
TARE_API const char *tare_streaming_state_input(const tare_streaming *streaming, int state);

/**
 * The input that tells a model whether its states hold something: a bool of one element whose name
 * begins with "use_cache", as Optimum's decoders with two branches have it ("use_cache_branch").
 * With states, it is false in the first run of each sample and true in the others, and data do not
 * have it.
 * @return its name, which belongs to the ports; NULL if there is none, or no state
 */
TARE_API const char *tare_streaming_switch(const tare_streaming *streaming);

/** Name of the output of a state, 0 .. tare_streaming_n_states - 1; belongs to the
 * ports. */
TARE_API const char *tare_streaming_state_output(const tare_streaming *streaming, int state);

/** Why a state was recognised, static: "their names and shapes pair"; "" if it was declared, NULL
 * if the number is out of range. */
TARE_API const char *tare_streaming_state_reason(const tare_streaming *streaming, int state);

/**
 * By how much a run makes the states longer along a symbol.
 * @param symbol a symbol of the inputs, e.g. "past"
 * @return the growth from chunk to chunk, 0 where samples are whole; -1 if no state grows along the
 *         symbol, or by a length that does not follow from the chunk
 */
TARE_API int64_t tare_streaming_growth(const tare_streaming *streaming, const char *symbol);

/**
 * Cuts samples into chunks.
 * @param spec NAME=SIZE, where NAME is a symbol of the inputs ("samples=512"), an input, meaning
 *        its last axis ("audio=512"), or an input and one of its axes, where axis 0 is the batch
 *        ("mix:2=1"). The size of a fixed axis must be that of the axis
 * @param hop step from chunk to chunk, 1..SIZE; 0 means SIZE
 * @return TARE_OK, TARE_E_USAGE (syntax, no such symbol or axis, SIZE or hop out of range)
 */
TARE_API tare_status tare_streaming_set_chunk(tare_streaming *streaming, const char *spec,
                                              int64_t hop, tare_error *err);

/**
 * Lets calibrations generate behind each sample: the token with the largest logit is appended, and
 * fed to the model with the states, so many times. Of equal logits the first counts. Other inputs
 * along the tokens go on with their last value, and those named as positions with the next. The
 * tokens are those of the model in float, the same for any threads, shards and order. Evaluations
 * take the samples alone.
 * @param tokens how many to generate, >= 1
 * @return TARE_OK, TARE_E_USAGE (chunks are not of length 1 along a symbol, or it is not clear
 * which input has the tokens and which output the logits: an integer input along the chunks, a
 *         float32 output that is no state, by "ids" and "logits" in their names where there are
 *         several)
 */
TARE_API tare_status tare_streaming_set_generation(tare_streaming *streaming, int64_t tokens,
                                                   tare_error *err);

/** Tokens that are generated behind each sample; 0 for none. */
TARE_API int64_t tare_streaming_generated(const tare_streaming *streaming);

/**
 * The inputs that data must supply: those that are not states, nor tare_streaming_switch. An axis
 * that is cut into chunks may have any length.
 * @param ports receives an array that belongs to the streaming and is valid until it is changed
 * @return the number of ports
 */
TARE_API int tare_streaming_ports(tare_streaming *streaming, const tare_port **ports);

/**
 * The symbol whose axes are cut into chunks.
 * @param size receives the size of a chunk, if there is such a symbol
 * @return name of the symbol; NULL if samples are whole or a fixed axis is cut
 */
TARE_API const char *tare_streaming_chunk_symbol(const tare_streaming *streaming, int64_t *size);

/**
 * Whether the states of a run have the sizes of the inputs of the next, so that tare_streaming_feed
 * can copy them. States that grow have not.
 * @param outputs one tensor per output
 * @param inputs one tensor per input; only dims are read
 */
TARE_API bool tare_streaming_fits(const tare_streaming *streaming, const tare_tensor *outputs,
                                  const tare_tensor *inputs);

/**
 * Copies states from the outputs of a run to the inputs of the next, for programs that run contexts
 * themselves.
 * @param outputs one tensor per output
 * @param inputs one tensor per input; those of states receive the data in their own memory,
 *        and that of tare_streaming_switch the value true
 * @return TARE_OK, TARE_E_SHAPE (a state and its input have different sizes)
 */
TARE_API tare_status tare_streaming_feed(const tare_streaming *streaming,
                                         const tare_tensor *outputs, tare_tensor *inputs,
                                         tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
