/* The module tare_mpi.so: messages by MPI, written for Open MPI. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "tools/ranks/transport.h"

enum { TAG = 1 };

/* A message that is on its way. */
typedef struct sending {
  struct sending *next;
  MPI_Request request;
  char data[];
} sending;

static MPI_Comm ranks = MPI_COMM_NULL;
static sending *first_sending;

/* Looking for networks faster than TCP would take a fifth of a second, and messages are few. */
static void prefer_tcp(void) {
  (void)setenv("OMPI_MCA_pml", "ob1", 0 /* what the user has set stays */);
}

/* Faults become results of calls: a rank that died must not end the others. */
static bool mpi_open(int *const rank, int *const size, char *const library, const size_t capacity) {
  int provided, length;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  prefer_tcp();
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      MPI_Comm_dup(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS ||
      MPI_Comm_set_errhandler(ranks, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
      MPI_Comm_rank(ranks, rank) != MPI_SUCCESS || MPI_Comm_size(ranks, size) != MPI_SUCCESS ||
      MPI_Get_library_version(version, &length) != MPI_SUCCESS) {
    return false;
  }
  version[strcspn(version, ",\n")] = '\0';
  strncpy(library, version, capacity - 1);
  library[capacity - 1] = '\0';
  return true;
}

/* Frees what was delivered. */
static void settle_sendings(void) {
  for (sending **at = &first_sending; *at;) {
    sending *const s = *at;
    int done = 0;
    if (MPI_Test(&s->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done) {
      *at = s->next;
      free(s);
    } else {
      at = &s->next;
    }
  }
}

static bool mpi_send(const int to, const void *const data, const size_t bytes) {
  sending *const s = bytes <= INT_MAX ? malloc(sizeof *s + bytes) : NULL;
  if (!s) {
    return false;
  }
  memcpy(s->data, data, bytes);
  if (MPI_Isend(s->data, (int)bytes, MPI_BYTE, to, TAG, ranks, &s->request) != MPI_SUCCESS) {
    free(s);
    return false;
  }
  s->next = first_sending;
  first_sending = s;
  return true;
}

static bool mpi_receive(int *const from, void **const data, size_t *const bytes) {
  int there = 0, count = 0;
  MPI_Status status;
  settle_sendings();
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, ranks, &there, &status) != MPI_SUCCESS || !there ||
      MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS) {
    return false;
  }
  void *const memory = malloc((size_t)count + 1); /* not 0 bytes */
  if (!memory) {
    return false; /* asked for again later */
  }
  if (MPI_Recv(memory, count, MPI_BYTE, status.MPI_SOURCE, TAG, ranks, &status) != MPI_SUCCESS) {
    free(memory);
    return false;
  }
  *from = status.MPI_SOURCE;
  *data = memory;
  *bytes = (size_t)count;
  return true;
}

static size_t mpi_pending(void) {
  size_t n = 0;
  settle_sendings();
  for (const sending *s = first_sending; s; s = s->next) {
    n++;
  }
  return n;
}

/* MPI_Finalize waits for all ranks. */
static void mpi_close(const bool lost) {
  if (!lost) {
    (void)MPI_Comm_free(&ranks);
    (void)MPI_Finalize();
  }
}

__attribute__((visibility("default"))) extern const transport tarei_transport_of_module;
const transport tarei_transport_of_module = {.version = TRANSPORT_VERSION,
                                             .open = mpi_open,
                                             .send = mpi_send,
                                             .receive = mpi_receive,
                                             .pending = mpi_pending,
                                             .close = mpi_close};
