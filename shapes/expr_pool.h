/* The inside of an expression pool: polynomials over atoms, both hash-consed. */
#ifndef TAREI_SHAPES_EXPR_POOL_H
#define TAREI_SHAPES_EXPR_POOL_H

#include <stddef.h>

#include "shapes/expr.h"

/* Limits on the size of a pool, against malicious models. Beyond them a builder returns NONE. */
#define TAREI_EXPR_MAX_NODES 65536 /* polynomials and atoms in a pool, each */
#define TAREI_EXPR_MAX_TERMS 64    /* terms of a polynomial */
#define TAREI_EXPR_MAX_DEGREE 12   /* factors of a term */
#define TAREI_EXPR_MAX_DEPTH 30    /* atoms inside atoms */
#define TAREI_EXPR_MAX_WEIGHT 4096 /* leaves when written out, so the cost of one evaluation */
#define TAREI_EXPR_MAX_OPERANDS 8  /* operands of a flattened min or max */
#define TAREI_EXPR_BUCKETS 1024
#define TAREI_EXPR_MAX_OWNER (1 << 30) /* number of a node in a file */

typedef enum tarei_atom_kind {
  TAREI_ATOM_SYMBOL,
  TAREI_ATOM_FLOORDIV,
  TAREI_ATOM_MOD,
  TAREI_ATOM_MIN,
  TAREI_ATOM_MAX
} tarei_atom_kind;

typedef struct tarei_atom {
  tarei_atom_kind kind;
  int32_t a, b; /* operands; a is the symbol's number and b is 0 for a symbol */
  int32_t next; /* in its bucket */
  int32_t weight, depth;
} tarei_atom;

/* coefficient * product of atoms, in rising order, repeated for powers. */
typedef struct tarei_term {
  int64_t coefficient;
  int32_t degree;
  int32_t atoms[TAREI_EXPR_MAX_DEGREE];
} tarei_term;

/* Terms from the highest monomial down (by degree, then by atoms): the constant comes last. There
 * is always room to add a constant; interning checks the limit. */
typedef struct tarei_poly {
  int n;
  tarei_term terms[TAREI_EXPR_MAX_TERMS + 1];
} tarei_poly;

typedef struct tarei_expr_node {
  size_t first; /* in terms */
  int32_t n;
  int32_t next;
  uint32_t hash;
  int32_t weight, depth;
} tarei_expr_node;

typedef struct tarei_symbol {
  char *name;     /* of the symbol, or of the node that measures it */
  int32_t owner;  /* node that measures it; 0: named by the model or the user */
  int32_t number; /* among those that the node measures */
  bool expected;  /* used by a text, but not yet measured */
  bool empty;     /* may be 0 */
} tarei_symbol;

struct tarei_exprs {
  tarei_symbol *symbols;
  tarei_expr_node *nodes;
  tarei_term *terms;
  tarei_atom *atoms;
  size_t n_symbols, n_nodes, n_terms, n_atoms;
  size_t cap_symbols, cap_nodes, cap_terms, cap_atoms;
  int32_t last_owner;
  bool reads; /* what is read was simplified when it was written */
  int32_t node_heads[TAREI_EXPR_BUCKETS], atom_heads[TAREI_EXPR_BUCKETS];
};

/* Handle of a polynomial in normal form; NONE if a limit is exceeded. */
tarei_expr tarei_exprs_intern(tarei_exprs *pool, const tarei_poly *poly);

/* The polynomial that is just this atom. */
tarei_expr tarei_exprs_atom(tarei_exprs *pool, tarei_atom_kind kind, int32_t a, int32_t b);

void tarei_exprs_load(const tarei_exprs *pool, tarei_expr e, tarei_poly *out);
const tarei_term *tarei_exprs_terms(const tarei_exprs *pool, tarei_expr e, int *n);

/* The atom if e is just an atom, else NULL. */
const tarei_atom *tarei_exprs_bare_atom(const tarei_exprs *pool, tarei_expr e);

/* > 0 if monomial a comes before b, 0 if they are equal. */
int tarei_term_compare(const tarei_term *a, const tarei_term *b);
/* out = a / b if b divides a, including its coefficient; else false. */
bool tarei_term_div(const tarei_term *a, const tarei_term *b, tarei_term *out);

/* out = a + factor * b; false on overflow or too many terms. out may be neither a nor b. */
bool tarei_poly_add_scaled(const tarei_poly *a, const tarei_term *factor, const tarei_poly *b,
                           tarei_poly *out);
bool tarei_poly_is_const(const tarei_poly *p, int64_t *value);

/* An interval of integers; INT64_MIN and INT64_MAX mean no bound. */
typedef struct tarei_interval {
  int64_t lo, hi;
} tarei_interval;

/* Values of e over a box; without a box every symbol is >= 1, measured ones and those that may be
 * empty >= 0. */
tarei_interval tarei_expr_interval(const tarei_exprs *pool, tarei_expr e, const int64_t *lo,
                                   const int64_t *hi);
tarei_interval tarei_interval_floordiv(tarei_interval a, tarei_interval b);

#endif
