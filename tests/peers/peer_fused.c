/*
 * What ONNX Runtime makes of a model: which operators are left after its optimizations.
 *
 * peer_fused LIBRARY MODEL OPTIMIZED [OP=N ...]
 * Writes the optimized model to OPTIMIZED and prints "OP COUNT" a line; exit 1 where a count is not
 * N, 77 (skipped) without the library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/ort.h"
#include "onnx.pb-c.h"

enum { FAILED = 1, SKIPPED = 77 };

static int count(const Onnx__GraphProto *const graph, const char *const op) {
  int n = 0;
  for (size_t i = 0; i < graph->n_node; i++) {
    n += strcmp(graph->node[i]->op_type, op) == 0;
  }
  return n;
}

static void print_counts(const Onnx__GraphProto *const graph) {
  for (size_t i = 0; i < graph->n_node; i++) {
    size_t first = 0;
    while (strcmp(graph->node[first]->op_type, graph->node[i]->op_type) != 0) {
      first++;
    }
    if (first == i) {
      printf("%s %d\n", graph->node[i]->op_type, count(graph, graph->node[i]->op_type));
    }
  }
}

static int check(const Onnx__GraphProto *const graph, const char *const expected) {
  const char *const equals = strchr(expected, '=');
  char op[128];
  snprintf(op, sizeof op, "%.*s", equals ? (int)(equals - expected) : 0, expected);
  const int want = equals ? atoi(equals + 1) : -1, got = count(graph, op);
  if (got == want) {
    return 0;
  }
  printf("MISSED: %d %s, expected %d\n", got, op, want);
  return FAILED;
}

static Onnx__ModelProto *read_model(const char *const path) {
  FILE *const file = fopen(path, "rb");
  static uint8_t bytes[64 << 20];
  const size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) {
    fclose(file);
  }
  return n ? onnx__model_proto__unpack(NULL, n, bytes) : NULL;
}

int main(const int argc, char **const argv) {
  ort *library = NULL;
  tare_error err = {0};
  if (argc < 4) {
    fprintf(stderr, "usage: peer_fused LIBRARY MODEL OPTIMIZED [OP=N ...]\n");
    return FAILED;
  }
  if (ort_open(argv[1], &library, &err) != TARE_OK) {
    printf("skipped: %s\n", err.message);
    return SKIPPED;
  }
  int code = FAILED;
  Onnx__ModelProto *model = NULL;
  if (ort_write_optimized(library, argv[2], argv[3], &err) != TARE_OK) {
    fprintf(stderr, "peer_fused: %s\n", err.message);
  } else if (!(model = read_model(argv[3]))) {
    fprintf(stderr, "peer_fused: cannot read %s\n", argv[3]);
  } else {
    print_counts(model->graph);
    code = 0;
    for (int i = 4; i < argc; i++) {
      code |= check(model->graph, argv[i]);
    }
  }
  fflush(stdout);
  _exit(code); /* the library's threads may not be gone yet */
}
