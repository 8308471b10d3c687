/*
 * The levels at which a data set gives each sample: its own, and others that multiply its waveforms
 * by a factor. They follow from a range in decibels alone, so that what is counted or measured over
 * them does not depend on the order of samples.
 */
#ifndef TAREI_DATASETS_GAIN_H
#define TAREI_DATASETS_GAIN_H

#include "base/error.h"
#include "base/str.h"

enum { TAREI_GAIN_LEVELS = 64 };

/* Zeroed: no range, and one level. */
typedef struct tarei_gain {
  int n;   /* levels; 0: no range */
  int own; /* number of the level without gain */
  double low, high, step;
  double db[TAREI_GAIN_LEVELS]; /* ascending */
} tarei_gain;

/* Parses "LOW:HIGH[:STEP]", "HIGH" (from 0) or "LOW" (up to 0); each number may end in "dB". The
 * levels are the ends, 0, and multiples of the step (10 dB) that are at least half a step away from
 * an end. TARE_E_USAGE. */
tare_status tarei_gain_parse(const char *text, tarei_gain *out, tare_error *err);

/* The range as tarei_gain_parse reads it, with all its numbers: "-20:+20:10dB". */
void tarei_gain_print(const tarei_gain *gain, tarei_str *to);

/* Number of levels, 1 or more, and the level of turn i: its own level comes first. */
int tarei_gain_levels(const tarei_gain *gain);
int tarei_gain_level(const tarei_gain *gain, int turn);

/* The factor of a level; exactly 1 without gain. */
float tarei_gain_factor(const tarei_gain *gain, int level);

#endif
