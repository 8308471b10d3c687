/* The inputs of a model that audio feeds. */
#ifndef TAREI_DATASETS_AUDIO_AUDIO_PORTS_H
#define TAREI_DATASETS_AUDIO_AUDIO_PORTS_H

#include "datasets/data_spec.h"

typedef struct tarei_audio_ports {
  int signal;      /* input for the waveform or the features */
  int length;      /* integer input for the number of valid samples or frames; -1: none */
  bool mels_first; /* of features */
} tarei_audio_ports;

/* TARE_E_USAGE names `path` and what does not match. */
tare_status tarei_audio_ports_find(const char *path, const tarei_data_spec *spec,
                                   tarei_audio_ports *out, tare_error *err);

#endif
