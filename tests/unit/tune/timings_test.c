/* Timing caches: what is kept of times and files, and which files are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calib/tune/timings.h"

static const tarei_timing_machine A = {.cpu = "A", .isa = "avx2", .version = "1", .threads = 2};
static const tarei_timing_machine B = {.cpu = "B", .isa = "avx2", .version = "1", .threads = 2};

static tare_timings *timings_new(void) {
  tare_timings *t = NULL;
  assert_int_equal(tare_timings_new(&t, NULL), TARE_OK);
  return t;
}

static void add(tare_timings *const t, const tarei_timing_machine *const machine,
                const char *const work, const int64_t nanoseconds) {
  int section = -1;
  assert_int_equal(tarei_timings_section(t, machine, &section, NULL), TARE_OK);
  assert_int_equal(tarei_timing_add(&t->sections[section], work, nanoseconds, NULL), TARE_OK);
}

static int64_t find(tare_timings *const t, const tarei_timing_machine *const machine,
                    const char *const work) {
  int section = -1;
  assert_int_equal(tarei_timings_section(t, machine, &section, NULL), TARE_OK);
  return tarei_timing_find(&t->sections[section], work);
}

static tare_status read_text(tare_timings *const t, const char *const text, tare_error *const err) {
  tarei_source source;
  assert_int_equal(tarei_source_memory("x.timings", text, strlen(text), &source, NULL), TARE_OK);
  const tare_status status = tarei_timings_read_source(t, &source, err);
  tarei_source_close(&source);
  return status;
}

static void the_shorter_time_is_kept(void **state) {
  (void)state;
  tare_timings *t = timings_new();
  assert_int_equal(find(t, &A, "conv"), -1);
  add(t, &A, "conv", 30);
  add(t, &A, "conv", 10);
  add(t, &A, "conv", 20);
  add(t, &B, "conv", 5);
  assert_int_equal(find(t, &A, "conv"), 10);
  assert_int_equal(find(t, &B, "conv"), 5);
  assert_int_equal(find(t, &B, "gemm"), -1);
  tare_timings_free(&t);
  assert_null(t);
}

/* Sections stay in the order of the file; layers are sorted. */
static void files_keep_everything(void **state) {
  (void)state;
  tare_timings *t = timings_new(), *again = timings_new();
  tarei_str first = {0}, second = {0};
  char work[64];
  for (int i = 0; i < 100; i++) {
    (void)snprintf(work, sizeof work, "conv \"%d\"\n", i * 37 % 100);
    add(t, i % 2 ? &A : &B, work, i ? i * INT64_C(1000003) : 0);
  }
  tarei_timings_put(t, &first);
  assert_int_equal(read_text(again, tarei_str_get(&first), NULL), TARE_OK);
  tarei_timings_put(again, &second);
  assert_string_equal(tarei_str_get(&first), tarei_str_get(&second));
  tarei_str_free(&first);
  tarei_str_free(&second);
  tare_timings_free(&t);
  tare_timings_free(&again);
}

#define HEAD "{\"format\": \"tare.timings\", \"version\": 1, \"machines\": ["
#define MACHINE "{\"cpu\": \"A\", \"isa\": \"avx2\", \"tare\": \"1\", \"threads\": 2, \"layers\": "

static void malformed_files_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } FILES[] = {
      {"", "x.timings line 1: not valid JSON, or truncated"},
      {HEAD "\n" MACHINE "{\"conv\": 12", "x.timings line 2: not valid JSON, or truncated"},
      {HEAD "]} x", "x.timings line 1: text after the end of the JSON object"},
      {"[]", "x.timings: 'format' is missing"},
      {"{\"format\": \"tare.calib\"}",
       "x.timings: 'format' is 'tare.calib', expected 'tare.timings'"},
      {"{\"format\": \"tare.timings\", \"version\": 2}",
       "x.timings: tare.timings version 2 is not supported: expected 1"},
      {"{\"format\": \"tare.timings\", \"version\": 1}", "x.timings: 'machines' is missing"},
      {"{\"format\": \"tare.timings\", \"version\": 1, \"machines\": {}}",
       "x.timings: 'machines' must be an array"},
      {HEAD "3]}", "x.timings: machine 1: 'cpu' is missing"},
      {HEAD "{\"cpu\": 3}]}", "x.timings: machine 1: 'cpu' must be a string"},
      {HEAD "{\"cpu\": \"A\", \"isa\": \"\", \"tare\": \"1\", \"threads\": 0, \"layers\": {}}]}",
       "x.timings: machine 1: 'threads' must be an integer from 1 to 65536"},
      {HEAD "{\"cpu\": \"A\", \"isa\": \"\", \"tare\": \"1\", \"threads\": 1e12, \"layers\": {}}]}",
       "x.timings: machine 1: 'threads' must be an integer from 1 to 65536"},
      {HEAD MACHINE "[]}]}", "x.timings: machine 1: 'layers' must be an object"},
      {HEAD MACHINE "{}}, " MACHINE "{\"conv\": -1}}]}",
       "x.timings: machine 2: 'conv' must be an integer from 0 to 2^53"},
      {HEAD MACHINE "{\"conv\": 1e300}}]}",
       "x.timings: machine 1: 'conv' must be an integer from 0 to 2^53"},
      {HEAD MACHINE "{\"conv\": \"fast\"}}]}",
       "x.timings: machine 1: 'conv' must be an integer from 0 to 2^53"}};
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    tare_timings *t = timings_new();
    tare_error err = {0};
    assert_int_equal(read_text(t, FILES[i].text, &err), TARE_E_INPUT);
    assert_string_equal(err.message, FILES[i].message);
    tare_timings_free(&t);
  }
}

