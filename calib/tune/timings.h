/*
 * Times of layers that were measured, by what they depend on: the machine, and what the layer does
 * (engine/layers/layer_work.c). Of two times of the same thing the shorter one is kept, so that
 * merging gives the same in any order.
 */
#ifndef TAREI_CALIB_TUNE_TIMINGS_H
#define TAREI_CALIB_TUNE_TIMINGS_H

#include <tare/tune.h>

#include "base/names.h"
#include "base/source.h"
#include "base/str.h"

/* What all times of a section depend on. */
typedef struct tarei_timing_machine {
  char *cpu, *isa; /* e.g. "avx2 avx512"; owned */
  char *version;   /* of the library; owned */
  int threads;
} tarei_timing_machine;

typedef struct tarei_timing {
  char *work; /* owned */
  int64_t nanoseconds;
} tarei_timing;

typedef struct tarei_timing_section {
  tarei_timing_machine machine;
  tarei_timing *items;
  int n;
  size_t cap;
  tarei_names names; /* of the items */
} tarei_timing_section;

struct tare_timings {
  tarei_timing_section *sections;
  int n;
  size_t cap;
};

/* The machine that this process runs on with these kernels (a mask of tarei_isa) and threads, 0 for
 * all cores. Free it with _fini. */
tare_status tarei_timing_machine_init(tarei_timing_machine *machine, unsigned isa, int threads,
                                      tare_error *err);
void tarei_timing_machine_fini(tarei_timing_machine *machine);

/* The number of the section of a machine, which is copied if there is none yet. */
tare_status tarei_timings_section(tare_timings *timings, const tarei_timing_machine *machine,
                                  int *out, tare_error *err);

/* -1: not known. */
int64_t tarei_timing_find(const tarei_timing_section *section, const char *work);
tare_status tarei_timing_add(tarei_timing_section *section, const char *work, int64_t nanoseconds,
                             tare_error *err);

/* Adds what a file holds; what was read before an error stays. */
tare_status tarei_timings_read_source(tare_timings *timings, const tarei_source *source,
                                      tare_error *err);
void tarei_timings_put(const tare_timings *timings, tarei_str *json);

#endif
