/* Plan files that are truncated, corrupt or hostile, and plans that would be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <xxhash.h>

#include "engine/file/graph_file.h"
#include "engine/file/plan_version.h"
#include "engine/plan.h"
#include "unit/plans/support/digits.h"

static uint8_t *read_file(const char *const path, size_t *const n) {
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *n = (size_t)ftell(file);
  rewind(file);
  uint8_t *const data = malloc(*n);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *n, file), *n);
  fclose(file);
  return data;
}

static void write_file(const char *const path, const uint8_t *const data, const size_t n) {
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  fclose(file);
}

static void refuse(const char *const path, const uint8_t *const data, const size_t n,
                   const char *const sentence) {
  tare_plan *plan = NULL;
  write_file(path, data, n);
  assert_int_equal(tare_plan_load(path, &plan, &digits_error), TARE_E_INPUT);
  assert_null(plan);
  if (!strstr(digits_error.message, sentence)) {
    fail_msg("'%s' does not say '%s'", digits_error.message, sentence);
  }
}

static void damaged_files_are_refused(void **state) {
  const digits *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = digits_build(f, f->table, NULL);
  DIGITS_OK(tare_plan_save(plan, path, &digits_error));
  tare_plan_free(&plan);
  size_t n;
  uint8_t *const data = read_file(path, &n);
  refuse(path, data, 0, "not a plan file");
  refuse(path, (const uint8_t *)"TAREPLAN", 8, "truncated");
  refuse(path, data, 63, "truncated");
  refuse(path, data, 64, "truncated");
  refuse(path, data, n - 1, "truncated");
  refuse(path, data, n / 2, "truncated");
  data[n / 2] ^= 1;
  refuse(path, data, n, "checksum");
  data[n / 2] ^= 1;
  data[0] ^= 1;
  refuse(path, data, n, "not a plan file");
  data[0] ^= 1;
  char sentence[100];
  snprintf(sentence, sizeof sentence, "plan format version 7.0, expected %u: build the plan again",
           TAREI_PLAN_MAJOR);
  data[8] = 7; /* which had no weight scales */
  refuse(path, data, n, sentence);
  snprintf(sentence, sizeof sentence, "version %u", TAREI_PLAN_MAJOR + 1);
  data[8] = (uint8_t)(TAREI_PLAN_MAJOR + 1);
  refuse(path, data, n, sentence);
  unlink(path);
  assert_int_equal(tare_plan_load(path, &plan, &digits_error), TARE_E_INPUT);
  free(data);
}

/* Sets both checksums of a plan file's header. */
static void sign(uint8_t *const data, const size_t n) {
  uint64_t meta;
  memcpy(&meta, data + 24, sizeof meta);
  const uint64_t sums[] = {XXH64(data + 64, n - 64, 0), XXH64(data + 64, meta, 0)};
  memcpy(data + 32, sums, sizeof sums);
}

/* The place of a block in the meta section of a file, which says its offset and its size. */
static uint8_t *find_block(uint8_t *const data, const uint64_t offset, const uint64_t size) {
  const uint64_t place[] = {offset, size};
  uint64_t meta;
  memcpy(&meta, data + 24, sizeof meta);
  uint8_t *const found = memmem(data + 64, meta, place, sizeof place);
  assert_non_null(found);
  return found;
}

static void blocks_end_with_the_file(void **state) {
  const digits *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = digits_build(f, f->table, NULL);
  DIGITS_OK(tare_plan_save(plan, path, &digits_error));
  const uint64_t size = plan->blobs.buffers[0]->size;
  tare_plan_free(&plan);
  size_t n;
  uint64_t meta;
  uint8_t *const data = read_file(path, &n), *const first = find_block(data, 0, size);
  memcpy(&meta, data + 24, sizeof meta);
  const uint64_t room = n - 64 - meta, offset = room - (size + 63) / 64 * 64;
  memcpy(first, &offset, sizeof offset);
  sign(data, n);
  write_file(path, data, n);
  DIGITS_OK(tare_plan_load(path, &plan, &digits_error));
  tare_plan_free(&plan);
  memcpy(first, &(uint64_t){offset + 64}, sizeof offset);
  sign(data, n);
  refuse(path, data, n, "the table of data blocks is malformed");
  free(data);
  unlink(path);
}

/* The section of a graph names its constants by their numbers. */
static void constants_that_are_missing_are_refused(void **state) {
  const digits *const f = *state;
  tare_plan *plan = digits_build(f, NULL, NULL);
  tarei_blobs constants = {0};
  tarei_writer w = {0};
  tarei_graph *graph = NULL;
  tarei_graph_put(&w, &plan->root, &constants);
  assert_false(w.failed);
  assert_true(constants.n > 0);
  tarei_reader r = {.data = w.data, .n = w.n};
  DIGITS_OK(tarei_graph_get(&r, &constants, &plan->root.graph->limits, &graph, &digits_error));
  tarei_graph_free(graph);
  constants.n--;
  r = (tarei_reader){.data = w.data, .n = w.n};
  assert_int_equal(
      tarei_graph_get(&r, &constants, &plan->root.graph->limits, &graph, &digits_error),
      TARE_E_INPUT);
  assert_non_null(strstr(digits_error.message, "malformed at values"));
  free(constants.buffers); /* the buffers themselves belong to the graph */
  tarei_writer_fini(&w);
  tare_plan_free(&plan);
}