/* Every prefix of a file, and the file with any byte replaced, is read or refused. */
static void damaged_files_never_crash(void **state) {
  (void)state;
  static const char WHOLE[] = HEAD MACHINE "{\"conv\": 12, \"gemm\": 3}}, " MACHINE "{}}]}";
  char text[sizeof WHOLE];
  for (size_t i = 0; i < sizeof WHOLE - 1; i++) {
    for (const char *byte = "\x01\"{[,9"; *byte; byte++) {
      tare_timings *t = timings_new();
      memcpy(text, WHOLE, sizeof WHOLE);
      text[i] = *byte;
      (void)read_text(t, text, NULL);
      text[i] = '\0';
      assert_int_equal(read_text(t, text, NULL), TARE_E_INPUT);
      tare_timings_free(&t);
    }
  }
}

/* Each process adds one time to the same file; none is lost. */
static void writers_do_not_lose_times(void **state) {
  (void)state;
  enum { WRITERS = 8 };
  char folder[] = "/tmp/tare_timings_XXXXXX", path[64], work[16];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/x.timings", folder);
  for (int i = 0; i < WRITERS; i++) {
    if (fork() == 0) {
      tare_timings *t = timings_new();
      (void)snprintf(work, sizeof work, "conv %d", i);
      add(t, &A, work, i);
      add(t, &A, "all", 100 + i);
      const tare_status status = tare_timings_save(t, path, NULL);
      tare_timings_free(&t);
      _exit(status);
    }
  }
  for (int i = 0, how = 0; i < WRITERS; i++) {
    assert_true(wait(&how) > 0);
    assert_int_equal(how, 0);
  }
  tare_timings *t = timings_new();
  assert_int_equal(tare_timings_read(t, path, NULL), TARE_OK);
  for (int i = 0; i < WRITERS; i++) {
    (void)snprintf(work, sizeof work, "conv %d", i);
    assert_int_equal(find(t, &A, work), i);
  }
  assert_int_equal(find(t, &A, "all"), 100);
  tare_timings_free(&t);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* A file that is no cache is not overwritten. */
static void other_files_stay(void **state) {
  (void)state;
  char path[] = "/tmp/tare_timings_XXXXXX", text[8] = "";
  const int fd = mkstemp(path);
  tare_error err = {0};
  assert_int_equal(write(fd, "notes", 5), 5);
  tare_timings *t = timings_new();
  add(t, &A, "conv", 1);
  assert_int_equal(tare_timings_save(t, path, &err), TARE_E_INPUT);
  assert_int_equal(pread(fd, text, sizeof text, 0), 5);
  assert_string_equal(text, "notes");
  tare_timings_free(&t);
  assert_int_equal(close(fd), 0);
  assert_int_equal(unlink(path), 0);
}

static void other_machines_are_told(void **state) {
  (void)state;
  tarei_timing_machine here, other;
  tare_timings *t = timings_new();
  tare_error err = {0};
  assert_int_equal(tare_timings_check(t, NULL, 3, &err), TARE_OK);
  assert_int_equal(tarei_timing_machine_init(&here, ~0u, 3, NULL), TARE_OK);
  other = here;
  other.threads = 4;
  add(t, &other, "conv", 1);
  assert_int_equal(tare_timings_check(t, NULL, 3, &err), TARE_E_CHECK);
  assert_string_equal(err.message, "its times were measured with 4 threads, this is 3");
  other.cpu = (char *)"Z80";
  add(t, &other, "conv", 1);
  assert_int_equal(tare_timings_check(t, NULL, 3, &err), TARE_E_CHECK);
  assert_non_null(strstr(err.message, "its times were measured on CPU 'Z80', this is '"));
  add(t, &here, "conv", 1);
  assert_int_equal(tare_timings_check(t, NULL, 3, &err), TARE_OK);
  assert_int_equal(tare_timings_check(t, "z80", 3, &err), TARE_E_USAGE);
  tarei_timing_machine_fini(&here);
  tare_timings_free(&t);
}

int timings_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_shorter_time_is_kept),    cmocka_unit_test(files_keep_everything),
      cmocka_unit_test(malformed_files_are_refused), cmocka_unit_test(damaged_files_never_crash),
      cmocka_unit_test(writers_do_not_lose_times),   cmocka_unit_test(other_files_stay),
      cmocka_unit_test(other_machines_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
