/* Small random transformers with the masks that exporters write. */
#include "unit/engine/support/transformers.h"

#include <math.h>
#include <stdlib.h>

#include "graph/model.h"
#include "unit/graph/pass_helpers.h"

enum {
  HEADS = 2,
  WIDTH = 24,
  REACH = 8, /* of relative positions */
  LAYERS = 2,
};

static uint32_t seed;

static int64_t below(const int64_t n) {
  seed = seed * 1664525u + 1013904223u;
  return (int64_t)(seed >> 8) % n;
}

typedef struct maker {
  tarei_graph *g;
  int mask;      /* int64 [n, t] */
  int positions; /* int64 [t] */
  int n;
} maker;

static int put(maker *const m, const char *const op, const int a, const int b, const int c) {
  char name[32];
  (void)snprintf(name, sizeof name, "%s_%d", op, m->n++);
  return c >= 0   ? add_op(m->g, op, name, a, b, c, -2)
         : b >= 0 ? add_op(m->g, op, name, a, b, -2)
                  : add_op(m->g, op, name, a, -2);
}
#define ONE(op, a) put(m, op, a, -1, -1)
#define TWO(op, a, b) put(m, op, a, b, -1)
#define THREE(op, a, b, c) put(m, op, a, b, c)

static tarei_node *maker_of(const maker *const m, const int value) {
  return &m->g->nodes[m->g->values[value].producer];
}

static int cast(maker *const m, const int x, const tare_dtype dtype) {
  const int y = ONE("Cast", x);
  assert_true(tarei_attr_set_int(maker_of(m, y), "to", dtype));
  return y;
}

static int turned(maker *const m, const int x, const int64_t *const axes, const int n) {
  const int y = ONE("Transpose", x);
  assert_true(tarei_attr_set_ints(maker_of(m, y), "perm", axes, n));
  return y;
}

static int number(maker *const m, const float x) {
  return add_scalar(m->g, "number", x);
}

static int whole(maker *const m, const int64_t x) {
  return tarei_graph_add_const(m->g, "whole", TARE_I64, 0, NULL, &x);
}

static int axes(maker *const m, const int64_t a, const int64_t b) {
  return add_ints(m->g, "axes", b < 0 ? 1 : 2, (const int64_t[]){a, b});
}

static int weights(maker *const m, const int64_t rows, const int64_t columns, const float scale) {
  float *const data = malloc((size_t)(rows * columns) * sizeof *data);
  assert_non_null(data);
  for (int64_t i = 0; i < rows * columns; i++) {
    data[i] = scale * ((float)below(2001) / 1000 - 1);
  }
  const int w = add_floats(m->g, "w", 2, (const int64_t[]){rows, columns}, data);
  free(data);
  return w;
}

static int linear(maker *const m, const int x) {
  return TWO("MatMul", x, weights(m, WIDTH, WIDTH, 0.5f));
}

/* The mask as [n, 1, 1, t]: 1 for what is there, as floats; and true for what is not. */
static int kept(maker *const m) {
  return cast(m, TWO("Unsqueeze", m->mask, axes(m, 1, 2)), TARE_F32);
}

static int missing(maker *const m) {
  return TWO("Equal", TWO("Unsqueeze", m->mask, axes(m, 1, 2)), whole(m, 0));
}

static int penalty(maker *const m, const float size) {
  return TWO("Mul", TWO("Sub", number(m, 1), kept(m)), number(m, size));
}

/* [t, t]: the key's position minus the row's. */
static int distances(maker *const m) {
  return TWO("Sub", TWO("Unsqueeze", m->positions, axes(m, 0, -1)),
             TWO("Unsqueeze", m->positions, axes(m, 1, -1)));
}

/* --- what makes probabilities of scores [n, heads, t, t] -------------------------------------- */

static int softmax(maker *const m, const int x) {
  const int y = ONE("Softmax", x);
  assert_true(tarei_attr_set_int(maker_of(m, y), "axis", -1));
  return y;
}

static int add_ten_thousand(maker *const m, const int x) {
  return softmax(m, TWO("Add", x, penalty(m, -10000)));
}

static int add_lowest(maker *const m, const int x) {
  return softmax(m, TWO("Add", x, penalty(m, -0x1.fffffep+127f)));
}

static int subtract(maker *const m, const int x) {
  return softmax(m, TWO("Sub", x, penalty(m, 65500)));
}

static int where_infinite(maker *const m, const int x) {
  return softmax(m, THREE("Where", missing(m), number(m, -INFINITY), x));
}

static int where_kept(maker *const m, const int x) {
  return softmax(m, THREE("Where", ONE("Not", missing(m)), x, number(m, -0x1.fffffep+127f)));
}

static int guarded(maker *const m, const int x) {
  const int p = where_infinite(m, x);
  return THREE("Where", ONE("IsNaN", p), number(m, 0), p);
}

static int multiplied(maker *const m, const int x) {
  return softmax(m, TWO("Add", TWO("Mul", x, kept(m)), penalty(m, -1e9f)));
}

static int divided_last(maker *const m, const int x) {
  return softmax(m, TWO("Div", TWO("Add", x, penalty(m, -10000)), number(m, 1.7f)));
}

