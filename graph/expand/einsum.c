/*
 * Einsum as transposes, products and sums.
 *
 * Every axis of an operand has a label: a letter, or a number for those under an ellipsis, counted
 * from the end. Operands are taken together from left to right: labels that only one has and nobody
 * needs are summed; what is left of both is a product of matrices where they share a label that
 * nobody needs, and otherwise one element by element.
 */
#include <ctype.h>
#include <string.h>

#include "graph/expand/attend.h"

enum { LABELS = 128, MOST_OPERANDS = 16 };

/* A tensor whose axes have labels. */
typedef struct term {
  int value, n;
  char label[TARE_MAX_RANK];
  int64_t dim[TARE_MAX_RANK]; /* -1: not constant */
  bool constant;
} term;

typedef struct equation {
  tare_dtype dtype;
  int n;
  term in[MOST_OPERANDS];
  term out; /* labels only */
} equation;

typedef char label_list[TARE_MAX_RANK + 1];

/* --- reading ---------------------------------------------------------------------------------- */

/* The axis of a label, or -1. */
static int einsum_find(const term *const t, const char label) {
  for (int a = 0; a < t->n; a++) {
    if (t->label[a] == label) {
      return a;
    }
  }
  return -1;
}

static bool einsum_has(const term *const t, const char label) {
  return einsum_find(t, label) >= 0;
}

static tare_status bad_equation(const char *const text, const char *const why,
                                tare_error *const err) {
  return tarei_fail(err, TARE_E_MODEL, "equation '%.100s' %s", text, why);
}

/* Labels of one term of the equation, which ends at `end`. `hidden` axes stand under an ellipsis.
 */
static bool read_labels(const char *at, const char *const end, const int hidden, term *const t) {
  bool ellipsis = false;
  t->n = 0;
  for (; at < end; at++) {
    if (*at == ' ') {
      continue;
    }
    if (*at == '.' && !ellipsis && end - at >= 3 && at[1] == '.' && at[2] == '.') {
      for (int i = hidden; i > 0; i--) {
        if (t->n == TARE_MAX_RANK) {
          return false;
        }
        t->label[t->n++] = (char)i;
      }
      ellipsis = true;
      at += 2;
    } else if (isalpha((unsigned char)*at) && t->n < TARE_MAX_RANK) {
      t->label[t->n++] = *at;
    } else {
      return false;
    }
  }
  return true;
}

static int count_letters(const char *at, const char *const end) {
  int n = 0;
  for (; at < end; at++) {
    n += isalpha((unsigned char)*at) != 0;
  }
  return n;
}

static bool has_ellipsis(const char *const at, const char *const end) {
  return memchr(at, '.', (size_t)(end - at)) != NULL;
}

static tare_status read_operand(const tarei_graph *const graph, const char *const text,
                                const char *const at, const char *const end, const int value,
                                term *const t, tare_error *const err) {
  const tarei_value *const v = &graph->values[value];
  const int hidden = has_ellipsis(at, end) ? v->rank - count_letters(at, end) : 0;
  if (hidden < 0 || !read_labels(at, end, hidden, t) || t->n != v->rank) {
    return tarei_fail(err, TARE_E_MODEL, "equation '%.100s' does not match '%s' of rank %d", text,
                      v->name, v->rank);
  }
  t->value = value;
  t->constant = v->data != NULL;
  for (int i = 0; i < t->n; i++) {
    if (!tarei_expr_is_const(graph->exprs, v->dims[i], &t->dim[i])) {
      t->dim[i] = -1;
    }
  }
  return TARE_OK;
}

/* Without "->": what is under ellipses, then letters that stand once, in their order. */
static void imply_output(equation *const e) {
  int count[LABELS] = {0};
  for (int i = 0; i < e->n; i++) {
    for (int a = 0; a < e->in[i].n; a++) {
      count[(int)e->in[i].label[a]]++;
    }
  }
  for (int label = TARE_MAX_RANK; label > 0; label--) {
    if (count[label] && e->out.n < TARE_MAX_RANK) {
      e->out.label[e->out.n++] = (char)label;
    }
  }
  for (int label = 'A'; label < LABELS; label++) {
    if (count[label] == 1 && e->out.n < TARE_MAX_RANK) {
      e->out.label[e->out.n++] = (char)label;
    }
  }
}

static tare_status einsum_check_output(const equation *const e, const char *const text,
                                       tare_error *const err) {
  for (int a = 0; a < e->out.n; a++) {
    bool known = false;
    for (int i = 0; i < e->n; i++) {
      known |= einsum_has(&e->in[i], e->out.label[a]);
    }
    if (!known || einsum_find(&e->out, e->out.label[a]) < a) {
      return bad_equation(text, "repeats an output label, or names one that no operand has", err);
    }
  }
  return TARE_OK;
}

