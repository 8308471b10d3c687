/* The inputs of a model that audio feeds. */
#ifndef TAREI_DATASETS_AUDIO_AUDIO_PORTS_H
#define TAREI_DATASETS_AUDIO_AUDIO_PORTS_H

#include "datasets/data_spec.h"
#include "datasets/slot.h"

typedef struct tarei_audio_ports {
  int signal;        /* input for the waveform or the features */
  int length;        /* integer input for the number of valid samples or frames; -1: none */
  bool mels_first;   /* of features */
  bool channel_last; /* of a waveform: [samples, 1] */
} tarei_audio_ports;

/* The input for data of rank one or more, and that for its length, by types and names alone; `noun`
 * is the data in messages, "audio". `mels_first` and `channel_last` are not set. TARE_E_USAGE names
 * `path`. */
tare_status tarei_signal_ports_find(const char *path, const char *noun, const tarei_data_spec *spec,
                                    tarei_audio_ports *out, tare_error *err);

/* Gives the input for lengths, if there is one, its value. */
tare_status tarei_signal_length(const tarei_audio_ports *ports, const tarei_data_spec *spec,
                                int64_t length, tarei_slot *out, tare_error *err);

/* The inputs for audio or features. TARE_E_USAGE names `path` and what does not match. */
tare_status tarei_audio_ports_find(const char *path, const tarei_data_spec *spec,
                                   tarei_audio_ports *out, tare_error *err);

#endif
