/* The module tare_mpi.so: messages by MPI, written for Open MPI. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "tools/ranks/transport.h"

enum { TAG = 1 };

/* A message that is on its way. */
typedef struct transfer {
  int from; /* who sends it; -1: this rank */
  bool ended, whole;
  size_t bytes;
  void *data;
} transfer;

/* All of them, in the order in which they began, as MPI_Testsome takes them. */
static transfer *transfers;
static MPI_Request *requests;
static MPI_Status *statuses;
static int *finished;
static int n_transfers, n_room;

/* Looking for networks faster than TCP would take a fifth of a second, and messages are few. Ranks
 * of a machine copy them through shared memory: reading from the memory of a rank that has died
 * fails. */
static void mpi_prefer(void) {
  static const int KEEP = 0; /* what the user has set */
  (void)setenv("OMPI_MCA_pml", "ob1", KEEP);
  (void)setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", KEEP);
}

/* Faults become results of calls: a rank that died must not end the others. */
static bool mpi_open(int *const rank, int *const size, char *const library, const size_t capacity) {
  int provided, length;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  mpi_prefer();
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS ||
      MPI_Comm_size(MPI_COMM_WORLD, size) != MPI_SUCCESS ||
      MPI_Get_library_version(version, &length) != MPI_SUCCESS) {
    return false;
  }
  version[strcspn(version, ",\n")] = '\0';
  strncpy(library, version, capacity - 1);
  library[capacity - 1] = '\0';
  return true;
}

static void *array_grow(void *const array, const int n, const size_t bytes, bool *const grew) {
  void *const grown = realloc(array, (size_t)n * bytes);
  *grew = *grew && grown;
  return grown ? grown : array;
}

/* Room for one more. */
static bool transfers_reserve(void) {
  const int n = 2 * n_room + 16;
  if (n_transfers < n_room) {
    return true;
  }
  bool grew = true;
  transfers = array_grow(transfers, n, sizeof *transfers, &grew);
  requests = array_grow(requests, n, sizeof *requests, &grew);
  statuses = array_grow(statuses, n, sizeof *statuses, &grew);
  finished = array_grow(finished, n, sizeof *finished, &grew);
  n_room = grew ? n : n_room;
  return grew;
}

static void transfers_remove(const int index) {
  const size_t behind = (size_t)(n_transfers - index - 1);
  memmove(&transfers[index], &transfers[index + 1], behind * sizeof *transfers);
  memmove(&requests[index], &requests[index + 1], behind * sizeof *requests);
  n_transfers--;
}

/* Lets all go on at once: each call costs as much as the others of the machine let it. Forgets
 * those that were sent, or broke off. */
static void transfers_go_on(void) {
  int n = 0;
  if (n_transfers == 0) {
    return;
  }
  const int result = MPI_Testsome(n_transfers, requests, &n, finished, statuses);
  for (int i = 0; n != MPI_UNDEFINED && i < n; i++) {
    transfer *const t = &transfers[finished[i]];
    t->ended = true;
    t->whole = result == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_SUCCESS;
  }
  for (int i = n_transfers - 1; i >= 0; i--) {
    if (transfers[i].ended && (transfers[i].from < 0 || !transfers[i].whole)) {
      free(transfers[i].data);
      transfers_remove(i);
    }
  }
}

static bool mpi_send(const int to, const void *const data, const size_t bytes) {
  void *const copy = bytes <= INT_MAX && transfers_reserve() ? malloc(bytes) : NULL;
  if (!copy) {
    return false;
  }
  memcpy(copy, data, bytes);
  if (MPI_Isend(copy, (int)bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &requests[n_transfers]) !=
      MPI_SUCCESS) {
    free(copy);
    return false;
  }
  transfers[n_transfers++] = (transfer){.from = -1, .bytes = bytes, .data = copy};
  return true;
}

/* Begins to receive the next message, without waiting for its end: a sender that dies before never
 * sends it. False: there is none, or memory is short, and it is asked for again later. */
static bool mpi_begin(void) {
  int there = 0, count = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there ||
      MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || !transfers_reserve()) {
    return false;
  }
  void *const data = malloc((size_t)count + 1); /* not 0 bytes */
  if (!data || MPI_Irecv(data, count, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD,
                         &requests[n_transfers]) != MPI_SUCCESS) {
    free(data);
    return false;
  }
  transfers[n_transfers++] =
      (transfer){.from = status.MPI_SOURCE, .bytes = (size_t)count, .data = data};
  return true;
}

/* Whether a message is here, and all that its sender has sent before was handed over. */
static bool transfers_has_next(const int index) {
  const transfer *const t = &transfers[index];
  for (int i = 0; i < index; i++) {
    if (transfers[i].from == t->from) {
      return false;
    }
  }
  return t->ended && t->from >= 0;
}

static bool mpi_receive(int *const from, void **const data, size_t *const bytes) {
  while (mpi_begin()) {
  }
  transfers_go_on();
  for (int i = 0; i < n_transfers; i++) {
    if (transfers_has_next(i)) {
      *from = transfers[i].from;
      *data = transfers[i].data;
      *bytes = transfers[i].bytes;
      transfers_remove(i);
      return true;
    }
  }
  return false;
}

static size_t mpi_pending(void) {
  size_t n = 0;
  transfers_go_on();
  for (int i = 0; i < n_transfers; i++) {
    n += transfers[i].from < 0;
  }
  return n;
}

static bool mpi_moving(void) {
  return n_transfers > 0;
}

/* MPI_Finalize waits for all ranks. */
static void mpi_close(const bool lost) {
  if (!lost) {
    (void)MPI_Finalize();
  }
}

__attribute__((visibility("default"))) extern const transport tarei_transport_of_module;
const transport tarei_transport_of_module = {.version = TRANSPORT_VERSION,
                                             .open = mpi_open,
                                             .send = mpi_send,
                                             .receive = mpi_receive,
                                             .pending = mpi_pending,
                                             .moving = mpi_moving,
                                             .close = mpi_close};
