/* Attention as exporters write it: each form becomes one step, and gives what its products and
 * softmax give where they are left alone. */
#include "unit/graph/pass_helpers.h"

#include <math.h>

#include <tare/tare.h>

#include "graph/model.h"
#include "unit/seed.h"

enum { HEADS = 4, DEPTH = 6, WIDTH = HEADS * DEPTH, SPAN = 5, LONGEST = 40, BATCH = 3 };

static uint32_t seed;

static int64_t below(const int64_t n) {
  seed = seed * 1664525u + 1013904223u;
  return (int64_t)(seed >> 8) % n;
}

/* --- graphs ----------------------------------------------------------------------------------- */

typedef struct maker {
  tarei_graph *g;
  int x;    /* [n, t, WIDTH] */
  int mask; /* int64 [n, t]: 1 for what is there */
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
#define LIST(...) \
  ints(m, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__})

static int ints(maker *const m, const int n, const int64_t *const values) {
  return add_ints(m->g, "ints", n, values);
}

static tarei_node *last(const maker *const m) {
  return &m->g->nodes[m->g->n_nodes - 1];
}

static int axis(maker *const m, const int x, const int64_t number) {
  assert_true(tarei_attr_set_int(last(m), "axis", number));
  return x;
}

static int cast(maker *const m, const int x, const tare_dtype dtype) {
  const int y = ONE("Cast", x);
  assert_true(tarei_attr_set_int(last(m), "to", dtype));
  return y;
}

static int turned(maker *const m, const int x, const char *const perm) {
  int64_t axes[TARE_MAX_RANK];
  const int n = (int)strlen(perm);
  for (int i = 0; i < n; i++) {
    axes[i] = perm[i] - '0';
  }
  const int y = ONE("Transpose", x);
  assert_true(tarei_attr_set_ints(last(m), "perm", axes, n));
  return y;
}

static int number(maker *const m, const double x) {
  return add_scalar(m->g, "number", (float)x);
}

static int whole(maker *const m, const int64_t x) {
  return tarei_graph_add_const(m->g, "whole", TARE_I64, 0, NULL, &x);
}

static int constant(maker *const m, const int rank, const int64_t *const dims, const float size) {
  int64_t n = 1;
  for (int d = 0; d < rank; d++) {
    n *= dims[d];
  }
  float *const data = malloc((size_t)n * sizeof *data);
  assert_non_null(data);
  for (int64_t i = 0; i < n; i++) {
    data[i] = size * ((float)below(2001) / 1000 - 1);
  }
  const int w = add_floats(m->g, "w", rank, dims, data);
  free(data);
  return w;
}
#define RANDOM(size, ...)                                                \
  constant(m, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
           (const int64_t[]){__VA_ARGS__}, size)

static int linear(maker *const m, const int x, const int64_t width) {
  return TWO("MatMul", x, RANDOM(0.5f, WIDTH, width));
}

static int length(maker *const m, const int x, const int64_t at) {
  const int y = TWO("Gather", ONE("Shape", x), LIST(at));
  return axis(m, y, 0);
}

/* `heads` heads of x by weights, [n, heads, t, DEPTH] or as `perm` says. */
static int split(maker *const m, const int64_t heads, const char *const perm) {
  return turned(m, TWO("Reshape", linear(m, m->x, heads * DEPTH), LIST(0, 0, heads, DEPTH)), perm);
}

static int queries(maker *const m) {
  return split(m, HEADS, "0213");
}

static int product(maker *const m) {
  const int q = queries(m), k = split(m, HEADS, "0231");
  return TWO("Mul", TWO("MatMul", q, k), number(m, 0.4));
}

static int softmax(maker *const m, const int x) {
  const int y = ONE("Softmax", x);
  return axis(m, y, -1);
}

static int joined(maker *const m, const int mixed) {
  return TWO("Reshape", turned(m, mixed, "0213"), LIST(0, 0, WIDTH));
}

