/* Audio files that several threads open, and such as end in their headers. */
#include <pthread.h>

#include "audio_helper.h"
#include "datasets/audio/audio_file.h"
#include "datasets/audio/container.h"

enum { FRAMES = 100, OPENINGS = 2000 };

typedef struct opener {
  const char *path;
  tare_status expected;
  char reason[TARE_ERROR_CAPACITY]; /* of the first opening */
  int others;                       /* openings that ended otherwise */
} opener;

static tare_status open_once(const char *const path, tare_error *const err) {
  tarei_audio_file file;
  const tare_status status = tarei_audio_file_open(path, &file, err);
  if (status == TARE_OK) {
    tarei_audio_file_close(&file);
  }
  return status;
}

static void *open_often(void *const user) {
  opener *const o = user;
  for (int i = 0; i < OPENINGS; i++) {
    tare_error err = {0};
    o->others += open_once(o->path, &err) != o->expected || strcmp(err.message, o->reason) != 0;
  }
  return NULL;
}

static void each_thread_learns_its_own_reason(void **state) {
  (void)state;
  static const float wave[FRAMES];
  static opener openers[] = {{.expected = TARE_OK}, {.expected = TARE_E_INPUT}};
  pthread_t threads[2];
  put_wav("good.wav", FRAMES, wave);
  put_text("bad.wav", "not audio");
  openers[0].path = strdup(at("good.wav"));
  openers[1].path = strdup(at("bad.wav"));
  tare_error err = {0};
  assert_int_equal(open_once(openers[1].path, &err), TARE_E_INPUT);
  strcpy(openers[1].reason, err.message);
  for (int t = 0; t < 2; t++) {
    assert_int_equal(pthread_create(&threads[t], NULL, open_often, &openers[t]), 0);
  }
  for (int t = 0; t < 2; t++) {
    assert_int_equal(pthread_join(threads[t], NULL), 0);
    free((char *)openers[t].path);
    assert_int_equal(openers[t].others, 0);
  }
}

/* In memory that ends with them. */
static void headers_that_end_early_are_refused(void **state) {
  (void)state;
  static const char *const HEADERS[] = {".snd 24 bytes of header", "Creative Voice File\x1a off",
                                        "NIST_1A\n   1024\nsample_count -i 4\n", "NIST_1A\n"};
  for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++) {
    const size_t n = strlen(HEADERS[i]);
    char *const bytes = malloc(n);
    tarei_source source;
    tare_error err = {0};
    assert_non_null(bytes);
    memcpy(bytes, HEADERS[i], n);
    assert_int_equal(tarei_source_memory("a recording", bytes, n, &source, &err), TARE_OK);
    assert_int_equal(tarei_container_check(&source, &err), TARE_E_INPUT);
    assert_string_equal(err.message, "truncated inside its header");
    tarei_source_close(&source);
    free(bytes);
  }
}

int audio_file_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_thread_learns_its_own_reason),
                                     cmocka_unit_test(headers_that_end_early_are_refused)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
