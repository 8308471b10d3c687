#include "unit/graph/ops_case.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define MAX_VALUES 40

/* Cuts the text up to a separator that is not inside brackets off; NULL at the end. */
static char *next_part(char **const text, const char separator) {
  char *s = *text;
  if (!s) {
    return NULL;
  }
  while (*s == ' ') {
    s++;
  }
  int depth = 0;
  char *end = s;
  for (; *end && (*end != separator || depth > 0); end++) {
    depth += strchr("([{", *end) != NULL;
    depth -= strchr(")]}", *end) != NULL;
  }
  *text = *end ? end + 1 : NULL;
  *end = 0;
  return s;
}

static int split(char *text, const char separator, char **const parts) {
  int n = 0;
  for (char *part = next_part(&text, separator); part; part = next_part(&text, separator)) {
    assert_true(n < TAREI_MAX_CONTENTS);
    parts[n] = part;
    n += *part != 0;
  }
  return n;
}

static tare_dtype read_dtype(const char **const text) {
  static const struct {
    const char *name;
    tare_dtype dtype;
  } names[] = {
      {"f32", TARE_F32}, {"f16", TARE_F16}, {"f64", TARE_F64}, {"i64", TARE_I64},
      {"i32", TARE_I32}, {"i8", TARE_I8},   {"u8", TARE_U8},   {"bool", TARE_BOOL},
      {"i16", TARE_I16}, {"u16", TARE_U16},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t n = strlen(names[i].name);
    if (strncmp(*text, names[i].name, n) == 0) {
      *text += n;
      return names[i].dtype;
    }
  }
  fail_msg("no type in '%s'", *text);
  return TARE_DTYPE_NONE;
}

/* Takes a list in brackets apart and goes behind it. */
static int read_list(const char **const text, const char close, char *const copy,
                     char **const parts) {
  const char *const stop = strchr(*text, close);
  assert_non_null(stop);
  const size_t n = (size_t)(stop - *text - 1);
  memcpy(copy, *text + 1, n);
  copy[n] = 0;
  *text = stop + 1;
  return split(copy, ',', parts);
}

static tarei_expr read_expr(tarei_graph *const graph, const char *const text) {
  tarei_expr e = TAREI_EXPR_NONE;
  tare_error err = {0};
  if (strcmp(text, "?") != 0 && tarei_expr_parse(graph->exprs, text, &e, &err) != TARE_OK) {
    fail_msg("'%s': %s", text, err.message);
  }
  return e;
}

static int add_constant(tarei_graph *const graph, const tare_dtype dtype, const int rank,
                        char *const *const parts, const int n) {
  union {
    float f[TAREI_MAX_CONTENTS];
    int64_t l[TAREI_MAX_CONTENTS];
    int32_t i[TAREI_MAX_CONTENTS];
    uint8_t b[TAREI_MAX_CONTENTS];
  } data;
  for (int i = 0; i < n; i++) {
    if (dtype == TARE_F32) {
      data.f[i] = strtof(parts[i], NULL);
    } else if (dtype == TARE_I64) {
      data.l[i] = strtoll(parts[i], NULL, 10);
    } else if (dtype == TARE_I32) {
      data.i[i] = (int32_t)strtoll(parts[i], NULL, 10);
    } else {
      data.b[i] = (uint8_t)strtoll(parts[i], NULL, 10);
    }
  }
  const int64_t dims[1] = {n};
  return tarei_graph_add_const(graph, "c", dtype, rank, dims, &data);
}

int ops_value(tarei_graph *const graph, const char *text) {
  char copy[1024], *parts[TAREI_MAX_CONTENTS], name[24];
  if (*text == '-') {
    return -1;
  }
  const tare_dtype dtype = read_dtype(&text);
  if (*text == '{') {
    const int n = read_list(&text, '}', copy, parts);
    return add_constant(graph, dtype, 1, parts, n);
  }
  if (*text == '#') {
    char *const only = copy;
    (void)snprintf(copy, sizeof copy, "%s", text + 1);
    return add_constant(graph, dtype, 0, &only, 1);
  }
  (void)snprintf(name, sizeof name, "x%d", graph->n_values);
  const int index = tarei_graph_add_value(graph, name);
  assert_true(index >= 0);
  tarei_value *const value = &graph->values[index];
  value->dtype = dtype;
  value->is_input = true;
  value->rank = read_list(&text, ']', copy, parts);
  for (int i = 0; i < value->rank; i++) {
    value->dims[i] = read_expr(graph, parts[i]);
  }
  if (*text == '{') {
    tarei_expr contents[TAREI_MAX_CONTENTS];
    const int n = read_list(&text, '}', copy, parts);
    for (int i = 0; i < n; i++) {
      contents[i] = read_expr(graph, parts[i]);
    }
    assert_true(tarei_value_set_contents(graph, index, contents, n));
  }
  return index;
}