static int attended(maker *const m, const int probabilities) {
  return joined(m, TWO("MatMul", probabilities, queries(m)));
}

static int positions(maker *const m) {
  const int t = TWO("Squeeze", length(m, m->x, 1), LIST(0));
  return THREE("Range", whole(m, 0), t, whole(m, 1));
}

/* [t, t]: the key's position minus the row's. */
static int distances(maker *const m) {
  const int p = positions(m);
  return TWO("Sub", TWO("Unsqueeze", p, LIST(0)), TWO("Unsqueeze", p, LIST(1)));
}

static int later(maker *const m) {
  return TWO("Greater", distances(m), whole(m, 0));
}

static int missing(maker *const m) {
  return TWO("Equal", TWO("Unsqueeze", m->mask, LIST(1, 2)), whole(m, 0));
}

static int penalty(maker *const m, const double size) {
  const int there = cast(m, TWO("Unsqueeze", m->mask, LIST(1, 2)), TARE_F32);
  return TWO("Mul", TWO("Sub", number(m, 1), there), number(m, size));
}

/* --- masks ------------------------------------------------------------------------------------ */

static int far_below(maker *const m) {
  return attended(m, softmax(m, THREE("Where", missing(m), number(m, -1e4), product(m))));
}

static int expanded_number(maker *const m) {
  const int x = product(m);
  const int low = TWO("Expand", number(m, -1e9), ONE("Shape", x));
  return attended(m, softmax(m, THREE("Where", missing(m), low, x)));
}

static int subtracted(maker *const m) {
  return attended(m, softmax(m, TWO("Sub", product(m), penalty(m, 65500))));
}

static int causal_and_added(maker *const m) {
  const int x = THREE("Where", later(m), number(m, -0x1.fffffep+127), product(m));
  return attended(m, softmax(m, TWO("Add", penalty(m, -10000), x)));
}

/* Of a constant that is longer than any sequence. */
static int causal_slices(maker *const m) {
  float tri[64 * 64];
  for (int i = 0; i < 64 * 64; i++) {
    tri[i] = i % 64 > i / 64 ? -INFINITY : 0;
  }
  const int all = add_floats(m->g, "tri", 4, (const int64_t[]){1, 1, 64, 64}, tri);
  const int t = length(m, m->x, 1);
  int part = add_op(m->g, "Slice", "rows", all, LIST(0), t, LIST(2), -2);
  part = add_op(m->g, "Slice", "corner", part, LIST(0), t, LIST(3), -2);
  return attended(m, softmax(m, TWO("Add", product(m), part)));
}

static int two_conditions(maker *const m) {
  const int low = number(m, -0x1.fffffep+127);
  const int x = THREE("Where", later(m), low, product(m));
  return attended(m, softmax(m, THREE("Where", missing(m), low, x)));
}

static int bounded(maker *const m) {
  const int low = number(m, -0x1.fffffep+127);
  const int x = TWO("Add", product(m), penalty(m, -0x1.fffffep+127));
  return attended(m, softmax(m, TWO("Max", x, low)));
}

static int scaled_behind_masks(maker *const m) {
  const int bias = RANDOM(1, 1, HEADS, 1, 1);
  const int x = TWO("Add", TWO("Add", product(m), bias), penalty(m, -10000));
  return attended(m, softmax(m, TWO("Div", x, number(m, 1.7))));
}

/* Rows that nothing is left of give zeros, although what masks them is finite. */
static int emptied(maker *const m) {
  const int there = cast(m, m->mask, TARE_BOOL);
  const int both =
      TWO("And", TWO("Unsqueeze", there, LIST(1, 2)), TWO("Unsqueeze", there, LIST(1, 3)));
  const int out = ONE("Not", both);
  const int p = softmax(m, THREE("Where", out, number(m, -0x1.fffffep+127), product(m)));
  return attended(m, THREE("Where", out, number(m, 0), p));
}

