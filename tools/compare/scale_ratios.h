/* How the scales of one table differ from those of another, tensor by tensor. */
#ifndef TAREI_TOOLS_COMPARE_SCALE_RATIOS_H
#define TAREI_TOOLS_COMPARE_SCALE_RATIOS_H

#include <tare/tare.h>

#include "tools/json_out.h"

enum { SCALE_RATIOS_SHOWN = 5 }; /* tensors that differ most */

typedef struct scale_ratio {
  const char *tensor; /* of the table */
  double ratio;       /* new scale by old one, of the profile where it is the farthest from 1 */
  int profile;        /* that profile; -1: merged */
} scale_ratio;

typedef struct scale_ratios {
  int tensors;          /* with a scale in both tables */
  int grown, shrunk;    /* more than twofold */
  double median, worst; /* of the larger by the smaller scale: 1 or more; NAN without tensors */
  scale_ratio most[SCALE_RATIOS_SHOWN];
  int n_most;
} scale_ratios;

/* Both tables are of one model. A table without columns per profile is compared with each column of
 * one that has them. */
scale_ratios scale_ratios_of(const tare_table *table, const tare_table *base);

/* Adds the members of an object. */
void scale_ratios_json(cJSON *object, const scale_ratios *ratios);

/* How ranges change from the shortest profile to the longest. */
typedef struct range_drift {
  int tensors;       /* with a range in both */
  int grown, shrunk; /* by more than a quarter of the smaller range */
  double median;
} range_drift;

/* Profiles are ordered by the opt of the symbol that ranges the farthest. Without two profiles that
 * have samples there are no tensors. */
range_drift range_drift_of(const tare_stats *stats, const tare_profiles *profiles);

#endif
