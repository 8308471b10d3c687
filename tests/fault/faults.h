/* What a sweep asks of the shim, and what it hears back. */
#ifndef TAREI_TESTS_FAULT_FAULTS_H
#define TAREI_TESTS_FAULT_FAULTS_H

/* Kinds of points that a process passes, each counted from 1: the id, what the n-th point does
 * there, and the exit codes beside 0 that a command may answer with. */
#define FAULT_KINDS(X)                                        \
  X(alloc, "one allocation fails", "5")                       \
  X(allocs, "that allocation and all later ones fail", "5")   \
  X(space, "memory may not grow beyond n times 64 KiB", "5")  \
  X(mmap, "mapping memory or a file fails", "5")              \
  X(thread, "starting a thread fails", "5")                   \
  X(open, "opening a file fails: too many are open", "2345")  \
  X(read, "reading fails: I/O error", "345")                  \
  X(write, "writing fails: disk full", "5")                   \
  X(sync, "syncing fails: I/O error", "5")                    \
  X(name, "linking or renaming a file fails: I/O error", "5") \
  X(size, "no file may grow beyond n bytes", "5")             \
  X(kill, "the process is killed before it opens, writes, syncs or names a file", "")

enum {
#define FAULT_ENUM(id, text, codes) FAULT_##id,
  FAULT_KINDS(FAULT_ENUM)
#undef FAULT_ENUM
      FAULT_COUNT
};

#define FAULT_NONE (-1)
#define FAULT_STEP 65536                 /* bytes of address space */
#define FAULT_SOCKET "TARE_FAULT_SOCKET" /* environment: the number of the socket to the sweep */

typedef struct fault_request {
  int kind; /* FAULT_... or FAULT_NONE */
  long point;
} fault_request;

typedef struct fault_reply {
  int status;     /* as waitpid gives it */
  int in_library; /* the fault was in an allocation of a library that does not survive it */
  long points[FAULT_COUNT]; /* that the process passed */
} fault_reply;

#endif
