#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shapes/expr.h"
#include "unit/seed.h"

#define N_SYMBOLS 4

static const char *const symbol_names[N_SYMBOLS] = {"batch", "samples", "input ids:0", "t.1"};

/* Handle of a text; the test fails when it does not parse. */
static tarei_expr from(tarei_exprs *const pool, const char *const text) {
  tarei_expr e;
  tare_error err = {0};
  if (tarei_expr_parse(pool, text, &e, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return e;
}

static void assert_prints(tarei_exprs *const pool, const tarei_expr e, const char *const text) {
  tarei_str s = {0};
  tarei_expr_print(pool, e, &s);
  assert_string_equal(tarei_str_get(&s), text);
  tarei_str_free(&s);
}

static void symbols_that_may_be_empty_are_not_one(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  assert_non_null(pool);
  assert_prints(pool, from(pool, "max(samples, 1)"), "samples");
  (void)from(pool, "batch");
  tarei_exprs_may_be_empty(pool, tarei_exprs_find_symbol(pool, "batch"));
  assert_prints(pool, from(pool, "max(batch, 1)"), "max(1, batch)");
  assert_prints(pool, from(pool, "min(batch, 1)"), "min(1, batch)");
  assert_prints(pool, from(pool, "max(batch, 0)"), "batch");
  assert_prints(pool, from(pool, "24 * batch / batch"), "24");
  tarei_exprs_set_reading(pool, true);
  assert_prints(pool, from(pool, "max(samples, 1)"), "max(samples, 1)");
  tarei_exprs_set_reading(pool, false);
  tarei_exprs_free(pool);
}

static void texts_reach_their_normal_form(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"1 + samples + 2 - 3", "samples"},
      {"samples - samples", "0"},
      {"(samples + 2) / 5 + 1", "(samples + 2) / 5 + 1"},
      {"(samples + 7) / 5", "(samples + 2) / 5 + 1"},
      {"(samples - 3) / 5", "(samples + 2) / 5 - 1"},
      {"(10 * samples + 20) / 5", "2 * samples + 4"},
      {"(4 * samples + 3) / 6", "(2 * samples + 1) / 3"},
      {"(4 * samples + 7) / 8", "(samples + 1) / 2"},
      {"samples / 2 / 3", "samples / 6"},
      {"(samples / 2 + 1) / 3", "(samples + 2) / 6"},
      {"((samples - 10) / 5 + 1 - 3) / 2 + 1", "samples / 10 - 1"},
      {"-(-samples / 5)", "(samples + 4) / 5"},
      {"-(samples / 5)", "-(samples / 5)"},
      {"3 * (samples / 5)", "3 * (samples / 5)"},
      {"samples * batch * 64 / (64 * batch)", "samples"},
      {"samples * batch / (2 * batch)", "samples / 2"},
      {"(samples + 1) * (samples - 1) / (samples + 1)", "samples - 1"},
      {"(samples * samples - 1) / (samples - 1)", "samples + 1"},
      {"(samples / 4 * 4) / 4", "samples / 4"},
      {"samples / samples", "1"},
      {"0 / samples", "0"},
      {"samples / 1", "samples"},
      {"samples / -1", "-samples"},
      {"(6 * samples + 7) % 3", "1"},
      {"samples % 1", "0"},
      {"(2 * samples + 5) % 4", "2 * (samples % 2) + 1"},
      {"(samples % 4) / 4", "0"},
      {"(samples % 4) % 7", "samples % 4"},
      {"samples * batch % batch", "0"},
      {"min(3, 5)", "3"},
      {"max(samples, samples)", "samples"},
      {"min(samples + 3, samples + 1)", "samples + 1"},
      {"max(samples + 3, samples + 1)", "samples + 3"},
      {"max(samples, 0)", "samples"},
      {"max(samples - 1, 0)", "samples - 1"},
      {"min(min(samples, 7), 5)", "min(samples, 5)"},
      {"min(7, min(samples, batch)) - min(batch, min(samples, 7))", "0"},
      {"-9223372036854775807 - 1", "-9223372036854775808"},
      {"samples + -9223372036854775808", "samples + -9223372036854775808"},
      {"\"a \\\"b\\\\\" + \"min\" + \"3d\" + \"\"", "\"a \\\"b\\\\\" + \"min\" + \"3d\" + \"\""},
      {"?", "?"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tarei_exprs *const pool = tarei_exprs_new();
    assert_non_null(pool);
    assert_true(tarei_expr_symbol(pool, "samples") >= 0);
    const tarei_expr e = from(pool, rows[i][0]);
    assert_prints(pool, e, rows[i][1]);
    assert_int_equal(from(pool, rows[i][1]), e);
    tarei_exprs_free(pool);
  }
}

static void ceildiv_is_a_floordiv(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr x = tarei_expr_symbol(pool, "x"), y = tarei_expr_symbol(pool, "y");
  const tarei_expr five = tarei_expr_const(pool, 5), minus = tarei_expr_const(pool, -5);
  assert_int_equal(tarei_expr_ceildiv(pool, x, five), from(pool, "(x + 4) / 5"));
  assert_int_equal(tarei_expr_ceildiv(pool, x, y), from(pool, "(x + y - 1) / y"));
  assert_int_equal(tarei_expr_ceildiv(pool, x, minus), from(pool, "-(x / 5)"));
  tarei_exprs_free(pool);
}

static void what_is_not_known_stays_so(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr x = tarei_expr_symbol(pool, "x"), none = TAREI_EXPR_NONE;
  tarei_expr (*const operations[])(tarei_exprs *, tarei_expr, tarei_expr) = {
      tarei_expr_add, tarei_expr_sub, tarei_expr_mul, tarei_expr_floordiv, tarei_expr_ceildiv,
      tarei_expr_mod, tarei_expr_min, tarei_expr_max, tarei_expr_trunc};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    assert_int_equal(operations[i](pool, x, none), none);
    assert_int_equal(operations[i](pool, none, x), none);
  }
  const tarei_expr zero = tarei_expr_const(pool, 0), most = tarei_expr_const(pool, INT64_MAX);
  assert_int_equal(tarei_expr_floordiv(pool, x, zero), none);
  assert_int_equal(tarei_expr_ceildiv(pool, x, zero), none);
  assert_int_equal(tarei_expr_mod(pool, x, zero), none);
  assert_int_equal(tarei_expr_add(pool, most, tarei_expr_const(pool, 1)), none);
  assert_int_equal(tarei_expr_mul(pool, most, tarei_expr_const(pool, 2)), none);
  const tarei_expr least = tarei_expr_const(pool, INT64_MIN);
  assert_int_equal(tarei_expr_floordiv(pool, least, tarei_expr_const(pool, -1)), none);
  assert_int_equal(tarei_expr_floordiv(pool, x, least), none);
  int64_t value, low, high;
  assert_false(tarei_expr_is_const(pool, none, &value));
  assert_false(tarei_expr_is_const(pool, x, &value));
  assert_true(tarei_expr_is_const(pool, zero, &value));
  assert_int_equal(value, 0);
  assert_false(tarei_expr_uses(pool, none, 0));
  assert_false(tarei_expr_eval(pool, none, &value, &value));
  assert_false(tarei_expr_bounds(pool, none, &value, &value, &low, &high));
  tarei_exprs_free(pool);
}

