/*
 * How ranks send messages to each other: what a module for a message passing library has to do.
 *
 * The command does not link to such a library: it loads the module tare_mpi.so where a launcher has
 * started several ranks. All functions are called by one thread, the one that called `open`. Only
 * `open` and `close` may wait for other ranks, and then without end if one of them has died.
 */
#ifndef TAREI_TOOLS_RANKS_TRANSPORT_H
#define TAREI_TOOLS_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { TRANSPORT_VERSION = 3 };

/* Symbol of the module's transport. */
#define TRANSPORT_SYMBOL "tarei_transport_of_module"

typedef struct transport {
  int version; /* TRANSPORT_VERSION of the build */
  /* Joins the other ranks; `library` receives a name with a version. False: not possible. */
  bool (*open)(int *rank, int *size, char *library, size_t capacity);
  /* Copies a message and delivers it later, in the order of the calls for one receiver. False: the
   * receiver cannot be reached, or memory is short. */
  bool (*send)(int to, const void *data, size_t bytes);
  /* The next message that has arrived as a whole, which the caller frees; false: there is none now.
   * Those of a sender come in the order in which they were sent. Also lets messages go on that are
   * on their way. */
  bool (*receive)(int *from, void **data, size_t *bytes);
  /* Number of messages that were not delivered yet. */
  size_t (*pending)(void);
  /* Whether messages are on their way, to this rank or from it. */
  bool (*moving)(void);
  /* Leaves. Waits for all ranks; with `lost`, some of them do not answer, and it waits for none. */
  void (*close)(bool lost);
} transport;

#endif
