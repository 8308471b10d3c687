/* How far the thresholds of each method differ between two statistics. */
#ifndef TAREI_TOOLS_PARTS_SCALE_MOVES_H
#define TAREI_TOOLS_PARTS_SCALE_MOVES_H

#include <tare/calib.h>

#include "tools/json_out.h"
#include "tools/report.h"

/* Thresholds of B over those of A, by one method, over the tensors of both that are not zero. */
typedef struct scale_move {
  const char *method;
  int n_tensors;
  double median,
      within; /* 95 % of the tensors differ by at most this factor, in either direction */
  double farthest;
  char *tensor; /* whose is the farthest */
} scale_move;

typedef struct scale_moves {
  scale_move *items; /* by method */
  int n;
} scale_moves;

tare_status scale_moves_find(const tare_stats *a, const tare_stats *b, scale_moves *out,
                             tare_error *err);
void scale_moves_fini(scale_moves *moves);
void scale_moves_print(const scale_moves *moves);
void scale_moves_json(cJSON *object, const scale_moves *moves);

#endif