/* INT64_MIN is no multiple of 3: the multiple below it is no int64. */
static void floors_of_the_least_numbers(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr x = tarei_expr_symbol(pool, "x"), three = tarei_expr_const(pool, 3);
  const tarei_expr sum = tarei_expr_add(pool, x, tarei_expr_const(pool, INT64_MIN));
  const tarei_expr quotient = tarei_expr_floordiv(pool, sum, three);
  const tarei_expr rest = tarei_expr_mod(pool, sum, three);
  for (int64_t at = 0; at < 5; at++) {
    int64_t value;
    assert_true(tarei_expr_eval(pool, quotient, &at, &value));
    assert_int_equal(value, INT64_MIN / 3 - 1 + (at + 1) / 3);
    assert_true(tarei_expr_eval(pool, rest, &at, &value));
    assert_int_equal(value, (at + 1) % 3);
  }
  tarei_exprs_free(pool);
}

static void eval_refuses_overflow_and_zero_divisors(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr quotient = from(pool, "100 / (x - 3)"), square = from(pool, "x * x");
  const tarei_expr rest = from(pool, "100 % (x - 3)");
  int64_t x = 3, value;
  assert_false(tarei_expr_eval(pool, quotient, &x, &value));
  assert_false(tarei_expr_eval(pool, rest, &x, &value));
  x = 1;
  assert_true(tarei_expr_eval(pool, quotient, &x, &value));
  assert_int_equal(value, -50);
  x = INT64_MAX;
  assert_false(tarei_expr_eval(pool, square, &x, &value));
  const int64_t lo = 1;
  int64_t low, high;
  assert_false(tarei_expr_bounds(pool, square, &lo, &x, &low, &high));
  tarei_exprs_free(pool);
}

