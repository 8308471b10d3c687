/* ONNX Runtime as a second reference, where its library is. */
#ifndef TAREI_TESTS_RANDOM_PEER_H
#define TAREI_TESTS_RANDOM_PEER_H

#include "random/check.h"

/* The library to open; NULL: none is asked. For each process anew. */
extern const char *peer_library;

/* Whether it gives what the walker gave. VERDICT_UNPAIRED where it does not take the model. */
verdict peer_check(const random_case *c, char *why);

#endif
