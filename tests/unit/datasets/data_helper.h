/* What the tests of data sets share: a scratch folder, ports, and reading to the end. */
#ifndef TAREI_TESTS_UNIT_DATASETS_DATA_HELPER_H
#define TAREI_TESTS_UNIT_DATASETS_DATA_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <tare/dataset.h>

#define SHARED(path) TARE_SHARED_DIR "/" path
#define NEED_SHARED(path)                      \
  do {                                         \
    if (access(SHARED(path), R_OK) != 0) {     \
      print_message("skipped: no %s\n", path); \
      skip();                                  \
    }                                          \
  } while (0)

enum { PATH_CAPACITY = 512 };

/* A folder that teardown empties and removes; the tests write nowhere else. */
static char scratch[PATH_CAPACITY / 2];

static inline int make_scratch(void **state) {
  (void)state;
  const char *const root = getenv("TMPDIR");
  snprintf(scratch, sizeof scratch, "%s/tare-data-XXXXXX", root ? root : "/tmp");
  return mkdtemp(scratch) ? 0 : -1;
}

static inline int remove_scratch(void **state) {
  (void)state;
  char command[PATH_CAPACITY];
  snprintf(command, sizeof command, "rm -rf '%s'", scratch);
  return system(command);
}

/* Path below the scratch folder; four of them are valid at a time. */
static inline const char *at(const char *const name) {
  static char paths[4][PATH_CAPACITY];
  static int next;
  char *const path = paths[next++ % 4];
  snprintf(path, PATH_CAPACITY, "%s/%s", scratch, name);
  return path;
}

/* A port with a symbol in each dim. */
static inline tare_port port(const char *const name, const tare_dtype dtype, const int rank) {
  tare_port p = {.name = name, .dtype = dtype, .rank = rank};
  static const char *const SYMBOLS[] = {"batch", "length", "c", "d"};
  for (int d = 0; d < rank; d++) {
    p.dims[d] = (tare_dim){-1, SYMBOLS[d]};
  }
  return p;
}

static inline tare_dataset_options options_for(const tare_port *const ports, const int n) {
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = ports;
  options.n_inputs = n;
  return options;
}

/* Limits that differ from the defaults in max-elements, valid until the next call. */
static inline const tare_limits *elements_limit(const int64_t elements) {
  static tare_limits limits;
  tare_limits_init(&limits);
  limits.elements = elements;
  return &limits;
}

static inline tare_dataset *open_data(const char *const path,
                                      const tare_dataset_options *const options) {
  tare_dataset *data = NULL;
  tare_error err = {0};
  const tare_status status = tare_dataset_open(&path, 1, options, &data, &err);
  if (status != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return data;
}

static inline const tare_sample *next_sample(tare_dataset *const data) {
  const tare_sample *sample = NULL;
  tare_error err = {0};
  if (tare_dataset_next(data, &sample, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return sample;
}

static inline void assert_contains(const char *const text, const char *const part) {
  if (!strstr(text, part)) {
    fail_msg("'%s' does not contain '%s'", text, part);
  }
}

/* Opening must fail with this status and a message that contains `part`. */
static inline void refuse_open(const char *const path, const tare_dataset_options *const options,
                               const tare_status status, const char *const part) {
  tare_dataset *data = NULL;
  tare_error err = {0};
  const tare_status got = tare_dataset_open(&path, 1, options, &data, &err);
  tare_dataset_close(&data);
  if (got != status) {
    fail_msg("%s: status %s instead of %s (%s)", path, tare_status_name(got),
             tare_status_name(status), err.message);
  }
  assert_contains(err.message, part);
}

/* Sample 0.. `good` - 1 are read, then next must fail as a bad sample naming `part`; with skip_bad
 * the same data gives exactly `bad` messages. */
static inline void refuse_sample(const char *const path, tare_dataset_options options,
                                 const int good, const int bad, const char *const part) {
  tare_dataset *data = open_data(path, &options);
  for (int i = 0; i < good; i++) {
    assert_non_null(next_sample(data));
  }
  const tare_sample *sample = NULL;
  tare_error err = {0};
  assert_int_equal(tare_dataset_next(data, &sample, &err), TARE_E_INPUT);
  assert_null(sample);
  assert_contains(err.message, part);
  tare_dataset_close(&data);
  options.skip_bad = true;
  data = open_data(path, &options);
  int64_t n = 0;
  while (next_sample(data)) {
    n++;
  }
  assert_int_equal(tare_dataset_n_bad(data), bad);
  assert_int_equal(n + bad, tare_dataset_count(data));
  assert_contains(tare_dataset_bad(data, 0), part);
  tare_dataset_close(&data);
}

#endif
