#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/expr.h"

#define MAX_NESTING 64

typedef struct parser {
  tarei_exprs *pool;
  const char *text, *at;
  int depth;
  tare_error *err;
} parser;

static tare_status parse_sum(parser *p, tarei_expr *out);
static tare_status parse_unary(parser *p, tarei_expr *out);

static tare_status fault(const parser *const p, const char *const what) {
  const int length = (int)strnlen(p->at, 16);
  return tarei_fail(p->err, TARE_E_INPUT, "expression '%.200s': %s at character %td ('%.*s')",
                    p->text, what, p->at - p->text + 1, length, p->at);
}

static char expr_parse_peek(parser *const p) {
  while (isspace((unsigned char)*p->at)) {
    p->at++;
  }
  return *p->at;
}

static tare_status expect(parser *const p, const char c, const char *const what) {
  if (expr_parse_peek(p) != c) {
    return fault(p, what);
  }
  p->at++;
  return TARE_OK;
}

static bool name_char(const char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* An integer whose sign was read before, so that the least int64 can be written. */
static tare_status parse_integer(parser *const p, const bool negative, tarei_expr *const out) {
  int64_t value = 0;
  const char *const start = p->at;
  for (; isdigit((unsigned char)*p->at); p->at++) {
    const int64_t digit = *p->at - '0';
    if (!tarei_mul_i64(value, 10, &value) ||
        !tarei_add_i64(value, negative ? -digit : digit, &value)) {
      p->at = start;
      return fault(p, "number exceeds 64 bits");
    }
  }
  if (name_char(*p->at)) {
    p->at = start;
    return fault(p, "a name that starts with a digit must be in double quotes");
  }
  *out = tarei_expr_const(p->pool, value);
  return TARE_OK;
}

static tare_status take_symbol(parser *const p, const tarei_str *const name,
                               tarei_expr *const out) {
  if (name->failed) {
    return tarei_fail_memory(p->err, "symbol name", name->length + 1);
  }
  *out = tarei_expr_symbol(p->pool, tarei_str_get(name));
  return TARE_OK;
}

static tare_status parse_quoted(parser *const p, tarei_expr *const out) {
  tarei_str name = {0};
  const char *const start = p->at++;
  while (*p->at && *p->at != '"') {
    p->at += *p->at == '\\' && p->at[1];
    tarei_str_add(&name, "%c", *p->at++);
  }
  tare_status status;
  if (*p->at != '"') {
    p->at = start;
    status = fault(p, "unterminated quote");
  } else {
    p->at++;
    status = take_symbol(p, &name, out);
  }
  tarei_str_free(&name);
  return status;
}

/* Digits alone, at most those of an int32; false where there are none or too many. */
static bool parse_number(parser *const p, int32_t *const out) {
  const char *const start = p->at;
  int64_t value = 0;
  for (; isdigit((unsigned char)*p->at) && value <= INT32_MAX; p->at++) {
    value = value * 10 + (*p->at - '0');
  }
  *out = (int32_t)value;
  return p->at > start && value <= INT32_MAX;
}

static tare_status parse_measured(parser *const p, tarei_expr *const out) {
  const char *const start = p->at++;
  int32_t owner = 0, k = 0;
  if (!parse_number(p, &owner) || owner < 1 || *p->at++ != '.' || !parse_number(p, &k)) {
    p->at = start;
    return fault(p, "malformed measured dim");
  }
  *out = tarei_exprs_expected(p->pool, owner, k);
  return TARE_OK;
}

static tare_status parse_size(parser *const p, tarei_expr *const out) {
  const char *const start = p->at++;
  int32_t k = 0;
  if (!parse_number(p, &k) || k >= tarei_exprs_n_names(p->pool)) {
    p->at = start;
    return fault(p, "no size has this number");
  }
  *out = tarei_expr_name(p->pool, tarei_exprs_definition(p->pool, k));
  return TARE_OK;
}

typedef tarei_expr (*expr_parse_call)(tarei_exprs *pool, tarei_expr a, tarei_expr b);

static expr_parse_call expr_parse_find_call(const char *const name, const int length) {
  static const struct {
    const char *name;
    expr_parse_call build;
  } calls[] = {
      {"min", tarei_expr_min}, {"max", tarei_expr_max}, {"broadcast", tarei_expr_broadcast}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    if (strlen(calls[i].name) == (size_t)length && strncmp(calls[i].name, name, length) == 0) {
      return calls[i].build;
    }
  }
  return NULL;
}

static tare_status parse_call(parser *const p, const expr_parse_call build, tarei_expr *const out) {
  tarei_expr a, b;
  TAREI_TRY(expect(p, '(', "expected '('"));
  TAREI_TRY(parse_sum(p, &a));
  TAREI_TRY(expect(p, ',', "expected ','"));
  TAREI_TRY(parse_sum(p, &b));
  TAREI_TRY(expect(p, ')', "expected ')'"));
  *out = build(p->pool, a, b);
  return TARE_OK;
}

static tare_status parse_name(parser *const p, tarei_expr *const out) {
  const char *const start = p->at;
  while (name_char(*p->at)) {
    p->at++;
  }
  const int length = (int)(p->at - start);
  const expr_parse_call build = expr_parse_find_call(start, length);
  if (build && expr_parse_peek(p) == '(') {
    return parse_call(p, build, out);
  }
  tarei_str name = {0};
  tarei_str_add(&name, "%.*s", length, start);
  const tare_status status = take_symbol(p, &name, out);
  tarei_str_free(&name);
  return status;
}

static tare_status parse_primary(parser *const p, tarei_expr *const out) {
  const char c = expr_parse_peek(p);
  if (c == '(') {
    p->at++;
    TAREI_TRY(parse_sum(p, out));
    return expect(p, ')', "expected ')'");
  }
  if (isdigit((unsigned char)c)) {
    return parse_integer(p, false, out);
  }
  if (c == '"') {
    return parse_quoted(p, out);
  }
  if (c == '~') {
    return parse_measured(p, out);
  }
  if (c == '#') {
    return parse_size(p, out);
  }
  if (name_char(c)) {
    return parse_name(p, out);
  }
  return fault(p, c ? "expected a number, a name or '('" : "unexpected end");
}

static tare_status parse_negative(parser *const p, tarei_expr *const out) {
  p->at++;
  if (isdigit((unsigned char)expr_parse_peek(p))) {
    return parse_integer(p, true, out);
  }
  tarei_expr value;
  TAREI_TRY(parse_unary(p, &value));
  *out = tarei_expr_sub(p->pool, tarei_expr_const(p->pool, 0), value);
  return TARE_OK;
}

static tare_status parse_unary(parser *const p, tarei_expr *const out) {
  if (p->depth == MAX_NESTING) {
    return fault(p, "nested more than 64 deep");
  }
  p->depth++;
  const tare_status status =
      expr_parse_peek(p) == '-' ? parse_negative(p, out) : parse_primary(p, out);
  p->depth--;
  return status;
}

/* NONE out of operands that are known: a zero divisor, an overflow or a limit of the pool. */
static tare_status known(const parser *const p, const tarei_expr e) {
  return e == TAREI_EXPR_NONE
             ? fault(p, "division by zero, overflow or too large an expression before")
             : TARE_OK;
}

static tare_status parse_product(parser *const p, tarei_expr *const out) {
  TAREI_TRY(parse_unary(p, out));
  for (char c = expr_parse_peek(p); c == '*' || c == '/' || c == '%'; c = expr_parse_peek(p)) {
    p->at++;
    tarei_expr right;
    TAREI_TRY(parse_unary(p, &right));
    *out = c == '*'   ? tarei_expr_mul(p->pool, *out, right)
           : c == '/' ? tarei_expr_floordiv(p->pool, *out, right)
                      : tarei_expr_mod(p->pool, *out, right);
  }
  return known(p, *out);
}

static tare_status parse_sum(parser *const p, tarei_expr *const out) {
  TAREI_TRY(parse_product(p, out));
  for (char c = expr_parse_peek(p); c == '+' || c == '-'; c = expr_parse_peek(p)) {
    p->at++;
    tarei_expr right;
    TAREI_TRY(parse_product(p, &right));
    *out = c == '+' ? tarei_expr_add(p->pool, *out, right) : tarei_expr_sub(p->pool, *out, right);
  }
  return known(p, *out);
}

tare_status tarei_expr_parse(tarei_exprs *const pool, const char *const text, tarei_expr *const out,
                             tare_error *const err) {
  parser p = {.pool = pool, .text = text, .at = text, .err = err};
  if (expr_parse_peek(&p) == '?') {
    p.at++;
    *out = TAREI_EXPR_NONE;
  } else {
    TAREI_TRY(parse_sum(&p, out));
  }
  return expr_parse_peek(&p) ? fault(&p, "expected an operator or the end") : TARE_OK;
}