static void symbols_are_numbered_by_first_use(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr e = from(pool, "b + a * (c / 2) + a");
  assert_int_equal(tarei_exprs_n_symbols(pool), 3);
  assert_string_equal(tarei_exprs_symbol_name(pool, 0), "b");
  assert_int_equal(tarei_exprs_find_symbol(pool, "c"), 2);
  assert_int_equal(tarei_exprs_find_symbol(pool, "d"), -1);
  assert_true(tarei_expr_uses(pool, e, 2));
  assert_false(tarei_expr_uses(pool, from(pool, "b + a"), 2));
  tarei_exprs_free(pool);
}

/* Whatever a model calls its symbols, none is one that a node measures. */
static void measured_symbols_have_no_names(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const int32_t a = tarei_exprs_new_owner(pool), b = tarei_exprs_new_owner(pool);
  const tarei_expr one = tarei_exprs_measured(pool, a, "n", 0);
  const tarei_expr other = tarei_exprs_measured(pool, b, "n", 0); /* names need not be unique */
  const char *const names[] = {"~n.0", "~1.0", "n", "~", ".0", "~\"n\".0"};
  assert_int_not_equal(one, other);
  assert_int_equal(tarei_exprs_measured(pool, a, "n", 0), one);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const tarei_expr named = tarei_expr_symbol(pool, names[i]);
    const int symbol = tarei_expr_is_symbol(pool, named);
    assert_true(named != one && named != other);
    assert_false(tarei_exprs_is_measured(pool, symbol));
    assert_string_equal(tarei_exprs_symbol_name(pool, symbol), names[i]);
    tarei_str text = {0};
    tarei_expr_write(pool, named, NULL, &text);
    assert_int_equal(from(pool, tarei_str_get(&text)), named);
    tarei_str_free(&text);
  }
  assert_prints(pool, one, "~n.0");
  assert_prints(pool, tarei_expr_symbol(pool, "~n.0"), "\"~n.0\"");
  assert_prints(pool, tarei_exprs_measured(pool, a, "a/b", 1), "~\"a/b\".1");
  assert_true(tarei_exprs_is_measured(pool, tarei_expr_is_symbol(pool, one)));
  assert_int_equal(tarei_exprs_measured_number(pool, tarei_expr_is_symbol(pool, other), a), -1);
  tarei_exprs_free(pool);
}

static void a_new_symbol_is_none_of_those_before(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr named = tarei_expr_symbol(pool, "x_d1");
  (void)tarei_expr_symbol(pool, "x_d1__");
  const tarei_expr made = tarei_expr_new_symbol(pool, "x_d1");
  const tarei_expr other = tarei_expr_new_symbol(pool, "x_d1");
  assert_true(made != named && other != named && made != other);
  assert_prints(pool, made, "x_d1_");
  assert_prints(pool, other, "x_d1___");
  assert_int_equal(tarei_expr_symbol(pool, "x_d1"), named);
  tarei_exprs_free(pool);
}

