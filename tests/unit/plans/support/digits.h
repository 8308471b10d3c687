/* The shipped audio example with profiles and a table, for tests of plans. */
#ifndef TAREI_TESTS_UNIT_PLANS_SUPPORT_DIGITS_H
#define TAREI_TESTS_UNIT_PLANS_SUPPORT_DIGITS_H

#include <stdbool.h>
#include <tare/tare.h>

typedef struct digits {
  tare_model *model;
  tare_profiles *one, *two; /* one profile; the same range cut in two */
  tare_table *table;        /* min-max, merged */
  char folder[64];          /* for files, which tests remove */
} digits;

/* What calls of tests report to. */
extern tare_error digits_error;

#define DIGITS_OK(call)                                \
  do {                                                 \
    if ((call) != TARE_OK) {                           \
      fail_msg("%s: %s", #call, digits_error.message); \
    }                                                  \
  } while (0)

/* For a group of tests, whose state is a digits. */
int digits_setup(void **state);
int digits_teardown(void **state);

/* Profiles of a model; `b` may be NULL. */
tare_profiles *digits_profiles(const tare_model *model, const char *a, const char *b);

/* A table of the first samples. */
tare_table *digits_calibrate(const tare_model *model, const tare_profiles *profiles,
                             bool per_profile);

/* A plan of the first profile; without a table in float. `isa` may be NULL. */
tare_plan *digits_build(const digits *d, const tare_table *table, const char *isa);

#endif
