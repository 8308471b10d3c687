#include <ctype.h>
#include <string.h>

#include "shapes/expr/expr_pool.h"

typedef struct printer {
  const tarei_exprs *pool;
  tarei_str *out;
  bool by_number;     /* measured symbols by the numbers of their nodes, names by their own */
  const int *numbers; /* of names in the text; NULL: those of the pool */
} printer;

static void expr_print_any(const printer *p, tarei_expr e);

static bool plain_name(const char *const name) {
  if (!name[0] || isdigit((unsigned char)name[0]) || strcmp(name, "min") == 0 ||
      strcmp(name, "max") == 0 || strcmp(name, "broadcast") == 0) {
    return false;
  }
  for (const char *c = name; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.') {
      return false;
    }
  }
  return true;
}

static void expr_print_name(const char *const name, tarei_str *const s) {
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

static void expr_print_symbol(const printer *const p, const tarei_symbol *const symbol) {
  if (symbol->owner && p->by_number) {
    tarei_str_add(p->out, "~%d.%d", symbol->owner, symbol->number);
    return;
  }
  tarei_str_add(p->out, "%s", symbol->owner ? "~" : "");
  expr_print_name(symbol->name, p->out);
  if (symbol->owner) {
    tarei_str_add(p->out, ".%d", symbol->number);
  }
}

/* Operand of a division: in parentheses unless it is one word. */
static void print_operand(const printer *const p, const tarei_expr e) {
  int64_t value;
  const tarei_atom *const atom = tarei_exprs_bare_atom(p->pool, e);
  const bool word =
      atom ? !is_division(atom) : tarei_expr_is_const(p->pool, e, &value) && value >= 0;
  tarei_str_add(p->out, "%s", word ? "" : "(");
  expr_print_any(p, e);
  tarei_str_add(p->out, "%s", word ? "" : ")");
}

/* A name: for people with the symbols that decide it, as "size3(samples, batch)". */
static void print_size(const printer *const p, const int name) {
  if (p->by_number) {
    tarei_str_add(p->out, "#%d", p->numbers ? p->numbers[name] : name);
    return;
  }
  const tarei_expr e = p->pool->names[name].expr;
  const char *before = "(";
  tarei_str_add(p->out, "size%d", name);
  for (int s = 0; s < tarei_exprs_n_symbols(p->pool); s++) {
    if (tarei_expr_uses(p->pool, e, s)) {
      tarei_str_add(p->out, "%s", before);
      expr_print_symbol(p, &p->pool->symbols[s]);
      before = ", ";
    }
  }
  tarei_str_add(p->out, ")");
}

static void print_atom(const printer *const p, const tarei_atom *const atom) {
  if (atom->kind == TAREI_ATOM_SYMBOL) {
    expr_print_symbol(p, &p->pool->symbols[atom->a]);
  } else if (atom->kind == TAREI_ATOM_NAME) {
    print_size(p, atom->a);
  } else if (is_division(atom)) {
    print_operand(p, atom->a);
    tarei_str_add(p->out, atom->kind == TAREI_ATOM_MOD ? " %% " : " / ");
    print_operand(p, atom->b);
  } else {
    tarei_str_add(p->out, "%s(",
                  atom->kind == TAREI_ATOM_MIN   ? "min"
                  : atom->kind == TAREI_ATOM_MAX ? "max"
                                                 : "broadcast");
    expr_print_any(p, atom->a);
    tarei_str_add(p->out, ", ");
    expr_print_any(p, atom->b);
    tarei_str_add(p->out, ")");
  }
}

/* The term without its sign. A division stands bare only when it is alone and nothing binds it
 * to the left. */
static void print_term(const printer *const p, const tarei_term *const t, const uint64_t magnitude,
                       const bool leading_minus) {
  const bool shows_number = magnitude != 1 || t->degree == 0;
  if (shows_number) {
    tarei_str_add(p->out, "%llu", (unsigned long long)magnitude);
  }
  const bool alone = !shows_number && t->degree == 1 && !leading_minus;
  for (int k = 0; k < t->degree; k++) {
    const tarei_atom *const atom = &p->pool->atoms[t->atoms[k]];
    const bool wrap = is_division(atom) && !alone;
    tarei_str_add(p->out, "%s%s", k || shows_number ? " * " : "", wrap ? "(" : "");
    print_atom(p, atom);
    tarei_str_add(p->out, "%s", wrap ? ")" : "");
  }
}

static void expr_print_any(const printer *const p, const tarei_expr e) {
  if (e == TAREI_EXPR_NONE) {
    tarei_str_add(p->out, "?");
    return;
  }
  int n;
  const tarei_term *const terms = tarei_exprs_terms(p->pool, e, &n);
  if (n == 0) {
    tarei_str_add(p->out, "0");
  }
  for (int i = 0; i < n; i++) {
    const int64_t c = terms[i].coefficient;
    const bool minus = c < 0;
    if (i > 0) { /* "+ -N" keeps the least int64 readable: its magnitude is no int64 */
      tarei_str_add(p->out, minus && c != INT64_MIN ? " - " : " + ");
    }
    const bool signed_here = minus && (i == 0 || c == INT64_MIN);
    tarei_str_add(p->out, "%s", signed_here ? "-" : "");
    print_term(p, &terms[i], minus ? 0 - (uint64_t)c : (uint64_t)c, signed_here);
  }
}

void tarei_expr_print(const tarei_exprs *const pool, const tarei_expr e, tarei_str *const s) {
  expr_print_any(&(printer){.pool = pool, .out = s}, e);
}

void tarei_expr_write(const tarei_exprs *const pool, const tarei_expr e, const int *const numbers,
                      tarei_str *const s) {
  expr_print_any(&(printer){pool, s, true, numbers}, e);
}