static int rows_masked(maker *const m) {
  const int rows = TWO("Unsqueeze", cast(m, m->mask, TARE_F32), LIST(1, 3));
  return attended(m, softmax(m, TWO("Add", product(m), rows)));
}

static int short_probabilities(maker *const m) {
  const int p = cast(m, softmax(m, product(m)), TARE_F16);
  return attended(m, cast(m, p, TARE_F32));
}

/* --- positions -------------------------------------------------------------------------------- */

/* Linear in the position, for each head; before the mask. */
static int linear_biases(maker *const m) {
  const int at = TWO("Mul", cast(m, positions(m), TARE_F32), RANDOM(0.5f, 1, HEADS, 1, 1));
  const int x = TWO("Add", product(m), at);
  return attended(m, softmax(m, THREE("Where", missing(m), number(m, -INFINITY), x)));
}

/* Products of rows with embeddings of distances, each at its own. */
static int at_distances(maker *const m, const int x, const bool turn) {
  const int keys =
      turned(m, TWO("Reshape", RANDOM(0.3f, 2 * SPAN, WIDTH), LIST(1, -1, HEADS, DEPTH)), "0231");
  const int near = TWO("Max", TWO("Min", distances(m), whole(m, SPAN - 1)), whole(m, -SPAN));
  const int index = TWO("Add", near, whole(m, SPAN));
  const int scores = TWO("MatMul", x, keys);
  const int t = length(m, x, 2);
  int like =
      add_op(m->g, "Concat", turn ? "like_k" : "like_q", length(m, x, 0), LIST(HEADS), t, t, -2);
  like = axis(m, like, 0);
  const int all = TWO("Expand", index, like);
  int y = TWO("GatherElements", scores, all);
  y = axis(m, y, 3);
  return turn ? turned(m, y, "0132") : y;
}

static int disentangled(maker *const m) {
  const int q = queries(m), k = split(m, HEADS, "0213"), scale = number(m, 3);
  const int x = TWO("MatMul", q, TWO("Div", turned(m, k, "0132"), scale));
  const int by_rows = TWO("Div", at_distances(m, q, false), scale);
  const int by_keys = TWO("Div", at_distances(m, k, true), scale);
  const int all = TWO("Add", TWO("Add", x, by_rows), by_keys);
  return attended(m, softmax(m, THREE("Where", missing(m), number(m, -0x1.fffffep+127), all)));
}

/* Halves of each head turned against one another; `perm` then brings heads to their places. */
static int rotated(maker *const m, const int x, const int64_t rows_axis) {
  const int at = TWO("Unsqueeze", cast(m, positions(m), TARE_F32), LIST(1));
  const int angles = TWO("Mul", at, RANDOM(1, 1, DEPTH / 2));
  int both = TWO("Concat", angles, angles);
  both = axis(m, both, 1);
  const int wide = TWO("Unsqueeze", both, rows_axis == 1 ? LIST(0, 2) : LIST(0, 1));
  char name[32];
  (void)snprintf(name, sizeof name, "half_%d", m->n++);
  const int first = add_op(m->g, "Slice", name, x, LIST(0), LIST(DEPTH / 2), LIST(3), -2);
  (void)snprintf(name, sizeof name, "half_%d", m->n++);
  const int second = add_op(m->g, "Slice", name, x, LIST(DEPTH / 2), LIST(DEPTH), LIST(3), -2);
  int swapped = TWO("Concat", ONE("Neg", second), first);
  swapped = axis(m, swapped, 3);
  return TWO("Add", TWO("Mul", x, ONE("Cos", wide)), TWO("Mul", swapped, ONE("Sin", wide)));
}

static int rotary(maker *const m) {
  const int q = rotated(m, queries(m), 2), k = rotated(m, queries(m), 2);
  return attended(m, softmax(m, TWO("MatMul", q, turned(m, k, "0132"))));
}

