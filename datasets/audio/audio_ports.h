/* Which inputs of a model audio feeds, and what it feeds them with. */
#ifndef TAREI_DATASETS_AUDIO_AUDIO_PORTS_H
#define TAREI_DATASETS_AUDIO_AUDIO_PORTS_H

#include "datasets/data_spec.h"

typedef struct tarei_audio_ports {
  int signal;       /* the input that takes the waveform or the features */
  int length;       /* a whole number beside it: samples or frames that count; -1: there is none */
  bool mels_first;  /* of features */
} tarei_audio_ports;

/* TARE_E_USAGE names `path` and what does not fit. */
tare_status tarei_audio_ports_find(const char *path, const tarei_data_spec *spec,
                                   tarei_audio_ports *out, tare_error *err);

#endif
