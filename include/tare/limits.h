/*
 * Limits: what a file, a model or a profile may ask of the machine.
 *
 * Models, plans and data come from outside, and a few hundred bytes can ask for any amount of memory or
 * time. Each object that reads them holds a set of limits, which are on by default; where one strikes,
 * the call fails with TARE_E_LIMIT and a sentence that names the limit.
 */
#ifndef TARE_LIMITS_H
#define TARE_LIMITS_H

#include <stdint.h>
#include <tare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(field, name, unit, default, least, most, text). The name is also the command's option. A unit of
 * "bytes" is written as 1.5 GB; a default of 0 is taken from the machine. */
#define TARE_LIMIT_LIST(X)                                                                          \
  X(memory, "max-memory", "bytes", 0, 1000000, INT64_MAX,                                           \
    "Memory that a run may need (default: three quarters of the machine's or the container's)")     \
  X(tensor, "max-tensor", "bytes", 500000000, 1000, INT64_MAX,                                      \
    "One tensor whose size the model alone decides: fixed dims, or a size computed in the run")     \
  X(elements, "max-elements", "elements", 67108864, 1, INT64_C(1) << 48,                            \
    "One tensor of a sample of the data")                                                           \
  X(archive, "max-archive", "bytes", 4000000000, 1, INT64_MAX,                                   \
    "All members of an archive, unpacked")                                                          \
  X(loop_turns, "max-loop-turns", "turns", 2000000, 1, INT64_MAX,                                   \
    "Turns that all loops of a model take in one run")                                              \
  X(nodes, "max-nodes", "nodes", 65536, 1, INT32_MAX / 64,                                          \
    "Nodes of a graph")                                                                             \
  X(nesting, "max-nesting", "levels", 30, 1, 1000, "Graphs inside of nodes, one in another")

/** Limits; fill them with tare_limits_init before changing one. */
typedef struct tare_limits {
#define TARE_LIMIT_FIELD(field, name, unit, normal, least, most, text) int64_t field;
  TARE_LIMIT_LIST(TARE_LIMIT_FIELD)
#undef TARE_LIMIT_FIELD
} tare_limits;

/**
 * Fills in the defaults. That of `memory` is three quarters of the machine's memory, or of what the
 * control group allows where that is less.
 * @param limits receives them; asserted not NULL. Thread-safe.
 */
TARE_API void tare_limits_init(tare_limits *limits);

/** What a row of the list says of one limit. */
typedef struct tare_limit {
  const char *name, *unit, *text; /* "max-nodes", "nodes", one line of help */
  int64_t normal, least, most;    /* default, 0 where it is the machine's; bounds */
} tare_limit;

/** The limits, by number: how many there are; one of them, NULL out of range. */
TARE_API int tare_n_limits(void);
TARE_API const tare_limit *tare_limit_at(int limit);

/** Value of a limit by number, which must be in range (asserted). */
TARE_API int64_t tare_limit_get(const tare_limits *limits, int limit);

/**
 * Sets a limit by number, which must be in range (asserted).
 * @return TARE_OK, TARE_E_USAGE (the value is out of bounds: names limit and bounds; nothing is set)
 */
TARE_API tare_status tare_limit_set(tare_limits *limits, int limit, int64_t value,
                                    tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