static int rotary_before_heads(maker *const m) {
  const int q = turned(m, rotated(m, split(m, HEADS, "0123"), 1), "0213");
  const int k = turned(m, rotated(m, split(m, HEADS, "0123"), 1), "0231");
  return attended(m, softmax(m, TWO("MatMul", q, k)));
}

/* --- heads ------------------------------------------------------------------------------------ */

static int attended_by(maker *const m, const int q, const int k, const int v) {
  return TWO("MatMul", softmax(m, TWO("MatMul", q, turned(m, k, "0132"))), v);
}

enum { FEW = 2, TIMES = HEADS / FEW };

typedef int repeat(maker *m);

static int by_expand(maker *const m) {
  const int x = TWO("Unsqueeze", split(m, FEW, "0213"), LIST(2));
  return TWO("Reshape", TWO("Expand", x, LIST(1, 1, TIMES, 1, 1)), LIST(0, HEADS, -1, DEPTH));
}

static int by_tile(maker *const m) {
  const int x = TWO("Unsqueeze", split(m, FEW, "0213"), LIST(2));
  return TWO("Reshape", TWO("Tile", x, LIST(1, 1, TIMES, 1, 1)), LIST(0, HEADS, -1, DEPTH));
}

static int by_concat(maker *const m) {
  const int x = TWO("Unsqueeze", split(m, FEW, "0213"), LIST(2));
  int all = TWO("Concat", x, x);
  all = axis(m, all, 2);
  return TWO("Reshape", all, LIST(0, HEADS, -1, DEPTH));
}

static int by_gather(maker *const m) {
  const int y = TWO("Gather", split(m, FEW, "0213"), LIST(0, 0, 1, 1));
  return axis(m, y, 1);
}

static int only_one(maker *const m) {
  return split(m, 1, "0213");
}

static int one_for_all(maker *const m) {
  return TWO("Expand", split(m, 1, "0213"), LIST(1, HEADS, 1, 1));
}

static int grouped(maker *const m, repeat *const few) {
  return joined(m, attended_by(m, queries(m), few(m), few(m)));
}

static int expanded_heads(maker *const m) {
  return grouped(m, by_expand);
}
static int tiled_heads(maker *const m) {
  return grouped(m, by_tile);
}
static int joined_heads(maker *const m) {
  return grouped(m, by_concat);
}
static int gathered_heads(maker *const m) {
  return grouped(m, by_gather);
}
static int one_head(maker *const m) {
  return grouped(m, only_one);
}
static int one_expanded_head(maker *const m) {
  return grouped(m, one_for_all);
}

/* Keys with fewer heads than values. */
static int unequal_heads(maker *const m) {
  return joined(m, attended_by(m, queries(m), by_expand(m), queries(m)));
}

static int five_axes(maker *const m) {
  const int q = TWO("Reshape", queries(m), LIST(0, FEW, TIMES, -1, DEPTH));
  const int k = TWO("Unsqueeze", split(m, FEW, "0231"), LIST(2));
  const int v = TWO("Unsqueeze", split(m, FEW, "0213"), LIST(2));
  const int x = TWO("Add", TWO("MatMul", q, k), TWO("Unsqueeze", penalty(m, -10000), LIST(2)));
  const int y = TWO("MatMul", softmax(m, x), v);
  return joined(m, TWO("Reshape", y, LIST(0, HEADS, -1, DEPTH)));
}

/* All of Q, K and V from one product: an axis of three, in front of the heads or behind them. */
static int stacked(maker *const m) {
  const int all =
      turned(m, TWO("Reshape", linear(m, m->x, 3 * WIDTH), LIST(0, 0, 3, HEADS, DEPTH)), "20314");
  int parts[3];
  for (int i = 0; i < 3; i++) {
    parts[i] = TWO("Gather", all, whole(m, i));
    parts[i] = axis(m, parts[i], 0);
  }
  return joined(m, attended_by(m, parts[0], parts[1], parts[2]));
}

