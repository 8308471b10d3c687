#include <ctype.h>
#include <string.h>

#include "shapes/expr.h"
#include "shapes/expr_pool.h"

static bool plain_name(const char *const name) {
  if (!name[0] || isdigit((unsigned char)name[0]) || strcmp(name, "min") == 0 ||
      strcmp(name, "max") == 0) {
    return false;
  }
  for (const char *c = name; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.') {
      return false;
    }
  }
  return true;
}

static void print_name(const char *const name, tarei_str *const s) {
  if (plain_name(name)) {
    tarei_str_add(s, "%s", name);
    return;
  }
  tarei_str_add(s, "\"");
  for (const char *c = name; *c; c++) {
    tarei_str_add(s, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
  }
  tarei_str_add(s, "\"");
}

static bool is_division(const tarei_atom *const atom) {
  return atom->kind == TAREI_ATOM_FLOORDIV || atom->kind == TAREI_ATOM_MOD;
}

/* Operand of a division: in parentheses unless it is one word. */
static void print_operand(const tarei_exprs *const pool, const tarei_expr e, tarei_str *const s) {
  int64_t value;
  const tarei_atom *const atom = tarei_exprs_bare_atom(pool, e);
  const bool word = atom ? !is_division(atom) : tarei_expr_is_const(pool, e, &value) && value >= 0;
  tarei_str_add(s, "%s", word ? "" : "(");
  tarei_expr_print(pool, e, s);
  tarei_str_add(s, "%s", word ? "" : ")");
}

static void print_atom(const tarei_exprs *const pool, const tarei_atom *const atom,
                       tarei_str *const s) {
  if (atom->kind == TAREI_ATOM_SYMBOL) {
    print_name(pool->symbols[atom->a], s);
  } else if (is_division(atom)) {
    print_operand(pool, atom->a, s);
    tarei_str_add(s, atom->kind == TAREI_ATOM_MOD ? " %% " : " / ");
    print_operand(pool, atom->b, s);
  } else {
    tarei_str_add(s, atom->kind == TAREI_ATOM_MIN ? "min(" : "max(");
    tarei_expr_print(pool, atom->a, s);
    tarei_str_add(s, ", ");
    tarei_expr_print(pool, atom->b, s);
    tarei_str_add(s, ")");
  }
}

/* The term without its sign. A division stands bare only when it is alone and nothing binds it
 * to the left. */
static void print_term(const tarei_exprs *const pool, const tarei_term *const t,
                       const uint64_t magnitude, const bool leading_minus, tarei_str *const s) {
  const bool shows_number = magnitude != 1 || t->degree == 0;
  if (shows_number) {
    tarei_str_add(s, "%llu", (unsigned long long)magnitude);
  }
  const bool alone = !shows_number && t->degree == 1 && !leading_minus;
  for (int k = 0; k < t->degree; k++) {
    const tarei_atom *const atom = &pool->atoms[t->atoms[k]];
    const bool wrap = is_division(atom) && !alone;
    tarei_str_add(s, "%s%s", k || shows_number ? " * " : "", wrap ? "(" : "");
    print_atom(pool, atom, s);
    tarei_str_add(s, "%s", wrap ? ")" : "");
  }
}

void tarei_expr_print(const tarei_exprs *const pool, const tarei_expr e, tarei_str *const s) {
  if (e == TAREI_EXPR_NONE) {
    tarei_str_add(s, "?");
    return;
  }
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  if (n == 0) {
    tarei_str_add(s, "0");
  }
  for (int i = 0; i < n; i++) {
    const int64_t c = terms[i].coefficient;
    const bool minus = c < 0;
    if (i > 0) { /* "+ -N" keeps the least int64 readable: its magnitude is no int64 */
      tarei_str_add(s, minus && c != INT64_MIN ? " - " : " + ");
    }
    const bool signed_here = minus && (i == 0 || c == INT64_MIN);
    tarei_str_add(s, "%s", signed_here ? "-" : "");
    print_term(pool, &terms[i], minus ? 0 - (uint64_t)c : (uint64_t)c, signed_here, s);
  }
}