static tare_status read_equation(const tarei_graph *const graph, const tarei_node *const node,
                                 equation *const e, tare_error *const err) {
  const char *const text = tarei_attr_string(node, "equation", "");
  const char *const arrow = strstr(text, "->"), *const end = text + strlen(text);
  const char *at = text, *const inputs_end = arrow ? arrow : end;
  int hidden = 0;
  if (node->n_in > MOST_OPERANDS) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "%d operands: at most %d are supported", node->n_in,
                      MOST_OPERANDS);
  }
  *e = (equation){.n = node->n_in, .dtype = tarei_ops_in(graph, node, 0)->dtype};
  for (int i = 0; i < node->n_in; i++) {
    const char *const comma = memchr(at, ',', (size_t)(inputs_end - at));
    const bool last = i == node->n_in - 1;
    if (last == (comma != NULL)) {
      return bad_equation(text, "has a different number of terms than the node has inputs", err);
    }
    const char *const stop = last ? inputs_end : comma;
    TAREI_TRY(read_operand(graph, text, at, stop, node->in[i], &e->in[i], err));
    if (has_ellipsis(at, stop)) {
      const int own = e->in[i].n - count_letters(at, stop);
      hidden = own > hidden ? own : hidden;
    }
    at = stop + 1;
  }
  if (!arrow) {
    imply_output(e);
  } else if (!read_labels(arrow + 2, end, hidden, &e->out)) {
    return bad_equation(text, "cannot be parsed", err);
  }
  return einsum_check_output(e, text, err);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void drop_axis(term *const t, const int axis) {
  t->n--;
  for (int a = axis; a < t->n; a++) {
    t->label[a] = t->label[a + 1];
    t->dim[a] = t->dim[a + 1];
  }
}

static void sum_axis(tarei_build *const b, term *const t, const int axis) {
  const int64_t axes = axis;
  t->value = tarei_build_binary(b, "ReduceSum", t->value, tarei_build_i64s(b, &axes, 1));
  tarei_build_int(b, "keepdims", 0);
  drop_axis(t, axis);
}

/* Places along one axis, in the shape that the term's other axes broadcast to. */
static int places(tarei_build *const b, const term *const t, const int axis) {
  int64_t dims[TARE_MAX_RANK];
  for (int a = 0; a < t->n; a++) {
    dims[a] = a == axis ? -1 : 1;
  }
  return tarei_attend_reshape(b, tarei_attend_positions(b, t->value, axis), dims, t->n);
}

/* Axes of one label become one: the diagonal. */
static void take_diagonals(tarei_build *const b, term *const t, const tare_dtype dtype) {
  for (int a = 0; a < t->n; a++) {
    for (int c = t->n - 1; c > a; c--) {
      if (t->label[a] == t->label[c]) {
        const int in[] = {tarei_build_binary(b, "Equal", places(b, t, a), places(b, t, c)),
                          t->value, tarei_build_number(b, dtype, 0)};
        t->value = tarei_build_node(b, "Where", in, 3);
        sum_axis(b, t, c);
      }
    }
  }
}

/* The axes in the order of labels that the term has all. */
static void arrange(tarei_build *const b, term *const t, const char *const labels) {
  int64_t perm[TARE_MAX_RANK];
  bool same = true;
  const term from = *t;
  for (int a = 0; a < t->n; a++) {
    perm[a] = einsum_find(&from, labels[a]);
    same &= perm[a] == a;
    t->label[a] = labels[a];
    t->dim[a] = from.dim[perm[a]];
  }
  if (!same) {
    t->value = tarei_attend_transpose(b, t->value, perm, t->n);
  }
}

/* The sum over all labels that neither `other` nor `kept` has. */
static void sum_unneeded(tarei_build *const b, term *const t, const term *const other,
                         const bool kept[LABELS]) {
  for (int a = t->n - 1; a >= 0; a--) {
    if (!kept[(int)t->label[a]] && !(other && einsum_has(other, t->label[a]))) {
      sum_axis(b, t, a);
    }
  }
}

/* An element-by-element product: axes that one lacks become 1. */
static void align(tarei_build *const b, term *const t, const term *const all) {
  label_list own = {0};
  int64_t missing[TARE_MAX_RANK];
  int n = 0, n_missing = 0;
  for (int a = 0; a < all->n; a++) {
    if (einsum_has(t, all->label[a])) {
      own[n++] = all->label[a];
    } else {
      missing[n_missing++] = a;
    }
  }
  arrange(b, t, own);
  if (n_missing) {
    t->value = tarei_attend_unsqueeze(b, t->value, missing, n_missing);
  }
}

