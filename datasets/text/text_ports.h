/* The inputs of a model that tokens feed. */
#ifndef TAREI_DATASETS_TEXT_TEXT_PORTS_H
#define TAREI_DATASETS_TEXT_TEXT_PORTS_H

#include "datasets/data_spec.h"
#include "datasets/slot.h"

/* TARE_E_USAGE names `path` and an input that no output of a tokenizer feeds. */
tare_status tarei_text_ports_check(const char *path, const tarei_data_spec *spec, tare_error *err);

/* Makes the tensors of a sample. TARE_E_INPUT, TARE_E_MEMORY */
tare_status tarei_text_ports_fill(const tarei_data_spec *spec, const tarei_encoding *encoding,
                                  tarei_slot *out, tare_error *err);

#endif
