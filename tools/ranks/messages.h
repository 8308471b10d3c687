/* What ranks say to each other. Ranks have the same build, and integers of the same form. */
#ifndef TAREI_TOOLS_RANKS_MESSAGES_H
#define TAREI_TOOLS_RANKS_MESSAGES_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/tare.h>

typedef enum message_kind {
  MESSAGE_BEAT,    /* to rank 0 and from it, every second: the sender is there; a: samples done */
  MESSAGE_HELLO,   /* to rank 0, before any samples; a: how many the data have, b: hash of data;
                      payload: rank_hello */
  MESSAGE_ASK,     /* to rank 0: which samples are next? a: none before this one */
  MESSAGE_GIVE,    /* from rank 0: count samples from a to below b; a = b: none that come later */
  MESSAGE_COUNTED, /* to rank 0: samples were counted until there were no more; payload: report,
                      then messages of bad samples, each with its zero byte */
  MESSAGE_AGAIN,   /* from rank 0: there are samples again, those of a rank that was lost */
  MESSAGE_REDUCE,  /* from rank 0: add up statistics; payload: the ranks that take part, as int32 */
  MESSAGE_PART,    /* to the parent in the tree, in pieces; a: place of this one, b: bytes in all;
                      payload: bytes of a statistics file */
  MESSAGE_FAIL,    /* to rank 0: the sender cannot go on; a: status; payload: message */
  MESSAGE_STOP,    /* from rank 0: the end of the work */
  MESSAGE_BYE,     /* to rank 0: the sender has nothing left to say */
  MESSAGE_LEAVE,   /* from rank 0, after the last BYE; a: whether ranks are lost */
} message_kind;

typedef struct message {
  int64_t kind;
  int64_t round; /* of reducing */
  int64_t a, b;
} message;

/* What a rank may use of its machine. */
typedef struct rank_cores {
  int32_t threads; /* 0: as many as cores */
  cpu_set_t set;   /* empty: not known */
} rank_cores;

/* Of HELLO, up to the zero byte of the name. */
typedef struct rank_hello {
  rank_cores cores;
  char machine[256];
} rank_hello;

/* What a rank has done. */
typedef struct rank_report {
  int64_t done, n_bad;
  int32_t least_rate, most_rate;
  tare_calibrate_times times;
  tare_fit_counts fitted;
  tare_left_out left_out;
} rank_report;

#endif
