/*
 * The post of a rank: a thread that owns the transport. It sends what others have put into its
 * outbox, and hands over what arrives, so that a rank answers also while it calibrates.
 */
#ifndef TAREI_TOOLS_RANKS_POST_H
#define TAREI_TOOLS_RANKS_POST_H

#include <pthread.h>

#include "tools/cli.h"
#include "tools/ranks/messages.h"
#include "tools/ranks/transport.h"

typedef struct outgoing {
  struct outgoing *next;
  int to;
  size_t bytes;
  char data[]; /* a message and its payload */
} outgoing;

typedef struct post {
  const transport *by;
  int rank, size;
  char library[128];
  double silence; /* seconds after which a rank that does not answer is given up */
  pthread_t thread;
  pthread_mutex_t mutex;  /* guards all below, and what the functions below use */
  pthread_cond_t changed; /* something arrived, or it opened */
  outgoing *first, **end;
  bool opened, failed; /* the transport is open, or cannot be */
  bool closing;        /* this rank has nothing left to say */
  bool may_leave;      /* nor has any other; set by the user, who may also set `lost` */
  bool lost;           /* ranks are gone for which nothing should wait */
  bool waits;          /* the work cannot go on without a message; set by the user */
  double active;       /* when the last message was sent or arrived */
  double leaving;      /* when leaving the transport began; 0: not yet */
  bool ended, stuck;   /* the thread has ended, or waits in the transport for ranks that died */
  /* Called with the mutex locked: once it is open, for each message, and each time that the
   * thread looks for messages. */
  void (*joined)(void *user);
  void (*arrived)(void *user, int from, const message *head, const char *payload, size_t bytes);
  void (*tick)(void *user, double now);
  void *user;
} post;

/* Joins the other ranks; `silence` and the functions are set before. TARE_E_IO: the transport does
 * not open, or not in START_SILENCES times `silence`: then `stuck` is set, the thread is left alone
 * with the post, and the process ends without what libraries do at its end. */
enum { START_SILENCES = 6 };
tare_status post_open(post *p, const transport *by, tare_error *err);

/* With the mutex locked. */
void post_send(post *p, int to, const message *head, const void *payload, size_t bytes);

/* A message to rank 0. With the mutex locked. */
void post_tell_first(post *p, message_kind kind, int64_t a, int64_t b, const void *payload,
                     size_t bytes);

/* Waits until something arrives, for a tenth of a second at most. With the mutex locked. */
void post_wait(post *p);

/* Says BYE, delivers what is in the outbox, and leaves once no rank has anything left to say. With
 * the mutex unlocked. That takes a while, which the caller may use after post_begin_close. False:
 * the thread is stuck, as above. */
void post_begin_close(post *p);
bool post_close(post *p);

#endif
