/*
 * Steps that change or split the pieces of a text: normalizers and pre-tokenizers. One row in
 * normalizers.inc or pre_tokenizers.inc per step.
 */
#ifndef TAREI_DATASETS_TOKENIZER_STEPS_STEP_H
#define TAREI_DATASETS_TOKENIZER_STEPS_STEP_H

#include "datasets/tokenizer/json_field.h"
#include "datasets/tokenizer/pieces.h"

typedef struct tarei_step_ops {
  const char *type;   /* its name in tokenizer.json */
  size_t state_bytes; /* of its options; the state begins as zeros */
  /* Reads the options. TARE_E_INPUT, TARE_E_MEMORY; fini is called either way. NULL: none. */
  tare_status (*read)(const cJSON *object, void *state, tare_error *err);
  /* Writes what becomes of a piece of text. Called by several threads. TARE_E_INPUT, TARE_E_MEMORY;
   * what `out` itself reports is checked by the caller. */
  tare_status (*run)(const void *state, const tarei_text_span *in, tarei_pieces *out,
                     tare_error *err);
  void (*fini)(void *state); /* NULL: nothing to free */
} tarei_step_ops;

/* Normalizers or pre-tokenizers. */
typedef struct tarei_step_family {
  const char *noun, *list; /* "normalizer", "normalizers": the member of a Sequence */
  const tarei_step_ops *const *ops;
  int n;
} tarei_step_family;

extern const tarei_step_family tarei_normalizers, tarei_pre_tokenizers;

/* Steps in their order. */
typedef struct tarei_steps {
  struct tarei_piece_step {
    const tarei_step_ops *ops;
    void *state;
  } * items;
  size_t n, capacity;
} tarei_steps;

/* Adds the steps that `value` describes (NULL: none). TARE_E_INPUT names the step; an unknown one
 * is refused. Free `out` either way. */
tare_status tarei_piece_steps_read(const tarei_step_family *family, const cJSON *value,
                                   tarei_steps *out, tare_error *err);
void tarei_steps_fini(tarei_steps *steps);

/* Runs all steps over the text in `pieces`; `spare` has no pieces that are needed. */
tare_status tarei_steps_run(const tarei_steps *steps, tarei_pieces *pieces, tarei_pieces *spare,
                            tare_error *err);

#endif
