/* Noise of single layers in some form, the others in float. */
#ifndef TAREI_CALIB_TUNE_PROBES_H
#define TAREI_CALIB_TUNE_PROBES_H

#include "calib/tune/forms.h"
#include "calib/tune/trials.h"

/* One layer, by number, in one form. */
typedef struct tarei_probe {
  int layer, form;
} tarei_probe;

/* Measures n probes (at most TARE_MOST_TRIALS) in one pass over the data, and notes their noise
 * less `floor`, which is that of all layers in float. */
tare_status tarei_probes_measure(const tarei_trials *trials, tare_dataset *data,
                                 tarei_tune_layer *layers, const tarei_probe *probes, int n,
                                 double floor, tare_error *err);

/* Noise of what a layer has without requests; 0: not known. */
double tarei_probes_standard(const tarei_tune_layer *layer);

/* Sorts layers by that noise, and returns how many cost too much to stay as they are; the others
 * together cost little of the bound. */
int tarei_probes_sort(tarei_tune_layers *layers, double bound);

#endif
