/* Whether this process is one of several ranks, and the module by which they exchange messages. */
#ifndef TAREI_TOOLS_RANKS_MODULE_H
#define TAREI_TOOLS_RANKS_MODULE_H

#include "tools/cli.h"
#include "tools/ranks/transport.h"

/* Ranks that a launcher has started, as its variables say. */
typedef struct launched {
  int64_t rank, size; /* size 1: this process alone */
  const char *by;     /* the variable, or NULL */
  bool mpi;           /* the launcher is that of Open MPI, or speaks its protocol */
} launched;

launched ranks_launched(void);

/* Whether the launcher leaves the other ranks alone when one dies. */
bool ranks_survive(void);

/* Loads the module. TARE_E_USAGE: there is none, or the launcher is not that of its library; the
 * message says what to do. */
tare_status ranks_load_module(const launched *by, const transport **out, tare_error *err);

#endif
