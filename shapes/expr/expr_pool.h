/* The inside of an expression pool: polynomials over atoms, both hash-consed. */
#ifndef TAREI_SHAPES_EXPR_EXPR_POOL_H
#define TAREI_SHAPES_EXPR_EXPR_POOL_H

#include <stddef.h>

#include "shapes/expr.h"

/* What is larger when it is written out gets a name, so that what is made of it stays small. */
#define TAREI_EXPR_LONG_TERMS 32
#define TAREI_EXPR_LONG_DEPTH 12   /* atoms inside atoms */
#define TAREI_EXPR_LONG_WEIGHT 256 /* leaves */

/* Limits on the size of a pool, against malicious models. Beyond them a builder returns NONE. */
#define TAREI_EXPR_MAX_NODES (1 << 18) /* polynomials and atoms in a pool, each */
#define TAREI_EXPR_MAX_TERMS 64        /* terms of a polynomial */
#define TAREI_EXPR_MAX_DEGREE 12       /* factors of a term */
#define TAREI_EXPR_MAX_WEIGHT 4096     /* leaves of a definition, so the cost of evaluating it */
#define TAREI_EXPR_MAX_OPERANDS 8      /* operands of a flattened min, max or broadcast */
#define TAREI_EXPR_MAX_NAMES 65536
#define TAREI_EXPR_BUCKETS 4096
#define TAREI_EXPR_MAX_OWNER (1 << 30) /* number of a node in a file */

typedef enum tarei_atom_kind {
  TAREI_ATOM_SYMBOL,
  TAREI_ATOM_FLOORDIV,
  TAREI_ATOM_MOD,
  TAREI_ATOM_MIN,
  TAREI_ATOM_MAX,
  TAREI_ATOM_BROADCAST, /* of dims that are equal or 1: the one that is not 1 */
  TAREI_ATOM_NAME       /* stands for an expression */
} tarei_atom_kind;

typedef struct tarei_atom {
  tarei_atom_kind kind;
  int32_t a, b; /* operands; a is the number of a symbol or a name, whose b is 0 */
  int32_t next; /* in its bucket */
  int32_t weight, depth;
  bool names; /* is a name, or has one inside */
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
  tarei_expr name; /* what stands for it, or NONE */
  bool names;      /* has names inside */
} tarei_expr_node;

typedef struct tarei_symbol {
  char *name;     /* of the symbol, or of the node that measures it */
  int32_t owner;  /* node that measures it; 0: named by the model or the user */
  int32_t number; /* among those that the node measures */
  bool expected;  /* used by a text, but not yet measured */
  bool empty;     /* may be 0 */
  int64_t least;  /* known bound, beside what `owner` and `empty` say */
  bool dropped;   /* no dim has it any more */
} tarei_symbol;

/* An interval of integers; INT64_MIN and INT64_MAX mean no bound. */
typedef struct tarei_interval {
  int64_t lo, hi;
} tarei_interval;

typedef struct tarei_expr_definition {
  tarei_expr expr;      /* has only names with smaller numbers */
  tarei_interval range; /* without a box */
} tarei_expr_definition;

struct tarei_exprs {
  tarei_symbol *symbols;
  tarei_expr_node *nodes;
  tarei_term *terms;
  tarei_atom *atoms;
  tarei_expr_definition *names;
  size_t n_symbols, n_nodes, n_terms, n_atoms, n_names;
  size_t cap_symbols, cap_nodes, cap_terms, cap_atoms, cap_names;
  int32_t last_owner;
  bool reads;        /* what is read was simplified when it was written */
  bool may_be_empty; /* a symbol may be 0 */
  bool doubts;       /* a min, max or broadcast could not be decided */
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

/* Values of e at all values of the symbols. */
tarei_interval tarei_expr_interval(const tarei_exprs *pool, tarei_expr e);
tarei_interval tarei_interval_floordiv(tarei_interval a, tarei_interval b);

#endif
