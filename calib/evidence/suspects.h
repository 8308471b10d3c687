/* What a tensor looks like over all profiles, and what is suspicious about that. */
#ifndef TAREI_CALIB_EVIDENCE_SUSPECTS_H
#define TAREI_CALIB_EVIDENCE_SUSPECTS_H

#include "calib/stats.h"

/* A kind of suspicion: the name is that of tare_warning, `what` continues "tensors that". */
typedef struct tarei_suspicion {
  const char *kind, *what, *remedy;
  bool usual; /* in sound models */
  bool (*holds)(const tarei_stats_tensor *tensor, int n_profiles);
} tarei_suspicion;

/* By number; NULL at the end. */
const tarei_suspicion *tarei_suspicion_at(int i);

#endif
