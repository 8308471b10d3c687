/* Which precision each layer gets: the fastest choice whose noise adds up to less than a bound. */
#ifndef TAREI_CALIB_TUNE_MIX_H
#define TAREI_CALIB_TUNE_MIX_H

#include "calib/tune/forms.h"

/* Chooses for all layers. Noise of layers is taken to add up, and so is their time. Among the
 * choices of the layers only those count whose noise and time are known. False if even the choices
 * with the least noise exceed the bound; they are chosen then. */
bool tarei_mix_choose(tarei_tune_layer *layers, int n, double bound);

/* The same with a share of the multiply-adds that are on integers, as far as the bound allows it:
 * the price of a float form grows until the choice has that share. Prices are as before then, and
 * what the choice has more than the share goes back to float where that is faster. */
bool tarei_mix_choose_share(tarei_tune_layer *layers, int n, double bound, double share);

#endif
