/* Scores of classes, one of which is the largest in each row. */
#ifndef TAREI_TESTS_UNIT_METRICS_MADE_SCORES_H
#define TAREI_TESTS_UNIT_METRICS_MADE_SCORES_H

#include <string.h>
#include <tare/tensor.h>

enum { CLASSES = 4, MOST = 16 };

/* Scores whose argmax per row is what the string says, '_' being class 0. */
typedef struct scores {
  float values[MOST * CLASSES];
  tare_tensor tensor;
} scores;

static inline void make_scores(const char *const classes, scores *const s) {
  const int frames = (int)strlen(classes);
  memset(s, 0, sizeof *s);
  for (int f = 0; f < frames; f++) {
    s->values[f * CLASSES + (classes[f] == '_' ? 0 : classes[f] - 'a' + 1)] = 1;
  }
  s->tensor =
      (tare_tensor){.dtype = TARE_F32, .rank = 3, .dims = {1, frames, CLASSES}, .data = s->values};
}

#endif