/* Weights of large files are not read when they are loaded: their damage is found by a check. */
static void large_files_are_checked_when_asked(void **state) {
  enum { MORE = 17 << 20 };
  const digits *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = digits_build(f, f->table, NULL);
  DIGITS_OK(tare_plan_save(plan, path, &digits_error));
  tare_plan_free(&plan);
  DIGITS_OK(tare_plan_check_file(path, &digits_error));
  size_t n;
  uint8_t *const small = read_file(path, &n), *const data = calloc(1, n + MORE);
  assert_non_null(data);
  memcpy(data, small, n);
  memcpy(data + 16, &(uint64_t){n + MORE}, sizeof(uint64_t));
  sign(data, n + MORE);
  write_file(path, data, n + MORE);
  DIGITS_OK(tare_plan_check_file(path, &digits_error));
  data[n + MORE / 2] ^= 1;
  write_file(path, data, n + MORE);
  DIGITS_OK(tare_plan_load(path, &plan, &digits_error));
  tare_plan_free(&plan);
  assert_int_equal(tare_plan_check_file(path, &digits_error), TARE_E_INPUT);
  assert_non_null(strstr(digits_error.message, "checksum"));
  data[100] ^= 1; /* of the meta section */
  refuse(path, data, n + MORE, "checksum");
  unlink(path);
  assert_int_equal(tare_plan_check_file(path, &digits_error), TARE_E_INPUT);
  free(small);
  free(data);
}

/* A hostile file has a right checksum: every field must be checked by itself. */
static void load_changed(const char *const path, const uint64_t first_seed) {
  size_t n;
  uint8_t *const data = read_file(path, &n);
  uint64_t meta, seed = first_seed;
  memcpy(&meta, data + 24, sizeof meta);
  print_message("seed %llu\n", (unsigned long long)seed);
  int loaded = 0;
  for (int round = 0; round < 400; round++) {
    uint8_t *const copy = malloc(n);
    assert_non_null(copy);
    memcpy(copy, data, n);
    for (int k = 0; k < 1 + round % 3; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      copy[64 + (seed >> 20) % meta] = (uint8_t)(seed >> 56);
    }
    sign(copy, n);
    write_file(path, copy, n);
    tare_plan *plan = NULL;
    if (tare_plan_load(path, &plan, &digits_error) == TARE_OK) {
      loaded++;
      tare_plan_free(&plan);
    } else {
      assert_true(strlen(digits_error.message) > 0);
    }
    free(copy);
  }
  print_message("%d of 400 changed files still loaded\n", loaded);
  free(data);
  unlink(path);
}

static void a_plan_that_does_not_load_back_is_not_written(void **state) {
  const digits *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = digits_build(f, f->table, NULL);
  plan->blobs.n--; /* the last layer finds no weights */
  assert_int_equal(tare_plan_save(plan, path, &digits_error), TARE_E_UNSUPPORTED);
  assert_non_null(strstr(digits_error.message, "not written: the plan fails to load back: "));
  assert_non_null(strstr(digits_error.message, "packed block"));
  plan->blobs.n++;
  assert_int_not_equal(access(path, F_OK), 0);
  DIGITS_OK(tare_plan_save(plan, path, &digits_error));
  tare_plan_free(&plan);
  unlink(path);
}

static void hostile_files_never_crash(void **state) {
  const digits *const f = *state;
  char path[100];
  snprintf(path, sizeof path, "%s/x.plan", f->folder);
  tare_plan *plan = digits_build(f, f->table, NULL);
  DIGITS_OK(tare_plan_save(plan, path, &digits_error));
  tare_plan_free(&plan);
  load_changed(path, 20261120);
}

static void hostile_bodies_never_crash(void **state) {
  const digits *const f = *state;
  static const struct {
    const char *model, *profile;
  } cases[] = {{"good_if", "batch=1:2:8"}, {"good_loop", "batch=1:2:8"}, {"good_scan", "n=1:2:8"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[256];
    tare_model *model = NULL;
    tare_profiles *profiles = NULL;
    tare_plan *plan = NULL;
    const tare_port *ports;
    snprintf(path, sizeof path, TARE_SOURCE_DIR "/tests/fixtures/onnx/%s.onnx", cases[i].model);
    DIGITS_OK(tare_model_load(path, &model, &digits_error));
    const int n = tare_model_inputs(model, &ports);
    DIGITS_OK(tare_profiles_new(ports, n, &profiles, &digits_error));
    DIGITS_OK(tare_profiles_add(profiles, cases[i].profile, &digits_error));
    DIGITS_OK(tare_plan_build(model, profiles, NULL, &plan, &digits_error));
    snprintf(path, sizeof path, "%s/x.plan", f->folder);
    DIGITS_OK(tare_plan_save(plan, path, &digits_error));
    tare_plan_free(&plan);
    tare_profiles_free(&profiles);
    tare_model_free(&model);
    load_changed(path, 20261121 + i);
  }
}

int damage_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_that_does_not_load_back_is_not_written),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(large_files_are_checked_when_asked),
      cmocka_unit_test(blocks_end_with_the_file),
      cmocka_unit_test(constants_that_are_missing_are_refused),
      cmocka_unit_test(hostile_files_never_crash),
      cmocka_unit_test(hostile_bodies_never_crash),
  };
  return cmocka_run_group_tests_name("plans.damage", tests, digits_setup, digits_teardown);
}
