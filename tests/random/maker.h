/*
 * A graph that grows node by node. Every node is computed by the walker as it is added, at each of
 * some lengths and twice: the second time with noise on every float. A node that cannot run, or
 * whose results are large, not finite, or much moved by the noise is taken back. So the graph is
 * valid and well-conditioned by construction, and the values that it must give are known.
 */
#ifndef TAREI_TESTS_RANDOM_MAKER_H
#define TAREI_TESTS_RANDOM_MAKER_H

#include "random/walker.h"

enum {
  MAX_LENGTHS = 3,
  MAX_VALUES = 160,
  MAX_DEPTH = 3,
  TWINS = 2,
  ALL_SCOPES = TWINS * MAX_LENGTHS /* those with noise behind those without */
};

typedef struct value {
  char name[16];
  tare_dtype dtype;
  int rank;
  bool measured; /* some dim is known only from data */
  int uses;
  const tare_tensor *at[ALL_SCOPES];
} value;

/* A graph that is being made: the model's, or one inside of a node. */
typedef struct level {
  struct level *around;
  Onnx__GraphProto *graph;
  value values[MAX_VALUES];
  int n;
  scope scopes[ALL_SCOPES];
} level;

typedef struct maker {
  uint64_t random;
  int opset, depth, next_name;
  int tried, kept; /* nodes */
  bool wide;       /* tensors as large as kernels like them, instead of a few elements */
  bool empties;    /* lengths of the inputs may be 0 */
  int names;       /* nodes share so many names; 0: they have none */
  level *level;
  char why[WHY_BYTES]; /* the last node was taken back */
} maker;

enum { FLOATS = 1, INTS = 2, BOOLS = 4, INTS32 = 8, NUMBERS = FLOATS | INTS | INTS32, ALL = 15 };

/* ---- choosing ---- */
int64_t pick(maker *m, int64_t n); /* 0..n-1 */
bool chance(maker *m, int one_in);
float between(maker *m, float low, float high);
int64_t pick_width(maker *m, int64_t most); /* of a layer: 1..most, or up to 48 in wide graphs */

/* A condition for values; `with` is the caller's. */
typedef bool (*fits_fn)(const value *v, const void *with);
/* A value of some types whose rank is in range and that fits (NULL: any); NULL where there is none.
 */
value *choose(maker *m, int types, int min_rank, int max_rank, fits_fn fits, const void *with);
bool has_type(tare_dtype dtype, int types);
/* Dim d where it is the same at all lengths, else -1; the smallest and largest. */
int64_t fixed_dim(const value *v, int d);
int64_t least_dim(const value *v, int d);
bool is_one_element(const value *v);
bool all_same_dims(const value *a, const value *b);

/* ---- growing ---- */
void level_begin(maker *m, level *l, const char *name);
void level_end(maker *m); /* the graph is the caller's from now on */
/* An input or formal input whose tensors are given for every scope (copied). */
value *level_input(maker *m, tare_dtype dtype, const tare_tensor *const *at, bool measured);
void new_name(maker *m, char prefix, char *name);

/* Constants of the graph; the names are good until the next. */
const char *constant_floats(maker *m, int rank, const int64_t *dims, float low, float high);
const char *constant_ints(maker *m, int rank, int64_t n, const int64_t *values);
const char *constant_of(maker *m, const tare_tensor *t);

void add_operand(Onnx__NodeProto *node, value *v);
void add_results(maker *m, Onnx__NodeProto *node, int n);
/* Computes the node and adds it, with its outputs as values, or frees it. `measures`: dims of its
 * outputs come from data. The first output, or NULL. */
value *keep(maker *m, Onnx__NodeProto *node, bool measures);
/* An operator of one or two operands without attributes; NULL in gives NULL out. */
value *apply(maker *m, const char *op, value *a, value *b);

#endif
