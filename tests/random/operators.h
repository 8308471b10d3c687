/* What a random graph is made of: rows of operators.inc, each with a form that chooses operands and
 * attributes. */
#ifndef TAREI_TESTS_RANDOM_OPERATORS_H
#define TAREI_TESTS_RANDOM_OPERATORS_H

#include "random/maker.h"

typedef struct operator_row operator_row;

/* Tries to add a node of the row's operator. The first output, or NULL where nothing fits. */
typedef value *(*form_fn)(maker *m, const operator_row *row);

struct operator_row {
  const char *op;
  form_fn form;
  int types; /* of its data */
  int from;  /* opset */
};

int n_operators(void);
const operator_row *operator_at(int i);
/* Tries a random row. */
value *add_random(maker *m);
/* Counts of nodes kept for each row since the start. */
const long *operator_counts(void);

#define OPERATOR(op, form, types, from) value *form_##form(maker *m, const operator_row *row);
#include "random/operators.inc"
#undef OPERATOR

#endif