static int beside_one_another(maker *const m) {
  const int all =
      turned(m, TWO("Reshape", linear(m, m->x, 3 * WIDTH), LIST(0, 0, HEADS, 3 * DEPTH)), "0213");
  static const char *const names[] = {"part_q", "part_k", "part_v"};
  int parts[3];
  for (int i = 0; i < 3; i++) {
    parts[i] = tarei_graph_add_value(m->g, names[i]);
    assert_true(parts[i] >= 0);
  }
  const int in[] = {all, LIST(DEPTH, DEPTH, DEPTH)};
  assert_true(tarei_graph_add_node(m->g, "Split", "", "n_split", 17, in, 2, parts, 3) >= 0);
  (void)axis(m, all, 3);
  return joined(m, attended_by(m, parts[0], parts[1], parts[2]));
}

/* Elements of heads lie apart. */
static int in_disorder(maker *const m) {
  const int q = turned(m, TWO("Reshape", linear(m, m->x, WIDTH), LIST(0, 0, DEPTH, HEADS)), "0312");
  const int k = turned(m, TWO("Reshape", linear(m, m->x, WIDTH), LIST(0, 0, DEPTH, HEADS)), "0312");
  return joined(m, attended_by(m, q, k, queries(m)));
}

/* The result is used as it is, heads in front of rows. */
static int heads_in_front(maker *const m) {
  return ONE("Relu", attended_by(m, queries(m), queries(m), queries(m)));
}

static const struct {
  const char *name;
  int (*write)(maker *m);
  float rounding; /* that the model asks for, and one step leaves out */
} forms[] = {{"far below", far_below},
             {"an expanded number", expanded_number},
             {"subtracted", subtracted},
             {"causal and added", causal_and_added},
             {"causal slices", causal_slices},
             {"two conditions", two_conditions},
             {"bounded", bounded},
             {"scaled behind masks", scaled_behind_masks},
             {"emptied rows", emptied},
             {"rows masked", rows_masked},
             {"short probabilities", short_probabilities, 1e-3f},
             {"linear biases", linear_biases},
             {"disentangled", disentangled},
             {"rotary", rotary},
             {"rotary before heads", rotary_before_heads},
             {"expanded heads", expanded_heads},
             {"tiled heads", tiled_heads},
             {"joined heads", joined_heads},
             {"gathered heads", gathered_heads},
             {"one head", one_head},
             {"one expanded head", one_expanded_head},
             {"unequal heads", unequal_heads},
             {"five axes", five_axes},
             {"stacked", stacked},
             {"beside one another", beside_one_another},
             {"heads in disorder", in_disorder},
             {"heads in front", heads_in_front}};

/* --- runs ------------------------------------------------------------------------------------- */

static tare_error err;

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

/* `apart`: what products and softmaxes give is seen, so that they stay. */
static tarei_graph *graph_of(const int form, const uint32_t with, const bool apart) {
  seed = with;
  maker m = {.g = tarei_graph_new("attention")};
  m.x = add_input(m.g, "x", "n;t;24");
  m.mask = add_typed_input(m.g, "mask", TARE_I64, "n;t");
  const int y = forms[form].write(&m);
  const int seen = put(&m, "Cast", m.mask, -1, -1); /* read by all */
  assert_true(tarei_attr_set_int(last(&m), "to", TARE_F32));
  assert_true(tarei_graph_mark_output(m.g, y) && tarei_graph_mark_output(m.g, seen));
  OK(tarei_graph_infer(m.g, &err));
  for (int i = 0; apart && i < m.g->n_nodes; i++) {
    const tarei_node *const node = &m.g->nodes[i];
    const bool stays = node->op == &tarei_op_matmul || node->op == &tarei_op_softmax;
    assert_true(!stays || node->out[0] == y || tarei_graph_mark_output(m.g, node->out[0]));
  }
  return m.g;
}

