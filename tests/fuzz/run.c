/* Runs of plans and reads of data, with what they give looked at. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

enum { MOST_ELEMENTS = 1 << 18, MOST_CONTEXT = 64 << 20, MOST_READ = 20 };

static void run_fill(const tare_tensor *const t, uint64_t *const state) {
  static const float floats[] = {NAN,   INFINITY, -INFINITY, 1e38f, -1e38f, 1e-40f,
                                 -0.0f, 127.5f,   3e9f,      -3e9f, 1e19f,  0};
  static const int64_t integers[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1, 0, 1, 1 << 30};
  const bool wild = fuzz_random(state, 4) == 0;
  const int64_t n = tare_tensor_count(t);
  const size_t size = tare_dtype_size(t->dtype);
  for (int64_t i = 0; i < n; i++) {
    char *const to = (char *)t->data + (size_t)i * size;
    const uint32_t r = fuzz_random(state, 1 << 30);
    const float f = wild ? floats[r % 12] : (float)r / (1 << 28) - 2;
    const double d = f;
    const int64_t x = wild ? integers[r % 8] : (int64_t)(r % 19) - 9;
    const uint8_t b = t->dtype == TARE_BOOL ? r & 1 : (uint8_t)r;
    switch (t->dtype) {
      case TARE_F32:
        memcpy(to, &f, 4);
        break;
      case TARE_F64:
        memcpy(to, &d, 8);
        break;
      case TARE_BOOL:
      case TARE_I8:
      case TARE_U8:
        *to = (char)b;
        break;
      default:
        memcpy(to, &x, size);
    }
  }
}

/* What reading gives must be there to its last byte. */
static void run_look(const tare_tensor *const t) {
  const int64_t n = tare_tensor_count(t);
  if (n < 0) {
    abort();
  }
  const size_t bytes = (size_t)n * tare_dtype_size(t->dtype);
  static volatile uint8_t seen; /* so that no read is left out */
  for (size_t i = 0; i < bytes; i++) {
    seen = ((const uint8_t *)t->data)[i];
  }
  (void)seen;
}

static int64_t run_symbol(const tare_profiles *const profiles, const int64_t *const values,
                          const char *const symbol) {
  for (int i = 0; i < tare_profiles_n_symbols(profiles); i++) {
    if (strcmp(tare_profiles_symbol(profiles, i), symbol) == 0) {
      return values[i];
    }
  }
  return 1;
}

/* false: it would be too large. */
static bool run_make_input(const tare_port *const port, const tare_profiles *const profiles,
                           const int64_t *const values, uint64_t *const state,
                           tare_tensor *const t) {
  *t = (tare_tensor){.dtype = port->dtype, .rank = port->rank};
  for (int d = 0; d < port->rank; d++) {
    t->dims[d] = port->dims[d].symbol ? run_symbol(profiles, values, port->dims[d].symbol)
                                      : port->dims[d].value;
  }
  const int64_t n = tare_tensor_count(t);
  if (n < 0 || n > MOST_ELEMENTS) {
    return false;
  }
  t->data = malloc((size_t)n * tare_dtype_size(t->dtype) + (n == 0));
  run_fill(t, state);
  return t->data != NULL;
}

static void run_once(const tare_plan *const plan, tare_context *const context,
                     uint64_t *const state) {
  const tare_profiles *const profiles = tare_plan_profiles(plan);
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  for (int i = 0; i < tare_profiles_n_symbols(profiles); i++) {
    const tare_range range = tare_profiles_range(profiles, 0, i);
    const int64_t span = range.max - range.min;
    values[i] = range.min + fuzz_random(state, (uint32_t)(span < 6 ? span : 6) + 1);
  }
  const tare_port *in, *out;
  const int n_in = tare_plan_inputs(plan, &in), n_out = tare_plan_outputs(plan, &out);
  tare_tensor *const inputs = calloc((size_t)n_in + 1, sizeof *inputs);
  tare_tensor *const outputs = calloc((size_t)n_out + 1, sizeof *outputs);
  bool ok = inputs && outputs;
  for (int i = 0; ok && i < n_in; i++) {
    ok = run_make_input(&in[i], profiles, values, state, &inputs[i]);
  }
  tare_error err = {0};
  if (ok && fuzz_ok(tare_context_run(context, inputs, outputs, &err), &err)) {
    for (int i = 0; i < n_out; i++) {
      run_look(&outputs[i]);
    }
  }
  for (int i = 0; inputs && i < n_in; i++) {
    free(inputs[i].data);
  }
  free(inputs);
  free(outputs);
}

void fuzz_run_plan(const tare_plan *const plan, const uint64_t seed) {
  if (tare_plan_context_bytes(plan) > MOST_CONTEXT) {
    return;
  }
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = seed % 8 == 0 ? 2 : 1;
  tare_context *context = NULL;
  tare_error err = {0};
  if (fuzz_ok(tare_context_new(plan, &options, &context, &err), &err)) {
    uint64_t state = seed | 1;
    run_once(plan, context, &state);
    run_once(plan, context, &state);
  }
  tare_context_free(&context);
}

void fuzz_read_data(const char *const path, tare_dataset_options *const options,
                    const uint64_t choices) {
  options->threads = 1;
  options->limits = fuzz_limits();
  options->skip_bad = choices & 1;
  tare_dataset *data = NULL;
  tare_error err = {0};
  if (!fuzz_ok(tare_dataset_open(&path, 1, options, &data, &err), &err)) {
    return;
  }
  const tare_sample *sample = NULL;
  for (int i = 0; i < MOST_READ; i++) {
    if (!fuzz_ok(tare_dataset_next(data, &sample, &err), &err) || !sample) {
      break;
    }
    for (int t = 0; t < options->n_inputs; t++) {
      run_look(&sample->tensors[t]);
    }
    if (sample->label) {
      run_look(sample->label);
    }
  }
  for (int64_t i = 0; i < tare_dataset_n_bad(data) && i < MOST_READ; i++) {
    (void)strlen(tare_dataset_bad(data, i));
  }
  tare_dataset_close(&data);
}
