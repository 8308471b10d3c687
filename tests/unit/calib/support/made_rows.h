/* Rows made up for the layers of an example. */
#ifndef TAREI_TESTS_UNIT_CALIB_SUPPORT_MADE_ROWS_H
#define TAREI_TESTS_UNIT_CALIB_SUPPORT_MADE_ROWS_H

#include <math.h>
#include <stdlib.h>
#include <tare/model.h>

#include "calib/gram_rows.h"

#define MADE_ROWS_MODEL TARE_SOURCE_DIR "/examples/digits-conv/digits-conv.onnx"
#define MADE_ROWS_PROFILE "samples=1600:16000:24000"

enum { ROWS = 256, SHARED = 3 /* patterns that all rows are made of */ };

typedef struct made_rows {
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan;
  tarei_kernels kernels;
  tarei_grams grams;
  uint8_t **rows; /* per reader */
} made_rows;

static uint32_t made_rows_random = 1;

static inline double made_rows_unit(void) {
  made_rows_random = made_rows_random * 1664525 + 1013904223;
  return (double)(made_rows_random >> 8) / (1 << 24) * 2 - 1;
}

/* Rows of few patterns and some noise, as those of networks are. */
static inline uint8_t *made_rows_of(const int64_t k) {
  uint8_t *const rows = malloc((size_t)(ROWS * k));
  double *const patterns = malloc((size_t)(SHARED * k) * sizeof *patterns);
  assert_true(rows && patterns);
  for (int64_t i = 0; i < SHARED * k; i++) {
    patterns[i] = made_rows_unit();
  }
  for (int64_t r = 0; r < ROWS; r++) {
    const double by[SHARED] = {made_rows_unit(), made_rows_unit(), made_rows_unit()};
    for (int64_t i = 0; i < k; i++) {
      double x = made_rows_unit() * 0.2;
      for (int p = 0; p < SHARED; p++) {
        x += by[p] * patterns[p * k + i];
      }
      rows[r * k + i] = (uint8_t)(TAREI_GRAM_MIDDLE + rint(x * 38));
    }
  }
  free(patterns);
  return rows;
}

static inline void made_rows_fill(made_rows *const s) {
  tarei_gram_work work;
  assert_int_equal(tarei_gram_work_init(&work, NULL), TARE_OK);
  s->rows = calloc((size_t)s->grams.n, sizeof *s->rows);
  for (int i = 0; i < s->grams.n; i++) {
    if (s->grams.all[i].sums) {
      s->rows[i] = made_rows_of(s->grams.all[i].k);
      tarei_gram_add(&s->grams.all[i], s->rows[i], ROWS, &work, &s->kernels);
    }
  }
  tarei_gram_work_fini(&work);
}

static inline made_rows made_rows_open(void) {
  made_rows s = {0};
  tare_error err = {0};
  const tare_port *ports = NULL;
  tare_build_options build;
  tare_build_options_init(&build);
  build.int8_when_small = true;
  assert_int_equal(tare_model_load(MADE_ROWS_MODEL, &s.model, &err), TARE_OK);
  const int n = tare_model_inputs(s.model, &ports);
  assert_int_equal(tare_profiles_new(ports, n, &s.profiles, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(s.profiles, MADE_ROWS_PROFILE, &err), TARE_OK);
  assert_int_equal(tare_plan_build(s.model, s.profiles, &build, &s.plan, &err), TARE_OK);
  tarei_kernels_select(TAREI_ISA_ALL, &s.kernels);
  assert_int_equal(tarei_plan_find_readers(s.plan, &err), TARE_OK);
  assert_int_equal(tarei_grams_init(&s.grams, s.plan, false, &err), TARE_OK);
  made_rows_fill(&s);
  return s;
}

static inline void made_rows_close(made_rows *const s) {
  for (int i = 0; i < s->grams.n; i++) {
    free(s->rows[i]);
  }
  free(s->rows);
  tarei_grams_fini(&s->grams);
  tare_plan_free(&s->plan);
  tare_profiles_free(&s->profiles);
  tare_model_free(&s->model);
}

#endif
