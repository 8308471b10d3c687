/* Normal forms of Unicode. */
#ifndef TAREI_DATASETS_TOKENIZER_STEPS_NORMAL_FORM_H
#define TAREI_DATASETS_TOKENIZER_STEPS_NORMAL_FORM_H

#include "datasets/tokenizer/pieces.h"

typedef struct tarei_normal_form {
  bool compose, compatible; /* NFC and NFKC; NFKC and NFKD */
} tarei_normal_form;

/* Writes the text in the form. TARE_E_MEMORY. */
tare_status tarei_normal_form_put(tarei_normal_form form, const char *text, size_t length,
                                  tarei_pieces *out, tare_error *err);

#endif
