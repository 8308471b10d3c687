/*
 * The post of a rank: a thread that owns the transport. It sends what others have put into its
 * outbox, and hands over what arrives, so that a rank answers also while it calibrates.
 */
#ifndef TAREI_TOOLS_POST_H
#define TAREI_TOOLS_POST_H

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
  pthread_t thread;
  pthread_mutex_t mutex;  /* guards all below, and what the functions below use */
  pthread_cond_t changed; /* something arrived, or it opened */
  outgoing *first, **end;
  bool opened, failed; /* the transport is open, or cannot be */
  bool closing, lost;  /* the post is to end; ranks are gone for which nothing should wait */
  /* Called with the mutex locked: once it is open, for each message, and a hundred times a second
   * or more often. */
  void (*joined)(void *user);
  void (*arrived)(void *user, int from, const message *head, const char *payload, size_t bytes);
  void (*tick)(void *user, double now);
  void *user;
} post;

/* Joins the other ranks; the members behind `lost` are set before. */
tare_status post_open(post *p, const transport *by, tare_error *err);

/* With the mutex locked. */
void post_send(post *p, int to, const message *head, const void *payload, size_t bytes);

/* A message to rank 0. With the mutex locked. */
void post_tell_first(post *p, message_kind kind, int64_t a, int64_t b, const void *payload,
                     size_t bytes);

/* Waits until something arrives, for a tenth of a second at most. With the mutex locked. */
void post_wait(post *p);

/* Delivers what is in the outbox and leaves. With the mutex unlocked. Leaving takes a while, which
 * the caller may use after post_begin_close. */
void post_begin_close(post *p);
void post_close(post *p);

#endif