/* Learned for each head and distance, as T5 has it. */
static int biased(maker *const m, const int x) {
  const int near = TWO("Min", TWO("Max", distances(m), whole(m, -REACH)), whole(m, REACH));
  const int bias =
      TWO("Gather", weights(m, 2 * REACH + 1, HEADS, 1), TWO("Add", near, whole(m, REACH)));
  const int by_head =
      TWO("Unsqueeze", turned(m, bias, (const int64_t[]){2, 0, 1}, 3), axes(m, 0, -1));
  return softmax(m, TWO("Add", x, TWO("Add", by_head, penalty(m, -10000))));
}

static int causal(maker *const m, const int x) {
  const int later = TWO("Greater", distances(m), whole(m, 0));
  return softmax(m, THREE("Where", TWO("Or", later, missing(m)), number(m, -INFINITY), x));
}

/* Nothing masks: later positions are behind the sample anyhow. */
static int causal_alone(maker *const m, const int x) {
  const int later = TWO("Greater", distances(m), whole(m, 0));
  return softmax(m, THREE("Where", later, number(m, -INFINITY), x));
}

/* Scores behind a curve: no attention is fused. */
static int capped(maker *const m, const int x) {
  return softmax(m, TWO("Add", TWO("Mul", ONE("Tanh", x), number(m, 3)), penalty(m, -10000)));
}

typedef int idiom(maker *m, int scores);
static const struct {
  const char *name;
  idiom *write;
} idioms[TRANSFORMERS] = {
    {"add -10000", add_ten_thousand}, {"add the lowest float", add_lowest},
    {"subtract 65500", subtract},     {"where -inf", where_infinite},
    {"where it is kept", where_kept}, {"guarded against NaN", guarded},
    {"multiply and add", multiplied}, {"divide behind the mask", divided_last},
    {"relative positions", biased},   {"causal and padding", causal},
    {"causal alone", causal_alone},   {"a curve before the mask", capped}};

static int heads(maker *const m, const int x, const bool keys) {
  const int split = TWO("Reshape", linear(m, x),
                        add_ints(m->g, "heads", 4, (const int64_t[]){0, 0, HEADS, WIDTH / HEADS}));
  return turned(m, split, keys ? (const int64_t[]){0, 2, 3, 1} : (const int64_t[]){0, 2, 1, 3}, 4);
}

static int normalized(maker *const m, const int x) {
  float ones[WIDTH];
  for (int i = 0; i < WIDTH; i++) {
    ones[i] = 1;
  }
  const int y = TWO("LayerNormalization", x, add_vector(m->g, "gain", WIDTH, ones));
  assert_true(tarei_attr_set_int(maker_of(m, y), "axis", -1));
  return y;
}

static int layer(maker *const m, const int x, idiom *const write) {
  const int q = heads(m, x, false), k = heads(m, x, true), v = heads(m, x, false);
  const int scores = TWO("Div", TWO("MatMul", q, k), number(m, sqrtf(WIDTH / HEADS)));
  const int mixed = turned(m, TWO("MatMul", write(m, scores), v), (const int64_t[]){0, 2, 1, 3}, 4);
  const int joined =
      TWO("Reshape", mixed, add_ints(m->g, "joined", 3, (const int64_t[]){0, 0, WIDTH}));
  const int y = normalized(m, TWO("Add", x, linear(m, joined)));
  return normalized(m, TWO("Add", y, linear(m, ONE("Gelu", linear(m, y)))));
}

/* The mean of what is there. */
static int pooled(maker *const m, const int x) {
  const int mask = cast(m, TWO("Unsqueeze", m->mask, axes(m, 2, -1)), TARE_F32);
  return TWO("Div", TWO("ReduceSum", TWO("Mul", x, mask), axes(m, 1, -1)),
             TWO("ReduceSum", mask, axes(m, 1, -1)));
}

tare_model *transformer(const int kind, const uint32_t with) {
  seed = with;
  maker made = {.g = tarei_graph_new("transformer")}, *const m = &made;
  const int ids = add_typed_input(m->g, "ids", TARE_I64, "n;t");
  m->mask = add_typed_input(m->g, "mask", TARE_I64, "n;t");
  const int length = TWO("Gather", ONE("Shape", ids), whole(m, 1));
  m->positions = THREE("Range", whole(m, 0), length, whole(m, 1));
  int x = TWO("Gather", weights(m, TRANSFORMER_IDS, WIDTH, 1), ids);
  for (int i = 0; i < LAYERS; i++) {
    x = layer(m, x, idioms[kind].write);
  }
  const int outputs[] = {x, pooled(m, x)};
  tare_model *model = NULL;
  for (int i = 0; i < 2; i++) {
    assert_true(tarei_graph_mark_output(m->g, outputs[i]));
  }
  tare_error err;
  if (tarei_graph_infer(m->g, &err) != TARE_OK || tarei_model_new(m->g, &model, &err) != TARE_OK) {
    fail_msg("%s: %s", idioms[kind].name, err.message);
  }
  return model;
}

const char *transformer_name(const int kind) {
  return idioms[kind].name;
}