/* Texts name measured symbols by number; one that is not there yet is expected. */
static void texts_name_what_is_measured(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  assert_true(tarei_exprs_keep_owner(pool, 7));
  assert_false(tarei_exprs_keep_owner(pool, 0));
  assert_false(tarei_exprs_keep_owner(pool, INT32_MAX));
  assert_int_equal(tarei_exprs_new_owner(pool), 8);
  const tarei_expr measured = tarei_exprs_measured(pool, 7, "n", 2);
  const tarei_expr e = tarei_expr_add(pool, tarei_expr_symbol(pool, "samples"), measured);
  tarei_str text = {0};
  tarei_expr_write(pool, e, NULL, &text);
  assert_string_equal(tarei_str_get(&text), "~7.2 + samples");
  assert_int_equal(from(pool, "samples + ~7.2"), e);
  assert_true(tarei_expr_uses_measured(pool, e));
  assert_false(tarei_expr_uses_measured(pool, tarei_expr_symbol(pool, "samples")));
  static const char *const bad[] = {"~0.2",           "~",       "~7",   "~7.",
                                    "~-7.2",          "~.2",     "~n.2", "~99999999999.2",
                                    "~7.99999999999", "~\"n\".2"};
  const int n_symbols = tarei_exprs_n_symbols(pool);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tarei_expr ignored;
    assert_int_equal(tarei_expr_parse(pool, bad[i], &ignored, NULL), TARE_E_INPUT);
  }
  assert_int_equal(tarei_exprs_n_symbols(pool), n_symbols);
  const tarei_expr later = from(pool, "2 * ~8.2");
  assert_true(tarei_expr_uses_measured(pool, later) && tarei_expr_uses_expected(pool, later));
  assert_false(tarei_expr_uses_expected(pool, e));
  assert_int_equal(tarei_exprs_measured_number(pool, n_symbols, 8), -1);
  assert_int_equal(tarei_expr_is_symbol(pool, tarei_exprs_measured(pool, 8, "m", 2)), n_symbols);
  assert_int_equal(tarei_exprs_measured_number(pool, n_symbols, 8), 2);
  assert_false(tarei_expr_uses_expected(pool, later));
  assert_prints(pool, later, "2 * ~m.2");
  tarei_str_free(&text);
  tarei_exprs_free(pool);
}

static void a_clone_keeps_handles_and_grows_alone(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  tarei_exprs *const empty = tarei_exprs_clone(pool);
  assert_non_null(empty);
  assert_int_equal(from(empty, "z"), 0);
  const tarei_expr e = from(pool, "(samples + 2) / 5 + batch");
  tarei_exprs *const copy = tarei_exprs_clone(pool);
  assert_non_null(copy);
  assert_int_equal(from(copy, "batch + (samples + 2) / 5"), e);
  assert_int_equal(from(pool, "p"), from(copy, "q"));
  tarei_exprs_free(pool);
  assert_prints(copy, e, "(samples + 2) / 5 + batch");
  tarei_exprs_free(copy);
  tarei_exprs_free(empty);
}

static void parse_names_the_place_of_the_fault(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"", "unexpected end at character 1"},
      {"a +", "unexpected end at character 4"},
      {"a b", "expected an operator or the end at character 3 ('b')"},
      {"(a", "expected ')' at character 3"},
      {"min(a)", "expected ',' at character 6 (')')"},
      {"min(a, b", "expected ')' at character 9"},
      {"3x", "must be in double quotes at character 1 ('3x')"},
      {"\"a", "unterminated quote at character 1"},
      {"a + $", "expected a number, a name or '(' at character 5 ('$')"},
      {"a + #0", "no size has this number at character 5 ('#0')"},
      {"99999999999999999999", "number exceeds 64 bits at character 1"},
      {"a / 0", "division by zero"},
      {"a % (b - b)", "division by zero"},
      {"9223372036854775807 * 2", "overflow"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tarei_exprs *const pool = tarei_exprs_new();
    tarei_expr e;
    tare_error err = {0};
    assert_int_equal(tarei_expr_parse(pool, rows[i][0], &e, &err), TARE_E_INPUT);
    if (!strstr(err.message, rows[i][1])) {
      fail_msg("'%s' gave: %s", rows[i][0], err.message);
    }
    tarei_exprs_free(pool);
  }
}

static void parse_refuses_deep_nesting(void **state) {
  (void)state;
  static const char openers[] = {'(', '-'};
  for (size_t k = 0; k < sizeof openers; k++) {
    char text[100001];
    memset(text, openers[k], sizeof text - 1);
    text[sizeof text - 1] = 0;
    tarei_exprs *const pool = tarei_exprs_new();
    tarei_expr e;
    tare_error err = {0};
    assert_int_equal(tarei_expr_parse(pool, text, &e, &err), TARE_E_INPUT);
    assert_non_null(strstr(err.message, "nested more than 64 deep"));
    tarei_exprs_free(pool);
  }
}

