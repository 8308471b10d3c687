/*
 * Limits on what a file, a model or a profile may demand of the machine.
 *
 * Models, plans and data are untrusted: a few hundred bytes can demand any amount of memory or
 * time. Each object that reads them has a set of limits. If one is exceeded, the call fails with
 * TARE_E_LIMIT and a message that names the limit. docs/limits.md describes each limit.
 */
#ifndef TARE_LIMITS_H
#define TARE_LIMITS_H

#include <stdint.h>
#include <tare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(field, name, unit, default, least, most, text). The name is also that of the option of the
 * command. Messages print "bytes" like 1.5 GB. A default of 0 depends on the machine. */
#define TARE_LIMIT_LIST(X)                                                                      \
  X(memory, "max-memory", "bytes", 0, 1000000, INT64_MAX,                                       \
    "Memory that a run may need (default: three quarters of the machine's or the container's)") \
  X(tensor, "max-tensor", "bytes", 500000000, 1000, INT64_MAX,                                  \
    "One tensor whose size the model alone decides: fixed dims, or a size computed in the run") \
  X(elements, "max-elements", "elements", 67108864, 1, INT64_C(1) << 48,                        \
    "One tensor of a sample of the data")                                                       \
  X(archive, "max-archive", "bytes", 4000000000, 1, INT64_MAX,                                  \
    "All members of an archive, unpacked")                                                      \
  X(loop_turns, "max-loop-turns", "turns", 2000000, 1, INT64_MAX,                               \
    "Turns that all loops of a model take in one run")                                          \
  X(nodes, "max-nodes", "nodes", 65536, 1, INT32_MAX / 64, "Nodes of a graph")                  \
  X(nesting, "max-nesting", "levels", 30, 1, 1000, "Graphs inside of nodes, one in another")    \
  X(seconds, "max-seconds", "seconds", 3600, 1, INT32_MAX,                                      \
    "Time on a processor that one run, or folding constants in one build, may take")

/** A set of limits; set the defaults with tare_limits_init before you change one. */
typedef struct tare_limits {
#define TARE_LIMIT_FIELD(field, name, unit, normal, least, most, text) int64_t field;
  TARE_LIMIT_LIST(TARE_LIMIT_FIELD)
#undef TARE_LIMIT_FIELD
  int64_t reserved[9]; /* for later versions, with the limits 16; 0 */
} tare_limits;

/**
 * Sets all limits to their defaults. That of `memory` is three quarters of the memory of the
 * machine, or of the limit of its control group or of the process (RLIMIT_AS, RLIMIT_DATA) if that
 * is less.
 * @param limits receives the defaults
 */
TARE_API void tare_limits_init(tare_limits *limits);

/** Description of one limit. */
typedef struct tare_limit {
  const char *name;    /* "max-nodes" */
  const char *unit;    /* "nodes" */
  const char *text;    /* one line of help */
  int64_t normal;      /* default; 0 if it depends on the machine */
  int64_t least, most; /* allowed range */
} tare_limit;

/** Number of limits. */
TARE_API int tare_n_limits(void);

/** Description of a limit by number, static; NULL if the number is out of range. */
TARE_API const tare_limit *tare_limit_at(int limit);

/** Value of a limit by number, 0 .. tare_n_limits - 1. */
TARE_API int64_t tare_limit_get(const tare_limits *limits, int limit);

/**
 * Sets a limit by number.
 * @param limit 0 .. tare_n_limits - 1
 * @param value least .. most of its tare_limit, in its unit
 * @return TARE_OK, TARE_E_USAGE (the value is out of range; nothing is changed)
 */
TARE_API tare_status tare_limit_set(tare_limits *limits, int limit, int64_t value, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