static tare_plan *plan_of(const int form, const uint32_t with, const bool apart) {
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_plan *plan = NULL;
  tare_build_options options;
  const tare_port *ports;
  tare_build_options_init(&options);
  OK(tarei_model_new(graph_of(form, with, apart), &model, &err));
  const int n = tare_model_inputs(model, &ports);
  OK(tare_profiles_new(ports, n, &profiles, &err));
  OK(tare_profiles_add(profiles, "n=1:2:3,t=1:16:40", &err));
  OK(tare_plan_build(model, profiles, &options, &plan, &err));
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  return plan;
}

static void expect_near(const tare_tensor *const got, const tare_tensor *const want,
                        const float tolerance, const char *const name) {
  const float *const a = got->data, *const b = want->data;
  assert_int_equal(tare_tensor_count(got), tare_tensor_count(want));
  for (int64_t i = 0; i < tare_tensor_count(got); i++) {
    if (!(fabsf(a[i] - b[i]) <= tolerance * fmaxf(1, fabsf(b[i])))) {
      fail_msg("%s: element %d is %g, expected %g", name, (int)i, (double)a[i], (double)b[i]);
    }
  }
}

static void compare_runs(const tare_plan *const fused, const tare_plan *const apart,
                         const int64_t rows, const int64_t t, const int form) {
  enum { MOST_OUTPUTS = 16 };
  static float x[BATCH * LONGEST * WIDTH];
  static int64_t mask[BATCH * LONGEST];
  tare_tensor got[MOST_OUTPUTS], want[MOST_OUTPUTS];
  tare_context *contexts[2] = {NULL, NULL};
  for (int64_t i = 0; i < rows * t * WIDTH; i++) {
    x[i] = (float)below(2001) / 1000 - 1;
  }
  for (int64_t i = 0; i < rows * t; i++) {
    mask[i] = i % t == 0 || i % t < t - 3 * (i / t); /* something is left of each row */
  }
  const tare_tensor in[] = {{TARE_F32, 3, {rows, t, WIDTH}, x}, {TARE_I64, 2, {rows, t}, mask}};
  OK(tare_context_new(fused, NULL, &contexts[0], &err));
  OK(tare_context_new(apart, NULL, &contexts[1], &err));
  OK(tare_context_run(contexts[0], in, got, &err));
  OK(tare_context_run(contexts[1], in, want, &err));
  expect_near(&got[0], &want[0], 2e-5f + forms[form].rounding, forms[form].name);
  tare_context_free(&contexts[0]);
  tare_context_free(&contexts[1]);
}

static void become_one_step(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    tarei_graph *const g = graph_of((int)i, 1, false);
    OK(tarei_graph_optimize(g, NULL, &err));
    int attentions = 0, others = 0;
    for (int n = 0; n < g->n_nodes; n++) {
      attentions += g->nodes[n].op == &tarei_op_attention;
      others += g->nodes[n].op == &tarei_op_softmax || g->nodes[n].op == &tarei_op_scaled_softmax;
    }
    if (attentions != 1 || others != 0) {
      fail_msg("%s: %d attentions, %d softmaxes", forms[i].name, attentions, others);
    }
    tarei_graph_free(g);
  }
}

static void give_the_same(void **state) {
  (void)state;
  const uint32_t with = seed;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    tare_plan *fused = plan_of((int)i, with, false), *apart = plan_of((int)i, with, true);
    compare_runs(fused, apart, 1, 1, (int)i);
    compare_runs(fused, apart, 1, 17, (int)i);
    compare_runs(fused, apart, BATCH, LONGEST, (int)i);
    compare_runs(fused, apart, 2, 9, (int)i);
    tare_plan_free(&fused);
    tare_plan_free(&apart);
  }
}

int forms_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(become_one_step),
                                     cmocka_unit_test(give_the_same)};
  seed = (uint32_t)test_seed();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
