/*
 * What rank 0 knows and decides: who takes part, who counts what, when all is counted, and who is
 * lost. A rank that is silent for too long is lost: others count its samples, and nothing of what
 * it sends is taken any more.
 */
#ifndef TAREI_TOOLS_RANKS_COORDINATOR_H
#define TAREI_TOOLS_RANKS_COORDINATOR_H

#include "tools/options/options.h"
#include "tools/ranks/assignment.h"
#include "tools/ranks/post.h"

typedef enum rank_phase {
  RANK_LOADING,  /* the model or the list of the data */
  RANK_COUNTING, /* takes samples */
  RANK_IDLE,     /* has counted what there was */
  RANK_LOST,
} rank_phase;

typedef struct rank_state {
  rank_phase phase;
  double heard;  /* when it was last heard of */
  int64_t asks;  /* for samples from this one on; -1: it does not ask */
  int64_t total; /* samples that its data have, and their hash */
  uint64_t data;
  int64_t done;
  rank_report report;
  bool bye;      /* it has nothing left to say */
  bool gone;     /* it was silent for too long after the work had ended */
  char *machine; /* or NULL */
  rank_cores cores;
  char *bad; /* messages of bad samples, each with its zero byte */
  size_t bad_bytes;
} rank_state;

typedef struct coordinator {
  post *by;
  const opt_common *common;
  bool began; /* rank 0 has its data: work can be given */
  assignment work;
  rank_state *ranks; /* of all, also rank 0 */
  int64_t round;     /* of reducing; 0 before */
  bool reducing;
  bool stopped, left; /* all were told to stop, and to leave */
  tare_status failed; /* with a message, of the first rank that failed */
  char *why;
} coordinator;

void coordinator_init(coordinator *c, post *by, const opt_common *common);
void coordinator_fini(coordinator *c);

/* A message to rank 0, also one of its own. With the post's mutex locked, as for all below. */
void coordinator_hear(coordinator *c, int from, const message *head, const char *payload,
                      size_t bytes);

/* Tells all that rank 0 is there. What is sent to ranks that died would stay on its way. */
void coordinator_beat(coordinator *c);

/* Finds ranks that are silent, and decides what comes next. */
void coordinator_tick(coordinator *c, double now);

/* Ends the work of all ranks, also that of rank 0. */
void coordinator_stop(coordinator *c);

/* Samples that all ranks have done. */
int64_t coordinator_done(const coordinator *c);

#endif
