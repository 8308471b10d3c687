#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/quantize/layer_requests.h"

static const char *const names[] = {"conv",  "a,b", "a:b",   "a:int8,b", "it's",   "[0]",
                                    "x*",    "x?",  "@Conv", "a@b",      "back\\", "\\,",
                                    "a + b", ",",   ":",     "a\\,b",    " ",      "/x/MatMul_1"};
enum { N = sizeof names / sizeof *names };

/* The pattern of each name, in one list, is one request that fits this name and no other. */
static void patterns_fit_their_name_alone(void **const state) {
  char list[1024] = "";
  (void)state;
  for (int i = 0; i < N; i++) {
    char *glob = NULL;
    assert_int_equal(tare_layer_glob(names[i], &glob, NULL), TARE_OK);
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s:%s", i ? "," : "", glob,
             i % 2 ? "int8" : "fp32");
    tare_free(glob);
  }
  tarei_requests requests;
  tare_error err = {0};
  assert_int_equal(tarei_requests_parse(&tarei_requested_precision, list, &requests, &err),
                   TARE_OK);
  assert_int_equal(requests.n, N);
  for (int r = 0; r < N; r++) {
    assert_int_equal(requests.items[r].precision,
                     r % 2 ? TARE_PRECISION_INT8 : TARE_PRECISION_FP32);
    assert_true(*requests.items[r].glob != '@');
    for (int i = 0; i < N; i++) {
      const bool fits = tarei_requests_glob_fits(requests.items[r].glob, names[i]);
      if (fits != (i == r)) {
        fail_msg("'%s' %s '%s'", requests.items[r].glob, fits ? "fits" : "does not fit", names[i]);
      }
    }
  }
  tarei_requests_fini(&requests);
}

static void malformed_lists_are_refused(void **const state) {
  static const struct {
    const char *list, *sentence;
  } CASES[] = {
      {"conv", "layer precision 'conv': expected NAME-GLOB:PRECISION or @OPERATOR:PRECISION"},
      {":int8", "layer precision ':int8': expected NAME-GLOB:PRECISION or @OPERATOR:PRECISION"},
      {"a\\,b", "layer precision 'a\\,b': expected NAME-GLOB:PRECISION or @OPERATOR:PRECISION"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tarei_requests requests;
    tare_error err = {0};
    assert_int_equal(
        tarei_requests_parse(&tarei_requested_precision, CASES[i].list, &requests, &err),
        TARE_E_USAGE);
    assert_string_equal(err.message, CASES[i].sentence);
  }
}

int layer_requests_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns_fit_their_name_alone),
      cmocka_unit_test(malformed_lists_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