static int64_t einsum_broadcast_dim(const int64_t x, const int64_t y) {
  return x == 1 ? y : x;
}

static int64_t einsum_dim_of(const term *const t, const char label) {
  const int at = einsum_find(t, label);
  return at < 0 ? 1 : t->dim[at];
}

/* Labels of a product of both that is taken element by element; false when they are too many. */
static bool einsum_join(const term *const x, const term *const y, term *const out) {
  *out = *x;
  for (int a = 0; a < x->n; a++) {
    out->dim[a] = einsum_has(y, x->label[a])
                      ? einsum_broadcast_dim(x->dim[a], einsum_dim_of(y, x->label[a]))
                      : x->dim[a];
  }
  for (int a = 0; a < y->n; a++) {
    if (!einsum_has(x, y->label[a])) {
      if (out->n == TARE_MAX_RANK) {
        return false;
      }
      out->label[out->n] = y->label[a];
      out->dim[out->n++] = y->dim[a];
    }
  }
  return true;
}

/* Labels by what becomes of them in a product of matrices. */
typedef struct roles {
  label_list batch, rows, inner, columns;
  int n_batch, n_rows, n_inner, n_columns;
} roles;

static roles roles_of(const term *const x, const term *const y, const bool kept[LABELS]) {
  roles r = {.n_batch = 0};
  for (int a = 0; a < x->n; a++) {
    const char label = x->label[a];
    if (!einsum_has(y, label)) {
      r.rows[r.n_rows++] = label;
    } else if (kept[(int)label]) {
      r.batch[r.n_batch++] = label;
    } else {
      r.inner[r.n_inner++] = label;
    }
  }
  for (int a = 0; a < y->n; a++) {
    if (!einsum_has(x, y->label[a])) {
      r.columns[r.n_columns++] = y->label[a];
    }
  }
  return r;
}

/* Lists of labels one behind another. */
static void chain(const char *const first, const int n_first, const char *const second,
                  const int n_second, const char *const third, const int n_third, char *const out) {
  memcpy(out, first, (size_t)n_first);
  memcpy(out + n_first, second, (size_t)n_second);
  memcpy(out + n_first + n_second, third, (size_t)n_third);
}

/* Product of the lengths of axes [from, to) as a vector of one. */
static int einsum_length_of(tarei_build *const b, const term *const t, const int from,
                            const int to) {
  int64_t known = 1;
  int length = -1;
  for (int a = from; a < to; a++) {
    if (t->dim[a] >= 0) {
      known *= t->dim[a];
      continue;
    }
    const int one = tarei_build_unary(b, "Shape", t->value);
    tarei_build_int(b, "start", a);
    tarei_build_int(b, "end", a + 1);
    length = length < 0 ? one : tarei_build_binary(b, "Mul", length, one);
  }
  const int factor = known == 1 && length >= 0 ? -1 : tarei_build_i64s(b, &known, 1);
  return length < 0 ? factor : factor < 0 ? length : tarei_build_binary(b, "Mul", length, factor);
}

/* A shape of `zeros` dims that stay, and more lengths. */
static int einsum_shape_of(tarei_build *const b, const int zeros, const int *const lengths,
                           const int n) {
  int parts[TARE_MAX_RANK];
  int count = 0;
  if (zeros) {
    const int64_t none[TARE_MAX_RANK] = {0};
    parts[count++] = tarei_build_i64s(b, none, zeros);
  }
  for (int i = 0; i < n; i++) {
    parts[count++] = lengths[i];
  }
  return count == 1 ? parts[0] : tarei_attend_concat(b, parts, count, 0);
}

/* Axes behind the first `keep` become two: the next `first` of them, and the rest. */
static int fold_axes(tarei_build *const b, const term *const t, const int keep, const int first) {
  if (first == 1 && t->n - keep == 2) {
    return t->value;
  }
  const int lengths[] = {einsum_length_of(b, t, keep, keep + first),
                         einsum_length_of(b, t, keep + first, t->n)};
  return tarei_build_binary(b, "Reshape", t->value, einsum_shape_of(b, keep, lengths, 2));
}

/* A vector stands for all axes behind the first `keep`. */
static int fold_last(tarei_build *const b, const term *const t, const int keep) {
  if (t->n - keep == 1) {
    return t->value;
  }
  const int length = einsum_length_of(b, t, keep, t->n);
  return tarei_build_binary(b, "Reshape", t->value, einsum_shape_of(b, keep, &length, 1));
}

/* x becomes the product of both, [batch.., rows.., columns..]. Rows stay axes of their own where
 * there is no batch, as a layer with weights has them. */
