/* Limits, the sentences that name them, and files that are never waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/infile.h"
#include "base/limits.h"
#include "base/machine.h"
#include "base/names.h"

static void defaults_are_within_their_rows(void **state) {
  (void)state;
  tare_limits limits;
  tare_limits_init(&limits);
  assert_int_equal(tarei_limits_check(&limits, NULL), TARE_OK);
  assert_true(limits.memory > 0 && limits.memory <= tarei_machine_memory());
#define TAREI_LIMIT_TEST(field, name, unit, normal, least, most, text) \
  if (normal) {                                                        \
    assert_true(limits.field == (normal));                             \
  }
  TARE_LIMIT_LIST(TAREI_LIMIT_TEST)
#undef TAREI_LIMIT_TEST
}

static void each_limit_is_checked_and_named(void **state) {
  (void)state;
#define TAREI_LIMIT_TEST(field, name, unit, normal, least, most, text) \
  {                                                                    \
    tare_limits limits;                                                \
    tare_error err = {0};                                              \
    tare_limits_init(&limits);                                         \
    limits.field = (least)-1;                                          \
    assert_int_equal(tarei_limits_check(&limits, &err), TARE_E_USAGE); \
    assert_non_null(strstr(err.message, "limit " name ": expected ")); \
  }
  TARE_LIMIT_LIST(TAREI_LIMIT_TEST)
#undef TAREI_LIMIT_TEST
}

static void sentences_name_amount_and_limit(void **state) {
  (void)state;
  tare_limits limits;
  tare_error err = {0};
  tare_limits_init(&limits);
  limits.memory = 2000000000;
  limits.nodes = 10;
  assert_int_equal(
      tarei_fail_limit(&err, &limits, TAREI_LIMIT_memory, 7200000000, "'%s' needs", "x"),
      TARE_E_LIMIT);
  assert_string_equal(err.message, "'x' needs 7.2 GB, more than the 2.0 GB that max-memory allows");
  (void)tarei_fail_limit(&err, &limits, TAREI_LIMIT_memory, -1, "it needs");
  assert_string_equal(err.message, "it needs more than the 2.0 GB that max-memory allows");
  (void)tarei_fail_limit(&err, &limits, TAREI_LIMIT_memory, 2000000001, "it needs");
  assert_string_equal(err.message, "it needs more than the 2.0 GB that max-memory allows");
  (void)tarei_fail_limit(&err, &limits, TAREI_LIMIT_nodes, 11, "the graph has");
  assert_string_equal(err.message,
                      "the graph has 11 nodes, more than the 10 nodes that max-nodes allows");
  limits.nodes = 1;
  (void)tarei_fail_limit(&err, &limits, TAREI_LIMIT_nodes, 2, "the graph has");
  assert_string_equal(err.message,
                      "the graph has 2 nodes, more than the 1 node that max-nodes allows");
}

/* Time asleep does not count; time on the processor does. */
static void deadlines_count_work(void **state) {
  (void)state;
  tare_limits limits;
  tare_error err = {0};
  tare_limits_init(&limits);
  limits.seconds = 1;
  tarei_deadline deadline;
  tarei_deadline_start(&deadline);
  assert_int_equal(tarei_deadline_check(&deadline, &limits, "the run takes", &err), TARE_OK);
  const struct timespec blink = {0, 30000000}, nap = {1, 100000000};
  (void)nanosleep(&blink, NULL);
  assert_int_equal(tarei_deadline_check(&deadline, &limits, "the run takes", &err), TARE_OK);
  (void)nanosleep(&nap, NULL);
  assert_int_equal(tarei_deadline_check(&deadline, &limits, "the run takes", &err), TARE_OK);
  const double start = tarei_thread_seconds();
  while (tarei_deadline_check(&deadline, &limits, "the run takes", &err) == TARE_OK) {
    assert_true(tarei_thread_seconds() < start + 1.5);
  }
  assert_true(tarei_thread_seconds() > start + 0.9);
  assert_string_equal(err.message, "the run takes more than the 1 second that max-seconds allows");
}

static void bytes_are_texts(void **state) {
  (void)state;
  static const struct {
    int64_t bytes;
    const char *text;
  } CASES[] = {{0, "0 B"},           {999, "999 B"},     {1000, "1.0 kB"},
               {999949, "999.9 kB"}, {999950, "1.0 MB"}, {(int64_t)1 << 33, "8.6 GB"},
               {INT64_MAX, "9.2 EB"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char text[TAREI_BYTES_TEXT];
    tarei_bytes_text(CASES[i].bytes, text);
    assert_string_equal(text, CASES[i].text);
  }
}

static char folder[64];

static int make_folder(void **state) {
  (void)state;
  (void)snprintf(folder, sizeof folder, "/tmp/tare-limits-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static void refuse(const char *const path, const char *const kind) {
  int fd;
  tare_error err = {0};
  assert_int_equal(tarei_infile_open(path, &fd, NULL, &err), TARE_E_INPUT);
  if (!strstr(err.message, path) || !strstr(err.message, kind)) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, kind);
  }
  assert_int_equal(tarei_infile_check(path, NULL), TARE_E_INPUT);
  char head[4];
  assert_int_equal(tarei_infile_head(path, head, sizeof head), 0);
}

/* A hang here is the failure: nobody writes to the pipe. */
static void what_is_no_regular_file_is_refused_at_once(void **state) {
  (void)state;
  char path[96];
  (void)snprintf(path, sizeof path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  refuse(path, "is a pipe; expected a regular file");
  (void)unlink(path);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  (void)snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof address), 0);
  refuse(address.sun_path, "is a socket");
  (void)close(server);
  (void)unlink(address.sun_path);
  refuse(folder, "is a folder; expected a regular file");
  refuse("/dev/null", "is a device; expected a regular file");
  (void)rmdir(folder);
  refuse(folder, "cannot open");
}

static void many_names_are_found(void **state) {
  (void)state;
  enum { N = 20000 };
  static char texts[N][8];
  tarei_names names = {0};
  assert_int_equal(tarei_names_find(&names, "0"), -1);
  for (int i = 0; i < N; i++) {
    (void)snprintf(texts[i], sizeof texts[i], "%d", i);
    assert_true(tarei_names_grow(&names));
    tarei_names_add(&names, texts[i], i);
  }
  for (int i = 0; i < N; i++) {
    assert_int_equal(tarei_names_find(&names, texts[i]), i);
  }
  assert_int_equal(tarei_names_find(&names, "x"), -1);
  tarei_names_fini(&names);
}

int limits_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_within_their_rows),
      cmocka_unit_test(each_limit_is_checked_and_named),
      cmocka_unit_test(sentences_name_amount_and_limit),
      cmocka_unit_test(deadlines_count_work),
      cmocka_unit_test(bytes_are_texts),
      cmocka_unit_test_setup(what_is_no_regular_file_is_refused_at_once, make_folder),
      cmocka_unit_test(many_names_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