static void set_attr(tarei_graph *const graph, tarei_node *const node, char *const text) {
  char *const value = strchr(text, '=');
  assert_non_null(value);
  *value = 0;
  const char *const v = value + 1;
  char copy[1024], *parts[TAREI_MAX_CONTENTS];
  bool set;
  if (*v == '[') {
    const char *list = v;
    int64_t ints[TAREI_MAX_CONTENTS];
    const int n = read_list(&list, ']', copy, parts);
    for (int i = 0; i < n; i++) {
      ints[i] = strtoll(parts[i], NULL, 10);
    }
    set = tarei_attr_set_ints(node, text, ints, n);
  } else if (*v == '<') {
    const char *list = v;
    tarei_expr exprs[TAREI_MAX_CONTENTS];
    const int n = read_list(&list, '>', copy, parts);
    for (int i = 0; i < n; i++) {
      exprs[i] = read_expr(graph, parts[i]);
    }
    set = tarei_attr_set_exprs(node, text, exprs, n);
  } else if (*v == '\'') {
    (void)snprintf(copy, sizeof copy, "%s", v + 1);
    copy[strlen(copy) - 1] = 0;
    set = tarei_attr_set_string(node, text, copy);
  } else if (v[strlen(v) - 1] == 'f') {
    set = tarei_attr_set_float(node, text, strtof(v, NULL));
  } else {
    set = tarei_attr_set_int(node, text, strtoll(v, NULL, 10));
  }
  assert_true(set);
}

void ops_attrs(tarei_graph *const graph, tarei_node *const node, const char *const attrs) {
  char copy[1024];
  (void)snprintf(copy, sizeof copy, "%s", attrs);
  char *text = copy;
  for (char *part = next_part(&text, ' '); part; part = next_part(&text, ' ')) {
    if (*part) {
      set_attr(graph, node, part);
    }
  }
}

int ops_node_of(tarei_graph *const graph, const char *const op, const char *const domain,
                const int opset, const int n_out, const int *const in, const int n_in) {
  int out[MAX_VALUES];
  for (int i = 0; i < n_out; i++) {
    char name[24];
    (void)snprintf(name, sizeof name, "y%d", graph->n_values);
    out[i] = tarei_graph_add_value(graph, name);
    assert_true(out[i] >= 0);
  }
  const int node = tarei_graph_add_node(graph, op, domain, NULL, opset, in, n_in, out, n_out);
  assert_true(node >= 0);
  return node;
}

int ops_node(tarei_graph *const graph, const char *const op, const int opset,
             const char *const attrs, const int n_out, const int *const in, const int n_in) {
  const char *const domain = opset < 0               ? "com.microsoft"
                             : opset == 0            ? "tare"
                             : tarei_op_find(op, "") ? ""
                                                     : "com.microsoft";
  const int node = ops_node_of(graph, op, domain, opset, n_out, in, n_in);
  ops_attrs(graph, &graph->nodes[node], attrs);
  return graph->nodes[node].out[0];
}

void ops_print(const tarei_graph *const graph, const int index, tarei_str *const out) {
  const tarei_value *const value = &graph->values[index];
  static const char *const short_names[] = {
      [TARE_F32] = "f32",   [TARE_F16] = "f16", [TARE_F64] = "f64", [TARE_I64] = "i64",
      [TARE_I32] = "i32",   [TARE_I8] = "i8",   [TARE_U8] = "u8",   [TARE_BOOL] = "bool",
      [TARE_BF16] = "bf16", [TARE_I16] = "i16", [TARE_U16] = "u16",
  };
  assert_true(value->rank >= 0);
  assert_non_null(short_names[value->dtype]);
  tarei_str_add(out, "%s[", short_names[value->dtype]);
  for (int i = 0; i < value->rank; i++) {
    tarei_str_add(out, i ? ", " : "");
    tarei_expr_print(graph->exprs, value->dims[i], out);
  }
  tarei_str_add(out, "]");
  for (int i = 0; i < value->n_contents; i++) {
    tarei_str_add(out, i ? ", " : "{");
    tarei_expr_print(graph->exprs, value->contents[i], out);
  }
  tarei_str_add(out, value->n_contents ? "}" : "");
}

