/* Inputs of a model that the data do not feed, because they were recognised as states. */
#ifndef TAREI_DATASETS_NAMES_UNFED_H
#define TAREI_DATASETS_NAMES_UNFED_H

#include <tare/streaming.h>

typedef struct tarei_unfed_input {
  tare_port port;
  const char *output; /* that feeds it */
  bool weak;          /* the names pair, but do not tell of a state */
} tarei_unfed_input;

typedef struct tarei_unfed {
  tarei_unfed_input *inputs; /* without states that were declared */
  int n_inputs;
  const char **outputs; /* names of all outputs of the model */
  int n_outputs;
  bool in_chunks; /* samples go through the model in chunks */
} tarei_unfed;

/* Copies what a streaming knows, which may be NULL, to a zeroed object; false if memory runs out.
 * Free it with tarei_unfed_fini, also then. */
bool tarei_unfed_copy(const tare_streaming *streaming, tarei_unfed *out);
void tarei_unfed_fini(tarei_unfed *unfed);

/* Replaces a name, which may be NULL, by a copy; false if memory runs out. */
bool tarei_own_name(const char **name);

/* The same for the names of a port, which tarei_free_port frees. */
bool tarei_own_port(tare_port *port);
void tarei_free_port(tare_port *port);

#endif