/* Sums, powers and nestings of any size get names, and still have the values that they have. */
static void long_expressions_have_names(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr x = tarei_expr_symbol(pool, "x"), seven = tarei_expr_const(pool, 7);
  tarei_expr sum = x, padded = x, nested = x;
  int64_t symbols[101] = {5}, value, low, high, expected = 5, deep = 5;
  for (int i = 0; i < 100; i++) {
    char name[16];
    snprintf(name, sizeof name, "s%d", i);
    sum = tarei_expr_add(pool, sum, tarei_expr_symbol(pool, name));
    symbols[i + 1] = 1;
    /* up to a multiple of i + 2: the length stands in the expression twice */
    const tarei_expr step = tarei_expr_const(pool, i + 2);
    padded = tarei_expr_add(pool, padded,
                            tarei_expr_mod(pool, tarei_expr_sub(pool, seven, padded), step));
    expected += ((7 - expected) % (i + 2) + i + 2) % (i + 2);
    nested = tarei_expr_floordiv(pool, tarei_expr_mul(pool, nested, nested),
                                 tarei_expr_add(pool, nested, seven));
    nested = tarei_expr_max(pool, nested, tarei_expr_add(pool, x, seven));
    deep = deep * deep / (deep + 7);
    deep = deep > 12 ? deep : 12;
  }
  assert_true(tarei_exprs_n_names(pool) > 3);
  assert_true(tarei_expr_eval(pool, sum, symbols, &value));
  assert_int_equal(value, 105);
  assert_true(tarei_expr_eval(pool, padded, symbols, &value));
  assert_int_equal(value, expected);
  assert_true(tarei_expr_bounds(pool, padded, symbols, symbols, &low, &high));
  assert_true(low <= expected && expected <= high);
  assert_true(tarei_expr_eval(pool, nested, symbols, &value));
  assert_int_equal(value, deep);
  assert_true(tarei_expr_uses(pool, padded, 0) && !tarei_expr_uses(pool, padded, 1));
  assert_true(tarei_expr_uses(pool, sum, 100));
  const tarei_expr at_nine = tarei_expr_replace(pool, padded, 0, tarei_expr_const(pool, 5));
  assert_int_equal(at_nine, tarei_expr_const(pool, expected));
  assert_int_equal(tarei_expr_sub(pool, padded, padded), tarei_expr_const(pool, 0));
  tarei_str text = {0};
  tarei_expr_print(pool, padded, &text);
  assert_non_null(strstr(tarei_str_get(&text), "(x)"));
  assert_true(text.length < 4000);
  tarei_str_free(&text);
  tarei_exprs_free(pool);
}

/* What was written with names is read with the same ones. */
static void names_are_written_as_numbers(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new(), *const copy = tarei_exprs_new();
  const tarei_expr x = tarei_expr_symbol(pool, "x");
  tarei_expr e = x;
  for (int i = 2; i < 90; i++) {
    e = tarei_expr_add(pool, e,
                       tarei_expr_mod(pool, tarei_expr_sub(pool, x, e), tarei_expr_const(pool, i)));
  }
  tarei_exprs_set_reading(copy, true);
  tarei_expr back;
  for (int k = 0; k <= tarei_exprs_n_names(pool); k++) {
    tarei_str text = {0};
    const bool last = k == tarei_exprs_n_names(pool);
    tarei_expr_write(pool, last ? e : tarei_exprs_definition(pool, k), NULL, &text);
    assert_int_equal(tarei_expr_parse(copy, tarei_str_get(&text), &back, NULL), TARE_OK);
    assert_true(last || tarei_expr_name(copy, back) != back);
    tarei_str_free(&text);
  }
  assert_int_equal(tarei_exprs_n_names(copy), tarei_exprs_n_names(pool));
  for (int64_t n = 1; n < 300; n++) {
    int64_t a, b;
    assert_true(tarei_expr_eval(pool, e, &n, &a) && tarei_expr_eval(copy, back, &n, &b));
    assert_int_equal(a, b);
  }
  tarei_exprs_free(pool);
  tarei_exprs_free(copy);
}

