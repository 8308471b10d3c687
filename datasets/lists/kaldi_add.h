/* Kaldi's addresses of data ("rxfilenames"), and the tables with the labels of utterances. */
#ifndef TAREI_DATASETS_LISTS_KALDI_ADD_H
#define TAREI_DATASETS_LISTS_KALDI_ADD_H

#include "datasets/lists/list.h"
#include "datasets/lists/utterances.h"

/* Adds the file at the address `item->path`: an audio file, or "FILE.ark:OFFSET" for a matrix.
 * TARE_E_INPUT for a command ("... |"), which is never run. */
tare_status tarei_kaldi_add(tarei_items *items, const tarei_item *item, tare_error *err);

/* Reads the table of labels beside `path`, if labels are wanted; else `out` is empty. */
tare_status tarei_kaldi_labels(const char *path, const tarei_data_spec *spec, tarei_utterances *out,
                               tare_error *err);

/* The label of an utterance; NULL if none are wanted. TARE_E_INPUT: it has none. */
tare_status tarei_kaldi_label(const tarei_utterances *labels, const char *key, const char **out,
                              tare_error *err);

#endif
