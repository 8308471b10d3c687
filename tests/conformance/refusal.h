/* What a model that cannot be taken must be told: soon, and all of it. */
#ifndef TAREI_TESTS_CONFORMANCE_REFUSAL_H
#define TAREI_TESTS_CONFORMANCE_REFUSAL_H

#include "conformance/engine.h"

/* Loads a model and looks at how it is refused, where it is: within a second, with the exit code of
 * bad models or files, by a sentence that names every operator that stands in the way. PASSED when
 * it loads, FAILED when the refusal is not as it should be. */
outcome try_load(const char *path, char *why, size_t size);

#endif