static void broadcasts_do_not_grow(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr m = tarei_exprs_measured(pool, tarei_exprs_new_owner(pool), "m", 0);
  const tarei_expr n = tarei_expr_symbol(pool, "n");
  const tarei_expr both = tarei_expr_broadcast(pool, n, m);
  assert_prints(pool, both, "broadcast(~m.0, n)");
  assert_int_equal(tarei_expr_broadcast(pool, both, n), both);
  assert_int_equal(tarei_expr_broadcast(pool, m, both), both);
  assert_int_equal(tarei_expr_broadcast(pool, both, tarei_expr_const(pool, 1)), both);
  assert_int_equal(tarei_expr_broadcast(pool, n, from(pool, "n + 1")), from(pool, "n + 1"));
  assert_int_equal(tarei_expr_broadcast(pool, n, from(pool, "min(n, 512)")), n);
  const struct {
    int64_t m, n, value;
  } rows[] = {{1, 7, 7}, {7, 1, 7}, {7, 7, 7}, {1, 1, 1}, {0, 1, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t value;
    assert_true(tarei_expr_eval(pool, both, (int64_t[]){rows[i].m, rows[i].n}, &value));
    assert_int_equal(value, rows[i].value);
  }
  tarei_exprs_free(pool);
}

static void least_lengths_decide(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  int symbol;
  int64_t least;
  const tarei_expr windows = from(pool, "(samples + 240) / 320 - 1");
  assert_true(tarei_expr_least(pool, windows, &symbol, &least));
  assert_int_equal(least, 400);
  assert_prints(pool, from(pool, "max((samples - 10) / 5, 0)"), "max(0, samples / 5 - 2)");
  assert_true(tarei_exprs_raise_least(pool, symbol, least));
  assert_false(tarei_exprs_raise_least(pool, symbol, 300));
  assert_prints(pool, from(pool, "max((samples - 10) / 5, 0)"), "samples / 5 - 2");
  assert_int_equal(tarei_expr_trunc(pool, from(pool, "samples - 10"), tarei_expr_const(pool, 5)),
                   from(pool, "samples / 5 - 2"));
  assert_false(tarei_expr_least(pool, from(pool, "samples * batch"), &symbol, &least));
  assert_false(tarei_expr_least(pool, from(pool, "3 - samples"), &symbol, &least));
  tarei_exprs_may_be_empty(pool, tarei_exprs_find_symbol(pool, "batch"));
  assert_prints(pool, from(pool, "max((samples - 10) / 5, 0)"), "max(0, samples / 5 - 2)");
  tarei_exprs_free(pool);
}

static void hostile_growth_ends_in_none(void **state) {
  (void)state;
  tarei_exprs *const pool = tarei_exprs_new();
  const tarei_expr one = tarei_expr_const(pool, 1), x = tarei_expr_symbol(pool, "x");
  tarei_expr power = tarei_expr_add(pool, x, one), last = one;
  for (int i = 0; i < 100; i++) { /* at least 2^(2^i) */
    power = tarei_expr_mul(pool, power, power);
  }
  assert_int_equal(power, TAREI_EXPR_NONE);
  for (int64_t i = 0; i < 300000 && last != TAREI_EXPR_NONE; i++) {
    last = tarei_expr_const(pool, i);
  }
  assert_int_equal(last, TAREI_EXPR_NONE);
  assert_int_equal(tarei_expr_const(pool, 1), one); /* what was there stays usable */
  tarei_exprs_free(pool);
}

/* Random trees are evaluated directly beside the handles that the builders give. */
typedef struct sampled {
  tarei_expr handle;
  int64_t values[12];
  bool valid[12]; /* false where the direct value divides by zero */
} sampled;

static uint64_t random_state;

static int64_t random_below(const int64_t n) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((random_state >> 33) % (uint64_t)n);
}

static bool apply(const int operation, const int64_t a, const int64_t b, int64_t *const out) {
  const bool divides = (operation >= 3 && operation <= 5) || operation == 8;
  if (divides && b == 0) {
    return false;
  }
  const int64_t down = divides && a % b != 0 && (a % b < 0) != (b < 0);
  const int64_t quotient = divides ? a / b - down : 0;
  switch (operation) {
    case 0:
      return !__builtin_add_overflow(a, b, out);
    case 1:
      return !__builtin_sub_overflow(a, b, out);
    case 2:
      return !__builtin_mul_overflow(a, b, out);
    case 3:
      *out = quotient;
      return true;
    case 4:
      *out = quotient + (a != quotient * b);
      return true;
    case 5:
      *out = a - quotient * b;
      return true;
    case 6:
      *out = a < b ? a : b;
      return true;
    case 8:
      *out = a / b;
      return true;
    default:
      *out = a > b ? a : b;
      return true;
  }
}

