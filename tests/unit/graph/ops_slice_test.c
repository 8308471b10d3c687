/* The length that Slice infers, evaluated, against counting the elements one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

#define MAX_LENGTH 6

static int64_t clamp(const int64_t x, const int64_t low, const int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/* As the ONNX document tells it: negative positions count from the end; forward, both are clamped
 * to 0..n; backward, start to 0..n-1 and end to -1..n-1. */
static int64_t count(const int64_t n, int64_t start, int64_t end, const int64_t step) {
  start = start < 0 ? start + n : start;
  end = end < 0 ? end + n : end;
  start = step > 0 ? clamp(start, 0, n) : clamp(start, 0, n - 1);
  end = step > 0 ? clamp(end, 0, n) : clamp(end, -1, n - 1);
  int64_t elements = 0;
  for (int64_t i = start; step > 0 ? i < end : i > end; i += step) {
    elements++;
  }
  return elements;
}

static tarei_expr infer(tarei_graph *const graph, const char *const start, const char *const end,
                        const int64_t step) {
  char text[64];
  (void)snprintf(text, sizeof text, "i64{%d}", (int)step);
  const int x = ops_value(graph, "f32[n]");
  const int from = ops_value(graph, start), to = ops_value(graph, end);
  const int y = OPS_NODE(graph, "Slice", 13, "", x, from, to, ops_value(graph, "i64{0}"),
                         ops_value(graph, text));
  tare_error err = {0};
  if (tarei_graph_infer(graph, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return graph->values[y].dims[0];
}

static void expect(const tarei_graph *const graph, const tarei_expr dim, const int64_t n,
                   const int64_t start, const int64_t end, const int64_t step) {
  const int64_t symbols[] = {n, start + 10, end + 10};
  int64_t seen = -1;
  assert_true(tarei_expr_eval(graph->exprs, dim, symbols, &seen));
  if (seen != count(n, start, end, step)) {
    fail_msg("[%d:%d:%d] of %d elements: %d inferred", (int)start, (int)end, (int)step, (int)n,
             (int)seen);
  }
}

static void constant_limits(void **state) {
  (void)state;
  for (int step = -3; step <= 3; step++) {
    for (int at = 0; at < 17 * 17 && step != 0; at++) {
      const int start = at / 17 - 8, end = at % 17 - 8;
      char from[32], to[32];
      (void)snprintf(from, sizeof from, "i64{%d}", start);
      (void)snprintf(to, sizeof to, "i64{%d}", end);
      tarei_graph *const graph = tarei_graph_new("slice");
      assert_non_null(graph);
      const tarei_expr dim = infer(graph, from, to, step);
      for (int n = 1; n <= MAX_LENGTH; n++) {
        expect(graph, dim, n, start, end, step);
      }
      tarei_graph_free(graph);
    }
  }
}

/* Limits whose sign is open until the symbols have values. */
static void symbolic_limits(void **state) {
  (void)state;
  for (int step = -3; step <= 3; step += step == -1 ? 2 : 1) {
    tarei_graph *const graph = tarei_graph_new("slice");
    assert_non_null(graph);
    const tarei_expr dim = infer(graph, "i64[1]{s - 10}", "i64[1]{e - 10}", step);
    for (int at = 0; at < 17 * 17; at++) {
      for (int n = 1; n <= MAX_LENGTH; n++) {
        expect(graph, dim, n, at / 17 - 8, at % 17 - 8, step);
      }
    }
    tarei_graph_free(graph);
  }
}

int ops_slice_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constant_limits),
      cmocka_unit_test(symbolic_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
