#include "random/maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random/random.h"

enum { MOST_ELEMENTS = 4096, MOST_ELEMENTS_WIDE = 32768 };
static const double largest_float = 1e3, largest_int = 1e5;
static const double noise_limit = 2e-5; /* a fifth of what the engine may be off */

/* ---- choosing ---- */

int64_t pick(maker *const m, const int64_t n) {
  return (int64_t)(random_bits(&m->random) % (uint64_t)n);
}

bool chance(maker *const m, const int one_in) {
  return pick(m, one_in) == 0;
}

float between(maker *const m, const float low, const float high) {
  return low + (high - low) * (float)pick(m, 1001) / 1000;
}

int64_t pick_width(maker *const m, const int64_t most) {
  static const int64_t widths[] = {8, 16, 17, 24, 32, 33, 40, 48};
  return m->wide && chance(m, 2) ? widths[pick(m, 8)] : 1 + pick(m, most);
}

bool has_type(const tare_dtype dtype, const int types) {
  return (dtype == TARE_F32 && types & FLOATS) || (dtype == TARE_I64 && types & INTS) ||
         (dtype == TARE_BOOL && types & BOOLS) || (dtype == TARE_I32 && types & INTS32);
}

value *choose(maker *const m, const int types, const int min_rank, const int max_rank,
              const fits_fn fits, const void *const with) {
  value *found[MAX_DEPTH * MAX_VALUES + MAX_VALUES];
  int n = 0;
  for (level *l = m->level; l; l = l->around) {
    for (int i = l->n; i-- > 0;) {
      value *const v = &l->values[i];
      if (has_type(v->dtype, types) && v->rank >= min_rank && v->rank <= max_rank &&
          (!fits || fits(v, with))) {
        found[n++] = v;
      }
    }
  }
  const int near = n < 5 ? n : 5; /* chains are long, and old values are used too */
  return n ? found[chance(m, 3) ? pick(m, n) : pick(m, near)] : NULL;
}

int64_t fixed_dim(const value *const v, const int d) {
  int64_t dim = v->at[0]->dims[d];
  for (int l = 1; l < MAX_LENGTHS; l++) {
    dim = v->at[l]->dims[d] == dim ? dim : -1;
  }
  return dim;
}

int64_t least_dim(const value *const v, const int d) {
  int64_t least = v->at[0]->dims[d];
  for (int l = 1; l < MAX_LENGTHS; l++) {
    least = v->at[l]->dims[d] < least ? v->at[l]->dims[d] : least;
  }
  return least;
}

bool is_one_element(const value *const v) {
  bool one = true;
  for (int l = 0; l < MAX_LENGTHS; l++) {
    one &= tare_tensor_count(v->at[l]) == 1;
  }
  return one;
}

bool all_same_dims(const value *const a, const value *const b) {
  bool same = true;
  for (int l = 0; l < MAX_LENGTHS; l++) {
    same &= same_dims(a->at[l], b->at[l]);
  }
  return same;
}

/* ---- growing ---- */

void new_name(maker *const m, const char prefix, char *const name) {
  snprintf(name, 16, "%c%d", prefix, m->next_name++);
}

void level_begin(maker *const m, level *const l, const char *const name) {
  *l = (level){.around = m->level, .graph = graph_message(name)};
  for (int i = 0; i < ALL_SCOPES; i++) {
    l->scopes[i].around = m->level ? &m->level->scopes[i] : NULL;
  }
  m->level = l;
  m->depth++;
}

void level_end(maker *const m) {
  level *const l = m->level;
  for (int i = 0; i < ALL_SCOPES; i++) {
    scope_cut(&l->scopes[i], 0);
  }
  m->level = l->around;
  m->depth--;
}

static value *add_value(maker *const m, const char *const name, const bool measured) {
  level *const l = m->level;
  value *const v = &l->values[l->n++];
  *v = (value){.measured = measured};
  snprintf(v->name, sizeof v->name, "%s", name);
  for (int i = 0; i < ALL_SCOPES; i++) {
    v->at[i] = scope_find(&l->scopes[i], name);
  }
  v->dtype = v->at[0]->dtype;
  v->rank = v->at[0]->rank;
  return v;
}

value *level_input(maker *const m, const tare_dtype dtype, const tare_tensor *const *const at,
                   const bool measured) {
  char name[16];
  new_name(m, m->depth > 1 ? 'f' : 'x', name);
  for (int i = 0; i < ALL_SCOPES; i++) {
    scope_bind(&m->level->scopes[i], name, tensor_copy(at[i]), false);
  }
  if (m->depth > 1) {
    graph_add_input(m->level->graph, name, dtype, -1, NULL, NULL);
  }
  return add_value(m, name, measured);
}

const char *constant_of(maker *const m, const tare_tensor *const t) {
  static char name[16];
  new_name(m, 'c', name);
  graph_add_constant(m->level->graph, name, t);
  for (int i = 0; i < ALL_SCOPES; i++) {
    scope_bind(&m->level->scopes[i], name, tensor_copy(t), true);
  }
  return name;
}

const char *constant_floats(maker *const m, const int rank, const int64_t *const dims,
                            const float low, const float high) {
  const tare_tensor t = tensor_new(TARE_F32, rank, dims);
  for (int64_t i = 0; i < tare_tensor_count(&t); i++) {
    ((float *)t.data)[i] = between(m, low, high);
  }
  const char *const name = constant_of(m, &t);
  free(t.data);
  return name;
}