static sampled random_expr(tarei_exprs *const pool, int64_t points[12][N_SYMBOLS],
                           const int depth) {
  static tarei_expr (*const builders[])(tarei_exprs *, tarei_expr, tarei_expr) = {
      tarei_expr_add, tarei_expr_sub, tarei_expr_mul, tarei_expr_floordiv, tarei_expr_ceildiv,
      tarei_expr_mod, tarei_expr_min, tarei_expr_max, tarei_expr_trunc};
  sampled s = {0};
  if (depth == 0 || random_below(6) == 0) {
    const bool constant = random_below(2);
    const int symbol = (int)random_below(N_SYMBOLS);
    const int64_t value = random_below(15) - 4;
    s.handle =
        constant ? tarei_expr_const(pool, value) : tarei_expr_symbol(pool, symbol_names[symbol]);
    for (int i = 0; i < 12; i++) {
      s.values[i] = constant ? value : points[i][symbol];
      s.valid[i] = true;
    }
    return s;
  }
  const int operation = (int)random_below(9);
  const sampled a = random_expr(pool, points, depth - 1), b = random_expr(pool, points, depth - 1);
  s.handle = builders[operation](pool, a.handle, b.handle);
  for (int i = 0; i < 12; i++) {
    s.valid[i] =
        a.valid[i] && b.valid[i] && apply(operation, a.values[i], b.values[i], &s.values[i]);
  }
  return s;
}

static void assert_round_trip(tarei_exprs *const pool, const tarei_expr e) {
  tarei_str s = {0};
  tarei_expr_print(pool, e, &s);
  const tarei_expr back = from(pool, tarei_str_get(&s));
  if (back != e) {
    tarei_str again = {0};
    tarei_expr_print(pool, back, &again);
    fail_msg("'%s' came back as '%s'", tarei_str_get(&s), tarei_str_get(&again));
  }
  tarei_str_free(&s);
}

static void random_expressions_keep_their_values(void **state) {
  (void)state;
  random_state = test_seed();
  int checked = 0;
  for (int round = 0; round < 4000; round++) {
    tarei_exprs *const pool = tarei_exprs_new();
    int64_t points[12][N_SYMBOLS], lo[N_SYMBOLS], hi[N_SYMBOLS];
    for (int k = 0; k < N_SYMBOLS; k++) {
      (void)tarei_expr_symbol(pool, symbol_names[k]);
      lo[k] = INT64_MAX;
      hi[k] = 0;
    }
    for (int i = 0; i < 12; i++) {
      for (int k = 0; k < N_SYMBOLS; k++) {
        points[i][k] = 1 + random_below(i % 2 ? 7 : 3000);
        lo[k] = points[i][k] < lo[k] ? points[i][k] : lo[k];
        hi[k] = points[i][k] > hi[k] ? points[i][k] : hi[k];
      }
    }
    const sampled s = random_expr(pool, points, 1 + (int)random_below(5));
    int64_t low, high, value;
    const bool bounded = tarei_expr_bounds(pool, s.handle, lo, hi, &low, &high);
    for (int i = 0; i < 12 && s.handle != TAREI_EXPR_NONE; i++) {
      if (s.valid[i] && tarei_expr_eval(pool, s.handle, points[i], &value)) {
        assert_int_equal(value, s.values[i]);
        assert_true(!bounded || (low <= value && value <= high));
        checked++;
      }
    }
    if (s.handle != TAREI_EXPR_NONE && tarei_exprs_n_names(pool) == 0) {
      assert_round_trip(pool, s.handle);
    }
    tarei_exprs_free(pool);
  }
  assert_true(checked > 10000);
}

int expr_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_reach_their_normal_form),
      cmocka_unit_test(symbols_that_may_be_empty_are_not_one),
      cmocka_unit_test(ceildiv_is_a_floordiv),
      cmocka_unit_test(what_is_not_known_stays_so),
      cmocka_unit_test(floors_of_the_least_numbers),
      cmocka_unit_test(eval_refuses_overflow_and_zero_divisors),
      cmocka_unit_test(symbols_are_numbered_by_first_use),
      cmocka_unit_test(measured_symbols_have_no_names),
      cmocka_unit_test(a_new_symbol_is_none_of_those_before),
      cmocka_unit_test(texts_name_what_is_measured),
      cmocka_unit_test(a_clone_keeps_handles_and_grows_alone),
      cmocka_unit_test(parse_names_the_place_of_the_fault),
      cmocka_unit_test(parse_refuses_deep_nesting),
      cmocka_unit_test(hostile_growth_ends_in_none),
      cmocka_unit_test(long_expressions_have_names),
      cmocka_unit_test(names_are_written_as_numbers),
      cmocka_unit_test(broadcasts_do_not_grow),
      cmocka_unit_test(least_lengths_decide),
      cmocka_unit_test(random_expressions_keep_their_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
