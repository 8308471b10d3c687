/*
 * Loaded into the ranks before MPI: kills them at calls of MPI.
 *
 * RANK_DIES has deaths such as 1:part:2, with commas between them: rank 1 dies when it is about to
 * send its second large message, or with a '+' behind, when it has begun to.
 */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/ranks/messages.h"

enum { PART_BYTES = 65536 };

/* A call and how often it was made. */
typedef struct turns {
  const char *call;
  int n;
} turns;

static void die_here(const turns *const t, const bool after) {
  const char *at = getenv("RANK_DIES"), *const rank = getenv("OMPI_COMM_WORLD_RANK");
  char here[96];
  const int length =
      snprintf(here, sizeof here, "%s:%s:%d%s", rank ? rank : "", t->call, t->n, after ? "+" : "");
  for (; at && *at; at += strcspn(at, ","), at += *at == ',') {
    if (strcspn(at, ",") == (size_t)length && strncmp(at, here, (size_t)length) == 0) {
      (void)kill(getpid(), SIGKILL);
    }
  }
}

static void die_before(turns *const t) {
  t->n++;
  die_here(t, false);
}

int MPI_Init_thread(int *const argc, char ***const argv, const int wanted, int *const got) {
  static turns init = {.call = "init"};
  die_before(&init);
  const int result = PMPI_Init_thread(argc, argv, wanted, got);
  die_here(&init, true);
  return result;
}

int MPI_Finalize(void) {
  static turns finalize = {.call = "finalize"};
  die_before(&finalize);
  const int result = PMPI_Finalize();
  die_here(&finalize, true);
  return result;
}

int MPI_Isend(const void *const data, const int n, const MPI_Datatype type, const int to,
              const int tag, const MPI_Comm comm, MPI_Request *const request) {
  static turns send = {.call = "send"}, part = {.call = "part"}, bye = {.call = "bye"};
  message m;
  memcpy(&m, data, sizeof m); /* every message begins so */
  turns *const kind = m.kind == MESSAGE_BYE ? &bye : n > PART_BYTES ? &part : &send;
  die_before(kind);
  const int result = PMPI_Isend(data, n, type, to, tag, comm, request);
  die_here(kind, true);
  return result;
}