const char *constant_ints(maker *const m, const int rank, const int64_t n,
                          const int64_t *const values) {
  const tare_tensor t = {TARE_I64, rank, {n}, (void *)values};
  return constant_of(m, &t);
}

void add_operand(Onnx__NodeProto *const node, value *const v) {
  node_add_input(node, v->name);
  v->uses++;
}

void add_results(maker *const m, Onnx__NodeProto *const node, const int n) {
  for (int i = 0; i < n; i++) {
    char name[16];
    new_name(m, 'v', name);
    node_add_output(node, name);
  }
}

/* ---- what is kept ---- */

static double float_limit(const double x) {
  return noise_limit + noise_limit * fabs(x);
}

static bool is_calm(const maker *const m, const tare_tensor *const t,
                    const tare_tensor *const noisy) {
  const int64_t n = tare_tensor_count(t);
  if (!same_dims(t, noisy) || n > (m->wide ? MOST_ELEMENTS_WIDE : MOST_ELEMENTS)) {
    return false;
  }
  if (t->dtype != TARE_F32) {
    for (int64_t i = 0; i < n && t->dtype == TARE_I64; i++) {
      if (fabs((double)((const int64_t *)t->data)[i]) > largest_int) {
        return false;
      }
    }
    return !n || memcmp(t->data, noisy->data, tensor_bytes(t)) == 0;
  }
  for (int64_t i = 0; i < n; i++) {
    const double x = ((const float *)t->data)[i], y = ((const float *)noisy->data)[i];
    if (!(fabs(x) <= largest_float) || !(fabs(x - y) <= float_limit(x))) {
      return false;
    }
  }
  return true;
}

/* An empty tensor comes from data, or is empty always, but where lengths are 0. */
static bool emptiness_is_known(maker *const m, const char *const name, const bool measured) {
  const level *const l = m->level;
  for (int i = 0; i < MAX_LENGTHS && !measured && !m->empties; i++) {
    if (tare_tensor_count(scope_find(&l->scopes[i], name)) == 0) {
      return false;
    }
  }
  return true;
}

static bool output_is_calm(maker *const m, const char *const name, const bool measured) {
  const level *const l = m->level;
  const tare_tensor *const first = scope_find(&l->scopes[0], name);
  for (int i = 0; i < MAX_LENGTHS; i++) {
    const tare_tensor *const t = scope_find(&l->scopes[i], name);
    const tare_tensor *const noisy = scope_find(&l->scopes[MAX_LENGTHS + i], name);
    if (t->rank != first->rank || t->dtype != first->dtype || !has_type(t->dtype, ALL) ||
        !is_calm(m, t, noisy)) {
      return false;
    }
  }
  return emptiness_is_known(m, name, measured);
}

static bool compute(maker *const m, const Onnx__NodeProto *const node, const bool measured) {
  for (int i = 0; i < ALL_SCOPES; i++) {
    walker w = {.opset = m->opset, .noise = i < MAX_LENGTHS ? 0 : random_bits(&m->random) | 1};
    if (!walk_node(&w, node, &m->level->scopes[i])) {
      snprintf(m->why, sizeof m->why, "%s", w.why);
      return false;
    }
  }
  for (size_t o = 0; o < node->n_output; o++) {
    if (*node->output[o] && !output_is_calm(m, node->output[o], measured)) {
      snprintf(m->why, sizeof m->why, "%s: not calm", node->op_type);
      return false;
    }
  }
  return true;
}

/* Whether what it reads, here or inside of it, is measured. */
static bool reads_measured(const maker *const m, const Onnx__NodeProto *const node) {
  for (const level *l = m->level; l; l = l->around) {
    for (int v = 0; v < l->n; v++) {
      for (size_t i = 0; i < node->n_input; i++) {
        if (l->values[v].measured && strcmp(l->values[v].name, node->input[i]) == 0) {
          return true;
        }
      }
    }
  }
  return false;
}

value *keep(maker *const m, Onnx__NodeProto *const node, const bool measures) {
  level *const l = m->level;
  const bool measured = measures || reads_measured(m, node);
  if (m->names && !node->name) {
    char name[16];
    snprintf(name, sizeof name, "n%d", (int)pick(m, m->names));
    node->name = need(strdup(name));
  }
  size_t before[ALL_SCOPES];
  for (int i = 0; i < ALL_SCOPES; i++) {
    before[i] = l->scopes[i].n;
  }
  m->tried++;
  if (l->n + (int)node->n_output > MAX_VALUES || !compute(m, node, measured)) {
    for (int i = 0; i < ALL_SCOPES; i++) {
      scope_cut(&l->scopes[i], before[i]);
    }
    onnx__node_proto__free_unpacked(node, NULL);
    return NULL;
  }
  m->kept++;
  graph_add_node(l->graph, node);
  const int first = l->n;
  for (size_t o = 0; o < node->n_output; o++) {
    if (*node->output[o]) {
      (void)add_value(m, node->output[o], measured);
    }
  }
  return &l->values[first];
}

value *apply(maker *const m, const char *const op, value *const a, value *const b) {
  if (!a) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(op);
  add_operand(node, a);
  if (b) {
    add_operand(node, b);
  }
  add_results(m, node, 1);
  return keep(m, node, false);
}