static void einsum_multiply(tarei_build *const b, term *const x, term *const y,
                            const roles *const r) {
  label_list order;
  term out = {.n = r->n_batch + r->n_rows + r->n_columns};
  const bool layer = r->n_batch == 0 && r->n_rows > 0;
  chain(r->batch, r->n_batch, r->rows, r->n_rows, r->columns, r->n_columns, out.label);
  for (int a = 0; a < out.n; a++) {
    out.dim[a] = a < r->n_batch               ? einsum_broadcast_dim(einsum_dim_of(x, out.label[a]),
                                                                     einsum_dim_of(y, out.label[a]))
                 : a < r->n_batch + r->n_rows ? einsum_dim_of(x, out.label[a])
                                              : einsum_dim_of(y, out.label[a]);
  }
  chain(r->batch, r->n_batch, r->rows, r->n_rows, r->inner, r->n_inner, order);
  arrange(b, x, order);
  chain(r->batch, r->n_batch, r->inner, r->n_inner, r->columns, r->n_columns, order);
  arrange(b, y, order);
  const int left = layer ? fold_last(b, x, r->n_rows) : fold_axes(b, x, r->n_batch, r->n_rows);
  const int right = fold_axes(b, y, r->n_batch, r->n_inner);
  out.value = tarei_build_binary(b, "MatMul", left, right);
  const int kept = layer ? r->n_rows : r->n_batch;
  if (r->n_columns != 1 || (!layer && r->n_rows != 1)) {
    int lengths[TARE_MAX_RANK], n = 0;
    for (int a = r->n_batch; a < r->n_batch + r->n_rows && !layer; a++) {
      lengths[n++] = einsum_length_of(b, x, a, a + 1);
    }
    for (int a = y->n - r->n_columns; a < y->n; a++) {
      lengths[n++] = einsum_length_of(b, y, a, a + 1);
    }
    if (kept + n == 0) {
      out.value = tarei_build_binary(b, "Squeeze", out.value,
                                     tarei_build_i64s(b, (const int64_t[]){0, 1}, 2));
    } else {
      out.value = tarei_build_binary(b, "Reshape", out.value, einsum_shape_of(b, kept, lengths, n));
    }
  }
  *x = out;
}

/* Takes y into x; `kept` are the labels that somebody needs afterwards. */
static bool einsum_combine(tarei_build *const b, term *x, term *y, const bool kept[LABELS]) {
  sum_unneeded(b, x, y, kept);
  sum_unneeded(b, y, x, kept);
  roles r = roles_of(x, y, kept);
  if (r.n_inner == 0) {
    term all;
    if (!einsum_join(x, y, &all)) {
      return false;
    }
    align(b, x, &all);
    align(b, y, &all);
    all.value = tarei_build_binary(b, "Mul", x->value, y->value);
    *x = all;
    return true;
  }
  if (r.n_batch + r.n_rows + r.n_columns > TARE_MAX_RANK) {
    return false;
  }
  if (x->constant && !y->constant && r.n_batch == 0) { /* weights go to the right */
    const term other = *x;
    *x = *y;
    *y = other;
    r = roles_of(x, y, kept);
  }
  einsum_multiply(b, x, y, &r);
  return true;
}

static void need(const term *const t, bool kept[LABELS]) {
  for (int a = 0; a < t->n; a++) {
    kept[(int)t->label[a]] = true;
  }
}

static tare_status einsum_write(tarei_build *const b, equation *const e, const int out,
                                tare_error *const err) {
  for (int i = 0; i < e->n; i++) {
    take_diagonals(b, &e->in[i], e->dtype);
  }
  term *const all = &e->in[0];
  for (int i = 1; i < e->n; i++) {
    bool kept[LABELS] = {false};
    need(&e->out, kept);
    for (int later = i + 1; later < e->n; later++) {
      need(&e->in[later], kept);
    }
    if (!einsum_combine(b, all, &e->in[i], kept)) {
      return tarei_fail(err, TARE_E_UNSUPPORTED,
                        "products with more than %d axes are not supported", TARE_MAX_RANK);
    }
  }
  bool kept[LABELS] = {false};
  need(&e->out, kept);
  sum_unneeded(b, all, NULL, kept);
  arrange(b, all, e->out.label);
  tarei_build_into(b, "Identity", &all->value, 1, out);
  return tarei_build_done(b, err);
}

static tare_status einsum_expand(tarei_graph *const graph, const int node, tare_error *const err) {
  equation e;
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, n->n_in, err));
  TAREI_TRY(read_equation(graph, n, &e, err));
  const int out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  return einsum_write(&b, &e, out, err);
}

const tarei_op tarei_op_einsum = {
    .name = "Einsum",
    .domain = "",
    .min_in = 1,
    .max_in = -1,
    .min_out = 1,
    .max_out = 1,
    .expand = einsum_expand,
};
