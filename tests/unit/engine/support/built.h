/* Plans of models, built in one call. */
#ifndef TAREI_TESTS_UNIT_ENGINE_SUPPORT_BUILT_H
#define TAREI_TESTS_UNIT_ENGINE_SUPPORT_BUILT_H

#include <tare/plan.h>

/* The float plan of a model, or that of a quantized one, with one profile; fails the test with the
 * message. */
tare_plan *built_plan(const char *path, const char *profile);

#endif
