/* A case in the engine: float against the walker, and the same bits however it is run. */
#ifndef TAREI_TESTS_RANDOM_CHECK_H
#define TAREI_TESTS_RANDOM_CHECK_H

#include "random/random_case.h"

typedef enum verdict {
  VERDICT_PASSED,
  VERDICT_UNPAIRED, /* passed, but the second reference does not take it */
  VERDICT_REFUSED,
  VERDICT_FAILED,
  VERDICT_COUNT
} verdict;

/* Float outputs are within 1e-4 + 1e-4 * |wanted|, others equal; then contexts that have run other
 * lengths, two threads, and the plan saved and loaded give the same bits, float and int8. */
/* Told of each layer of each plan; may be NULL. */
extern void (*check_saw_layer)(const char *op);

verdict check_case(const random_case *c, char *why);

/* The same in a process of its own, so that a crash is a failure like others. */
verdict check_apart(const random_case *c, char *why);

/* Makes a failing case smaller while it fails; `why` becomes that of the smaller. */
void shrink_case(random_case *c, char *why);

/* The graph, one node a line. */
void print_graph(const Onnx__GraphProto *graph, int indent);

#endif