static int count_outputs(const char *const expected) {
  int n = 1;
  for (const char *s = expected; *s; s++) {
    n += *s == ';';
  }
  return n;
}

/* The outputs of the node. Where it was expanded, those of the graph. */
static void report(const tarei_graph *const graph, const tare_status status,
                   const char *const message, tarei_str *const out) {
  if (status != TARE_OK) {
    tarei_str_add(out, "%s: %s", tare_status_name(status) + 2, message);
    return;
  }
  const bool expanded = graph->n_outputs > 0;
  const int n = expanded ? graph->n_outputs : graph->nodes[0].n_out;
  for (int i = 0; i < n; i++) {
    tarei_str_add(out, i ? "; " : "");
    ops_print(graph, expanded ? graph->outputs[i] : graph->nodes[0].out[i], out);
  }
}

/* Writes expected values as inference would print them: equal expressions have equal texts. */
static void normalize(tarei_graph *const graph, const char *const expected, tarei_str *const out) {
  char copy[2048], *parts[TAREI_MAX_CONTENTS];
  (void)snprintf(copy, sizeof copy, "%s", expected);
  const int n = split(copy, ';', parts);
  for (int i = 0; i < n; i++) {
    tarei_str_add(out, i ? "; " : "");
    ops_print(graph, ops_value(graph, parts[i]), out);
  }
}

static bool same_values(tarei_graph *const graph, const char *const seen,
                        const char *const expected) {
  tarei_str text = {0};
  normalize(graph, expected, &text);
  const bool same = strcmp(seen, tarei_str_get(&text)) == 0;
  tarei_str_free(&text);
  return same;
}

void ops_expect(tarei_graph *const graph, const int value, const char *const expected) {
  tare_error err = {0};
  if (tarei_graph_infer(graph, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tarei_str text = {0};
  ops_print(graph, value, &text);
  if (!same_values(graph, tarei_str_get(&text), expected)) {
    fail_msg("seen %s, expected %s", tarei_str_get(&text), expected);
  }
  tarei_str_free(&text);
}

/* An error is as expected when its status and a part of its sentence are. */
static bool same_error(const char *const seen, const char *const expected) {
  char copy[1024];
  (void)snprintf(copy, sizeof copy, "%s", expected);
  copy[strcspn(copy, ";")] = 0; /* these count the outputs */
  char *const part = strstr(copy, ": ");
  assert_non_null(part);
  return strncmp(seen, copy, (size_t)(part - copy)) == 0 && strstr(seen, part + 2);
}

static bool check(const ops_case *const c) {
  tarei_graph *const graph = tarei_graph_new("case");
  assert_non_null(graph);
  char copy[2048], *parts[TAREI_MAX_CONTENTS];
  int in[MAX_VALUES];
  (void)snprintf(copy, sizeof copy, "%s", c->inputs);
  const int n_in = split(copy, ';', parts);
  for (int i = 0; i < n_in; i++) {
    in[i] = ops_value(graph, parts[i]);
  }
  const int n_out = count_outputs(c->expected);
  (void)ops_node(graph, c->op, c->opset, c->attrs, n_out, in, n_in);
  for (int i = 0; graph->nodes[0].op->expand && i < n_out; i++) {
    assert_true(tarei_graph_mark_output(graph, graph->nodes[0].out[i]));
  }
  tare_error err = {0};
  const tare_status status = tarei_graph_infer(graph, &err);
  tarei_str seen = {0};
  report(graph, status, err.message, &seen);
  const bool error = isupper((unsigned char)*c->expected);
  const bool good = error ? same_error(tarei_str_get(&seen), c->expected)
                          : same_values(graph, tarei_str_get(&seen), c->expected);
  if (!good) {
    print_error("%s-%d (%s) %s\n  seen:     %s\n  expected: %s\n", c->op, c->opset, c->inputs,
                c->attrs, tarei_str_get(&seen), c->expected);
  }
  if (status == TARE_OK) {
    tarei_graph_check(graph);
  }
  tarei_str_free(&seen);
  tarei_graph_free(graph);
  return good;
}

void ops_check(const ops_case *const cases, const size_t n) {
  size_t bad = 0;
  for (size_t i = 0; i < n; i++) {
    bad += !check(&cases[i]);
  }
  assert_int_equal(bad, 0);
}
